"""Signing in with a social provider's identity token over HTTP (spec "Authentication service")."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from finassist.adapters.system.clock import SystemClock
from finassist.config import SocialIssuer
from http_service import DEVICE, Service, Start
from identity_realms import oidc_settings
from servers.oidc_server import DISCOVERY, Answer, OidcServer, serve_oidc

URL = "/api/v1/auth/social"
CLIENT_ID = "client-web"


@pytest.fixture
async def social() -> AsyncIterator[OidcServer]:
    async with serve_oidc() as server:
        yield server


@pytest.fixture
async def accepting(start: Start, social: OidcServer) -> Service:
    settings = {"social_issuers": (SocialIssuer(social.issuer, CLIENT_ID),)}
    return await start(settings, clock=SystemClock())


async def test_a_social_token_makes_an_account_and_signs_in_to_it_again(
    accepting: Service, social: OidcServer
) -> None:
    claims: dict[str, Any] = {
        "aud": CLIENT_ID,
        "email": "ann@example.org",
        "email_verified": True,
        "name": "Ann",
    }

    first, second = [
        await accepting.client.post(URL, json={"idToken": social.token(**claims)}) for _ in range(2)
    ]

    assert first.status_code == second.status_code == 200, first.text
    data = first.json()["data"]
    assert set(data) == {"accessToken", "idToken", "refreshToken", "expiresIn", "user"}
    assert data["user"]["email"] == "ann@example.org"
    assert data["user"]["emailVerified"] is True
    assert data["user"]["name"] == "Ann"
    assert second.json()["data"]["user"]["id"] == data["user"]["id"]
    headers = {"Authorization": f"Bearer {data['accessToken']}"}
    assert (await accepting.client.get("/api/v1/user/conversations", headers=headers)).status_code == 200


async def test_a_social_token_binds_the_device_that_sent_it(accepting: Service, social: OidcServer) -> None:
    token = social.token(aud=CLIENT_ID, email="ann@example.org", email_verified=True, name="Ann")

    data = (await accepting.client.post(URL, json={"idToken": token}, headers=DEVICE)).json()["data"]

    launched = (await accepting.client.get("/app/launch", headers=DEVICE)).json()["data"]
    shown = launched["appLaunchResponseData"]
    assert (shown["userData"]["userId"], shown["isOnboardingRequired"]) == (data["user"]["id"], False)
    headers = {"Authorization": f"Bearer {data['accessToken']}"}
    [session] = (await accepting.client.get("/api/v1/auth/sessions", headers=headers)).json()["data"][
        "sessions"
    ]
    assert (session["deviceId"], session["platform"]) == ("device-1", "ios")


async def test_an_unverified_email_does_not_open_its_owners_account(
    accepting: Service, social: OidcServer
) -> None:
    account = {"email": "ann@example.org", "password": "Correct-horse-7", "name": "Ann"}
    signed_up = await accepting.client.post("/api/v1/auth/signup", json=account)
    token = social.token(aud=CLIENT_ID, sub="mallory", email="ann@example.org", email_verified=False)

    answer = await accepting.client.post(URL, json={"idToken": token})

    assert answer.status_code == 200, answer.text
    assert answer.json()["data"]["user"]["id"] != signed_up.json()["data"]["user"]["id"]


async def test_a_bad_token_is_401(accepting: Service, social: OidcServer) -> None:
    for token in ("x", social.token(aud="another"), social.token(aud=CLIENT_ID, exp=1)):
        answer = await accepting.client.post(URL, json={"idToken": token})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize("body", [{}, {"idToken": 7}, {"idToken": None}])
async def test_a_malformed_body_is_400(accepting: Service, body: dict[str, object]) -> None:
    answer = await accepting.client.post(URL, json=body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


async def test_without_social_issuers_every_token_is_401(start: Start, social: OidcServer) -> None:
    service = await start()

    answer = await service.client.post(URL, json={"idToken": social.token(aud=CLIENT_ID)})

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED")


async def test_an_issuer_that_is_down_is_500(accepting: Service, social: OidcServer) -> None:
    social.answers[DISCOVERY] = Answer(status=503)

    answer = await accepting.client.post(URL, json={"idToken": social.token(aud=CLIENT_ID)})

    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "IDENTITY_PROVIDER_ERROR")


async def test_a_provider_without_token_exchange_is_500_and_says_so(
    start: Start, social: OidcServer, tmp_path: Path
) -> None:
    names = ("identity_provider", "oidc_issuer", "oidc_audience", "oidc_client_id")
    outer = oidc_settings(tmp_path, social)
    settings = {name: getattr(outer, name) for name in names}
    service = await start(
        settings | {"social_issuers": (SocialIssuer(social.issuer, CLIENT_ID),)}, clock=SystemClock()
    )

    answer = await service.client.post(URL, json={"idToken": social.token(aud=CLIENT_ID)})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (500, "IDENTITY_PROVIDER_ERROR")
    assert "token exchange" in error["message"]


LOGIN = "/api/v1/auth/login/social"
POSTS = {
    "response_types_supported": ["code"],
    "response_modes_supported": ["query", "fragment", "form_post"],
    "scopes_supported": ["openid", "email", "name"],
}
"""What Apple's discovery document says."""


async def test_a_browser_is_sent_to_a_provider_for_a_token(accepting: Service, social: OidcServer) -> None:
    wanted = {"issuer": social.issuer, "state": "the-state", "nonce": "the-nonce"}
    answer = await accepting.client.get(LOGIN, params=wanted)

    assert answer.status_code == 302
    address, _, query = answer.headers["location"].partition("?")
    assert address == f"{social.url}/authorize"
    assert dict(parse_qsl(query)) == {
        "response_type": "id_token",
        "client_id": CLIENT_ID,
        "redirect_uri": f"{str(accepting.client.base_url).rstrip('/')}/",
        "scope": "openid email profile",
        "state": "the-state",
        "nonce": "the-nonce",
    }


