"""The redirect login on the built-in provider, and attacks on it (contract section 3)."""

import asyncio
import hashlib
import re
from base64 import urlsafe_b64encode
from collections import Counter
from html import unescape
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx2
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from finassist.adapters.identity.local import CLIENT_ID
from finassist.testing import FakeClock
from http_service import ANN, Service, Start

CALLBACK = "http://testserver/api/v1/auth/callback/social"
APP = "com.example.app:/signed-in"
VERIFIER = "v" * 43
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
QUERY = {
    "response_type": "code",
    "client_id": CLIENT_ID,
    "redirect_uri": CALLBACK,
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
    "state": "s",
    "nonce": "n",
}

Client = httpx2.AsyncClient


@pytest.fixture
async def service(start: Start) -> Service:
    service: Service = await start({"social_redirect_uris": (APP,)})
    await service.client.post("/api/v1/auth/signup", json=ANN)
    return service


@pytest.fixture
def browser(service: Service) -> Client:
    return new_browser(service)


def new_browser(service: Service) -> Client:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(service.app), base_url="http://testserver")


def form_token(page: httpx2.Response) -> str:
    found = re.search(r"name=form value='([^']+)'", page.text)
    assert found is not None, page.text
    return unescape(found[1])


async def submit(browser: Client, page: httpx2.Response, **fields: str) -> httpx2.Response:
    data = {"form": form_token(page), "intent": "signin", **ANN, **fields}
    return await browser.post("/oauth/authorize", data=data)


async def begin(browser: Client, **query: str) -> httpx2.Response:
    """Follow the redirect to the page."""
    redirect = await browser.get("/api/v1/auth/login/social", params=query)
    assert redirect.status_code == 302
    return await browser.get(redirect.headers["Location"])


async def come_back(browser: Client, page: httpx2.Response, **fields: str) -> httpx2.Response:
    """Submit the form and follow its redirect to the callback."""
    submitted = await submit(browser, page, **fields)
    assert submitted.status_code == 303, submitted.text
    return await browser.get(submitted.headers["Location"])


def fragment_of(response: httpx2.Response) -> dict[str, str]:
    assert response.status_code == 302, response.text
    return dict(parse_qsl(urlsplit(response.headers["Location"]).fragment, keep_blank_values=True))


def address_of(response: httpx2.Response) -> str:
    return str(response.headers["Location"]).partition("#")[0]


# The whole way


async def test_a_browser_signs_in_and_the_tokens_come_in_the_fragment(
    service: Service, browser: Client
) -> None:
    final = await come_back(browser, await begin(browser, state="a b&c=ö"))

    tokens = fragment_of(final)
    assert address_of(final) == "http://testserver/auth/complete"
    assert set(tokens) == {"access_token", "id_token", "refresh_token", "expires_in", "state"}
    assert (tokens["state"], tokens["expires_in"]) == ("a b&c=ö", "3600")
    assert await service.finassist.adapters.identity_provider.verify_access_token(tokens["access_token"])
    refreshed = await browser.post("/api/v1/auth/refresh", json={"refreshToken": tokens["refresh_token"]})
    assert refreshed.status_code == 200


async def test_a_browser_signs_up_on_the_page(service: Service, browser: Client) -> None:
    page = await begin(browser)
    tokens = fragment_of(await come_back(browser, page, intent="signup", email="ben@example.org", name="Ben"))

    identity = await service.finassist.adapters.identity_provider.verify_access_token(tokens["access_token"])

    assert (identity.email, identity.name) == ("ben@example.org", "Ben")
    assert "state" not in tokens


async def test_an_app_signs_in_through_another_browser(service: Service, browser: Client) -> None:
    started = await service.client.post(
        "/api/v1/auth/login/social",
        json={"state": "mine", "redirectUri": APP, "codeChallenge": CHALLENGE},
    )
    data = started.json()["data"]
    final = await come_back(browser, await browser.get(data["authorizationUrl"]))

    assert (started.status_code, data["state"]) == (200, "mine")
    assert address_of(final) == APP
    assert fragment_of(final).keys() == {"code", "state"}
    assert fragment_of(final)["state"] == "mine"


