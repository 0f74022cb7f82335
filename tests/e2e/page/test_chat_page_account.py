"""The settings of an account on the chat page: password, email, second factor, sessions."""

import asyncio
import json
import re
import time
from collections.abc import Callable
from typing import Any

import pyotp
import pytest

from e2e.chat_page import ANN, ENTER, barriers, open_page, press, sign_up
from e2e.chromium import Browser
from e2e.conftest import ServerProcess, Start
from engines.axe import axe_script
from servers import auth0_server
from waiting import until

PHONE, DESKTOP = (390, 844), (1280, 800)
UP, DOWN = "\ue013", "\ue015"
NEW = "Brand-new-456"
NO_DIALOG = "!document.querySelector('dialog')"
NO_MAILS = "This is a test setup: it sends no mails."
# What the clipboard gets; without this, it would be that of the machine.
CLIPBOARD = "navigator.clipboard.writeText = async (text) => { window.copied = text; };"


async def mail_token(server: ServerProcess, what: str, earlier: int = 0) -> str:
    """The token of a mail that the server has written into its log, after that many earlier ones."""

    def newest() -> str:
        mails = [each["text"] for each in server.logs if each["event"] == "email"]
        found = [match[1] for text in mails if (match := re.search(rf"#{what}=([\w-]+)", text))]
        return found[-1] if len(found) > earlier else ""

    return await until(newest)


def open_account(page: Browser) -> None:
    page.run("document.querySelector('#account .wide').click()")
    press(page, "Account", ".menu")
    page.wait_for("dialog", "Where you are signed in")


def in_part(page: Browser, part: str, text: str) -> None:
    """Wait until a part of the account says so, and has the focus."""
    page.wait_for(f"#account-{part}", text)
    page.wait_until(f"document.activeElement.parentNode.id === 'account-{part}'")
    page.wait_until("document.querySelectorAll('dialog').length === 1")


def fill(page: Browser, **values: str) -> None:
    """Fill in the form on top, and send it."""
    for name, value in values.items():
        page.type(f"#field-{name}", value)
    page.run("[...document.querySelectorAll('dialog form .main')].at(-1).click()")


def begin_sign_in(page: Browser, password: str = ANN["password"]) -> None:
    page.wait_until(NO_DIALOG)
    press(page, "Sign in", "#account")
    fill(page, email=ANN["email"], password=password)


def sign_out(page: Browser) -> None:
    page.run("document.querySelectorAll('dialog').forEach((dialog) => dialog.close())")
    page.run("document.querySelector('#account .wide').click()")
    press(page, "Sign out", ".menu")
    page.wait_for("#account", "Sign up")


async def sign_in_elsewhere(server: ServerProcess, password: str = ANN["password"]) -> dict[str, str]:
    """Sign in on another device; returns the header of its access token."""
    async with server.client("elsewhere") as client:
        body = {"email": ANN["email"], "password": password}
        response = await client.post("/api/v1/auth/signin", json=body)
        assert response.status_code == 200, response.text
        return {"Authorization": f"Bearer {response.json()['data']['accessToken']}"}


async def status(server: ServerProcess, bearer: dict[str, str]) -> int:
    async with server.client("elsewhere") as client:
        return (await client.get("/api/v1/auth/me", headers=bearer)).status_code


