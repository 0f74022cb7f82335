"""What the chat page does, in a real Chromium: one window for all tests, a server of its own for each."""

import asyncio

from e2e.chat_page import ANN, FUND, LOAN, WRITTEN, ask, barriers, open_page, press, rename, send, sign_up
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script
from servers.model_server import ModelServer
from waiting import until

PHONE, DESKTOP = (390, 844), (1280, 800)
ATTACK = "<img src=x onerror=alert(1)> ![i](https://e.example/i.png) [bad](javascript:alert(1)) **bold**"

DROP = """
    const transfer = new DataTransfer();
    transfer.items.add(new File(["a,b\\n1,2"], "figures.csv", {type: "text/csv"}));
    const options = {bubbles: true, cancelable: true};
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, ...options}));
    const pasted = new DataTransfer();
    pasted.items.add(new File(["pasted"], "pasted.txt", {type: "text/plain"}));
    document.querySelector("#question").dispatchEvent(
        Object.assign(new Event("paste", options), {clipboardData: pasted}));
"""
# The answer to the question is lost, and the first stream that goes on ends after its first piece.
BAD_LINE = """
    const real = fetch;
    window.sent = [];
    const isFirst = (end) => window.sent.filter(([path]) => path.endsWith(end)).length === 1;
    window.fetch = async (path, options) => {
        window.sent.push([path, options.headers["Last-Event-ID"] ?? options.headers["Idempotency-Key"]]);
        const response = await real(path, options);
        if (path.endsWith("ai/chat") && isFirst("ai/chat")) {
            await response.body.cancel();
            throw new TypeError("the answer was lost");
        }
        if (!path.endsWith("/stream") || !isFirst("/stream")) return response;
        const reader = response.body.getReader();
        return new Response(new ReadableStream({async start(controller) {
            controller.enqueue((await reader.read()).value);
            controller.close();
            reader.cancel();
        }}), response);
    };
"""


