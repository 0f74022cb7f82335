"""GET /app/launch and GET /app/config (spec "App launch and configuration", contract section 2)."""

import re

import httpx2
import pytest

from http_service import ALICE, DEVICE, OTHER_DEVICE, Service, launch, offending


async def test_a_new_device_gets_a_guest_and_all_that_the_home_screen_needs(service: Service) -> None:
    data = await launch(service, DEVICE)
    assert set(data) == {
        "userData", "auth", "isOnboardingRequired", "freeThreshold", "socialMediaUrls", "systemUrls",
    }  # fmt: skip
    user = data["userData"]
    assert re.fullmatch("[a-f0-9]{24}", user.pop("userId"))
    assert user.pop("createdAt") == user.pop("updatedAt") == "2026-03-01T12:00:00.000Z"
    assert user.pop("authProvider")
    assert user == {
        "email": None,
        "phoneNumber": None,
        "name": "Guest",
        "deviceId": "device-1",
        "platform": "ios",
        "isLoggedIn": False,
        "isVerified": False,
    }
    assert data["auth"] == {"sessionExists": False, "refreshAllowed": False, "graceWindowSeconds": 300}
    assert data["isOnboardingRequired"] is True
    assert data["freeThreshold"] == {"total": 1000, "used": 0, "remaining": 1000, "percentUsed": 0}


async def test_the_same_device_is_the_same_guest(service: Service) -> None:
    first, again = await launch(service, DEVICE), await launch(service, DEVICE)
    assert first["userData"]["userId"] == again["userData"]["userId"]


async def test_config_answers_the_links_of_the_launch(service: Service) -> None:
    config = (await service.client.get("/app/config")).json()["data"]
    data = await launch(service, DEVICE)
    assert config == {"systemUrls": data["systemUrls"], "socialMediaUrls": data["socialMediaUrls"]}
    assert set(config["systemUrls"]) == {"termsAndConditions", "privacyPolicy", "faqs", "supportEmail"}
    assert set(config["socialMediaUrls"]) == {
        "networkPage", "networkPhoto", "networkProfessional", "networkMicroblog",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        ({}, {"x-device-id", "x-platform"}),
        ({"x-device-id": "d"}, {"x-platform"}),
        ({"x-platform": "web"}, {"x-device-id"}),
        ({"x-device-id": "", "x-platform": ""}, {"x-device-id", "x-platform"}),
        ({"x-device-id": "x" * 129, "x-platform": "WEB"}, {"x-device-id", "x-platform"}),
        ({**DEVICE, "x-user-email": "no-at-sign"}, {"x-user-email"}),
        ({**DEVICE, "x-user-email": "a@b"}, {"x-user-email"}),
        ({**DEVICE, "x-user-email": "491511234567@phone.invalid"}, {"x-user-email"}),
        ({**DEVICE, "x-user-phone": "12345"}, {"x-user-phone"}),
        ({**DEVICE, "x-user-phone": "+0123456789"}, {"x-user-phone"}),
        ({**DEVICE, "x-user-phone": "+49 151 1234567"}, {"x-user-phone"}),
        ({**DEVICE, "Authorization": "Basic YTpi"}, {"Authorization"}),
        ({**DEVICE, "Authorization": "Bearer"}, {"Authorization"}),
        ({**DEVICE, "Authorization": "Bearer "}, {"Authorization"}),
        (
            {"x-platform": "tv", "x-user-email": "x", "x-user-phone": "y", "Authorization": "z"},
            {"x-device-id", "x-platform", "x-user-email", "x-user-phone", "Authorization"},
        ),
    ],
)
async def test_all_wrong_headers_are_listed(
    client: httpx2.AsyncClient, headers: dict[str, str], fields: set[str]
) -> None:
    assert offending(await client.get("/app/launch", headers=headers)) == fields


@pytest.mark.parametrize("phone", ["12345678", "+491511234567", "+123456789012345"])
async def test_phones_are_e164_with_or_without_a_plus(service: Service, phone: str) -> None:
    assert (await launch(service, {**DEVICE, "x-user-phone": phone}))["userData"]["phoneNumber"]


async def test_a_forged_token_is_401(client: httpx2.AsyncClient) -> None:
    response = await client.get("/app/launch", headers={**DEVICE, "Authorization": "Bearer forged"})
    assert response.status_code == 401


