"""Signing in on the chat page otherwise: by phone, on the provider's own page, at a social provider."""

import asyncio
import re
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from e2e.chat_page import ANN, FUND, WRITTEN, ask, open_page, press, send
from e2e.chromium import Browser
from e2e.conftest import ServerProcess, Start
from servers.oidc_server import DISCOVERY, TOKEN, Answer, Asked, OidcServer, serve_oidc
from waiting import until

PHONE = "+44 7700 900123"
BACK = "document.querySelector('#account .wide')"
HTML = {"Content-Type": "text/html"}


async def code_in_log(server: ServerProcess, earlier: int = 0) -> str:
    """The newest code that the server has written into its log, after that many earlier ones."""

    def newest() -> str:
        sent = [each["text"] for each in server.logs if each["event"] == "sms"]
        return re.findall(r"\d{6}", sent[-1])[0] if len(sent) > earlier else ""

    return await until(newest)


def fill(page: Browser, **values: str) -> None:
    """Fill in the form on top, and send it."""
    for name, value in values.items():
        page.type(f"#field-{name}", value)
    page.run("[...document.querySelectorAll('dialog form .main')].at(-1).click()")


async def test_a_phone_signs_in_with_the_code_that_it_gets(start_server: Start, page: Browser) -> None:
    server = await start_server(OTP_RESEND_COOLDOWN_SECONDS="1")
    open_page(page, server)
    ask(page, FUND)
    press(page, "Sign in", "#account")
    press(page, "Continue with a phone number", "dialog")
    fill(page, phone="12")
    page.wait_until("document.querySelector('#field-phone-wrong').textContent.length > 5")
    fill(page, phone=PHONE)
    page.wait_for("dialog", "A code is on its way to +447700900123.")
    page.wait_for("dialog .note", "finds the code in its log")
    first = await code_in_log(server)
    fill(page, otp="000000" if first != "000000" else "111111")
    page.wait_until("document.querySelector('dialog [role=alert]').textContent.length > 5")
    buttons = "[...document.querySelectorAll('dialog .quiet')].map((node) => node.textContent)"
    page.wait_until(f"{buttons}.includes('Send another code')")  # the seconds have gone
    press(page, "Send another code", "dialog")
    fill(page, otp=await code_in_log(server, earlier=1))
    page.wait_until(f"{BACK} && !document.querySelector('dialog')")
    page.wait_for("#list .title", FUND)  # what the guest asked came along
    page.reload()
    page.wait_until(BACK)


async def test_a_question_that_was_refused_is_answered_after_signing_in_by_phone(
    start_server: Start, page: Browser
) -> None:
    server = await start_server(FREE_MESSAGE_THRESHOLD="1")
    open_page(page, server)
    ask(page, FUND)
    send(page, "What is a bond?")
    page.wait_for(".notice", "free messages are used up")
    press(page, "Sign in", ".notice")
    press(page, "Continue with a phone number", "dialog")
    fill(page, phone=PHONE)
    page.wait_until("document.querySelector('#field-otp')")
    fill(page, otp=await code_in_log(server))
    page.wait_until(f"document.querySelectorAll('.reply .feedback').length === 2 && {WRITTEN}")
    assert page.run("return document.querySelectorAll('.notice, dialog').length") == 0


def lead_back(provider: OidcServer) -> None:
    """Have the provider sign everybody in at once, by a code or an identity token."""

    def authorize(asked: Asked) -> Answer:
        wanted = dict(parse_qsl(urlsplit(asked.target).query))
        if wanted["response_type"] == "id_token":
            token = provider.token(
                aud=wanted["client_id"],
                nonce=wanted["nonce"],
                email=ANN["email"],
                email_verified=True,
                name="Ann",
            )
            back = f"{wanted['redirect_uri']}#{urlencode({'id_token': token, 'state': wanted['state']})}"
        else:
            provider.answers[TOKEN] = Answer(tokens(provider, wanted["nonce"]))
            back = f"{wanted['redirect_uri']}?{urlencode({'code': 'the-code', 'state': wanted['state']})}"
        return Answer(status=302, headers={"Location": back})

    provider.answers["/authorize"] = authorize


def tokens(provider: OidcServer, nonce: str) -> dict[str, Any]:
    known: dict[str, Any] = {"email": ANN["email"], "email_verified": True, "name": "Ann"}
    return {
        "access_token": provider.token(aud="finassist", header={"typ": "at+jwt"}, **known),
        "id_token": provider.token(aud="client-1", nonce=nonce, **known),
        "refresh_token": "refresh-1",
        "expires_in": 300,
        "token_type": "Bearer",
    }