async def test_an_app_without_a_state_gets_one_to_compare(service: Service, browser: Client) -> None:
    data = (await service.client.post("/api/v1/auth/login/social")).json()["data"]
    final = await come_back(browser, await browser.get(data["authorizationUrl"]))

    assert data["state"]
    assert fragment_of(final)["state"] == data["state"]


async def test_the_configured_frontend_gets_the_tokens(start: Start) -> None:
    service = await start({"frontend_callback_url": "https://app.example.org/in?x=1"})
    await service.client.post("/api/v1/auth/signup", json=ANN)
    browser = new_browser(service)

    final = await come_back(browser, page := await begin(browser))

    assert address_of(final) == "https://app.example.org/in?x=1"
    assert "form-action 'self' https://app.example.org" in page.headers["Content-Security-Policy"]


async def test_the_public_address_leads_the_way_and_makes_cookies_secure(start: Start) -> None:
    service = await start({"public_base_url": "https://api.example.org"})
    response = await service.client.get("/api/v1/auth/login/social")

    assert response.headers["Location"].startswith("https://api.example.org/oauth/authorize?")
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith("__Host-finassist_login_")
    assert all(part in cookie for part in ("HttpOnly", "SameSite=lax", "Secure", "Max-Age=600", "Path=/"))
    assert "Domain" not in cookie


async def test_over_https_the_cookies_of_login_and_form_are_taken_and_removed(start: Start) -> None:
    service = await start({"public_base_url": "https://api.example.org"})
    login = await service.client.get("/api/v1/auth/login/social")
    page = await service.client.get(login.headers["Location"].removeprefix("https://api.example.org"))
    own = page.headers["Set-Cookie"].partition(";")[0]
    assert own.startswith("__Host-finassist_form_")
    fields = {"form": form_token(page), "intent": "signup", **ANN}
    without_prefix = await service.client.post(
        "/oauth/authorize", data=fields, headers={"Cookie": own.removeprefix("__Host-")}
    )
    assert without_prefix.status_code == 400

    page = await service.client.get(login.headers["Location"].removeprefix("https://api.example.org"))
    own = page.headers["Set-Cookie"].partition(";")[0]
    fields = {"form": form_token(page), "intent": "signup", **ANN}
    sent = await service.client.post("/oauth/authorize", data=fields, headers={"Cookie": own})
    assert sent.status_code == 303, sent.text
    removed = sent.headers["Set-Cookie"]
    assert removed.startswith("__Host-finassist_form_")
    assert all(part in removed for part in ("Max-Age=0", "Secure", "Path=/"))


async def test_a_wrong_password_shows_the_page_again_and_the_next_try_succeeds(browser: Client) -> None:
    page = await begin(browser)
    again = await submit(browser, page, password="Wrong1234")

    assert again.status_code == 401
    assert "The email or the password is wrong." in again.text
    assert 'value="ann@example.org"' in again.text
    assert "Wrong1234" not in again.text
    assert "access_token" in fragment_of(await come_back(browser, again))


async def test_the_page_locks_an_account_like_the_api(browser: Client) -> None:
    page = await begin(browser)
    for _ in range(10):
        page = await submit(browser, page, password="Wrong1234")
        assert page.status_code == 401
    locked = await submit(browser, page)

    assert (locked.status_code, locked.headers["Retry-After"]) == (429, "60")


async def test_sign_up_on_the_page_keeps_the_rules(browser: Client) -> None:
    page = await begin(browser)
    weak = await submit(browser, page, intent="signup", email="ben@example.org", password="weak")
    taken = await submit(browser, weak, intent="signup")

    assert weak.status_code == 400
    assert "Password: Must have a digit." in weak.text
    assert "<details open>" in weak.text
    assert taken.status_code == 409


# The state