async def test_a_forged_token_is_401_before_malformed_headers_are_400(client: httpx2.AsyncClient) -> None:
    headers = {"x-platform": "fridge", "Authorization": "Bearer forged"}
    response = await client.get("/app/launch", headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")


async def test_a_forged_token_is_401_before_a_reserved_email_is_400(client: httpx2.AsyncClient) -> None:
    headers = {**DEVICE, "Authorization": "Bearer forged", "x-user-email": "49151@phone.invalid"}
    assert (await client.get("/app/launch", headers=headers)).status_code == 401


async def test_a_bearer_token_gives_the_users_full_data(service: Service) -> None:
    alice = await service.token("alice", **ALICE)
    data = await launch(service, {**DEVICE, **alice})
    user = data["userData"]
    assert (user["email"], user["name"]) == ("alice@example.com", "Alice")
    assert user["isLoggedIn"] is True
    assert user["accessTokenExpiry"] == "2026-03-01T13:00:00.000Z"
    assert data["isOnboardingRequired"] is False
    assert data["auth"]["sessionExists"] is True


async def test_an_expired_token_gets_the_guests_data_and_the_past_expiry(service: Service) -> None:
    alice = await service.token("alice", **ALICE)
    await launch(service, {**DEVICE, **alice})
    service.clock.advance(3600 + 60)
    data = await launch(service, {**DEVICE, **alice})
    user = data["userData"]
    assert (user["name"], user["email"], user["isLoggedIn"]) == ("Guest", None, False)
    assert user["accessTokenExpiry"] == "2026-03-01T13:00:00.000Z"
    assert data["auth"] == {"sessionExists": True, "refreshAllowed": True, "graceWindowSeconds": 300}


async def test_hints_show_the_matching_users_id_and_nothing_else_of_that_user(service: Service) -> None:
    alice = await launch(service, {**OTHER_DEVICE, **await service.token("alice", **ALICE)})
    alice_id = alice["userData"]["userId"]
    data = await launch(service, {**DEVICE, "x-user-id": alice_id})
    user = data["userData"]
    assert user["userId"] == alice_id
    assert (user["name"], user["email"], user["phoneNumber"], user["isLoggedIn"]) == (
        "Guest",
        None,
        None,
        False,
    )
    assert "accessTokenExpiry" not in user
    assert data["isOnboardingRequired"] is False
    assert data["auth"]["sessionExists"] is False
    hinted = await launch(service, {**DEVICE, "x-user-email": "alice@example.com"})
    assert (hinted["userData"]["userId"], hinted["userData"]["email"]) == (alice_id, "alice@example.com")


async def test_hints_without_a_match_are_kept_as_claims_that_later_launches_repeat(service: Service) -> None:
    claimed = await launch(service, {**DEVICE, "x-user-email": "bob@example.com"})
    assert claimed["isOnboardingRequired"] is False
    again = await launch(service, DEVICE)
    assert again["userData"]["email"] == "bob@example.com"
    assert again["userData"]["userId"] == claimed["userData"]["userId"]
    other = await launch(service, {**OTHER_DEVICE, "x-user-email": "bob@example.com"})
    assert other["userData"]["userId"] != claimed["userData"]["userId"]


async def test_a_device_that_hints_at_its_own_guest_keeps_and_repeats_its_claims(service: Service) -> None:
    own = {**DEVICE, "x-user-id": (await launch(service, DEVICE))["userData"]["userId"]}
    await launch(service, {**own, "x-user-email": "bob@example.com"})
    for headers in (own, DEVICE):
        data = await launch(service, headers)
        assert (data["userData"]["email"], data["isOnboardingRequired"]) == ("bob@example.com", False)


async def test_a_hinted_phone_matches_with_or_without_its_plus(service: Service) -> None:
    phone = {"phone": "+491511234567", "phone_verified": True}
    alice = await launch(service, {**OTHER_DEVICE, **await service.token("alice", **phone)})
    for spelling in ("+491511234567", "491511234567"):
        user = (await launch(service, {**DEVICE, "x-user-phone": spelling}))["userData"]
        assert (user["userId"], user["phoneNumber"]) == (alice["userData"]["userId"], spelling)


async def test_a_hinted_id_that_nobody_has_is_no_error(service: Service) -> None:
    for user_id in ("f" * 24, "not-an-id"):
        data = await launch(service, {**DEVICE, "x-user-id": user_id})
        assert data["userData"]["userId"] != user_id


async def test_signing_in_claims_the_guests_conversations_once(service: Service) -> None:
    asked = (await service.ask("What is an ETF?"))["conversationId"]
    alice = await service.token("alice")
    for _ in range(2):
        await launch(service, {**DEVICE, **alice})
    shown = await service.client.get("/api/v1/user/conversations", headers=alice)
    assert [c["id"] for c in shown.json()["data"]["conversations"]] == [asked]
    left = await service.client.get("/api/v1/user/conversations", headers=DEVICE)
    assert left.json()["data"]["total"] == 0


async def test_the_guests_used_messages_stay_with_the_device(service: Service) -> None:
    await service.ask("What is an ETF?")
    alice = await service.token("alice")
    registered = await launch(service, {**DEVICE, **alice})
    assert registered["freeThreshold"]["used"] == 0
    guest = await launch(service, DEVICE)
    assert guest["freeThreshold"]["used"] == 1
