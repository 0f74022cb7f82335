"""The second factor of a sign-in (contract section 13, "Accounts")."""

import asyncio
import re
from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pyotp
import pytest

from finassist.testing import FakeClock, RecordingSms, StubIdentityProvider
from http_service import ANN, AUTH, DEVICE, Service, Start, offending, post

PHONE = "+491701234567"


def error_of(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


class Protected:
    """Somebody who has switched the second factor on, with the app and the recovery codes."""

    def __init__(self, service: Service, headers: dict[str, str], secret: str) -> None:
        self.service = service
        self.headers = headers
        self.secret = secret
        self.recovery_codes: list[str] = []

    def code(self) -> str:
        """What the app shows now."""
        return pyotp.TOTP(self.secret).at(self.service.clock.now())

    def wrong_code(self) -> str:
        """A code that the app shows at none of the three times that count."""
        steps = [self.service.clock.now().timestamp() + each for each in (-30, 0, 30)]
        shown = {pyotp.TOTP(self.secret).at(int(each)) for each in steps}
        return next(code for code in map("{:06}".format, range(10)) if code not in shown)

    def next_code(self) -> str:
        """A code that was not used yet."""
        self.service.clock.advance(30)
        return self.code()

    async def challenge(self) -> str:
        """The challenge of a new sign-in."""
        response = await post(self.service, "signin", ANN)
        assert error_of(response) == (401, "SECOND_FACTOR_REQUIRED")
        challenge: str = response.json()["error"]["details"]["challenge"]
        return challenge

    async def answer(self, challenge: str, code: str, **headers: str) -> httpx2.Response:
        body = {"challenge": challenge, "code": code}
        return await post(self.service, "signin/second-factor", body, **headers)


async def begin(service: Service) -> Protected:
    data = (await post(service, "signup", ANN)).json()["data"]
    headers = {"Authorization": f"Bearer {data['accessToken']}"}
    response = await post(service, "second-factor", **headers)
    assert response.status_code == 200, response.text
    return Protected(service, headers, response.json()["data"]["secret"])


@pytest.fixture
async def ann(service: Service) -> Protected:
    ann = await begin(service)
    response = await post(service, "second-factor/confirm", {"code": ann.code()}, **ann.headers)
    assert response.status_code == 200, response.text
    ann.recovery_codes = response.json()["data"]["recoveryCodes"]
    return ann


# Switching it on and off


async def test_the_secret_is_an_address_for_authenticator_apps(service: Service) -> None:
    data = (await post(service, "signup", ANN)).json()["data"]
    headers = {"Authorization": f"Bearer {data['accessToken']}"}
    shown = (await post(service, "second-factor", **headers)).json()["data"]

    assert set(shown) == {"otpauthUri", "secret"}
    address = urlsplit(shown["otpauthUri"])
    assert (address.scheme, address.netloc) == ("otpauth", "totp")
    assert parse_qs(address.query) == {"secret": [shown["secret"]], "issuer": ["finassist"]}


async def test_nothing_changes_until_a_code_confirms_it(service: Service) -> None:
    ann = await begin(service)
    assert (await post(service, "signin", ANN)).status_code == 200

    wrong = await post(service, "second-factor/confirm", {"code": ann.wrong_code()}, **ann.headers)

    assert error_of(wrong) == (401, "INVALID_CODE")
    assert (await post(service, "signin", ANN)).status_code == 200


async def test_confirming_shows_ten_recovery_codes_once(ann: Protected) -> None:
    assert len(set(ann.recovery_codes)) == 10

    again = await post(ann.service, "second-factor/confirm", {"code": ann.next_code()}, **ann.headers)
    begun = await post(ann.service, "second-factor", **ann.headers)

    assert error_of(again) == error_of(begun) == (409, "INVALID_STATE")


async def test_neither_secret_nor_codes_are_stored_as_they_are(ann: Protected) -> None:
    await ann.challenge()
    stored = await ann.service.database.read(
        lambda connection: str(
            [
                connection.execute(f"SELECT * FROM {table}").fetchall()
                for table in ("second_factors", "second_factor_challenges")
            ]
        )
    )
    assert ann.secret not in stored
    assert not any(code in stored or code.replace("-", "") in stored for code in ann.recovery_codes)


async def test_its_user_sees_whether_it_is_on_and_how_many_recovery_codes_are_left(service: Service) -> None:
    ann = await begin(service)

    async def shown() -> tuple[bool, int]:
        response = await service.client.get(f"{AUTH}/second-factor", headers=ann.headers)
        assert response.status_code == 200, response.text
        data = response.json()["data"]
        assert set(data) == {"enabled", "recoveryCodesLeft"}
        return data["enabled"], data["recoveryCodesLeft"]

    assert await shown() == (False, 0)
    confirmed = await post(service, "second-factor/confirm", {"code": ann.code()}, **ann.headers)
    assert await shown() == (True, 10)
    code = confirmed.json()["data"]["recoveryCodes"][0]
    assert (await ann.answer(await ann.challenge(), code)).status_code == 200
    assert await shown() == (True, 9)


@pytest.mark.parametrize("kind", ["app", "recovery"])
async def test_a_code_switches_it_off(ann: Protected, kind: str) -> None:
    async def remove(code: str) -> httpx2.Response:
        return await ann.service.client.request(
            "DELETE", f"{AUTH}/second-factor", json={"code": code}, headers=ann.headers
        )

    assert error_of(await remove(ann.wrong_code())) == (401, "INVALID_CODE")
    response = await remove(ann.next_code() if kind == "app" else ann.recovery_codes[0])

    assert response.json()["data"] == {"deleted": True}
    assert (await post(ann.service, "signin", ANN)).status_code == 200
    assert error_of(await remove(ann.next_code())) == (409, "INVALID_STATE")


async def test_only_a_registered_user_has_one(service: Service) -> None:
    assert (await post(service, "second-factor", **DEVICE)).status_code == 401


# Signing in


async def test_a_sign_in_is_finished_with_a_code(ann: Protected) -> None:
    response = await ann.answer(await ann.challenge(), ann.next_code(), **DEVICE)

    assert response.status_code == 200, response.text
    data = response.json()["data"]
    assert set(data) == {"accessToken", "idToken", "refreshToken", "expiresIn", "user"}
    shown = await ann.service.client.get(
        f"{AUTH}/sessions", headers={"Authorization": f"Bearer {data['accessToken']}"}
    )
    assert shown.json()["data"]["sessions"][0]["deviceId"] == "device-1"
    launched = (await ann.service.client.get("/app/launch", headers=DEVICE)).json()["data"]
    assert launched["appLaunchResponseData"]["userData"]["userId"] == data["user"]["id"], "bound"


async def test_each_recovery_code_signs_in_once(ann: Protected) -> None:
    code = ann.recovery_codes[3]

    assert (await ann.answer(await ann.challenge(), code.upper().replace("-", " "))).status_code == 200
    again = await ann.answer(await ann.challenge(), code)
    other = await ann.answer(await ann.challenge(), ann.recovery_codes[4])

    assert error_of(again) == (401, "INVALID_CODE")
    assert other.status_code == 200


async def test_a_code_is_good_once_of_10_parallel_sign_ins(ann: Protected) -> None:
    challenges = [await ann.challenge() for _ in range(10)]
    code = ann.next_code()

    responses = await asyncio.gather(*(ann.answer(each, code) for each in challenges))

    assert Counter(each.status_code for each in responses)[200] == 1


async def test_a_challenge_is_good_once_of_5_parallel_answers(ann: Protected) -> None:
    challenge = await ann.challenge()

    responses = await asyncio.gather(*(ann.answer(challenge, code) for code in ann.recovery_codes[:5]))

    assert Counter(each.status_code for each in responses)[200] == 1
    assert error_of(await ann.answer(challenge, ann.next_code())) == (401, "CHALLENGE_EXPIRED")


async def test_five_wrong_codes_end_a_challenge(ann: Protected) -> None:
    challenge = await ann.challenge()
    ann.service.clock.advance(30)
    wrong = [error_of(await ann.answer(challenge, ann.wrong_code())) for _ in range(5)]

    assert wrong == [(401, "INVALID_CODE")] * 5
    assert error_of(await ann.answer(challenge, ann.code())) == (401, "CHALLENGE_EXPIRED")
    assert (await ann.answer(await ann.challenge(), ann.code())).status_code == 200


async def test_ten_wrong_codes_lock_the_account_over_all_challenges(ann: Protected) -> None:
    for _ in range(2):
        challenge = await ann.challenge()
        for _ in range(5):
            await ann.answer(challenge, ann.wrong_code())

    locked = await ann.answer(await ann.challenge(), ann.next_code())
    assert error_of(locked) == (429, "TOO_MANY_ATTEMPTS")
    ann.service.clock.advance(int(locked.headers["Retry-After"]))
    assert (await ann.answer(await ann.challenge(), ann.code())).status_code == 200


@pytest.mark.parametrize(("seconds", "status"), [(599, 200), (600, 401)])
async def test_a_challenge_is_good_for_ten_minutes(ann: Protected, seconds: int, status: int) -> None:
    challenge = await ann.challenge()
    ann.service.clock.advance(seconds)

    assert (await ann.answer(challenge, ann.code())).status_code == status


async def test_a_challenge_is_over_when_the_password_is_replaced_meanwhile(ann: Protected) -> None:
    challenge = await ann.challenge()
    await ann.service.finassist.set_password(ANN["email"], "Another-horse-8")

    assert error_of(await ann.answer(challenge, ann.code())) == (401, "CHALLENGE_EXPIRED")


async def test_an_unknown_challenge_is_over(ann: Protected) -> None:
    assert error_of(await ann.answer("nonsense", ann.next_code())) == (401, "CHALLENGE_EXPIRED")


async def test_right_passwords_do_not_count_as_failures(ann: Protected) -> None:
    for _ in range(12):
        await ann.challenge()


async def test_a_wrong_password_does_not_tell_of_the_second_factor(ann: Protected) -> None:
    response = await post(ann.service, "signin", {**ANN, "password": "Wrong-one-1"})

    assert error_of(response) == (401, "INVALID_CREDENTIALS")


async def test_resetting_the_password_leaves_it_on(ann: Protected) -> None:
    await ann.service.finassist.set_password(ANN["email"], ANN["password"])

    await ann.challenge()


async def test_the_password_erases_with_a_token_that_had_the_second_factor(ann: Protected) -> None:
    answered = await ann.answer(await ann.challenge(), ann.next_code())
    headers = {"Authorization": f"Bearer {answered.json()['data']['accessToken']}"}

    async def erase(password: str) -> httpx2.Response:
        return await ann.service.client.request(
            "DELETE", f"{AUTH}/me", json={"password": password}, headers=headers
        )

    assert error_of(await erase("Wrong-one-1")) == (401, "INVALID_CREDENTIALS")
    assert (await erase(ANN["password"])).status_code == 200
    left = await ann.service.database.read(
        lambda connection: connection.execute("SELECT count(*) FROM second_factors").fetchone()
    )
    assert left == (0,)


async def test_a_sign_in_by_phone_needs_it_too(start: Start) -> None:
    sms = RecordingSms()
    service = await start({}, sms_sender=sms)

    async def sign_in() -> httpx2.Response:
        service.clock.advance(60)
        await post(service, "send-otp", {"phone": PHONE}, **DEVICE)
        return await post(service, "verify-otp", {"phone": PHONE, "otp": sms.code_for(PHONE)}, **DEVICE)

    data = (await sign_in()).json()["data"]
    headers = {"Authorization": f"Bearer {data['accessToken']}"}
    secret = (await post(service, "second-factor", **headers)).json()["data"]["secret"]
    ann = Protected(service, headers, secret)
    assert (await post(service, "second-factor/confirm", {"code": ann.code()}, **headers)).status_code == 200

    refused = await sign_in()

    assert error_of(refused) == (401, "SECOND_FACTOR_REQUIRED")
    challenge = refused.json()["error"]["details"]["challenge"]
    assert (await ann.answer(challenge, ann.code())).json()["data"]["user"]["id"] == data["user"]["id"]


# The hosted page


async def shown_form(ann: Protected) -> httpx2.Response:
    started = await post(ann.service, "login/social")
    response = await ann.service.client.get(started.json()["data"]["authorizationUrl"])
    assert response.status_code == 200, response.text
    return response


async def submit(ann: Protected, page: httpx2.Response, **fields: str) -> httpx2.Response:
    found = re.search("name=form value='([^']+)'", page.text)
    assert found is not None
    return await ann.service.client.post("/oauth/authorize", data={"form": found[1], **fields})


def challenge_in(page: httpx2.Response) -> str:
    found = re.search('name=challenge value="([^"]+)"', page.text)
    assert found is not None, page.text
    return found[1]


async def test_the_hosted_page_asks_for_the_code(ann: Protected) -> None:
    credentials = {"intent": "signin", "email": ANN["email"], "password": ANN["password"]}
    page = await submit(ann, await shown_form(ann), **credentials)
    assert page.status_code == 401
    assert "<div role=alert>" not in page.text

    wrong = {"intent": "code", "challenge": challenge_in(page), "code": ann.wrong_code()}
    again = await submit(ann, page, **wrong)
    assert again.status_code == 401
    assert "The code is wrong" in again.text

    right = {"intent": "code", "challenge": challenge_in(again), "code": ann.next_code()}
    done = await submit(ann, again, **right)
    assert done.status_code == 303
    finished = await ann.service.client.get(done.headers["Location"])
    assert "access_token=" in finished.headers["Location"]


async def test_the_hosted_page_begins_again_when_the_challenge_is_over(ann: Protected) -> None:
    page = await submit(ann, await shown_form(ann), intent="code", challenge="nonsense", code="123456")

    assert page.status_code == 401
    assert "name=password" in page.text
    assert "please begin again" in page.text


# Another provider


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "second-factor", None),
        ("POST", "second-factor", None),
        ("POST", "second-factor/confirm", {"code": "123456"}),
        ("DELETE", "second-factor", {"code": "123456"}),
        ("POST", "signin/second-factor", {"challenge": "x", "code": "123456"}),
    ],
)
async def test_with_another_provider_the_error_names_it(
    start: Start, method: str, path: str, body: Any
) -> None:
    provider = StubIdentityProvider(FakeClock())
    service = await start({}, identity_provider=provider)
    headers = {"Authorization": f"Bearer {provider.issue('ann')}"}

    response = await service.client.request(method, f"{AUTH}/{path}", json=body, headers=headers)

    assert offending(response) == {"provider"}
    assert "stub" in response.json()["error"]["details"][0]["message"]