async def test_the_providers_own_page_leads_back_and_the_question_is_answered(
    start_server: Start, page: Browser
) -> None:
    async with serve_oidc() as provider:
        lead_back(provider)
        server = await start_server(
            IDENTITY_PROVIDER="oidc",
            OIDC_ISSUER=provider.issuer,
            OIDC_AUDIENCE="finassist",
            OIDC_CLIENT_ID="client-1",
            OIDC_CLIENT_SECRET="client-secret",
            FREE_MESSAGE_THRESHOLD="1",
        )

        def use() -> None:
            open_page(page, server)
            ask(page, FUND)
            send(page, "What is a bond?")
            page.wait_for(".notice", "free messages are used up")
            press(page, "Sign in", ".notice")
            page.wait_for("dialog .main", "Continue on the sign-in page")
            assert page.run("return document.querySelectorAll('dialog [type=password], .ways').length") == 0
            page.click("dialog .main")
            page.wait_for("#account .wide", "Ann")
            page.wait_until(f"document.querySelectorAll('.reply .feedback').length === 2 && {WRITTEN}")
            assert "code" not in page.url
            assert page.run("return Object.keys(sessionStorage)") == ["finassist.refresh"]

        await asyncio.to_thread(use)


def sign_in_at(issuer: str, page: Browser, server: ServerProcess) -> None:
    open_page(page, server)
    press(page, "Sign in", "#account")
    press(page, f"Continue with {urlsplit(issuer).netloc}", "dialog")
    page.wait_for("#account .wide", "Ann")
    assert "token" not in page.url


async def test_a_social_provider_signs_in_and_nobody_else_in_its_name(
    start_server: Start, page: Browser
) -> None:
    async with serve_oidc() as provider:
        lead_back(provider)
        server = await start_server(SOCIAL_ISSUERS=f"{provider.issuer}=client-web")

        await asyncio.to_thread(sign_in_at, provider.issuer, page, server)
        # A link that brings somebody else's token is of a sign-in that this window has not begun.
        foreign = provider.token(aud="client-web", nonce="n", email="eve@example.org", email_verified=True)

        def follow() -> None:
            page.open("about:blank")
            page.open(f"{server.address}/#id_token={foreign}&state=s")
            page.wait_for("dialog", "This sign-in was not begun in this window.")
            page.wait_for("#account .wide", "Ann")
            assert foreign not in page.url

        await asyncio.to_thread(follow)


async def test_a_provider_that_posts_its_tokens_signs_in(start_server: Start, page: Browser) -> None:
    async with serve_oidc() as provider:
        modes = {"response_modes_supported": ["query", "fragment", "form_post"]}
        provider.answers[DISCOVERY] = Answer(provider.metadata | modes)

        def authorize(asked: Asked) -> Answer:
            wanted = dict(parse_qsl(urlsplit(asked.target).query))
            assert (wanted["response_type"], wanted["response_mode"]) == ("code id_token", "form_post")
            token = provider.token(
                aud=wanted["client_id"],
                nonce=wanted["nonce"],
                email=ANN["email"],
                email_verified="true",
                name="Ann",
            )
            fields = {"state": wanted["state"], "code": "c", "id_token": token}
            inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items())
            form = f'<form method="post" action="{wanted["redirect_uri"]}">{inputs}</form>'
            return Answer(f"{form}<script>document.forms[0].submit()</script>".encode(), headers=HTML)

        provider.answers["/authorize"] = authorize
        server = await start_server(SOCIAL_ISSUERS=f"{provider.issuer}=client-web")

        await asyncio.to_thread(sign_in_at, provider.issuer, page, server)


async def test_a_refusal_of_the_provider_is_told(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    page.run("sessionStorage.setItem('finassist.login', JSON.stringify({state: 's'}))")
    page.open("about:blank")
    page.open(f"{server.address}/#error=access_denied&error_description=You+said+no&state=s")
    page.wait_for("dialog", "You said no")


HELD = """
    const real = window.fetch;
    window.held = [];
    window.fetch = async (path, options) => {
        if (path.includes("user/conversations?")) await new Promise((go) => window.held.push(go));
        return real(path, options);
    };
"""


async def test_a_question_that_is_asked_while_the_sign_up_ends_stays(
    start_server: Start, page: Browser
) -> None:
    open_page(page, await start_server())
    press(page, "Sign up", "#account")
    for field, value in ANN.items():
        page.type(f"#field-{field}", value)
    page.run(HELD)
    page.click("dialog .main")
    page.wait_for("#account .wide", ANN["name"])
    page.wait_until("window.held.length > 0")
    page.run("document.querySelector('dialog').close()")
    ask(page, FUND)
    page.run("window.held.splice(0).forEach((go) => go())")
    page.run("return new Promise((done) => setTimeout(done, 500))")
    assert page.text(".asked .plain") == FUND
    assert page.run("return document.querySelectorAll('.reply .feedback').length") == 1
