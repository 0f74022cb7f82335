"""A sign-in and a refresh bind the device that they name (contract section 13, "Launch and sessions")."""

from typing import Any

import httpx2
import pytest

from finassist.application.auth.callers import DEVICES_PER_DAY
from finassist.testing import FakeClock, RecordingEmail, RecordingSms, StubIdentityProvider
from http_service import ANN, AUTH, DEVICE, OTHER_DEVICE, Service, Start, offending

THIRD_DEVICE = {"x-device-id": "device-3", "x-platform": "android"}
PHONE = {"phone": "+491701234567"}


@pytest.fixture
def sms() -> RecordingSms:
    return RecordingSms()


@pytest.fixture
def mails() -> RecordingEmail:
    return RecordingEmail()


@pytest.fixture
async def stored(start: Start, database: dict[str, Any], sms: RecordingSms, mails: RecordingEmail) -> Service:
    """The service on each kind of database."""
    return await start(database, sms_sender=sms, email_sender=mails)


async def post(service: Service, path: str, body: dict[str, str], headers: dict[str, str]) -> httpx2.Response:
    return await service.client.post(f"{AUTH}/{path}", json=body, headers=headers)


async def sign(
    service: Service, path: str, body: dict[str, str], headers: dict[str, str] | None = None
) -> dict[str, Any]:
    response = await post(service, path, body, headers or {})
    assert response.status_code in (200, 201), response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def launch(service: Service, device: dict[str, str]) -> tuple[str, bool, bool]:
    """The user's id, whether onboarding is required, and whether a session exists, without a token."""
    response = await service.client.get("/app/launch", headers=device)
    assert response.status_code == 200, response.text
    data = response.json()["data"]["appLaunchResponseData"]
    return data["userData"]["userId"], data["isOnboardingRequired"], data["auth"]["sessionExists"]


async def test_signing_in_binds_the_device_until_the_session_is_signed_out(stored: Service) -> None:
    guest = await launch(stored, DEVICE)
    assert guest[1:] == (True, False)
    ann = await sign(stored, "signup", ANN, DEVICE)
    assert await launch(stored, DEVICE) == (ann["user"]["id"], False, True)
    await sign(stored, "signout", {"refreshToken": ann["refreshToken"]})
    assert await launch(stored, DEVICE) == guest

    ann = await sign(stored, "signin", ANN, DEVICE)
    assert await launch(stored, DEVICE) == (ann["user"]["id"], False, True)
    assert (await launch(stored, OTHER_DEVICE))[1:] == (True, False)
    await sign(stored, "signout", {"refreshToken": ann["refreshToken"]})
    assert await launch(stored, DEVICE) == guest


async def test_a_code_by_sms_binds_the_device_that_asked_for_it(stored: Service, sms: RecordingSms) -> None:
    await sign(stored, "send-otp", PHONE, DEVICE)
    code = sms.code_for(PHONE["phone"])
    ann = await sign(stored, "verify-otp", {**PHONE, "otp": code}, DEVICE)

    assert (await launch(stored, DEVICE))[::2] == (ann["user"]["id"], True)


async def test_a_refresh_binds_the_device_that_it_names(stored: Service) -> None:
    ann = await sign(stored, "signup", ANN, DEVICE)
    fresh = await sign(stored, "refresh", {"refreshToken": ann["refreshToken"]}, OTHER_DEVICE)

    assert await launch(stored, OTHER_DEVICE) == (ann["user"]["id"], False, True)
    assert await launch(stored, DEVICE) == (ann["user"]["id"], False, True), "still bound"
    await sign(stored, "signout", {"refreshToken": fresh["refreshToken"]})
    assert [(await launch(stored, device))[2] for device in (DEVICE, OTHER_DEVICE)] == [False, False]


async def test_the_first_device_that_a_refresh_names_is_unbound_with_its_session(stored: Service) -> None:
    ann = await sign(stored, "signup", ANN)
    fresh = await sign(stored, "refresh", {"refreshToken": ann["refreshToken"]}, DEVICE)
    assert (await launch(stored, DEVICE))[2] is True

    await sign(stored, "signout", {"refreshToken": fresh["refreshToken"]})

    assert (await launch(stored, DEVICE))[2] is False


async def test_ending_an_earlier_session_leaves_a_device_to_the_session_that_is_on_it_now(
    stored: Service,
) -> None:
    left_behind = await sign(stored, "signup", ANN, DEVICE)
    current = await sign(stored, "signin", ANN, DEVICE)
    bearer = {"Authorization": f"Bearer {current['accessToken']}"}

    await stored.client.delete(f"{AUTH}/sessions", headers=bearer)
    assert (
        await post(stored, "refresh", {"refreshToken": left_behind["refreshToken"]}, {})
    ).status_code == 401
    assert await launch(stored, DEVICE) == (current["user"]["id"], False, True)

    newest = await sign(stored, "signin", ANN, DEVICE)
    await sign(stored, "signout", {"refreshToken": newest["refreshToken"]})
    assert (await stored.client.get(f"{AUTH}/me", headers=bearer)).status_code == 200
    assert (await launch(stored, DEVICE))[2] is False


