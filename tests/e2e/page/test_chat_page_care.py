"""What the chat page owes people: their data, kind errors, room for any text, and nothing hostile runs."""

import asyncio
import json
import zipfile
from pathlib import Path

from e2e.chat_page import (
    ANN,
    ENTER,
    FUND,
    WRITTEN,
    ask,
    barriers,
    guest,
    open_page,
    press,
    rename,
    send,
    sign_up,
)
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script
from servers.model_server import ModelServer
from waiting import until

HOSTILE = "<img src=x onerror=window.ran=1>"
SCRIPT = "javascript:window.ran=1"
# Whatever the service says of messages is as hostile as it can be.
HOSTILE_SERVICE = f"""
    const real = fetch, hostile = {json.dumps(HOSTILE)}, script = {json.dumps(SCRIPT)};
    window.fetch = async (path, options) => {{
        const response = await real(path, options);
        if (!path.includes("/messages")) return response;
        const body = await response.json();
        for (const message of body.data.messages) Object.assign(message, {{
            content: `${{message.content}} ${{hostile}} [${{hostile}}](${{script}}) [1]`,
            sources: [{{index: 1, title: hostile, url: script, snippet: hostile}}],
            toolCalls: [{{id: "1", name: hostile, arguments: {{a: hostile}}, result: {{answer: hostile}}}}],
            visualEmbeds: [{{id: "1", imageUrl: "/no-such.png", quoteText: hostile}}],
            suggestions: [{{title: hostile, message: hostile}}],
            attachments: [{{filename: hostile, mimeType: "text/html", url: script}}],
        }});
        return new Response(JSON.stringify(body), response);
    }};
"""
RAN = """
    const clicked = ["#messages a:not([href^=http])", "#messages summary", "#list .open"];
    document.querySelectorAll(clicked.join()).forEach((node) => node.click());
    const script = "script:not([src], head > style + script)"; // other than the page's own
    const made = [script, "[onerror]", "a[href^=javascript]", "#log img[src=x]", "#list img"];
    return [window.ran ?? null, document.querySelectorAll(made.join()).length];
"""
DROP_NO_IMAGE = f"""
    const transfer = new DataTransfer();
    transfer.items.add(new File(["no image"], {json.dumps(HOSTILE + ".png")}, {{type: "image/png"}}));
    const options = {{dataTransfer: transfer, bubbles: true, cancelable: true}};
    document.body.dispatchEvent(new DragEvent("drop", options));
"""
SUGGEST = """
    const real = fetch;
    window.fetch = async (path, options) => {
        const response = await real(path, options);
        if (!path.includes("/messages")) return response;
        const body = await response.json();
        body.data.messages[0].suggestions = [{title: "And an ETF?", message: "What is an ETF?"}];
        return new Response(JSON.stringify(body), response);
    };
"""
WIDE = f"""{"W" * 120}

| Year | Opening balance | Payment | Interest | Closing balance | Remarks |
|---|---|---|---|---|---|
| 1 | 250,000.00 | 15,835.08 | 9,873.11 | 244,038.03 | Donaudampfschifffahrt |

```
def payment(principal, rate, months): return principal * rate / (1 - (1 + rate) ** -months)
```

هذا نص عربي مع كلمة ETF.

{HOSTILE} <script>window.ran=1</script> [data](data:text/html,<script>window.ran=1</script>)"""


def focused(page: Browser, selector: str) -> None:
    page.wait_until(f"document.activeElement.matches({json.dumps(selector)})")


def open_erasure(page: Browser) -> None:
    page.click("#account .links button")
    page.click("dialog .danger")
    page.wait_until("!document.querySelector('dialog .danger')")


async def test_a_guest_takes_its_data_along_and_erases_it(
    start_server: Start, page: Browser, tmp_path: Path
) -> None:
    server = await start_server()
    page.download_to(tmp_path)
    open_page(page, server)
    ask(page, FUND)

    page.click("#account .links button")
    page.click("dialog .main")
    archive = tmp_path / "finassist-export.zip"
    page.wait_until("!document.querySelector('dialog')")
    await until(archive.exists)
    with zipfile.ZipFile(archive) as opened:
        assert FUND in opened.read("messages.json").decode()
        assert "Conversations that you deleted are not in this archive." in opened.read("README.txt").decode()

    open_erasure(page)
    focused(page, "dialog [aria-label=Close]")  # one more key must not erase
    page.click("dialog .main")
    page.wait_for("dialog", "Messages: 2")
    page.wait_for("#list", "No active conversations.")
    receipt = page.run("return document.querySelector('dialog a').href")
    page.run("document.querySelector('dialog').close()")
    async with server.client() as client:

        async def erased() -> bool:
            return bool((await client.get(receipt)).json()["data"]["status"] == "done")

        await until(erased)
    ask(page, FUND)