async def test_a_state_is_good_once(browser: Client) -> None:
    submitted = await submit(browser, await begin(browser))
    callback = submitted.headers["Location"]
    cookies = dict(browser.cookies)

    assert "access_token" in fragment_of(await browser.get(callback))
    assert (await browser.get(callback)).status_code == 400
    replayed = await browser.get(callback, headers={"Cookie": urlencode(cookies)})
    assert replayed.status_code == 400


@pytest.mark.parametrize("query", ["", "?state=", "?state=unknown", "?code=x", "?state=x&code=y&error=z"])
async def test_a_missing_or_unknown_state_is_refused(browser: Client, query: str) -> None:
    response = await browser.get(f"/api/v1/auth/callback/social{query}")

    assert response.status_code == 400
    assert response.json()["error"]["details"][0]["field"] == "state"


async def test_a_state_of_another_browser_is_refused_and_stays_good_for_its_own(
    service: Service, browser: Client
) -> None:
    callback = (await submit(browser, await begin(browser))).headers["Location"]

    assert (await new_browser(service).get(callback)).status_code == 400
    assert "access_token" in fragment_of(await browser.get(callback))


async def test_an_apps_state_is_good_once(service: Service, browser: Client) -> None:
    data = (await service.client.post("/api/v1/auth/login/social", json={})).json()["data"]
    callback = (await submit(browser, await browser.get(data["authorizationUrl"]))).headers["Location"]

    answers = await asyncio.gather(*(new_browser(service).get(callback) for _ in range(20)))

    assert Counter(answer.status_code for answer in answers) == {302: 1, 400: 19}


async def test_a_state_dies_after_ten_minutes(start: Start) -> None:
    clock = FakeClock()
    service = await start(clock=clock)
    redirect = await service.client.get("/api/v1/auth/login/social")
    state = parse_qs(urlsplit(redirect.headers["Location"]).query)["state"][0]
    clock.advance(600)

    response = await service.client.get(f"/api/v1/auth/callback/social?state={state}&error=x")

    assert response.status_code == 400


async def test_two_tabs_do_not_take_each_others_login(browser: Client) -> None:
    first, second = await begin(browser, state="1"), await begin(browser, state="2")

    assert fragment_of(await come_back(browser, first))["state"] == "1"
    assert fragment_of(await come_back(browser, second))["state"] == "2"


async def test_a_state_is_limited_in_length(browser: Client) -> None:
    url = "/api/v1/auth/login/social"
    assert (await browser.get(url, params={"state": "x" * 512})).status_code == 302
    assert (await browser.get(url, params={"state": "x" * 513})).status_code == 400
    assert (await browser.post(url, json={"state": "x" * 513})).status_code == 400


async def test_a_failure_of_the_provider_goes_to_the_client(browser: Client) -> None:
    redirect = await browser.get("/api/v1/auth/login/social", params={"state": "mine"})
    state = parse_qs(urlsplit(redirect.headers["Location"]).query)["state"][0]
    query = {"state": state, "error": "access_denied", "error_description": "No & no\r\nLocation: x"}

    final = await browser.get("/api/v1/auth/callback/social", params=query)

    assert fragment_of(final) == {
        "error": "access_denied",
        "error_description": "No & no\r\nLocation: x",
        "state": "mine",
    }


@pytest.mark.parametrize("code", ["", "forged"])
async def test_a_forged_code_is_an_error_of_the_sign_in(browser: Client, code: str) -> None:
    redirect = await browser.get("/api/v1/auth/login/social", params={"state": "mine"})
    state = parse_qs(urlsplit(redirect.headers["Location"]).query)["state"][0]

    final = await browser.get("/api/v1/auth/callback/social", params={"state": state, "code": code})

    assert {**fragment_of(final), "error_description": ""} == {
        "error": "access_denied",
        "error_description": "",
        "state": "mine",
    }


async def test_a_code_of_another_login_is_refused(browser: Client) -> None:
    mine, theirs = await begin(browser), await begin(browser)
    stolen = parse_qs(urlsplit((await submit(browser, theirs)).headers["Location"]).query)["code"][0]
    own = urlsplit((await submit(browser, mine)).headers["Location"])
    state = parse_qs(own.query)["state"][0]

    final = await browser.get("/api/v1/auth/callback/social", params={"state": state, "code": stolen})

    assert fragment_of(final)["error"] == "access_denied"


