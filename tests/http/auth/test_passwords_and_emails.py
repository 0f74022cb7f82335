"""Forgotten and changed passwords, and verified emails (contract section 13, "Accounts")."""

import asyncio
from collections import Counter
from typing import Any

import httpx2
import pytest

from finassist.domain.auth.local_accounts import SocialIdentity
from finassist.testing import FakeClock, RecordingEmail, StubIdentityProvider
from http_service import ANN, AUTH, DEVICE, Service, Start, offending, post

NEW = "Brand-new-456"


@pytest.fixture
def mails() -> RecordingEmail:
    return RecordingEmail()


@pytest.fixture
async def service(start: Start, mails: RecordingEmail) -> Service:
    return await start({"public_base_url": "https://finassist.test"}, email_sender=mails)


async def sign_up(service: Service) -> dict[str, Any]:
    data: dict[str, Any] = (await post(service, "signup", ANN)).json()["data"]
    return data


async def sign_in(service: Service, password: str = ANN["password"]) -> httpx2.Response:
    return await post(service, "signin", {"email": ANN["email"], "password": password})


def bearer(data: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {data['accessToken']}"}


async def reset_token(service: Service, mails: RecordingEmail, email: str = ANN["email"]) -> str:
    response = await post(service, "password/forgot", {"email": email})
    assert response.status_code == 200, response.text
    await service.finassist.workers.outbox.sent()
    return mails.token_for(email)


async def verification_token(service: Service, mails: RecordingEmail, data: dict[str, Any]) -> str:
    assert (await post(service, "email/verify/send", **bearer(data))).status_code == 200
    return mails.token_for(data["user"]["email"])


async def reset(service: Service, token: str, password: str = NEW) -> httpx2.Response:
    return await post(service, "password/reset", {"token": token, "password": password})


async def me(service: Service, data: dict[str, Any]) -> int:
    return (await service.client.get(f"{AUTH}/me", headers=bearer(data))).status_code


# A forgotten password


async def test_a_forgotten_password_is_replaced_with_the_token_of_a_mail(
    service: Service, mails: RecordingEmail
) -> None:
    await sign_up(service)

    response = await reset(service, await reset_token(service, mails))

    assert response.status_code == 200, response.text
    assert response.json()["data"]["message"]
    assert (await sign_in(service)).status_code == 401
    signed_in = await sign_in(service, NEW)
    assert signed_in.json()["data"]["user"]["emailVerified"] is True


async def test_a_mail_has_the_token_and_a_link_with_it_in_the_fragment(
    service: Service, mails: RecordingEmail
) -> None:
    await sign_up(service)
    token = await reset_token(service, mails, "ANN@example.org")

    [mail] = mails.sent
    assert mail.to == ANN["email"]
    assert f"https://finassist.test/#reset={token}\n" in mail.text
    assert "30 minutes" in mail.text


async def test_a_link_never_leads_to_the_host_that_a_request_names(
    start: Start, mails: RecordingEmail
) -> None:
    service = await start({"host": "0.0.0.0", "port": 8123}, email_sender=mails)
    await sign_up(service)
    await post(service, "password/forgot", {"email": ANN["email"]}, Host="evil.test")
    await service.finassist.workers.outbox.sent()

    assert "evil" not in mails.sent[0].text
    assert "http://localhost:8123/#reset=" in mails.sent[0].text


async def test_an_unknown_email_gets_the_same_response_and_no_mail(
    service: Service, mails: RecordingEmail
) -> None:
    await sign_up(service)
    known = await post(service, "password/forgot", {"email": ANN["email"]})
    unknown = await post(service, "password/forgot", {"email": "nobody@example.org"})
    await service.finassist.workers.outbox.sent()

    assert (unknown.status_code, unknown.json()["data"]) == (200, known.json()["data"])
    assert [mail.to for mail in mails.sent] == [ANN["email"]]


async def test_a_mail_that_fails_is_no_error_to_the_one_who_asked(
    service: Service, mails: RecordingEmail
) -> None:
    await sign_up(service)
    mails.refuse()

    assert (await post(service, "password/forgot", {"email": ANN["email"]})).status_code == 200


async def test_a_mail_that_fails_unexpectedly_is_counted_as_a_failure(
    service: Service, mails: RecordingEmail, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("as nobody thought of")

    await sign_up(service)
    monkeypatch.setattr(mails, "send", broken)
    assert (await post(service, "password/forgot", {"email": ANN["email"]})).status_code == 200
    await service.finassist.workers.outbox.sent()
    metrics = (await service.client.get("/metrics")).text
    assert 'finassist_background_failures_total{job="send a mail"} 1.0' in metrics


async def test_an_email_gets_at_most_five_mails_an_hour(service: Service, mails: RecordingEmail) -> None:
    await sign_up(service)
    for _ in range(7):
        assert (await post(service, "password/forgot", {"email": ANN["email"]})).status_code == 200
    await service.finassist.workers.outbox.sent()
    assert len(mails.sent) == 5

    service.clock.advance(3600)
    await reset_token(service, mails)
    assert len(mails.sent) == 6


async def test_a_reset_token_is_good_once_of_20_parallel_tries(
    service: Service, mails: RecordingEmail
) -> None:
    await sign_up(service)
    token = await reset_token(service, mails)

    responses = await asyncio.gather(*(reset(service, token) for _ in range(20)))

    assert Counter(response.status_code for response in responses) == {200: 1, 400: 19}
    assert offending(await reset(service, token)) == {"token"}


@pytest.mark.parametrize(("seconds", "status"), [(1799, 200), (1800, 400)])
async def test_a_reset_token_is_good_for_30_minutes(
    service: Service, mails: RecordingEmail, seconds: int, status: int
) -> None:
    await sign_up(service)
    token = await reset_token(service, mails)
    service.clock.advance(seconds)

    assert (await reset(service, token)).status_code == status


async def test_resetting_ends_all_sessions(service: Service, mails: RecordingEmail) -> None:
    first = await sign_up(service)
    second = (await sign_in(service)).json()["data"]

    await reset(service, await reset_token(service, mails))

    assert [await me(service, each) for each in (first, second)] == [401, 401]
    again = await post(service, "refresh", {"refreshToken": first["refreshToken"]})
    assert again.status_code == 401


async def test_a_second_mail_is_void_once_the_password_has_changed(
    service: Service, mails: RecordingEmail
) -> None:
    await sign_up(service)
    first, second = await reset_token(service, mails), await reset_token(service, mails)
    assert first != second
    assert (await reset(service, first)).status_code == 200

    assert offending(await reset(service, second, "Another-789")) == {"token"}


async def test_a_weak_password_does_not_spend_the_token(service: Service, mails: RecordingEmail) -> None:
    await sign_up(service)
    token = await reset_token(service, mails)

    assert offending(await reset(service, token, "short")) == {"password"}
    assert offending(await reset(service, token, "Password1")) == {"password"}
    assert (await reset(service, token)).status_code == 200


async def test_tokens_are_stored_as_hashes(service: Service, mails: RecordingEmail) -> None:
    data = await sign_up(service)
    tokens = [await reset_token(service, mails), await verification_token(service, mails, data)]

    stored = await service.database.read(
        lambda connection: str(connection.execute("SELECT * FROM tickets").fetchall())
    )
    assert "PasswordReset" in stored
    assert not any(token in stored for token in tokens)


# Changing it


async def test_a_password_is_changed_with_the_present_one_and_other_sessions_end(service: Service) -> None:
    current = await sign_up(service)
    other = (await sign_in(service)).json()["data"]

    body = {"currentPassword": ANN["password"], "password": NEW}
    response = await post(service, "password/change", body, **bearer(current))

    assert response.status_code == 200, response.text
    assert [await me(service, each) for each in (current, other)] == [200, 401]
    assert (await sign_in(service)).status_code == 401
    assert (await sign_in(service, NEW)).status_code == 200


async def test_a_wrong_present_password_changes_nothing_and_locks_after_ten(service: Service) -> None:
    data = await sign_up(service)
    body = {"currentPassword": "Wrong-one-1", "password": NEW}

    statuses = [(await post(service, "password/change", body, **bearer(data))) for _ in range(11)]

    assert [each.status_code for each in statuses] == [401] * 10 + [429]
    assert statuses[0].json()["error"]["code"] == "INVALID_CREDENTIALS"
    assert int(statuses[-1].headers["Retry-After"]) > 0


async def test_only_a_registered_user_changes_a_password(service: Service) -> None:
    body = {"currentPassword": ANN["password"], "password": NEW}
    assert (await post(service, "password/change", body, **DEVICE)).status_code == 401


@pytest.mark.parametrize("password", ["Password1", "PASSWORD1a", "Qwerty123"])
async def test_a_common_password_is_refused_everywhere(
    service: Service, mails: RecordingEmail, password: str
) -> None:
    is_common = password != "PASSWORD1a"
    data = await sign_up(service)
    change = {"currentPassword": ANN["password"], "password": password}

    signup = await post(service, "signup", {**ANN, "email": "ben@example.org", "password": password})
    changed = await post(service, "password/change", change, **bearer(data))

    assert (signup.status_code, changed.status_code) == ((400, 400) if is_common else (201, 200))
    if is_common:
        [detail] = signup.json()["error"]["details"]
        assert detail["field"] == "password"
        assert "10,000 most common" in detail["message"]
        assert offending(changed) == {"password"}


async def test_a_common_password_is_listed_with_what_else_is_wrong(service: Service) -> None:
    response = await post(service, "signup", {"email": "nowhere", "password": "Password1", "name": "Ann"})

    assert offending(response) == {"email", "password"}


# Verifying an email


async def test_an_email_is_verified_with_the_token_of_a_mail(service: Service, mails: RecordingEmail) -> None:
    data = await sign_up(service)
    token = await verification_token(service, mails, data)
    assert f"https://finassist.test/#verify={token}\n" in mails.sent[0].text

    response = await post(service, "email/verify", {"token": token})

    assert response.status_code == 200, response.text
    assert (await sign_in(service)).json()["data"]["user"]["emailVerified"] is True
    assert await me(service, data) == 200


async def test_a_verification_token_is_good_once_and_for_a_day(
    service: Service, mails: RecordingEmail
) -> None:
    data = await sign_up(service)
    token = await verification_token(service, mails, data)
    statuses = [
        response.status_code
        for response in await asyncio.gather(
            *(post(service, "email/verify", {"token": token}) for _ in range(20))
        )
    ]
    assert Counter(statuses) == {200: 1, 400: 19}
    assert offending(await post(service, "email/verify", {"token": "nonsense"})) == {"token"}


async def test_an_old_verification_token_is_refused(service: Service, mails: RecordingEmail) -> None:
    token = await verification_token(service, mails, await sign_up(service))
    service.clock.advance(86_400)

    assert offending(await post(service, "email/verify", {"token": token})) == {"token"}


async def test_a_verified_email_gets_no_further_mail(service: Service, mails: RecordingEmail) -> None:
    data = await sign_up(service)
    await post(service, "email/verify", {"token": await verification_token(service, mails, data)})

    assert (await post(service, "email/verify/send", **bearer(data))).status_code == 200
    assert len(mails.sent) == 1


async def test_a_mail_that_fails_is_told_to_the_user_who_wants_it(
    service: Service, mails: RecordingEmail
) -> None:
    data = await sign_up(service)
    mails.refuse()

    response = await post(service, "email/verify/send", **bearer(data))

    assert (response.status_code, response.json()["error"]["code"]) == (500, "IDENTITY_PROVIDER_ERROR")


async def test_verification_mails_are_limited(service: Service) -> None:
    data = await sign_up(service)
    responses = [await post(service, "email/verify/send", **bearer(data)) for _ in range(6)]

    assert [each.status_code for each in responses] == [200] * 5 + [429]
    assert responses[-1].json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"


async def test_signing_up_first_keeps_nobody_from_an_email(service: Service, mails: RecordingEmail) -> None:
    squatter = await sign_up(service)

    await reset(service, await reset_token(service, mails))

    assert await me(service, squatter) == 401
    assert (await sign_in(service)).status_code == 401
    assert (await sign_in(service, NEW)).status_code == 200


# Another provider


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("password/forgot", {"email": ANN["email"]}),
        ("password/reset", {"token": "t", "password": NEW}),
        ("password/change", {"currentPassword": "x", "password": NEW}),
        ("email/verify/send", None),
        ("email/verify", {"token": "t"}),
    ],
)
async def test_with_another_provider_the_error_names_it(start: Start, path: str, body: Any) -> None:
    provider = StubIdentityProvider(FakeClock())
    service = await start({}, identity_provider=provider)
    token = provider.issue("ann", email=ANN["email"])

    response = await post(service, path, body, Authorization=f"Bearer {token}")

    assert offending(response) == {"provider"}
    assert "stub" in response.json()["error"]["details"][0]["message"]