async def test_a_forgotten_password_is_replaced_with_the_code_or_the_link_of_a_mail(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    sign_out(page)

    press(page, "Sign in", "#account")
    page.type("#field-email", ANN["email"])
    press(page, "Forgot your password?", "dialog")
    page.wait_for("dialog:last-of-type", "Forgotten password")
    assert page.run("return document.querySelector('#field-email').value") == ANN["email"]
    page.type("#field-email", f"{ANN['email']}{ENTER}")
    page.wait_for("dialog:last-of-type", "Choose a new password")
    token = await mail_token(server, "reset")
    fill(page, token="not-the-code", password=NEW)
    page.wait_for("#field-token-wrong", "Was used already, is too old or unknown.")
    fill(page, token=token, password="weak")
    page.wait_for("#field-password-wrong", "8 characters. Must have an uppercase letter. Must have a digit.")
    assert page.run("return document.activeElement.id") == "field-password"
    fill(page, password=NEW)
    page.wait_for("dialog", "The password is changed.")
    fill(page, email=ANN["email"], password=NEW)
    page.wait_for("#account .wide", ANN["name"])

    async with server.client() as client:
        await client.post("/api/v1/auth/password/forgot", json={"email": ANN["email"]})
    token = await mail_token(server, "reset", earlier=1)
    page.open(f"{server.address}/#reset={token}")  # in the same window, as a link of a mail program opens
    page.wait_for("dialog", "Choose a new password")
    assert token not in page.url
    assert page.run("return document.querySelector('#field-token').value") == token
    assert page.run("return document.activeElement.id") == "field-password"
    fill(page, password=ANN["password"])
    page.wait_for("dialog", "The password is changed.")
    page.wait_for("#account", "Sign up")  # this session has ended as well
    fill(page, email=ANN["email"], password=ANN["password"])
    page.wait_for("#account .wide", ANN["name"])


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({}, [NO_MAILS, NO_MAILS]),
        (
            {"EMAIL_PROVIDER": "smtp", "SMTP_URL": "smtp://127.0.0.1:9", "EMAIL_FROM": "us@example.org"},
            ["A mail brings a link to choose a new one.", "a mail is on its way to it."],
        ),
    ],
    ids=["no server for mails", "a server for mails"],
)
async def test_a_mail_is_promised_only_where_mails_are_sent(
    start_server: Start, page: Browser, environ: dict[str, str], told: list[str]
) -> None:
    open_page(page, await start_server(**environ))
    press(page, "Sign in", "#account")
    press(page, "Forgot your password?", "dialog")
    page.wait_for("dialog:last-of-type", told[0])
    fill(page, email=ANN["email"])
    page.wait_for("dialog:last-of-type", "Choose a new password")
    page.wait_for("dialog:last-of-type", told[1])