# Open redirects


@pytest.mark.parametrize(
    "address",
    ["https://evil.example", f"{APP}/", f"{APP}x", "//evil.example", "javascript:alert(1)", "", APP.upper()],
)
async def test_nobody_is_sent_to_an_address_that_is_not_on_the_list(
    service: Service, browser: Client, address: str
) -> None:
    started = await service.client.post("/api/v1/auth/login/social", json={"redirectUri": address})
    page = await browser.get("/oauth/authorize", params={**QUERY, "redirect_uri": address})

    assert (started.status_code, started.json()["error"]["details"][0]["field"]) == (400, "redirectUri")
    assert page.status_code == 400
    assert "Location" not in page.headers
    assert page.headers["Content-Type"].startswith("text/html")


async def test_another_host_header_does_not_open_another_callback(browser: Client) -> None:
    page = await browser.get("/oauth/authorize", params=QUERY, headers={"Host": "evil.example"})

    assert page.status_code == 400


async def test_an_unknown_client_is_sent_nowhere(browser: Client) -> None:
    page = await browser.get("/oauth/authorize", params={**QUERY, "client_id": "other"})

    assert (page.status_code, page.headers.get("Location")) == (400, None)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"scope": "email"}, "invalid_scope"),
        ({"nonce": "x" * 3000}, "invalid_request"),
    ],
)
async def test_a_bad_request_of_a_known_client_goes_back_to_it(
    browser: Client, changes: dict[str, str], error: str
) -> None:
    response = await browser.get("/oauth/authorize", params={**QUERY, **changes})

    assert response.status_code == 302
    location = urlsplit(response.headers["Location"])
    assert location._replace(query="").geturl() == CALLBACK
    assert parse_qs(location.query) == {"error": [error], "state": ["s"]}


# The form


async def test_a_form_is_good_once(browser: Client) -> None:
    page = await begin(browser)
    cookies = dict(browser.cookies)
    assert (await submit(browser, page)).status_code == 303

    browser.cookies.update(cookies)
    assert (await submit(browser, page)).status_code == 400


async def test_a_form_of_another_browser_is_refused(service: Service, browser: Client) -> None:
    page = await begin(browser)

    assert (await submit(new_browser(service), page)).status_code == 400
    assert (await submit(browser, page)).status_code == 303


@pytest.mark.parametrize("body", [b"", b"form=x", b"\xff=\xff", b"form=%FF%00", b"{}"])
async def test_a_forged_form_is_refused(browser: Client, body: bytes) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}

    assert (await browser.post("/oauth/authorize", content=body, headers=headers)).status_code == 400


async def test_what_was_typed_is_escaped(browser: Client) -> None:
    page = await begin(browser)
    evil = "\"'><script>alert(1)</script>&"
    again = await submit(browser, page, intent="signup", name=evil, email=evil, password="x")

    assert again.status_code == 400
    assert "<script" not in again.text
    assert "&lt;script&gt;" in again.text