def social_of(email: str, subject: str = "s-1", verified: bool = True) -> SocialIdentity:
    return SocialIdentity(
        issuer="https://social.test",
        subject=subject,
        email=email,
        email_verified=verified,
        name="Ann",
        picture=None,
    )


# Joining


async def social_sign_in(service: Service, email: str) -> dict[str, Any]:
    """Sign in as a social provider's user with a verified email, whatever it takes to get its token."""
    tokens = await service.finassist.adapters.identity_provider.exchange_social(social_of(email), "")
    session = await service.finassist.open_session(tokens)
    return {"accessToken": tokens.access_token, "user": {"id": session.user.id}}


async def conversations_of(service: Service, data: dict[str, Any]) -> set[str]:
    response = await service.client.get("/api/v1/user/conversations", headers=bearer(data))
    return {each["title"] for each in response.json()["data"]["conversations"]}


async def test_while_one_side_alone_is_verified_both_stay_separate(
    service: Service, mails: RecordingEmail
) -> None:
    password = await sign_up(service)
    social = await social_sign_in(service, ANN["email"])

    assert social["user"]["id"] != password["user"]["id"]
    assert (await post(service, "signup", ANN)).status_code == 409


@pytest.mark.parametrize("how", ["verify", "reset"])
async def test_the_later_side_becomes_the_user_that_verified_first_with_its_conversations(
    service: Service, mails: RecordingEmail, how: str
) -> None:
    later = await sign_up(service)
    await service.ask("From the password side", bearer(later))
    first = await social_sign_in(service, ANN["email"])
    await service.ask("From the social side", bearer(first))

    if how == "verify":
        token = await verification_token(service, mails, later)
        assert (await post(service, "email/verify", {"token": token})).status_code == 200
        signed_in = (await sign_in(service)).json()["data"]
    else:
        assert (await reset(service, await reset_token(service, mails))).status_code == 200
        signed_in = (await sign_in(service, NEW)).json()["data"]
        assert await me(service, first) == 401
        first = await social_sign_in(service, ANN["email"])

    assert signed_in["user"]["id"] == first["user"]["id"]
    assert signed_in["user"]["emailVerified"] is True
    for side in (signed_in, first):
        assert await conversations_of(service, side) == {"From the password side", "From the social side"}
    if how == "verify":  # the token from before acts as the same user
        assert await conversations_of(service, later) == await conversations_of(service, first)


