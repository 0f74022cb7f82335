"""The hooks that the identity provider calls (contract section 3, "Webhooks")."""

import asyncio
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from finassist.config import Secret
from finassist.domain.users import Identity
from http_service import DEVICE, Service, Start, offending
from waiting import until

HOOKS = ("/api/v1/auth/webhooks/post-registration", "/api/v1/auth/post-login")
ME = "/api/v1/auth/me"


class ClientTokens:
    """The built-in provider, whose token ``machine`` belongs to a client that acts for itself."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    async def verify_access_token(self, token: str) -> Identity:
        if token.startswith("machine-"):
            identity: Identity = await self._provider.verify_access_token(token.removeprefix("machine-"))
            return replace(identity, client_id=identity.subject)
        verified: Identity = await self._provider.verify_access_token(token)
        return verified


async def call(service: Service, headers: dict[str, str], body: Any, path: str = HOOKS[0]) -> httpx2.Response:
    return await service.client.post(path, json=body, headers=headers)


async def user_of(service: Service, subject: str) -> Any:
    return await service.finassist.adapters.users.find_by_identity("local", subject)


async def start_with_client(start: Start, **settings: Any) -> tuple[Service, dict[str, str]]:
    """A service that lets the client ``hook`` write, and that client's credentials."""
    plain = await start(settings)
    provider = ClientTokens(plain.finassist.adapters.identity_provider)
    service = await start(settings, identity_provider=provider)
    token = (await plain.token("hook"))["Authorization"].replace("Bearer ", "Bearer machine-")
    return service, {"Authorization": token}


@pytest.mark.parametrize("path", HOOKS)
async def test_a_user_may_write_about_itself(service: Service, path: str) -> None:
    alice = await service.token("alice")
    event = {
        "userId": "alice",
        "email": "alice@example.com",
        "name": "Alice",
        "picture": "https://pictures.test/alice",
        "connection": "email",
        "event": "post-registration",
        "metadata": {"plan": {"name": "free"}},
    }

    response = await call(service, alice, event, path)

    assert (response.status_code, response.json()["data"]) == (200, {"status": "accepted"})
    user = (await service.client.get(ME, headers=alice)).json()["data"]["user"]
    assert (user["email"], user["fullName"], user["avatarUrl"]) == (
        "alice@example.com", "Alice", "https://pictures.test/alice",
    )  # fmt: skip
    assert user["id"] == (await user_of(service, "alice")).id


async def test_nobody_may_write_about_somebody_else(service: Service) -> None:
    await service.client.get(ME, headers=await service.token("bob", name="Bob"))
    for path in HOOKS:
        response = await call(service, await service.token("alice"), {"userId": "bob", "name": "X"}, path)
        assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert (await user_of(service, "bob")).name == "Bob"
    assert await user_of(service, "alice") is None


@pytest.mark.parametrize("headers", [{}, DEVICE, {"Authorization": "Bearer x"}, {"Authorization": "Basic x"}])
async def test_without_a_good_token_it_is_401_whatever_the_body(
    service: Service, headers: dict[str, str]
) -> None:
    for path in HOOKS:
        for body in (b"{", b'{"userId": "alice"}', b""):
            response = await service.client.post(path, content=body, headers=headers)
            assert response.status_code == 401


async def test_a_configured_client_may_write_about_everybody(start: Start) -> None:
    service, machine = await start_with_client(start, webhook_clients=("hook", "other"))
    assert (await call(service, machine, {"userId": "bob", "name": "Bob"})).status_code == 200
    assert (await user_of(service, "bob")).name == "Bob"
    assert await user_of(service, "hook") is None


async def test_other_clients_may_not_write(start: Start) -> None:
    service, machine = await start_with_client(start, webhook_clients=("other",))
    assert (await call(service, machine, {"userId": "bob"})).status_code == 401
    assert await user_of(service, "bob") is None


async def test_a_user_whose_id_is_that_of_a_client_may_not_write_about_others(start: Start) -> None:
    service = await start({"webhook_clients": ("alice",)})
    assert (await call(service, await service.token("alice"), {"userId": "bob"})).status_code == 401


SECRET = "gehéim–秘, länger als dreißig Zeichen"


@pytest.mark.parametrize("given", [None, "", "wrong", SECRET[:-1], SECRET + "x", "é"])
async def test_with_a_secret_configured_the_right_one_is_needed_too(start: Start, given: str | None) -> None:
    service = await start({"webhook_secret": Secret(SECRET)})
    headers: dict[str, Any] = await service.token("alice")
    if given is not None:
        headers["X-Webhook-Secret"] = given.encode()
    for body in ({"userId": "alice"}, {"userId": 1}):
        assert (await call(service, headers, body)).status_code == 401
    assert await user_of(service, "alice") is None


@pytest.mark.parametrize("name", ["X-Webhook-Secret", "x-webhook-secret"])
async def test_the_right_secret_suffices_with_any_good_token(start: Start, name: str) -> None:
    service = await start({"webhook_secret": Secret(SECRET)})
    headers: dict[str, Any] = {**await service.token("alice"), name: SECRET.encode()}
    assert (await call(service, headers, {"userId": "bob", "name": "Bob"})).status_code == 200
    assert (await user_of(service, "bob")).name == "Bob"
    without_token = {name: SECRET.encode()}
    assert (await call(service, without_token, {"userId": "bob"})).status_code == 401  # type: ignore[arg-type]


async def test_a_secret_header_says_nothing_where_no_secret_is_configured(service: Service) -> None:
    headers = {**await service.token("alice"), "X-Webhook-Secret": "x"}
    assert (await call(service, headers, {"userId": "bob"})).status_code == 401
    assert (await call(service, headers, {"userId": "alice"})).status_code == 200