async def test_the_page_is_plain_strict_and_kept_by_nobody(browser: Client) -> None:
    page = await begin(browser)
    policy = page.headers["Content-Security-Policy"]

    assert page.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "form-action 'self' com.example.app:" in policy
    labels = re.findall(r"<label for=([\w-]+)>", page.text)
    assert labels == re.findall(r"<input id=([\w-]+)", page.text)
    assert "prefers-color-scheme:dark" in page.text
    assert "width=device-width" in page.text
    style = re.search(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert style is not None
    digest = hashlib.sha256(style[1].encode()).digest()
    assert urlsafe_b64encode(digest).decode().replace("-", "+").replace("_", "/") in policy


async def test_the_last_page_takes_the_tokens_out_of_the_address(client: Client) -> None:
    page = await client.get("/auth/complete")

    assert page.status_code == 200
    assert "history.replaceState" in page.text
    assert "script-src 'sha256-" in page.headers["Content-Security-Policy"]


# The token endpoint


async def code_for(browser: Client, **changes: str) -> str:
    page = await browser.get("/oauth/authorize", params={**QUERY, "redirect_uri": APP, **changes})
    location = (await submit(browser, page)).headers["Location"]
    return parse_qs(urlsplit(location).query)["code"][0]


async def redeem(client: Client, code: str, **changes: str) -> httpx2.Response:
    data = {
        "grant_type": "authorization_code",
        "client_id": CLIENT_ID,
        "code": code,
        "code_verifier": VERIFIER,
        "redirect_uri": APP,
        **changes,
    }
    return await client.post("/oauth/token", data=data)


async def test_an_app_redeems_a_code_by_itself(service: Service, browser: Client) -> None:
    response = await redeem(service.client, await code_for(browser))

    tokens: dict[str, Any] = response.json()
    assert (response.status_code, tokens["token_type"]) == (200, "Bearer")
    assert response.headers["Cache-Control"] == "no-store"
    keys = (await service.client.get("/.well-known/jwks.json")).json()
    assert all("d" not in key for key in keys["keys"])
    id_token = jwt.decode(tokens["id_token"], KeySet.import_key_set(keys), algorithms=["ES256"])
    assert (id_token.claims["aud"], id_token.claims["nonce"]) == (CLIENT_ID, "n")
    assert id_token.header["typ"] == "JWT"
    refreshed = await service.client.post(
        "/oauth/token",
        data={
            "grant_type": "refresh_token",
            "client_id": CLIENT_ID,
            "refresh_token": tokens["refresh_token"],
        },
    )
    assert refreshed.status_code == 200


async def test_a_code_is_redeemed_once_of_50_parallel_tries(service: Service, browser: Client) -> None:
    code = await code_for(browser)

    answers = await asyncio.gather(*(redeem(service.client, code) for _ in range(50)))

    assert Counter(answer.status_code for answer in answers) == {200: 1, 400: 49}


async def test_a_code_is_void_when_the_password_is_replaced_meanwhile(
    service: Service, browser: Client
) -> None:
    code = await code_for(browser)
    await service.finassist.set_password(ANN["email"], "Another-horse-8")

    refused = await redeem(service.client, code)

    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    sessions = await service.database.read(
        lambda connection: connection.execute("SELECT count(*) FROM sessions").fetchone()
    )
    assert sessions == (0,)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": "é"}, "invalid_grant"),
        ({"redirect_uri": CALLBACK}, "invalid_grant"),
        ({"client_id": "other"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "refresh_token"}, "invalid_request"),
    ],
)
async def test_a_code_needs_its_verifier_its_address_and_its_client(
    service: Service, browser: Client, changes: dict[str, str], error: str
) -> None:
    response = await redeem(service.client, await code_for(browser), **changes)

    assert (response.status_code, response.json()) == (400, {"error": error})


async def test_an_empty_token_request_is_refused(service: Service) -> None:
    response = await service.client.post("/oauth/token", data={"client_id": CLIENT_ID})

    assert response.json() == {"error": "invalid_request"}


async def test_a_code_dies_after_a_minute(start: Start) -> None:
    clock = FakeClock()
    service = await start({"social_redirect_uris": (APP,)}, clock=clock)
    await service.client.post("/api/v1/auth/signup", json=ANN)
    code = await code_for(new_browser(service))
    clock.advance(60)

    assert (await redeem(service.client, code)).json() == {"error": "invalid_grant"}


async def test_discovery_leads_to_the_keys_and_the_page(client: Client) -> None:
    document = (await client.get("/.well-known/openid-configuration")).json()

    assert document["issuer"] == "http://localhost:8000"
    assert document["authorization_endpoint"] == "http://testserver/oauth/authorize"
    assert document["jwks_uri"] == "http://testserver/.well-known/jwks.json"
    assert (await client.get("/.well-known/jwks.json")).json()["keys"][0]["alg"] == "ES256"