async def test_an_account_is_erased_by_its_password(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    focused(page, "#log")  # the button that opened the form is gone
    ask(page, FUND)
    open_erasure(page)
    focused(page, "#field-password")
    page.type("#field-password", f"Wrong1234{ENTER}")
    page.wait_for("dialog [role=alert]", "The email or the password is wrong.")
    page.type("#field-password", f"{ANN['password']}{ENTER}")
    page.wait_for("dialog", "Accounts: 1")
    page.wait_for("#account", "Sign up")
    page.wait_for("#list", "No active conversations.")
    kept = page.run("return Object.keys({...localStorage, ...sessionStorage}).sort()")
    assert kept == ["finassist.device", "finassist.device-token"]
    page.run("document.querySelector('dialog').close()")

    press(page, "Sign in", "#account")
    for name in ("email", "password"):
        page.type(f"#field-{name}", ANN[name])
    page.click("dialog .main")
    page.wait_for("dialog [role=alert]", "The email or the password is wrong.")


async def test_what_is_refused_comes_back_and_a_lost_line_is_told(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    page.run(DROP_NO_IMAGE)
    send(page, "What is in this?")
    page.wait_for(".notice", "Was sent as image/png, but is something else.")
    page.wait_for("#files", HOSTILE)
    assert page.run("return document.querySelector('#question').value") == "What is in this?"
    assert page.run("return document.querySelector('.asked')") is None

    page.click("#files .quiet")
    page.go_offline()
    send(page, FUND)
    page.wait_for(".waiting", "The connection was lost. Trying again…")
    page.go_offline(False)
    page.wait_for(".reply .text", "three to six months")
    page.wait_until("document.querySelectorAll('.asked').length === 1")
    assert page.run(RAN) == [None, 0]


async def test_what_is_being_written_outlives_a_reload(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    page.type("#question", "A long question\ue008\ue007\ue000with two lines")
    page.reload()
    page.wait_for("h2", "What would you like")
    assert page.run("return document.querySelector('#question').value") == "A long question\nwith two lines"
    assert page.run("return document.querySelector('#question').offsetHeight") > 50
    page.run("sessionStorage.setItem('finassist.pending', 'A question that did not arrive')")
    page.reload()
    page.wait_until("document.querySelector('#question').value.includes('did not arrive')")
    kept = "A question that did not arrive\n\nA long question\nwith two lines"
    assert page.run("return document.querySelector('#question').value") == kept
    page.run("document.querySelector('#question').value = ''")
    ask(page, "What is a bond?")
    page.reload()
    page.wait_for(".asked", "What is a bond?")
    assert page.run("return document.querySelector('#question').value") == ""


async def test_signing_out_leaves_neither_what_was_written_nor_what_was_chosen(
    start_server: Start, page: Browser
) -> None:
    open_page(page, await start_server())
    sign_up(page)
    ask(page, "What is a bond?")
    page.wait_until("document.querySelector('#list li .quiet')")
    page.run("document.querySelector('#list li .quiet').click()")
    press(page, "Select several", ".menu")
    page.wait_for("#chosen strong", "1 selected")
    page.type("#question", "My salary is")
    page.run("document.querySelector('#account .wide').click()")
    press(page, "Sign out", ".menu")
    page.wait_for("#account", "Sign in")
    page.wait_until("document.querySelector('#chosen').hidden")
    assert page.run("return document.querySelector('#question').value") == ""
    page.reload()
    page.wait_for("h2", "What would you like")
    assert page.run("return document.querySelector('#question').value") == ""


async def test_suggestions_are_asked_when_they_are_pressed(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    first = page.text(".home .chips button")
    page.click(".home .chips button")
    page.wait_for(".asked .plain", first)
    page.wait_until(f"document.querySelectorAll('.reply .feedback').length === 1 && {WRITTEN}")
    page.run(SUGGEST)
    page.run("document.querySelector('#new').click()")
    page.wait_for("h2", "What would you like")
    page.click("#list .open")
    page.wait_for(".reply .chips", "And an ETF?")
    page.click(".reply .chips button")
    page.wait_for(".asked:nth-of-type(3) .plain", "What is an ETF?")


async def test_all_of_a_long_conversation_is_printed_and_searched(start_server: Start, page: Browser) -> None:
    server = await start_server(FREE_MESSAGE_THRESHOLD="100", CHAT_RATE_PER_MINUTE="100")
    open_page(page, server)
    async with guest(server, page) as client:
        body: dict[str, str] = {}
        for number in range(27):
            body["message"] = "Hello, unicorn" if number == 1 else f"Hello, {number}"
            answer = await client.post("/api/v1/ai/chat", json=body)
            body["conversation_id"] = answer.json()["data"]["conversationId"]
    page.reload()
    page.wait_until("document.querySelector('#list .open')")
    page.click("#list .open")
    page.wait_until("document.querySelectorAll('.asked').length === 25")
    page.run("window.print = () => (window.printed = document.querySelectorAll('.asked').length)")
    page.click("#options")
    press(page, "Print, or save as PDF", ".menu")
    page.wait_until("window.printed === 27")
    assert page.text(".asked .plain") == "Hello, 0"
    page.show_as("print")
    assert page.run("return log.scrollHeight <= log.clientHeight + 1") is True
    page.show_as("")

    # What is searched for is shown among the earlier messages, too.
    page.reload()
    page.wait_until("document.querySelectorAll('.asked').length === 25")
    page.type("#find", "unicorn")
    page.wait_for("#list .found", "In your message:")
    page.click("#list .open")
    page.wait_until("CSS.highlights.has('found')")
    assert page.run("return document.activeElement.querySelector('.plain').textContent") == "Hello, unicorn"


async def test_a_long_list_comes_in_pages_and_keeps_the_focus(start_server: Start, page: Browser) -> None:
    server = await start_server(FREE_MESSAGE_THRESHOLD="100", CHAT_RATE_PER_MINUTE="100")
    open_page(page, server)
    async with guest(server, page) as client:
        asked = [client.post("/api/v1/ai/chat", json={"message": f"Hello {n} {HOSTILE}"}) for n in range(31)]
        assert {answer.status_code for answer in await asyncio.gather(*asked)} == {200}
    page.reload()
    page.wait_until("document.querySelectorAll('#list .open').length === 30")
    press(page, "More", "#list")
    focused(page, "#list li:nth-child(31) .open")

    def choose(entry: str) -> None:
        page.click("#list li:first-child .quiet")
        focused(page, ".menu button:first-child")
        press(page, entry, ".menu")

    choose("Rename")
    rename(page, HOSTILE * 4)
    page.wait_for("#list li:first-child", HOSTILE * 4)
    focused(page, "#list li:first-child .open")
    choose("Delete")
    page.click("dialog .main")
    focused(page, "#new")
    assert page.run(RAN) == [None, 0]


async def test_links_that_lead_nowhere_are_not_shown(start_server: Start, page: Browser) -> None:
    admin = {"X-Backend-Secret": "the-backend-secret-of-these-tests"}
    server = await start_server(BACKEND_SECRET=admin["X-Backend-Secret"])
    open_page(page, server)
    assert page.run("return document.querySelectorAll('#account a').length") == 0
    async with server.client() as client:
        terms = {"termsAndConditions": "https://bank.example.org/terms"}
        await client.put(
            "/app/config/system-urls",
            json=terms,
            headers=admin,
        )
    page.reload()
    page.wait_for("#account a", "Terms")
    assert page.run("return document.querySelectorAll('#account a').length") == 1


async def test_texts_of_any_kind_fit_a_phone_and_none_of_them_runs(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)
    model_server.behave(texts=[WIDE])
    page.resize(390, 844)

    def read() -> None:
        open_page(page, server)
        page.click("#open-side")
        sign_up(page, name=HOSTILE)
        page.click("#close-side")
        ask(page, "W" * 100)
        assert page.run("return document.documentElement.scrollWidth <= innerWidth") is True
        assert page.run("return document.documentElement.scrollHeight <= innerHeight") is True
        table = "document.querySelector('.scroll')"
        assert page.run(f"return {table}.scrollWidth <= {table}.clientWidth") is True
        arabic = "[...document.querySelectorAll('.text p')].find((p) => p.textContent.startsWith('هذا'))"
        assert page.run(f"return getComputedStyle({arabic}).unicodeBidi") == "plaintext"

        page.show_as("print")
        side, is_whole = page.run(
            "return [getComputedStyle(side).display, log.scrollHeight <= log.clientHeight + 1]"
        )
        page.show_as("")
        assert (side, is_whole) == ("none", True)
        assert page.run(RAN) == [None, 0]

        page.run(HOSTILE_SERVICE)
        page.run("document.querySelector('#new').click()")
        page.run("document.querySelector('#list .open').click()")
        page.wait_until("document.querySelectorAll('.sources').length === 1")
        page.run("document.querySelector('.sources').click()")
        assert page.run(RAN) == [None, 0]
        page.wait_for(".asked .file", HOSTILE)
        assert page.run("return document.querySelectorAll('#panel strong, .asked span.file').length") == 2

    await asyncio.to_thread(read)


async def test_a_password_is_called_so_explained_and_shown(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    press(page, "Sign up", "#account")
    assert page.text("[for=field-password]") == "Password"
    covers = "document.querySelector('dialog .actions').getBoundingClientRect().bottom"
    assert page.run(f"return {covers} <= document.querySelector('.or').getBoundingClientRect().top") is True
    assert page.text("#field-password-hint").startswith("8 characters or more")
    kind = "return document.querySelector('#field-password').type"
    assert page.run(kind) == "password"
    page.click(".shown button")
    assert page.run(kind) == "text"
    page.click(".shown button")
    assert page.run(kind) == "password"
    page.run(axe_script())
    assert barriers(page) == []


async def test_icons_and_what_waits_are_seen(start_server: Start, page: Browser) -> None:
    """A sign of three dots is as dark as text, and what pulses stays readable."""
    server = await start_server()
    open_page(page, server)
    ask(page, FUND)
    dots = "getComputedStyle(document.querySelector('#options .icon'))"
    assert page.run(f"return [{dots}.stroke, {dots}.strokeWidth]") == [
        page.run("return getComputedStyle(document.body).color"),
        "3px",
    ]
    waits = "[...document.styleSheets[0].cssRules].find((rule) => rule.name === 'wait')"
    assert float(page.run(f"return {waits}.cssRules[0].style.opacity")) >= 0.65