CALLBACK = "/api/v1/auth/callback/social"


async def test_a_provider_that_posts_tokens_is_asked_for_them_in_its_way(
    accepting: Service, social: OidcServer
) -> None:
    social.answers[DISCOVERY] = Answer(social.metadata | POSTS)
    wanted = {"issuer": social.issuer, "state": "the-state", "nonce": "the-nonce"}
    answer = await accepting.client.get(LOGIN, params=wanted)
    asked = dict(parse_qsl(answer.headers["location"].partition("?")[2]))
    own = str(accepting.client.base_url).rstrip("/")
    assert asked == {
        "response_type": "code id_token",
        "response_mode": "form_post",
        "client_id": CLIENT_ID,
        "redirect_uri": f"{own}{CALLBACK}",
        "scope": "openid email name",
        "state": "the-state",
        "nonce": "the-nonce",
    }


async def test_a_provider_that_posts_and_names_no_scopes_is_asked_for_openid(
    accepting: Service, social: OidcServer
) -> None:
    social.answers[DISCOVERY] = Answer(social.metadata | POSTS | {"scopes_supported": []})
    wanted = {"issuer": social.issuer, "state": "the-state", "nonce": "the-nonce"}
    answer = await accepting.client.get(LOGIN, params=wanted)
    asked = dict(parse_qsl(answer.headers["location"].partition("?")[2]))
    assert asked["scope"] == "openid email profile"


@pytest.mark.parametrize(
    ("posted", "told"),
    [
        ({"state": "s", "id_token": "a.b.c", "code": "x", "user": "{}"}, {"state": "s", "id_token": "a.b.c"}),
        ({"state": "s&t=#", "error": "user_cancelled"}, {"state": "s&t=#", "error": "user_cancelled"}),
    ],
)
async def test_what_a_provider_posts_comes_to_the_chat_page(
    accepting: Service, posted: dict[str, str], told: dict[str, str]
) -> None:
    answer = await accepting.client.post(
        CALLBACK, data=posted, headers={"Origin": "https://appleid.apple.com"}
    )
    assert answer.status_code == 303
    address, _, fragment = answer.headers["location"].partition("#")
    assert address == f"{str(accepting.client.base_url).rstrip('/')}/"
    assert dict(parse_qsl(fragment)) == told


@pytest.mark.parametrize(
    ("posted", "field"),
    [({"id_token": "a.b.c"}, "state"), ({"state": "s", "id_token": "x" * 8193}, "id_token")],
)
async def test_what_no_provider_posts_is_refused(
    accepting: Service, posted: dict[str, str], field: str
) -> None:
    answer = await accepting.client.post(CALLBACK, data=posted)
    assert answer.status_code == 400
    assert [each["field"] for each in answer.json()["error"]["details"]] == [field]
    assert (await accepting.client.post(CALLBACK, json=posted)).status_code == 415


@pytest.mark.parametrize(
    ("wanted", "fields"),
    [
        ({"issuer": "https://elsewhere.example", "state": "s", "nonce": "n"}, ["issuer"]),
        ({"issuer": "https://elsewhere.example"}, ["state", "nonce"]),
    ],
)
async def test_only_known_providers_are_led_to_and_only_with_what_proves_the_answer(
    accepting: Service, wanted: dict[str, str], fields: list[str]
) -> None:
    answer = await accepting.client.get(LOGIN, params=wanted)
    assert answer.status_code == 400
    assert [each["field"] for each in answer.json()["error"]["details"]] == fields


OPTIONS = "/api/v1/auth/options"


async def test_the_options_name_the_social_providers_and_who_sends_codes(
    accepting: Service, social: OidcServer
) -> None:
    answer = await accepting.client.get(OPTIONS)
    assert answer.status_code == 200
    assert answer.json()["data"] == {
        "smsProvider": "console",
        "emailProvider": "console",
        "socialProviders": [{"issuer": social.issuer}],
    }


async def test_an_issuer_with_several_clients_is_one_option(start: Start, social: OidcServer) -> None:
    clients = tuple(SocialIssuer(social.issuer, client_id) for client_id in (CLIENT_ID, "client-ios"))
    service = await start({"social_issuers": clients})
    data = (await service.client.get(OPTIONS)).json()["data"]
    assert data["socialProviders"] == [{"issuer": social.issuer}]


async def test_without_social_issuers_the_options_name_none(service: Service) -> None:
    data = (await service.client.get(OPTIONS)).json()["data"]
    assert data == {"smsProvider": "console", "emailProvider": "console", "socialProviders": []}


async def test_the_chat_page_may_be_returned_to_and_no_other_page(service: Service) -> None:
    own = f"{str(service.client.base_url).rstrip('/')}/"
    challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    body = {"redirectUri": own, "codeChallenge": challenge, "state": "s"}
    started = await service.client.post(LOGIN, json=body)
    assert started.json()["data"]["state"] == "s"
    for address in (f"{own}web/app.js", "http://elsewhere.example/", own.rstrip("/")):
        refused = await service.client.post(LOGIN, json={**body, "redirectUri": address})
        assert refused.status_code == 400, address


async def test_without_a_chat_page_nobody_returns_to_it(start: Start) -> None:
    service = await start({"web_client_enabled": False})
    own = f"{str(service.client.base_url).rstrip('/')}/"
    assert (await service.client.post(LOGIN, json={"redirectUri": own})).status_code == 400