@pytest.mark.parametrize("ending", ["signout", "end", "end others", "reset", "set-password", "reuse"])
async def test_every_device_that_a_session_bound_is_unbound_when_it_ends(
    stored: Service, mails: RecordingEmail, ending: str
) -> None:
    ann = await sign(stored, "signup", ANN, DEVICE)
    bearer = {"Authorization": f"Bearer {ann['accessToken']}"}
    await stored.client.get("/app/launch", headers={**OTHER_DEVICE, **bearer})
    await stored.client.get(f"{AUTH}/me", headers={**THIRD_DEVICE, **bearer})
    devices = (DEVICE, OTHER_DEVICE, THIRD_DEVICE)
    assert [(await launch(stored, device))[2] for device in devices] == [True] * 3

    await end(stored, ending, ann, mails)

    assert [(await launch(stored, device))[2] for device in devices] == [False] * 3


async def end(service: Service, ending: str, ann: dict[str, Any], mails: RecordingEmail) -> None:
    """End the session in one of the ways there are."""
    token = {"refreshToken": ann["refreshToken"]}
    other = {"Authorization": f"Bearer {(await sign(service, 'signin', ANN))['accessToken']}"}
    match ending:
        case "signout":
            await sign(service, "signout", token)
        case "end":
            sessions = (await service.client.get(f"{AUTH}/sessions", headers=other)).json()["data"][
                "sessions"
            ]
            await service.client.delete(f"{AUTH}/sessions/{sessions[-1]['id']}", headers=other)
        case "end others":
            await service.client.delete(f"{AUTH}/sessions", headers=other)
        case "reset":
            await sign(service, "password/forgot", {"email": ANN["email"]})
            await service.finassist.workers.outbox.sent()
            reset = {"token": mails.token_for(ANN["email"]), "password": "Brand-new-456"}
            await sign(service, "password/reset", reset)
        case "set-password":
            await service.finassist.set_password(ANN["email"], "Brand-new-456")
        case "reuse":
            await sign(service, "refresh", token)
            service.clock.advance(301)
            assert (await post(service, "refresh", token, {})).status_code == 401


@pytest.mark.parametrize("path", ["api", "hosted"])
async def test_a_rotated_token_that_is_used_again_unbinds_the_device_of_its_session(
    stored: Service, path: str
) -> None:
    ann = await sign(stored, "signup", ANN, DEVICE)
    rotated = {"refreshToken": ann["refreshToken"]}
    await sign(stored, "refresh", rotated)
    assert (await launch(stored, DEVICE))[2] is True
    stored.clock.advance(301)

    if path == "api":
        reused = await post(stored, "refresh", rotated, DEVICE)
        assert (reused.status_code, reused.json()["error"]["code"]) == (401, "INVALID_REFRESH_TOKEN")
    else:
        form = {"grant_type": "refresh_token", "refresh_token": ann["refreshToken"]}
        reused = await stored.client.post("/oauth/token", data={**form, "client_id": "finassist-client"})
        assert (reused.status_code, reused.json()["error"]) == (400, "invalid_grant")

    assert (await launch(stored, DEVICE))[1:] == (True, False)


async def test_reuse_leaves_a_device_alone_that_is_somebody_elses_by_now(service: Service) -> None:
    ann = await sign(service, "signup", ANN, DEVICE)
    await sign(service, "refresh", {"refreshToken": ann["refreshToken"]})
    ben = await sign(service, "signup", {**ANN, "email": "ben@example.org", "name": "Ben"}, DEVICE)
    service.clock.advance(301)

    await post(service, "refresh", {"refreshToken": ann["refreshToken"]}, {})

    assert (await launch(service, DEVICE))[0] == ben["user"]["id"]


async def test_sign_ins_and_refreshes_bind_ten_new_devices_a_day(service: Service) -> None:
    ann = await sign(service, "signup", ANN)
    devices = [{"x-device-id": f"device-{n}", "x-platform": "web"} for n in range(DEVICES_PER_DAY + 2)]
    for device in devices[:-1]:
        await sign(service, "signin", ANN, device)
    await sign(service, "refresh", {"refreshToken": ann["refreshToken"]}, devices[-1])

    bound = [(await launch(service, device))[2] for device in devices]
    assert bound == [True] * DEVICES_PER_DAY + [False, False]


async def test_devices_of_sign_ins_count_against_the_address_as_new_guests(start: Start) -> None:
    service = await start({"new_guests_per_address_per_hour": 1})
    await sign(service, "signup", ANN, DEVICE)
    await sign(service, "signin", ANN, OTHER_DEVICE)

    assert [(await launch(service, device))[2] for device in (DEVICE, OTHER_DEVICE)] == [True, False]


async def test_a_refresh_at_another_provider_binds_the_device_and_makes_the_user(start: Start) -> None:
    provider = StubIdentityProvider(FakeClock())
    service = await start({}, identity_provider=provider)
    tokens = await provider.sign_up("ann@example.org", "Secret-123", "Ann")
    assert tokens.refresh_token is not None

    await sign(service, "refresh", {"refreshToken": tokens.refresh_token}, DEVICE)

    user = await service.finassist.adapters.users.find_by_identity(
        tokens.identity.issuer, tokens.identity.subject
    )
    assert user is not None
    assert await launch(service, DEVICE) == (user.id, False, True)


@pytest.mark.parametrize(("path", "body"), [("refresh", {"refreshToken": "x"}), ("social", {"idToken": "x"})])
async def test_a_wrong_device_or_platform_is_400(service: Service, path: str, body: dict[str, str]) -> None:
    headers = {"x-device-id": "x" * 129, "x-platform": "fridge"}

    assert offending(await post(service, path, body, headers)) == {"x-device-id", "x-platform"}