async def test_a_guest_reads_a_cited_answer_signs_up_and_keeps_it(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    ask(page, FUND)
    assert "three to six months" in page.text(".reply .text")
    page.click(".cite")
    assert page.run("return document.activeElement.matches('#panel li[value=\"1\"][aria-current]')")
    assert page.run("return document.querySelector('#panel mark').textContent.length > 20")
    page.run("document.querySelector('#close-panel').click()")
    assert page.run("return document.activeElement.matches('.cite')")
    page.wait_for("#allowance", "9 of 10 free messages left")
    page.click(".feedback button")
    page.wait_until("document.querySelector('.feedback [aria-pressed=true] .good')")

    ask(page, LOAN)
    assert page.text("article:last-child .called") == "Loan instalment"
    said = page.run("return document.querySelector('article:last-child').innerText")
    assert said.count("The monthly instalment is 1,319.59") == 1  # what was calculated is said once
    assert said.count("Formula") == 1

    sign_up(page)
    page.wait_for("#list .title", FUND)
    page.reload()
    page.wait_for("#account .wide", ANN["name"])
    page.wait_for(".reply .text", "three to six months")
    kept = page.run("return Object.keys(localStorage).sort()")
    assert kept == ["finassist.device", "finassist.device-token"]  # nobody asked to stay

    page.click("#account .wide")
    press(page, "About you", ".menu")
    page.wait_for("dialog", "0% complete")
    page.run("document.querySelectorAll('dialog select').forEach((node) => (node.selectedIndex = 1))")
    page.click("dialog .main")
    page.wait_until("/[1-9]\\d?% complete/.test(document.querySelector('dialog').textContent)")
    page.run("document.querySelector('dialog').close()")

    page.run("document.querySelector('#account .wide').click()")
    press(page, "Sign out", ".menu")
    page.wait_for("#list", "No active conversations.")
    page.wait_for("h2", "What would you like to understand")


async def test_an_ended_session_is_told_and_signing_in_goes_on(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page, remember=True)
    ask(page, FUND)
    page.run("localStorage.setItem('finassist.refresh', 'used up')")
    page.reload()
    page.wait_for(".notice", "Your session has ended.")
    page.wait_for("#account", "Sign in")

    press(page, "Sign in", "#account")
    for name in ("email", "password"):
        page.type(f"#field-{name}", ANN[name])
    page.click("dialog .main")
    page.wait_for(".reply .text", "three to six months")
    page.wait_for("#account .wide", ANN["name"])


async def test_a_share_shows_beforehand_what_others_will_see(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    ask(page, "I am at ann.miller@example.org. What is an index fund?")

    page.click("#share")
    press(page, "Preview", "dialog")
    page.wait_for(".preview", "Personal data found: email.")
    assert "ann.miller@example.org" not in page.text(".preview")
    press(page, "Create link", "dialog")
    page.wait_until("document.querySelector('.link')")
    link = page.run("return document.querySelector('.link').value")
    async with server.client() as client:
        shared = await client.get(link)
        assert shared.status_code == 200
        assert "ann.miller@example.org" not in shared.text

        page.run("document.querySelector('dialog').close()")
        page.run("document.querySelector('#account .wide').click()")
        press(page, "Shared links", ".menu")
        page.wait_for(".shares", "Active")
        press(page, "Revoke", ".shares")
        page.run("[...document.querySelectorAll('dialog .main')].at(-1).click()")
        page.wait_for(".shares", "Revoked")
        assert (await client.get(link)).status_code == 404
    page.run("document.querySelector('dialog').close()")


async def test_a_reply_goes_on_after_a_reload_and_can_be_stopped(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)

    # The model is in this process: it can only talk while the window is waited for in a thread.
    def begin_and_reload() -> None:
        open_page(page, server)
        send(page, "Go on after a reload?")
        page.wait_for(".reply .text", "The first half,")
        page.reload()
        page.wait_for(".reply .text", "The first half,")
        assert "second" not in page.text(".reply .text")

    def read_the_rest() -> None:
        page.wait_for(".reply .text", "the second half.")
        page.wait_until(WRITTEN)
        assert page.run("return document.querySelectorAll('.reply').length") == 1
        assert "<img src=x" in page.text(".reply .text")
        assert page.run("return document.querySelector('.text img')") is None
        links = page.run("return Array.from(document.querySelectorAll('.text a'), (link) => link.href)")
        assert links == ["https://e.example/i.png"]
        assert page.text(".text strong") == "bold"

    def ask_and_stop() -> None:
        send(page, "Can I stop you?")
        page.wait_for("article:last-child .text", "Some words")
        page.click("#stop")
        page.wait_for("article:last-child .note", "You stopped this reply.")
        page.wait_until(WRITTEN)

    model_server.behave(texts=["The first half, ", "the second half. ", ATTACK], pause_after=1)
    await asyncio.to_thread(begin_and_reload)
    model_server.resume()
    await asyncio.to_thread(read_the_rest)
    assert len(model_server.requests) == 1
    model_server.behave(texts=["Some words ", "and never these."], pause_after=1)
    await asyncio.to_thread(ask_and_stop)


async def test_a_reply_that_has_not_begun_is_found_after_a_reload_and_can_be_stopped(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)

    def ask_early(question: str) -> None:
        send(page, question)
        page.wait_until("!document.querySelector('#stop').hidden")

    def reload() -> None:
        page.reload()
        page.wait_for(".asked", "Is anybody there?")
        assert page.run("return document.querySelector('#question').value") == ""

    model_server.behave(texts=["", "I am here."], pause_after=1)
    await asyncio.to_thread(open_page, page, server)
    await asyncio.to_thread(ask_early, "Is anybody there?")
    await wait_for_requests(model_server, 1)
    await asyncio.to_thread(reload)
    model_server.resume()
    await asyncio.to_thread(page.wait_for, ".reply .text", "I am here.")
    await asyncio.to_thread(page.wait_until, WRITTEN)

    model_server.behave(texts=["", "Too late."], pause_after=1)
    await asyncio.to_thread(ask_early, "Never mind?")
    await wait_for_requests(model_server, 2)
    await asyncio.to_thread(page.click, "#stop")
    await asyncio.to_thread(page.wait_for, "article:last-child", "You stopped this reply.")
    await asyncio.to_thread(page.wait_until, WRITTEN)
    await asyncio.to_thread(page.wait_for, "#allowance", "9 of 10")


async def wait_for_requests(model_server: ModelServer, count: int) -> None:
    await until(lambda: len(model_server.requests) >= count)


async def test_a_connection_that_breaks_is_taken_up_where_it_was(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)

    def ask_over_a_bad_line() -> None:
        open_page(page, server)
        page.run(BAD_LINE)
        send(page, "What if the line is bad?")
        page.wait_for(".reply .text", "One")

    def read_the_rest() -> None:
        page.wait_for(".reply .text", "One two three.")
        page.wait_until(WRITTEN)

    model_server.behave(texts=["One ", "two ", "three."], pause_after=1)
    await asyncio.to_thread(ask_over_a_bad_line)
    model_server.resume()
    await asyncio.to_thread(read_the_rest)

    sent = page.run("return window.sent")
    assert len({mark for path, mark in sent if path.endswith("ai/chat")}) == 1
    assert [mark for path, mark in sent if path.endswith("/stream")][:2] == [0, "4"]
    assert page.run("return document.querySelectorAll('.asked').length") == 1
    assert len(model_server.requests) == 1


async def test_files_are_dropped_pasted_and_taken_away_again(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    page.run(DROP)
    page.wait_for("#files", "figures.csv")
    page.wait_for("#files", "pasted.txt")
    page.click("#files li:last-child .quiet")
    ask(page, "What does the attached file say?")

    page.wait_for(".asked .file", "figures.csv")
    page.reload()
    page.wait_for(".asked button.file", "figures.csv")
    assert "pasted.txt" not in page.text(".asked")


async def test_limits_are_told_kindly(start_server: Start, page: Browser) -> None:
    server = await start_server(FREE_MESSAGE_THRESHOLD="1", CHAT_RATE_PER_MINUTE="2")
    open_page(page, server)
    ask(page, FUND)
    send(page, FUND)
    page.wait_for(".notice", "Your 1 free messages are used up.")
    assert page.text(".notice .main") == "Sign up"
    assert "Try again" not in page.text(".notice")  # it would be refused again
    send(page, FUND)
    page.wait_for(".notice", "You can go on in")
    assert page.run("return document.querySelector('.notice .main').disabled")
    page.wait_for(".notice .main", " s)")


async def test_a_question_that_was_refused_is_answered_after_signing_up(
    start_server: Start, page: Browser
) -> None:
    server = await start_server(FREE_MESSAGE_THRESHOLD="1")
    open_page(page, server)
    ask(page, FUND)
    send(page, "What is a bond?")
    page.wait_for(".notice", "Your 1 free messages are used up.")
    press(page, "Sign up", ".notice")
    for field, value in ANN.items():
        page.type(f"#field-{field}", value)
    page.click("dialog .main")
    page.wait_until(f"document.querySelectorAll('.reply .feedback').length === 2 && {WRITTEN}")
    assert page.run("return document.querySelectorAll('.notice, dialog').length") == 0
    assert page.run("return document.querySelectorAll('.asked').length") == 2


async def test_conversations_are_found_renamed_pinned_archived_and_deleted(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    ask(page, FUND)
    press(page, "New chat")
    page.wait_for("h2", "What would you like")
    ask(page, "What is a bond?")

    def choose(entry: str) -> None:
        page.run("document.querySelector('#list li .quiet').click()")
        press(page, entry, ".menu")

    page.wait_for("#list", "What is a bond?")
    page.type("#find", "EMERGENCY")
    page.wait_until("document.querySelectorAll('#list .open').length === 1")
    choose("Rename")
    rename(page, "My reserve for emergency")
    page.wait_for("#list", "My reserve")
    choose("Pin")
    page.wait_until("document.querySelector('#list .pin')")
    choose("Archive")
    page.wait_for("#list small", "Archived")  # what is searched is found wherever it is
    choose("Restore")
    page.wait_until("!document.querySelector('#list small')")
    choose("Delete")
    assert page.run("return getComputedStyle(document.querySelector('dialog .final')).backgroundColor") != (
        page.run("return getComputedStyle(document.querySelector('#send')).backgroundColor")
    )
    page.click("dialog .main")
    page.wait_for("#list", "Nothing found.")


async def test_nothing_keeps_people_out(start_server: Start, page: Browser) -> None:
    """Phone and desktop, light and dark: the beginning, the drawer, a conversation, a menu, a form."""
    script = axe_script()
    admin = {"X-Backend-Secret": "the-backend-secret-of-these-tests"}
    server = await start_server(BACKEND_SECRET=admin["X-Backend-Secret"])
    async with server.client() as client:
        for catalog in ("preprompts", "second-opinion/preprompts"):
            card = {"key": "one", "publicValue": "A label", "maskedValue": "Hidden.", "description": "More"}
            made = await client.post(f"/api/v1/{catalog}", json=card, headers=admin)
            assert made.status_code == 201
    for size in (PHONE, DESKTOP):
        page.resize(*size)
        for scheme in ("light", "dark"):
            page.prefer(scheme)
            open_page(page, server)
            page.run(script)
            found = [barriers(page)]
            if size is PHONE:
                page.click("#open-side")
                page.wait_until("getComputedStyle(document.querySelector('#side')).transform === 'none'")
                # Less matters here: axe misses the main part, which is out of reach behind the drawer.
                found.append(barriers(page, "serious", "critical"))
                page.click("#close-side")
            ask(page, LOAN)
            page.run("document.querySelectorAll('details').forEach((node) => (node.open = true))")
            page.click(".feedback button")
            page.wait_for(".feedback", "Say more")
            found.append(barriers(page))
            page.run("document.querySelector('.sources').click()")
            page.run("document.querySelector('.asked [aria-label=Edit]').click()")
            found.append(barriers(page))
            press(page, "Cancel", ".editor")
            page.run("document.querySelector('#close-panel').click()")
            assert page.run("return document.documentElement.scrollWidth <= innerWidth") is True
            page.run("document.querySelector('#list li .quiet').click()")
            page.wait_until("document.querySelector('[role=menu]')")
            found.append(barriers(page))
            page.run("document.querySelector('[role=menu]').hidePopover()")
            page.click("#share")
            press(page, "Preview", "dialog")
            page.wait_until("document.querySelector('.preview h3')")
            found.append(barriers(page))
            press(page, "Sign up to share", "dialog")
            page.wait_for("dialog h2", "Create an account")
            page.click("dialog .main")
            page.wait_until("document.querySelector('[aria-invalid]')")
            found.append(barriers(page))
            assert [barrier for barriers in found for barrier in barriers] == [], (size, scheme)
    page.prefer("light")
