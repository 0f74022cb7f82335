"""Somebody who brings another person's identity token to ``/social`` (contract section 13, "Accounts")."""

import asyncio
import base64
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from joserfc.jwk import RSAKey

from finassist.adapters.system.clock import SystemClock
from finassist.config import SocialIssuer
from finassist.testing import FakeClock
from http_service import Service, Start
from servers.oidc_server import OidcServer, serve_oidc

CLIENT_ID = "client-web"
MINUTE, DAY = 60, 24 * 60 * 60


@pytest.fixture
async def social() -> AsyncIterator[OidcServer]:
    async with serve_oidc() as server:
        yield server


@pytest.fixture
async def service(start: Start, social: OidcServer) -> Service:
    settings = {"social_issuers": (SocialIssuer(social.issuer, CLIENT_ID),)}
    return await start(settings, clock=SystemClock())


async def bring(service: Service, token: str) -> httpx2.Response:
    return await service.client.post("/api/v1/auth/social", json={"idToken": token})


@pytest.mark.parametrize(
    "claims",
    [
        {"iat": -10 * MINUTE - 1, "exp": 60 * MINUTE},
        {"iat": -DAY, "exp": 60 * MINUTE},
        {"iat": 10 * MINUTE, "exp": 60 * MINUTE},
        {"exp": DAY + MINUTE},
        {"exp": 365 * DAY},
    ],
    ids=["old", "a day old", "from the future", "good for more than a day", "good for a year"],
)
async def test_a_token_that_was_kept_for_later_is_refused(
    service: Service, social: OidcServer, claims: dict[str, int]
) -> None:
    now = int(time.time())
    times: dict[str, Any] = {name: now + seconds for name, seconds in claims.items()}

    refused = await bring(service, social.token(aud=CLIENT_ID, **times))

    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    in_time: dict[str, Any] = {"iat": now - 10 * MINUTE + 5, "exp": now + DAY}
    assert (await bring(service, social.token(aud=CLIENT_ID, **in_time))).status_code == 200


async def test_a_token_without_its_time_of_issue_is_refused(service: Service, social: OidcServer) -> None:
    assert (await bring(service, social.token(aud=CLIENT_ID, iat=None))).status_code == 401


@pytest.mark.parametrize("audience", [CLIENT_ID, [CLIENT_ID, "their-app"]])
async def test_a_token_that_another_app_was_given_is_refused(
    service: Service, social: OidcServer, audience: Any
) -> None:
    assert (await bring(service, social.token(aud=audience, azp="their-app"))).status_code == 401
    assert (await bring(service, social.token(aud=audience, azp=CLIENT_ID))).status_code == 200


@pytest.mark.filterwarnings("ignore:Key size should be")
@pytest.mark.parametrize(("bits", "status"), [(1024, 401), (2047, 401), (2048, 200)])
@pytest.mark.parametrize("algorithm", ["RS256", "PS256"])
async def test_a_token_with_a_key_that_can_be_broken_is_refused(
    service: Service, social: OidcServer, bits: int, status: int, algorithm: str
) -> None:
    private = rsa.generate_private_key(65537, bits)
    key = RSAKey(private, private, {"kid": "short"})
    social.keys = [key.as_dict(private=False)]

    answer = await bring(service, social.token(aud=CLIENT_ID, key=key, algorithm=algorithm))

    assert answer.status_code == status, answer.text


async def test_a_token_that_was_overheard_is_worth_nothing(service: Service, social: OidcServer) -> None:
    token = social.token(aud=CLIENT_ID)
    assert (await bring(service, token)).status_code == 200

    again = await bring(service, token)

    assert (again.status_code, again.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert (await bring(service, social.token(aud=CLIENT_ID))).status_code == 200


async def test_the_other_signature_of_an_overheard_token_is_worth_nothing(
    service: Service, social: OidcServer
) -> None:
    token = social.token(aud=CLIENT_ID)
    other = with_other_signature(token)
    assert other != token
    assert (await bring(service, token)).status_code == 200

    assert (await bring(service, other)).status_code == 401
    fresh = with_other_signature(social.token(aud=CLIENT_ID))
    assert (await bring(service, fresh)).status_code == 200


async def test_of_30_who_bring_a_token_at_once_one_gets_in(service: Service, social: OidcServer) -> None:
    token = social.token(aud=CLIENT_ID)

    answers = await asyncio.gather(*(bring(service, token) for _ in range(30)))

    assert Counter(answer.status_code for answer in answers) == {200: 1, 401: 29}


async def test_a_token_stays_used_until_it_expires(start: Start, social: OidcServer) -> None:
    clock = FakeClock()
    service = await start({"social_issuers": (SocialIssuer(social.issuer, CLIENT_ID),)}, clock=clock)
    now = int(clock.now().timestamp())
    token = social.token(aud=CLIENT_ID, iat=now, exp=now + DAY)
    assert (await bring(service, token)).status_code == 200

    for seconds in (9 * MINUTE, DAY - 9 * MINUTE - 1):
        clock.advance(seconds)
        await service.finassist.workers.delete_expired_logins()
        assert (await bring(service, token)).status_code == 401


def with_other_signature(token: str) -> str:
    """The token with the other signature that belongs to an ECDSA signature: (r, -s)."""
    signed, _, signature = token.rpartition(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    other = order - int.from_bytes(raw[32:])
    return f"{signed}.{base64.urlsafe_b64encode(raw[:32] + other.to_bytes(32)).rstrip(b'=').decode()}"
