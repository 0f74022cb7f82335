"""Signing in with a phone (contract section 3, "OTP")."""

import asyncio
import re
from typing import Any

import httpx2
import pytest

from finassist.domain.errors import SmsProviderError
from http_service import DEVICE, OTHER_DEVICE, Service, Start, offending

PHONE = "+491701234567"
AUTH = "/api/v1/auth"


class Phones:
    """An SMS provider that delivers into ``messages``; ``fails`` makes it refuse."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str]] = []
        self.fails = False

    async def send(self, phone: str, text: str) -> None:
        await asyncio.sleep(0)
        if self.fails:
            raise SmsProviderError("The SMS provider did not accept the message.")
        self.messages.append((phone, text))

    async def close(self) -> None:
        """Nothing to close."""

    def code(self, number: int = -1) -> str:
        """The code in a message, the newest unless told otherwise."""
        found = re.search(r"\b\d{6}\b", self.messages[number][1])
        assert found is not None
        return found[0]


@pytest.fixture
def phones() -> Phones:
    return Phones()


@pytest.fixture
async def service(start: Start, phones: Phones) -> Service:
    return await start(sms_sender=phones)


async def send(
    service: Service, phone: Any = PHONE, *, headers: dict[str, str] = DEVICE, route: str = "send-otp"
) -> httpx2.Response:
    return await service.client.post(f"{AUTH}/{route}", json={"phone": phone}, headers=headers)


async def verify(
    service: Service, otp: Any, phone: Any = PHONE, *, headers: dict[str, str] = DEVICE
) -> httpx2.Response:
    body = {"phone": phone, "otp": otp}
    return await service.client.post(f"{AUTH}/verify-otp", json=body, headers=headers)


def refusal(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


async def test_a_code_is_sent_and_never_answered(service: Service, phones: Phones) -> None:
    response = await send(service)

    assert response.status_code == 200, response.text
    assert response.json()["data"] == {"phone": PHONE, "expiresInSeconds": 300, "resendAfterSeconds": 60}
    assert [phone for phone, _ in phones.messages] == [PHONE]
    assert phones.code() not in response.text


async def test_the_right_code_signs_in_and_makes_the_user(service: Service, phones: Phones) -> None:
    await send(service)

    response = await verify(service, phones.code())

    assert response.status_code == 200, response.text
    data = response.json()["data"]
    assert set(data) == {"accessToken", "idToken", "refreshToken", "expiresIn", "user"}
    assert data["user"] == {
        "id": data["user"]["id"],
        "email": "491701234567@phone.invalid",
        "name": "User",
        "phone": PHONE,
        "phoneVerified": True,
        "emailVerified": False,
        "avatarUrl": None,
    }
    bearer = {"Authorization": f"Bearer {data['accessToken']}"}
    profile = (await service.client.get(f"{AUTH}/me", headers=bearer)).json()["data"]["user"]
    assert (profile["id"], profile["email"]) == (data["user"]["id"], "491701234567@phone.invalid")


async def test_the_same_phone_is_the_same_user_however_it_is_written(
    service: Service, phones: Phones
) -> None:
    users = []
    for written in (PHONE, PHONE.removeprefix("+"), "+4901701234567"):
        assert (await send(service, written)).json()["data"]["phone"] == PHONE
        users.append((await verify(service, phones.code(), written)).json()["data"]["user"]["id"])
        service.clock.advance(200)
    assert len(set(users)) == 1


async def test_a_code_is_good_once(service: Service, phones: Phones) -> None:
    await send(service)
    assert (await verify(service, phones.code())).status_code == 200
    assert refusal(await verify(service, phones.code())) == (401, "OTP_EXPIRED")


async def test_of_50_parallel_right_codes_one_signs_in(service: Service, phones: Phones) -> None:
    await send(service)
    responses = await asyncio.gather(*(verify(service, phones.code()) for _ in range(50)))
    assert sorted(response.status_code for response in responses) == [200] + [401] * 49


async def test_a_wrong_code_is_401_and_five_end_the_code(service: Service, phones: Phones) -> None:
    await send(service)
    code = phones.code()
    for _ in range(5):
        assert refusal(await verify(service, wrong(code))) == (401, "OTP_INVALID")
    for tried in (wrong(code), code):
        assert refusal(await verify(service, tried)) == (429, "OTP_ATTEMPTS_EXCEEDED")


async def test_50_parallel_wrong_codes_count_exactly(service: Service, phones: Phones) -> None:
    await send(service)
    responses = await asyncio.gather(*(verify(service, wrong(phones.code())) for _ in range(50)))
    codes = [refusal(response)[1] for response in responses]
    assert (codes.count("OTP_INVALID"), codes.count("OTP_ATTEMPTS_EXCEEDED")) == (5, 45)


async def test_a_code_that_was_never_sent_is_expired(service: Service) -> None:
    assert refusal(await verify(service, "123456")) == (401, "OTP_EXPIRED")


async def test_a_code_lives_five_minutes(service: Service, phones: Phones) -> None:
    await send(service)
    service.clock.advance(300)
    assert refusal(await verify(service, phones.code())) == (401, "OTP_EXPIRED")


async def test_a_code_is_bound_to_its_phone_and_device(service: Service, phones: Phones) -> None:
    await send(service)
    assert refusal(await verify(service, phones.code(), headers=OTHER_DEVICE)) == (401, "OTP_EXPIRED")
    assert refusal(await verify(service, phones.code(), "+491701234568")) == (401, "OTP_EXPIRED")
    assert (await verify(service, phones.code())).status_code == 200


async def test_only_the_newest_code_counts(service: Service, phones: Phones) -> None:
    await send(service)
    service.clock.advance(60)
    await send(service, route="resend-otp")
    old, new = phones.code(0), phones.code(1)
    if old != new:
        assert refusal(await verify(service, old)) == (401, "OTP_INVALID")
    assert (await verify(service, new)).status_code == 200


@pytest.mark.parametrize("route", ["send-otp", "resend-otp"])
async def test_the_cooldown_is_shared_by_send_and_resend(service: Service, route: str) -> None:
    await send(service)
    service.clock.advance(17)

    response = await send(service, route=route)

    assert refusal(response) == (429, "OTP_COOLDOWN")
    assert response.headers["Retry-After"] == "43"
    assert response.json()["error"]["details"] == {"retryAfterSeconds": 43}
    service.clock.advance(43)
    assert (await send(service, route=route)).status_code == 200


async def test_of_20_parallel_sends_one_sms_goes_out(service: Service, phones: Phones) -> None:
    responses = await asyncio.gather(*(send(service) for _ in range(20)))
    assert sorted(response.status_code for response in responses) == [200] + [429] * 19
    assert len(phones.messages) == 1
    assert {response.headers.get("Retry-After") for response in responses} == {None, "60"}


async def test_a_failing_provider_starts_no_cooldown_and_leaves_no_valid_code(
    service: Service, phones: Phones
) -> None:
    phones.fails = True
    for _ in range(12):
        assert refusal(await send(service)) == (500, "SMS_PROVIDER_ERROR")
    assert await service.finassist.adapters.otp_codes.get(PHONE, "device-1") is None
    phones.fails = False
    assert (await send(service)).status_code == 200


async def test_a_phone_gets_at_most_5_codes_in_10_minutes_and_10_in_a_day(
    start: Start, phones: Phones
) -> None:
    service = await start({"otp_resend_cooldown_seconds": 0}, sms_sender=phones)
    clock = service.clock

    async def send_from(number: int) -> httpx2.Response:
        return await send(service, headers={"x-device-id": f"device-{number}"})

    assert [(await send_from(n)).status_code for n in range(6)] == [200] * 5 + [429]
    clock.advance(599)
    refused = await send_from(6)
    assert (refused.headers["Retry-After"], refused.json()["error"]["code"]) == ("1", "OTP_COOLDOWN")
    clock.advance(1)
    assert [(await send_from(n)).status_code for n in range(7, 13)] == [200] * 5 + [429]
    clock.advance(600)
    refused = await send_from(13)
    assert int(refused.headers["Retry-After"]) == 86_400 - 1200
    assert len(phones.messages) == 10


async def test_a_device_sends_at_most_5_codes_an_hour(service: Service, phones: Phones) -> None:
    answers = [await send(service, f"+4917012345{n:02}") for n in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert answers[-1].headers["Retry-After"] == "3600"
    assert (await send(service, "+491701234505", headers=OTHER_DEVICE)).status_code == 200


async def test_an_address_sends_at_most_30_codes_an_hour(service: Service, phones: Phones) -> None:
    answers = [
        await send(service, f"+4917012345{n:02}", headers={"x-device-id": f"device-{n}"}) for n in range(31)
    ]
    assert [answer.status_code for answer in answers] == [200] * 30 + [429]


async def test_a_refused_send_uses_up_no_other_limit(service: Service, phones: Phones) -> None:
    await send(service)
    for _ in range(20):
        assert refusal(await send(service)) == (429, "OTP_COOLDOWN")
    for n in range(10, 14):
        assert (await send(service, f"+4917012345{n}")).status_code == 200
    # The device has no sends left. Being told so costs the phone nothing.
    for _ in range(20):
        assert (await send(service, "+491701234599")).status_code == 429
    assert (await send(service, "+491701234599", headers=OTHER_DEVICE)).status_code == 200


@pytest.mark.parametrize(
    "phone", [491701234567, {"e164": PHONE}, [PHONE], None, True, "", "1234567", "+0170123456", "abc",
              "+491701234567\n", "+49 170 1234567", "+999123456789", "+٤٩١٧٠١٢٣٤٥٦٧", "+4917012345678901"],
)  # fmt: skip
async def test_what_is_no_phone_number_is_400(service: Service, phones: Phones, phone: Any) -> None:
    assert offending(await send(service, phone)) == {"phone"}
    assert offending(await verify(service, "123456", phone)) == {"phone"}
    assert phones.messages == []


@pytest.mark.parametrize(
    "otp", [123456, {"$ne": ""}, ["123456"], None, "12345", "1234567", "12345a", "１２３４５６"]
)
async def test_what_is_no_code_is_400_and_no_try(service: Service, phones: Phones, otp: Any) -> None:
    await send(service)
    for _ in range(6):
        assert offending(await verify(service, otp)) == {"otp"}
    assert (await verify(service, phones.code())).status_code == 200


async def test_only_the_configured_countries_get_codes(start: Start, phones: Phones) -> None:
    service = await start({"sms_countries": ("DE", "+41")}, sms_sender=phones)
    assert offending(await send(service, "+33612345678")) == {"phone"}
    for phone in (PHONE, "+41781234567"):
        assert (await send(service, phone)).status_code == 200


async def test_every_wrong_part_is_listed(service: Service) -> None:
    assert offending(await send(service, 1, headers={"x-platform": "toaster"})) == {
        "phone", "x-device-id", "x-platform",
    }  # fmt: skip
    assert offending(await verify(service, 1, 2, headers={})) == {"phone", "otp", "x-device-id"}


async def test_a_bad_token_is_ignored(service: Service) -> None:
    assert (await send(service, headers={**DEVICE, "Authorization": "Bearer x"})).status_code == 200


async def test_no_phone_is_kept_in_the_limits(service: Service) -> None:
    await send(service)
    keys = await service.database.read(
        lambda connection: connection.execute("SELECT key FROM rate_windows").fetchall()
    )
    assert len(keys) == 5
    assert not any("1701234567" in key or "device-1" in key for (key,) in keys)
