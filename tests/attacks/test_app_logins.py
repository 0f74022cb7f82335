"""Somebody who reads what a browser takes to an app, or makes an app finish a login that it did not begin
(contract section 13: ``POST /login/social`` with a ``codeChallenge``)."""

import asyncio
import hashlib
import re
from base64 import urlsafe_b64encode
from collections import Counter
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from http_service import ANN, AUTH, DEVICE, Service, Start, offending
from raw_records import texts_of

APP, SITE = "com.example.app:/signed-in", "http://testserver/signed-in"
VERIFIER = "v" * 43
ANOTHER_VERIFIER = "w" * 43


def challenge_of(verifier: str) -> str:
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


@pytest.fixture
async def service(start: Start) -> Service:
    service = await start({"social_redirect_uris": (APP, SITE)})
    await service.client.post(f"{AUTH}/signup", json=ANN)
    return service


async def begin(service: Service, **body: str) -> httpx2.Response:
    return await service.client.post(f"{AUTH}/login/social", json=body)


async def signed_in(service: Service, started: httpx2.Response) -> dict[str, str]:
    """What the browser takes to the app, after the holder has signed in on the page."""
    transport = httpx2.ASGITransport(service.app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://testserver") as browser:
        page = await browser.get(started.json()["data"]["authorizationUrl"])
        token = re.search(r"name=form value='([^']+)'", page.text)
        assert token is not None
        fields = {"form": unescape(token[1]), "intent": "signin", **ANN}
        submitted = await browser.post("/oauth/authorize", data=fields)
        final = await browser.get(submitted.headers["Location"])
    assert final.status_code == 302, final.text
    return dict(parse_qsl(urlsplit(final.headers["Location"]).fragment))


async def code_of(service: Service, verifier: str = VERIFIER) -> str:
    started = await begin(service, redirectUri=APP, codeChallenge=challenge_of(verifier))
    return (await signed_in(service, started))["code"]


async def redeem(service: Service, code: str, verifier: str = VERIFIER, **headers: str) -> httpx2.Response:
    body = {"code": code, "codeVerifier": verifier}
    return await service.client.post(f"{AUTH}/login/social/token", json=body, headers=headers)


async def test_another_app_that_gets_the_address_gets_no_tokens(
    service: Service, database: dict[str, Any]
) -> None:
    started = await begin(service, redirectUri=APP, state="mine", codeChallenge=challenge_of(VERIFIER))
    seen = await signed_in(service, started)
    assert seen.keys() == {"code", "state"}
    assert not any(seen["code"] in text for _, text in texts_of(database["database_url"]))
    for verifier in (ANOTHER_VERIFIER, challenge_of(VERIFIER), seen["code"]):
        assert offending(await redeem(service, seen["code"], verifier)) == {"code"}
    own = await redeem(service, seen["code"])
    assert own.status_code == 200, "a wrong verifier does not use the code up"
    assert own.json()["data"]["user"]["email"] == ANN["email"]


async def test_an_app_does_not_finish_a_login_that_another_began(service: Service) -> None:
    code_of_the_attacker = await code_of(service, ANOTHER_VERIFIER)
    assert offending(await redeem(service, code_of_the_attacker, VERIFIER)) == {"code"}


async def test_the_code_works_once_however_many_send_it_at_once(service: Service) -> None:
    code = await code_of(service)
    responses = await asyncio.gather(*(redeem(service, code) for _ in range(10)))
    assert Counter(response.status_code for response in responses) == {200: 1, 400: 9}


async def test_the_code_works_for_a_minute(service: Service) -> None:
    code = await code_of(service)
    service.clock.advance(60)
    assert offending(await redeem(service, code)) == {"code"}


async def test_an_address_of_an_app_is_refused_without_a_challenge(service: Service) -> None:
    assert offending(await begin(service, redirectUri=APP)) == {"codeChallenge"}
    assert offending(await begin(service, redirectUri=APP, codeChallenge="plain")) == {"codeChallenge"}


async def test_tokens_of_a_browser_do_not_go_to_an_app_by_the_setting_either(start: Start) -> None:
    service = await start({"frontend_callback_url": APP})
    assert offending(await begin(service)) == {"codeChallenge"}
    assert offending(await service.client.get(f"{AUTH}/login/social")) == {"codeChallenge"}


async def test_addresses_on_this_server_get_their_tokens_as_before(service: Service) -> None:
    for body in ({}, {"redirectUri": SITE}):
        tokens = await signed_in(service, await begin(service, **body))
        assert {"access_token", "id_token", "refresh_token", "expires_in"} < tokens.keys()
        assert "code" not in tokens


async def test_a_code_signs_in_like_a_password(service: Service) -> None:
    session = (await redeem(service, await code_of(service), **DEVICE)).json()["data"]
    assert session.keys() == {"accessToken", "idToken", "refreshToken", "expiresIn", "user"}
    bearer = {"Authorization": f"Bearer {session['accessToken']}"}
    listed = (await service.client.get(f"{AUTH}/sessions", headers=bearer)).json()["data"]["sessions"]
    assert [each["deviceId"] for each in listed if each["current"]] == [DEVICE["x-device-id"]]


async def test_a_login_whose_code_is_never_fetched_leaves_no_session(service: Service) -> None:
    await code_of(service)
    session = await service.client.post(f"{AUTH}/signin", json=ANN)
    bearer = {"Authorization": f"Bearer {session.json()['data']['accessToken']}"}
    listed = (await service.client.get(f"{AUTH}/sessions", headers=bearer)).json()["data"]["sessions"]
    assert len(listed) == 2  # of the sign-up, and this one