async def test_repeating_an_event_changes_nothing(service: Service) -> None:
    alice = await service.token("alice")
    for _ in range(3):
        await call(service, alice, {"userId": "alice", "email": "alice@example.com", "name": "Alice"})
        user = await user_of(service, "alice")
    assert user == await user_of(service, "alice")


async def test_a_webhook_and_a_first_profile_at_the_same_moment_make_one_user(service: Service) -> None:
    alice = await service.token("alice", email="alice@example.com", email_verified=True)
    await asyncio.gather(
        *(call(service, alice, {"userId": "alice", "name": "Alice"}, HOOKS[n % 2]) for n in range(25)),
        *(service.client.get(ME, headers=alice) for _ in range(25)),
    )
    users = await service.database.read(
        lambda connection: connection.execute("SELECT count(*) FROM users").fetchone()
    )
    assert users == (1,)


async def test_a_reported_deletion_erases_the_user_and_repeats_harmlessly(start: Start) -> None:
    service, machine = await start_with_client(start, webhook_clients=("hook",))
    bob = await service.token("bob", name="Bob")
    reply = await service.ask("What is a bond?", bob)
    for path in (*HOOKS, HOOKS[0]):
        response = await call(service, machine, {"userId": "bob", "event": "user.deleted"}, path)
        assert (response.status_code, response.json()["data"]) == (200, {"status": "accepted"})
    assert await user_of(service, "bob") is None
    assert (await service.client.get(ME, headers=bob)).status_code == 401

    async def erased() -> bool:
        owner_of = service.finassist.adapters.conversations.owner_of
        return await owner_of(reply["conversationId"]) is None

    await until(erased)  # in the background
    unknown = await call(service, machine, {"userId": "nobody", "event": "user.deleted"})
    assert unknown.status_code == 200


async def test_a_user_does_not_report_its_own_deletion(service: Service, start: Start) -> None:
    alice = await service.token("alice")
    await service.client.get(ME, headers=alice)
    response = await call(service, alice, {"userId": "alice", "event": "user.deleted"})
    assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert await user_of(service, "alice") is not None

    guarded = await start({"webhook_secret": Secret(SECRET)})
    alice = await guarded.token("alice")
    headers: Any = {**alice, "X-Webhook-Secret": SECRET.encode()}
    await call(guarded, headers, {"userId": "alice", "event": "user.created"})
    assert await user_of(guarded, "alice") is not None
    await call(guarded, headers, {"userId": "alice", "event": "user.deleted"})
    assert await user_of(guarded, "alice") is None


async def test_an_event_of_an_unknown_kind_is_accepted_and_changes_nothing(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    alice = await service.token("alice")
    with caplog.at_level("INFO"):
        for event in ("user.blocked", "secret text\nof somebody"):
            response = await call(service, alice, {"userId": "alice", "name": "Al", "event": event})
            assert (response.status_code, response.json()["data"]) == (200, {"status": "accepted"})
    assert await user_of(service, "alice") is None
    assert "user.blocked" in caplog.text
    assert "secret text" not in caplog.text
    await call(service, alice, {"userId": "alice", "name": "Al", "event": "user.updated"})
    assert (await user_of(service, "alice")).name == "Al"


async def test_an_email_of_an_event_joins_nobody(service: Service) -> None:
    bob = await service.token("bob", email="bob@example.com", email_verified=True)
    bobs = (await service.client.get(ME, headers=bob)).json()["data"]["user"]
    alice = await service.token("alice")

    await call(service, alice, {"userId": "alice", "email": "bob@example.com"})

    user = await user_of(service, "alice")
    assert user.id != bobs["id"]
    assert not user.email_verified


async def test_an_event_without_an_email_leaves_a_verified_one(service: Service) -> None:
    alice = await service.token("alice", email="alice@example.com", email_verified=True)
    for email in (None, "ALICE@example.com"):
        await call(service, alice, {"userId": "alice", "email": email})
        assert (await user_of(service, "alice")).email_verified


async def test_a_client_changes_an_email_which_is_unverified_then(start: Start) -> None:
    service, machine = await start_with_client(start, webhook_clients=("hook",))
    alice = await service.token("alice", email="alice@example.com", email_verified=True)
    await service.client.get(ME, headers=alice)
    await call(service, machine, {"userId": "alice", "email": "other@example.com"})
    user = await user_of(service, "alice")
    assert (user.email, user.email_verified) == ("other@example.com", False)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"userId"}),
        ({"userId": ""}, {"userId"}),
        ({"userId": 1, "email": "x", "name": 1, "picture": {}, "connection": 1, "event": [], "metadata": "x"},
         {"userId", "email", "name", "picture", "connection", "event", "metadata"}),
        ({"userId": "alice", "email": "49301@phone.invalid"}, {"email"}),
        ({"userId": "alice", "email": "49301@PHONE.INVALID"}, {"email"}),
    ],
)  # fmt: skip
async def test_a_wrong_event_is_400(service: Service, body: Any, fields: set[str]) -> None:
    for path in HOOKS:
        assert offending(await call(service, await service.token("alice"), body, path)) == fields


@pytest.mark.parametrize("picture", ["", "javascript:alert(1)", "data:image/png;base64,AA", "pic.png"])
async def test_a_picture_that_is_no_web_address_is_left_out(service: Service, picture: str) -> None:
    alice = await service.token("alice")
    assert (await call(service, alice, {"userId": "alice", "picture": picture})).status_code == 200
    assert (await user_of(service, "alice")).avatar_url is None
