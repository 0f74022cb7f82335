"""Somebody who has got hold of a token or code of another person (contract section 13, "Accounts")."""

import asyncio
import hashlib
import re
from base64 import urlsafe_b64encode
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from finassist.adapters.identity.local import CLIENT_ID
from http_service import ANN, DEVICE, Service, Start

APP = "com.example.app:/signed-in"
VERIFIER = "v" * 43
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
DAY = 24 * 60 * 60


@pytest.fixture
async def service(start: Start) -> Service:
    service = await start({"social_redirect_uris": (APP,)})
    await service.client.post("/api/v1/auth/signup", json=ANN)
    return service


# Refresh tokens


async def refresh(service: Service, token: str) -> httpx2.Response:
    return await service.client.post("/api/v1/auth/refresh", json={"refreshToken": token}, headers=DEVICE)


async def sign_in(service: Service) -> str:
    answer = await service.client.post("/api/v1/auth/signin", json=ANN, headers=DEVICE)
    token: str = answer.json()["data"]["refreshToken"]
    return token


async def test_a_stolen_refresh_token_opens_no_second_line_within_the_grace_window(service: Service) -> None:
    stolen = await sign_in(service)
    answers = await asyncio.gather(*(refresh(service, stolen) for _ in range(20)))
    service.clock.advance(299)
    answers.append(await refresh(service, stolen))

    assert {answer.status_code for answer in answers} == {200}
    [successor] = {answer.json()["data"]["refreshToken"] for answer in answers}
    thief = (await refresh(service, successor)).json()["data"]["refreshToken"]
    owner = (await refresh(service, successor)).json()["data"]["refreshToken"]
    assert owner == thief


async def test_the_thief_and_the_owner_are_both_out_when_the_stolen_token_comes_back(
    service: Service,
) -> None:
    stolen = await sign_in(service)
    owner = (await refresh(service, stolen)).json()["data"]
    service.clock.advance(300)

    assert (await refresh(service, stolen)).status_code == 401
    assert (await refresh(service, owner["refreshToken"])).status_code == 401
    assert (await lists(service, owner["accessToken"])) == 401


@pytest.mark.parametrize(("settings", "days"), [({}, 90), ({"session_max_seconds": 3 * DAY}, 3)])
async def test_who_keeps_refreshing_is_out_at_the_age_of_the_family(
    start: Start, settings: dict[str, Any], days: int
) -> None:
    service = await start(settings)
    await service.client.post("/api/v1/auth/signup", json=ANN)
    token = await sign_in(service)
    for _ in range(days - 1):
        service.clock.advance(DAY)
        token = (await refresh(service, token)).json()["data"]["refreshToken"]
    service.clock.advance(DAY - 1)
    last = (await refresh(service, token)).json()["data"]
    assert await lists(service, last["accessToken"]) == 200
    service.clock.advance(1)

    assert (await refresh(service, last["refreshToken"])).status_code == 401
    assert await lists(service, last["accessToken"]) == 401


# Authorization codes


async def code_of(service: Service) -> str:
    """A code for Ann's app, as the hosted page gives it."""
    query = {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": APP,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }
    transport = httpx2.ASGITransport(service.app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://testserver") as browser:
        page = await browser.get("/oauth/authorize", params=query)
        found = re.search(r"name=form value='([^']+)'", page.text)
        assert found is not None
        form = {"form": unescape(found[1]), "intent": "signin", **ANN}
        submitted = await browser.post("/oauth/authorize", data=form)
    [code] = parse_qs(urlsplit(submitted.headers["Location"]).query)["code"]
    return code


async def redeem(service: Service, code: str, **changes: str) -> httpx2.Response:
    form = {
        "grant_type": "authorization_code",
        "client_id": CLIENT_ID,
        "code": code,
        "code_verifier": VERIFIER,
        "redirect_uri": APP,
        **changes,
    }
    return await service.client.post("/oauth/token", data=form)


async def lists(service: Service, access_token: str) -> int:
    headers = {"Authorization": f"Bearer {access_token}", **DEVICE}
    return (await service.client.get("/api/v1/user/conversations", headers=headers)).status_code


@pytest.mark.parametrize("changes", [{}, {"code_verifier": "w" * 43}], ids=["same request", "no verifier"])
async def test_a_code_that_comes_back_ends_the_session_it_gave(
    service: Service, changes: dict[str, str]
) -> None:
    code = await code_of(service)
    tokens = (await redeem(service, code)).json()
    assert await lists(service, tokens["access_token"]) == 200
    renewed = (await refresh(service, tokens["refresh_token"])).json()["data"]
    service.clock.advance(3 * DAY)

    replayed = await redeem(service, code, **changes)

    assert (replayed.status_code, replayed.json()) == (400, {"error": "invalid_grant"})
    for token in (tokens["refresh_token"], renewed["refreshToken"]):
        assert (await refresh(service, token)).status_code == 401
    assert await lists(service, tokens["access_token"]) == 401
    launched = (await service.client.get("/app/launch", headers=DEVICE)).json()["data"]
    assert launched["appLaunchResponseData"]["auth"]["sessionExists"] is False


async def test_a_code_that_comes_back_ends_no_other_session(service: Service) -> None:
    other = await sign_in(service)
    code = await code_of(service)
    await redeem(service, code)

    await redeem(service, code)

    assert (await refresh(service, other)).status_code == 200


async def test_codes_that_race_leave_no_session_behind(service: Service) -> None:
    code = await code_of(service)

    answers = await asyncio.gather(*(redeem(service, code) for _ in range(20)))

    given = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(given) == 1
    assert (await refresh(service, given[0]["refresh_token"])).status_code == 401


async def test_codes_that_nobody_was_given_change_nothing(service: Service) -> None:
    code = await code_of(service)

    assert (await redeem(service, "guessed")).status_code == 400
    assert (await redeem(service, code)).status_code == 200