async def test_a_changed_password_ends_the_other_sessions(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    elsewhere = await sign_in_elsewhere(server)
    open_account(page)

    press(page, "Change the password", "#account-password")
    fill(page, currentPassword="Wrong-1234", password=NEW)
    page.wait_for("#field-currentPassword-wrong", "This is not your password.")
    assert page.run("return document.activeElement.id") == "field-currentPassword"
    fill(page, currentPassword=ANN["password"])
    in_part(page, "password", "The password is changed.")

    assert await status(server, elsewhere) == 401
    assert await status(server, await sign_in_elsewhere(server, NEW)) == 200
    page.reload()
    page.wait_for("#account .wide", ANN["name"])


async def test_an_email_is_confirmed_with_the_code_or_the_link_of_a_mail(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    open_account(page)
    page.wait_for("#account-email", f"{ANN['email']} is not confirmed yet.")
    press(page, "Send a confirmation mail", "#account-email")
    page.wait_for("dialog:last-of-type", NO_MAILS)
    linked = await mail_token(server, "verify")
    page.run("[...document.querySelectorAll('dialog')].at(-1).close()")
    press(page, "Send a confirmation mail", "#account-email")
    page.wait_for("dialog:last-of-type", NO_MAILS)
    fill(page, token=await mail_token(server, "verify", earlier=1))
    in_part(page, "email", f"{ANN['email']} is confirmed.")

    sign_out(page)
    page.open(f"{server.address}/#verify={linked}")
    page.wait_for("dialog", "Confirm your email")
    assert linked not in page.url
    fill(page)
    page.wait_for("dialog", "The email is verified.")
    page.run("document.querySelector('dialog').close()")
    page.open("about:blank")
    page.open(f"{server.address}/#verify={linked}")  # once more, in a page that is loaded by it
    page.wait_for("dialog", "Confirm your email")
    fill(page)
    page.wait_for("#field-token-wrong", "Was used already")
    assert linked not in page.url


async def test_sessions_are_listed_and_ended(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    others = [await sign_in_elsewhere(server) for _ in range(3)]
    open_account(page)
    page.wait_for("#account-sessions li:last-child", "This session")
    assert page.run("return document.querySelectorAll('#account-sessions li').length") == 4
    assert page.run("return document.querySelectorAll('#account-sessions li:last-child button').length") == 0

    press(page, "Where you are signed in", ".parts")
    page.click("#account-sessions li:first-child button")
    in_part(page, "sessions", "The session has ended.")
    assert page.run("return document.querySelectorAll('#account-sessions li').length") == 3
    assert [await status(server, each) for each in others] == [200, 200, 401]

    press(page, "End all others", "#account-sessions")
    in_part(page, "sessions", "All other sessions have ended.")
    assert page.run("return document.querySelectorAll('#account-sessions li').length") == 1
    assert [await status(server, each) for each in others] == [401, 401, 401]
    assert "End all others" not in page.text("#account-sessions")


async def test_settings_show_one_part_at_a_time_beside_their_list(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    sign_up(page)
    open_account(page)
    parts = "[...document.querySelectorAll('dialog section')]"
    shown = f"return {parts}.filter((node) => node.checkVisibility()).map(({{id}}) => id)"
    assert page.run(shown) == ["account-profile"]
    page.run(axe_script())
    assert barriers(page) == []

    page.press("#account-profile-tab", DOWN)
    assert page.run(shown) == ["account-email"]
    page.press("#account-email-tab", UP + UP)
    assert page.run(shown) == ["account-sessions"]
    assert page.run("return document.activeElement.ariaSelected") == "true"
    beside = "const [list, part] = ['.parts', '#account-sessions'].map((name) => document.querySelector(name)"
    beside += ".getBoundingClientRect()); return list.right <= part.left"
    assert page.run(beside) is True
    page.resize(*PHONE)
    assert page.run(beside.replace("list.right <= part.left", "list.bottom <= part.top")) is True
    assert page.run("return document.querySelector('dialog').scrollWidth <= innerWidth") is True
    assert barriers(page) == []


async def test_a_session_that_was_ended_elsewhere_is_told_at_the_next_use(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    elsewhere = await sign_in_elsewhere(server)
    async with server.client("elsewhere") as client:
        ended = await client.delete("/api/v1/auth/sessions", headers=elsewhere)
        assert ended.json()["data"]["count"] == 1

    page.run("document.querySelector('#account .wide').click()")
    press(page, "Account", ".menu")
    page.wait_for("dialog [role=alert]", "Your session has ended. Please sign in again.")
    page.wait_for("#account", "Sign in")


SCANNED = """
    const drawn = document.querySelector("dialog svg.qr path").getAttribute("d");
    return import("./web/account/qr.js").then(({code}) =>
        drawn === code(%s, "").firstChild.getAttribute("d"))
"""


def switch_on(page: Browser, look_at: Callable[[str], object] = str) -> tuple[pyotp.TOTP, list[str]]:
    """Switch the second factor on; returns the app and the recovery codes."""
    open_account(page)
    page.wait_for("#account-factor", "Off.")
    press(page, "Switch on", "#account-factor")
    page.wait_until("document.querySelector('dialog [aria-label=Key]')")
    secret = page.run("return document.querySelector('dialog [aria-label=Key]').value")
    uri = page.run("return document.querySelector('dialog a').href")
    app = pyotp.parse_uri(uri)
    assert isinstance(app, pyotp.TOTP)
    assert (app.secret, app.name) == (secret, ANN["email"])
    assert page.run(SCANNED % json.dumps(uri)) is True
    look_at("key")
    fill(page, code="000000" if app.now() != "000000" else "111111")
    page.wait_for("dialog:last-of-type [role=alert]", "The code is wrong or was used before.")
    fill(page, code=app.now())
    page.wait_for("dialog:last-of-type", "They are shown only now")
    assert page.run("return document.activeElement.ariaLabel") == "Recovery codes"
    page.run(CLIPBOARD)
    page.run("[...document.querySelectorAll('dialog:last-of-type .row .main')].at(-1).click()")
    page.wait_for("dialog:last-of-type .row .main", "Copied")
    look_at("recovery codes")
    codes = page.run("return window.copied").split("\n")
    assert codes == page.run("return document.querySelector('textarea.link').value").split("\n")
    assert len(set(codes)) == 10
    press(page, "I have kept them", "dialog:last-of-type")
    in_part(page, "factor", "On: signing in needs a code of your authenticator app. Recovery codes left: 10.")
    return app, codes


async def test_signing_in_asks_for_the_second_factor_until_it_is_switched_off(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    app, codes = switch_on(page)
    sign_out(page)

    begin_sign_in(page)
    page.wait_for("dialog", "Second factor")
    fill(page, code="nonsense")
    page.wait_for("dialog [role=alert]", "The code is wrong or was used before.")
    fill(page, code=codes[0])
    page.wait_for("#account .wide", ANN["name"])
    page.wait_until(NO_DIALOG)
    sign_out(page)

    begin_sign_in(page)
    page.wait_for("dialog", "Second factor")
    fill(page, code=app.at(int(time.time()) + 30))  # that of this half minute is used up
    page.wait_for("#account .wide", ANN["name"])
    page.wait_until(NO_DIALOG)
    open_account(page)
    page.wait_for("#account-factor", "Recovery codes left: 9.")
    press(page, "Switch off", "#account-factor")
    fill(page, code=codes[0])
    page.wait_for("dialog:last-of-type [role=alert]", "The code is wrong or was used before.")
    fill(page, code=codes[1])
    in_part(page, "factor", "Off.")
    sign_out(page)

    begin_sign_in(page)
    page.wait_for("#account .wide", ANN["name"])


async def test_a_challenge_with_too_many_wrong_codes_leads_back_to_the_beginning(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    switch_on(page)
    sign_out(page)
    begin_sign_in(page)
    page.wait_for("dialog", "Second factor")
    for _ in range(5):
        fill(page, code="nonsense")
        page.wait_for("dialog [role=alert]", "The code is wrong or was used before.")
    fill(page, code="nonsense")
    page.wait_for("dialog", "please begin again")
    page.wait_until("document.querySelector('#field-password')")


async def test_what_another_provider_keeps_to_itself_is_not_shown(start_server: Start, page: Browser) -> None:
    async with auth0_server.serve_auth0() as tenant:
        server = await start_server(**auth0(tenant))

        def use() -> None:
            open_page(page, server)
            press(page, "Sign in", "#account")
            page.wait_until("document.querySelector('dialog #field-password')")
            assert "Forgot" not in page.text("dialog")
            page.run("document.querySelector('dialog').close()")
            sign_up(page)
            open_account(page)
            assert page.run("return [...document.querySelectorAll('dialog section')].map(({id}) => id)") == [
                "account-profile",
                "account-sessions",
            ]
            page.wait_for("#account-sessions", "This session")

        await asyncio.to_thread(use)


def auth0(tenant: auth0_server.Auth0Server) -> dict[str, Any]:
    return {
        "IDENTITY_PROVIDER": "auth0",
        "OIDC_ISSUER": tenant.url,
        "OIDC_AUDIENCE": auth0_server.AUDIENCE,
        "OIDC_CLIENT_ID": auth0_server.CLIENT_ID,
        "OIDC_CLIENT_SECRET": auth0_server.CLIENT_SECRET,
        "OIDC_MANAGEMENT_CLIENT_ID": auth0_server.MANAGEMENT_ID,
        "OIDC_MANAGEMENT_CLIENT_SECRET": auth0_server.MANAGEMENT_SECRET,
    }


async def test_answers_about_oneself_are_kept_back_changed_and_withdrawn(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    headers = await sign_in_elsewhere(server)
    page.run("document.querySelector('#account .wide').click()")
    press(page, "About you", ".menu")
    page.wait_for("dialog", "Which country do you live in?")
    name = page.run(
        "return [...document.querySelectorAll('dialog input')].find((i) => i.type === 'text').name"
    )
    page.type(f"[name='{name}']", "Portugal")
    press(page, "Save", "dialog")
    page.wait_for("dialog", "Your answers")
    assert await answers_of(server, headers) == [("Portugal", False)]

    press(page, "Your answers", "dialog")
    page.wait_for("dialog", "What you clear is withdrawn.")
    assert page.run(f"return document.querySelector(\"[name='{name}']\").value") == "Portugal"
    page.run("document.querySelector('dialog [name^=private-]').click()")
    press(page, "Save", "dialog")
    page.wait_until("document.querySelector('dialog [name^=private-]')?.defaultChecked")
    assert await answers_of(server, headers) == [("Portugal", True)]

    page.run(f"document.querySelector(\"[name='{name}']\").value = ''")
    press(page, "Save", "dialog")
    page.wait_until(f"!document.querySelector(\"[name='{name}']\")")
    assert await answers_of(server, headers) == []


async def answers_of(server: ServerProcess, headers: dict[str, str]) -> list[tuple[object, bool]]:
    """The answers that the server keeps of a user, and whether each is kept back."""
    async with server.client() as client:
        response = await client.get("/api/v1/user-profile/cards", headers=headers)
    questions = [each for card in response.json()["data"]["cards"] for each in card["questions"]]
    return [(each["answer"]["value"], each["answer"]["doNotUse"]) for each in questions if each["answer"]]


async def test_nothing_in_the_settings_keeps_people_out(start_server: Start, page: Browser) -> None:
    """Phone and desktop, light and dark: the account, each of its forms, and the forms of signing in."""
    script = axe_script()
    server = await start_server()
    open_page(page, server)
    sign_up(page, remember=True)
    await sign_in_elsewhere(server)
    looks = [(size, scheme) for size in (PHONE, DESKTOP) for scheme in ("light", "dark")]
    found: list[str] = []

    def look_at(what: str) -> None:
        for size, scheme in looks:
            page.resize(*size)
            page.prefer(scheme)
            found.extend(f"{what} {size} {scheme}: {barrier}" for barrier in barriers(page))
            assert page.run("return document.documentElement.scrollWidth <= innerWidth") is True, what
            wide = "[...document.querySelectorAll('dialog')].filter((d) => d.scrollWidth > d.clientWidth)"
            assert page.run(f"return {wide}.length") == 0, what

    def close() -> None:
        count = page.run("return document.querySelectorAll('dialog').length")
        page.run("[...document.querySelectorAll('dialog')].at(-1).close()")
        page.wait_until(f"document.querySelectorAll('dialog').length === {count} - 1")

    page.run(script)
    open_account(page)
    look_at("account")
    press(page, "Change the password", "#account-password")
    fill(page, currentPassword="Wrong-1234", password="weak")
    page.wait_until("document.querySelector('[aria-invalid]')")
    look_at("change")
    close()
    close()
    _, codes = switch_on(page, look_at)
    press(page, "Switch off", "#account-factor")
    look_at("switch off")
    close()
    sign_out(page)
    begin_sign_in(page)
    page.wait_for("dialog", "Second factor")
    look_at("challenge")
    fill(page, code=codes[0])
    page.wait_for("#account .wide", ANN["name"])
    page.wait_until(NO_DIALOG)
    page.run("location.hash = 'reset=abc'")
    page.wait_for("dialog", "Choose a new password")
    look_at("reset")
    close()
    page.run("location.hash = 'verify=abc'")
    page.wait_for("dialog", "Confirm your email")
    look_at("verify")
    page.prefer("light")
    assert found == []