async def test_the_sessions_of_joined_accounts_are_one_list(service: Service, mails: RecordingEmail) -> None:
    later = await sign_up(service)
    first = await social_sign_in(service, ANN["email"])
    await post(service, "email/verify", {"token": await verification_token(service, mails, later)})

    for side in (first, later):
        response = await service.client.get(f"{AUTH}/sessions", headers=bearer(side))
        assert len(response.json()["data"]["sessions"]) == 2
    ended = await service.client.delete(f"{AUTH}/sessions", headers=bearer(first))
    assert ended.json()["data"]["count"] == 1
    assert await me(service, later) == 401


async def test_the_password_is_changed_from_either_side(service: Service, mails: RecordingEmail) -> None:
    later = await sign_up(service)
    first = await social_sign_in(service, ANN["email"])
    await post(service, "email/verify", {"token": await verification_token(service, mails, later)})

    body = {"currentPassword": ANN["password"], "password": NEW}
    assert (await post(service, "password/change", body, **bearer(first))).status_code == 200
    assert (await sign_in(service, NEW)).status_code == 200


async def test_erasing_the_joined_user_leaves_neither_account(
    service: Service, mails: RecordingEmail
) -> None:
    later = await sign_up(service)
    first = await social_sign_in(service, ANN["email"])
    await post(service, "email/verify", {"token": await verification_token(service, mails, later)})

    erased = await service.client.delete(f"{AUTH}/me", headers=bearer(first))
    assert erased.status_code == 200, erased.text
    assert (await sign_in(service)).status_code == 401
    assert await me(service, later) == 401
