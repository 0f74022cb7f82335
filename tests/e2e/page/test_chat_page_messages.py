"""What can be done with messages on the chat page: edit, try again, copy, draw, take along, find."""

import asyncio
import csv
import io
import re
from pathlib import Path

from e2e.chat_page import ENTER, FUND, LOAN, WRITTEN, ask, barriers, open_page, press, rename, send
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script
from servers.model_server import ModelServer
from waiting import until

OF_2021 = """
    const real = fetch;
    window.fetch = async (path, options) => {
        const response = await real(path, options);
        if (!path.includes("/messages")) return response;
        const body = await response.json();
        for (const message of body.data.messages) message.createdAt = "2021-03-04T12:00:00.000Z";
        return new Response(JSON.stringify(body), response);
    };
"""
REFUSE = """
    const real = fetch;
    window.fetch = async (path, options) =>
        path.includes("ai/chat") ? new Response("{}", {status: 422}) : real(path, options);
"""
COPIED = """
    window.copied = [];
    Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => copied.push(text)}});
"""
ASKED = "return [...document.querySelectorAll('.asked .plain')].map((node) => node.textContent)"
STATEMENT = """
    const rows = ["Date,Payee,Amount,Currency", "2026-01-03,Grocer,-50.00,EUR",
        "2026-01-09,Landlord,-900.00,EUR", "2026-01-28,Employer,2500.00,EUR", "2026-02-03,Grocer,-70.00,EUR",
        "2026-02-27,Employer,2500.00,EUR"];
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([rows.join("\\n")], "export.csv", {type: "text/csv"}));
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
"""


def written(page: Browser, replies: int) -> None:
    page.wait_until(f"document.querySelectorAll('.reply .feedback').length === {replies} && {WRITTEN}")


def act(page: Browser, inside: str, label: str) -> None:
    """Press the last button with this name inside."""
    page.run(f"[...document.querySelectorAll('{inside} [aria-label=\"{label}\"]')].at(-1).click()")


async def file_at(path: Path) -> str:
    await until(lambda: path.exists() and path.stat().st_size)
    return path.read_text()


async def test_a_question_is_edited_and_asked_again_in_its_place(start_server: Start, page: Browser) -> None:
    server = await start_server(FREE_MESSAGE_THRESHOLD="4")
    open_page(page, server)
    ask(page, "What is a bond?")
    ask(page, "What is a stock?")
    page.run("document.querySelector('.asked [aria-label=Edit]').click()")
    page.type(".editor textarea", "What is an index fund?")
    press(page, "Cancel", ".editor")
    assert page.run(ASKED) == ["What is a bond?", "What is a stock?"]

    page.run("document.querySelectorAll('.asked [aria-label=Edit]')[1].click()")
    page.type(".editor textarea", "What is an index fund?")
    page.click(".editor .main")
    page.wait_for("#allowance", "1 of 4")  # the new reply is written, not still the old one
    written(page, 2)
    act(page, ".reply", "Try again")
    page.wait_for("#allowance", "0 of 4")
    written(page, 2)
    assert page.run(ASKED) == ["What is a bond?", "What is an index fund?"]
    page.reload()
    written(page, 2)
    assert page.run(ASKED) == ["What is a bond?", "What is an index fund?"]

    # What is refused leaves everything as it was.
    act(page, ".asked", "Edit")
    page.type(".editor textarea", "One too many?")
    page.click(".editor .main")
    page.wait_for(".notice", "Your 4 free messages are used up.")
    assert page.run(ASKED) == ["What is a bond?", "What is an index fund?"]


TIMES = "[...document.querySelectorAll('#messages article')].map((node) => node.querySelector('.tools time'))"


async def test_messages_tell_when_they_were_written(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    ask(page, "What is a bond?")
    of_today = page.run(f"return {TIMES}.map((node) => node.textContent)")
    assert len(of_today) == 2
    for each in of_today:
        assert re.fullmatch(r"\d\d?:\d\d\s[AP]M", each)
    page.run(OF_2021)
    page.run("document.querySelector('#new').click()")
    page.click("#list .open")
    page.wait_until(f"{TIMES}.length === 2")
    told = page.run(
        f"return {TIMES}.map((node) => [node.dateTime.slice(0, 4), node.textContent, node.title])"
    )
    for year, text, title in told:
        assert year == "2021"
        assert re.fullmatch(r"Mar 4, 2021, \d\d?:\d\d\s[AP]M", text)
        assert title.startswith("Thursday, March 4, 2021")


async def test_earlier_versions_of_a_question_are_read_in_its_place_and_asked_again(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    ask(page, "What is a bond?")
    ask(page, "What is a stock?")
    assert page.run("return document.querySelectorAll('.versions').length") == 0
    for number, text in enumerate(("What is inflation?", "What is an ETF?"), 2):
        page.run("document.querySelectorAll('.asked [aria-label=Edit]')[0].click()")
        page.run("document.querySelector('.editor textarea').value = ''")
        page.type(".editor textarea", text)
        page.click(".editor .main")
        page.wait_until(f"document.querySelectorAll('.asked').length === 1 && {WRITTEN}")
        page.wait_for(".versions", f"{number}/{number}")
    ask(page, "What is a share?")

    page.reload()
    written(page, 2)
    page.wait_for(".versions", "3/3")
    seen = "[...document.querySelectorAll('.asked .plain')].filter((node) => node.checkVisibility())"
    shown = f"return {seen}.map((node) => node.textContent)"
    page.press("[aria-label='Earlier version']", ENTER)
    page.wait_for("#messages section", "2/3")
    assert page.run(shown) == ["What is inflation?"]
    told = "document.querySelector('#messages section .notice').getBoundingClientRect()"
    assert page.run(f"return {told}.top >= 0 && {told}.bottom <= innerHeight") is True
    assert page.run("return document.activeElement.ariaLabel") == "Earlier version"
    page.press("#messages section [aria-label='Earlier version']", ENTER)
    page.wait_for("#messages section", "1/3")
    assert page.run(shown) == ["What is a bond?", "What is a stock?"]
    assert page.run("return document.activeElement.ariaLabel") == "Later version"  # there is none before it
    assert page.run("return document.querySelectorAll('section .reply .text > *').length") >= 2
    assert (
        page.run("return document.querySelectorAll('section :is(.feedback, [aria-label=Edit])').length") == 0
    )
    page.run(axe_script())
    assert barriers(page) == []
    press(page, "Back to the newest", "section")
    page.wait_until("!document.querySelector('#messages section')")
    assert page.run(shown) == ["What is an ETF?", "What is a share?"]

    # What is asked meanwhile belongs to the newest; an old one is asked again in its place.
    page.run("document.querySelector('[aria-label=\"Earlier version\"]').click()")
    send(page, "What is a fund?")
    written(page, 3)
    assert page.run(shown) == ["What is an ETF?", "What is a share?", "What is a fund?"]
    for _ in range(2):
        page.run("[...document.querySelectorAll('.versions button')].at(0).click()")
    press(page, "Ask in these words again", "section")
    page.wait_until(f"document.querySelectorAll('.asked').length === 1 && {WRITTEN}")
    page.wait_for(".versions", "4/4")
    assert page.run(shown) == ["What is a bond?"]


async def test_a_refused_edit_above_an_earlier_version_leaves_the_newest(
    start_server: Start, page: Browser
) -> None:
    open_page(page, await start_server())
    ask(page, "What is a bond?")
    ask(page, "What is a stock?")
    page.run("document.querySelectorAll('.asked [aria-label=Edit]')[1].click()")
    page.run("document.querySelector('.editor textarea').value = 'What is a fund?'")
    page.click(".editor .main")
    page.wait_for(".versions", "2/2")
    page.run("document.querySelector('[aria-label=\"Earlier version\"]').click()")
    page.wait_for("#messages section", "1/2")

    page.run(REFUSE)
    page.run("document.querySelector('.asked [aria-label=Edit]').click()")
    page.click(".editor .main")
    page.wait_until("document.querySelector('#messages > .notice')")
    seen = "[...document.querySelectorAll('.asked .plain')].filter((node) => node.checkVisibility())"
    shown = page.run(f"return {seen}.map((node) => node.textContent)")
    assert shown == ["What is a bond?", "What is a fund?"]
    assert page.run("return document.querySelector('#messages section')") is None


async def test_messages_and_tables_are_copied_and_calculations_drawn(
    start_server: Start, page: Browser, tmp_path: Path
) -> None:
    server = await start_server()
    page.download_to(tmp_path)
    open_page(page, server)
    page.run(COPIED)
    ask(page, FUND)
    act(page, ".asked", "Copy the question")
    act(page, ".reply", "Copy the reply")
    page.wait_until("copied.length === 2")
    question, reply = page.run("return copied")
    assert question == FUND
    assert "three to six months" in reply

    ask(page, LOAN)
    assert page.run("return document.querySelectorAll('.plot .chart').length") == 2  # the balance by itself
    legends = page.run("return [...document.querySelectorAll('.legend')].map((node) => node.textContent)")
    assert legends == ["Balance", "InterestPrincipal"]
    assert "by year" in page.run("return document.querySelector('.chart').getAttribute('aria-label')")
    heads = page.run("return [...document.querySelectorAll('.plot th')].map((node) => node.textContent)")
    assert heads == ["Year", "Interest", "Principal", "Balance"]

    press(page, "Save as CSV", ".plot")
    rows = list(csv.reader(io.StringIO(await file_at(tmp_path / "loan-instalment.csv"))))
    assert (rows[0], len(rows), rows[-1][-1]) == (heads, 26, "0.00")
    press(page, "Save as PNG", ".plot")
    picture = tmp_path / "loan-instalment.png"
    await until(lambda: picture.exists() and picture.stat().st_size)
    assert (tmp_path / "loan-instalment.png").read_bytes().startswith(b"\x89PNG")
    assert page.complaints() == []


async def test_what_was_spent_is_drawn(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    page.run(STATEMENT)
    page.wait_for("#files", "export.csv")
    send(page, "How much did I spend by month?")
    written(page, 1)
    assert page.run("return document.querySelectorAll('.plot rect').length") == 4  # in and out of two months
    labels = "[...document.querySelectorAll('.chart text')].map((node) => node.textContent)"
    assert (
        page.run(f"return ['EUR', 'Jan 2026', 'Feb 2026'].every((name) => {labels}.includes(name))") is True
    )
    send(page, "What did I spend by counterparty?")
    written(page, 2)
    names = "[...document.querySelectorAll('.reply:last-child .chart text')].map((node) => node.textContent)"
    assert page.run(f"return {names}.includes('Landlord')")


async def test_a_conversation_is_named_tagged_found_and_taken_along(
    start_server: Start, page: Browser, tmp_path: Path
) -> None:
    server = await start_server()
    page.download_to(tmp_path)
    page.resize(1280, 800)
    open_page(page, server)
    ask(page, LOAN)

    def choose(entry: str) -> None:
        page.click("#options")
        page.wait_until("document.querySelector('.menu')")
        press(page, entry, ".menu")

    choose("Rename")
    rename(page, "My house")
    page.wait_for("#title", "My house")
    page.wait_for("#list", "My house")
    choose("Tags")
    page.type("#field-tags", "home, loans, home")
    page.click("dialog .main")
    page.wait_for("#tags", "homeloans")

    choose("Save as Markdown")
    text = await file_at(tmp_path / "My house.md")
    assert text.startswith("# My house\n\n**You**")
    assert "| year | interest | principal | balance |" in text

    press(page, "New chat")
    ask(page, "What is a bond?")
    page.wait_until("document.querySelectorAll('#list .open').length === 2")
    page.run("document.querySelector('#list li:last-child .open').click()")
    page.wait_for("#tags", "home")
    press(page, "loans", "#tags")
    page.wait_until("document.querySelectorAll('#list .open').length === 1")
    page.click("#filter button")
    page.wait_until("document.querySelectorAll('#list .open').length === 2")


async def test_what_is_searched_is_found_in_questions_replies_and_files_by_keyboard(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    page.resize(1280, 800)
    open_page(page, server)
    ask(page, FUND)
    ask(page, "What is a bond?")
    press(page, "New chat")
    page.run(STATEMENT)
    page.wait_for("#files", "export.csv")
    ask(page, "Show my spending by month")

    page.type("#find", "ADDING UP INTEREST PAYMENTS")
    page.wait_for("#list", "Nothing found.")
    said = page.run("return document.querySelector('.reply .text').textContent")
    word = next(each for each in said.split() if each.isalpha() and each.islower() and len(each) > 6)
    for text, where in (
        (word.upper(), "In a reply:"),
        ("IS A BOND", "In your message:"),
        ("Export.CSV", "File:"),
    ):
        page.run("document.querySelector('#find').value = ''")
        page.type("#find", text)
        page.wait_for("#list .found", where)
        assert page.run("return document.querySelector('#list .found mark').textContent") == {
            "IS A BOND": "is a bond", "Export.CSV": "export.csv"
        }.get(text, word)  # fmt: skip

    page.run("document.querySelector('#find').value = ''")
    page.type("#find", "is a bond")
    page.wait_for("#list .found", "In your message:")
    page.press("#find", "\ue015")  # down
    assert page.run("return document.activeElement.matches('#list .open')")
    page.press("#list .open", "\ue013")  # up
    assert page.run("return document.activeElement.id") == "find"
    page.press("#find", ENTER)
    page.wait_until("document.activeElement.matches('.asked')")
    assert page.run("return document.activeElement.querySelector('.plain').textContent") == "What is a bond?"
    assert page.run("return [...CSS.highlights.get('found')].map(String)") == ["is a bond"]
    page.press("#log", "n")
    page.wait_for("h2", "What would you like")
    assert page.run("return CSS.highlights.size") == 0


async def test_the_menu_is_closed_and_stays_so_until_it_is_wanted(start_server: Start, page: Browser) -> None:
    server = await start_server()
    page.resize(1280, 800)
    open_page(page, server)
    shown = "getComputedStyle(document.querySelector('#side')).display !== 'none'"
    page.press("#close-side", ENTER)
    page.wait_until(f"!({shown}) && document.activeElement.id === 'open-side'")
    page.reload()
    page.wait_for("h2", "What would you like")
    assert not page.run(f"return {shown}")
    page.press("#log", "s")
    page.wait_until(f"({shown}) && document.activeElement.id === 'find'")
    page.reload()
    page.wait_for("h2", "What would you like")
    assert page.run(f"return {shown} && !document.querySelector('#main').inert")


async def test_the_end_of_a_long_conversation_is_one_press_away(start_server: Start, page: Browser) -> None:
    server = await start_server()
    page.resize(390, 844)
    open_page(page, server)
    ask(page, FUND)
    page.run("document.querySelector('#log').scrollTop = 0")
    page.wait_until("!document.querySelector('#to-end').hidden")
    page.press("#to-end", ENTER)
    page.wait_until("document.querySelector('#to-end').hidden")
    assert page.run("return document.activeElement.id") == "log"


async def test_keys_are_told_work_and_can_be_switched_off(start_server: Start, page: Browser) -> None:
    server = await start_server()
    page.resize(1280, 800)
    open_page(page, server)
    ask(page, FUND)
    page.press("#log", "?")
    page.wait_for("dialog", "Begin a new chat")
    page.run("document.querySelector('dialog').close()")
    page.press("#log", "e")
    page.wait_until("document.activeElement.matches('.editor textarea')")
    page.press(".editor textarea", "n?\ue00c")  # typed, then Escape
    page.wait_until("!document.querySelector('.editor, dialog')")
    page.press("#log", "/")
    page.wait_until("document.activeElement.id === 'question'")
    page.press("#log", "?")
    page.click("dialog [type=checkbox]")
    page.run("document.querySelector('dialog').close()")
    page.press("#log", "n")
    assert page.run("return document.querySelectorAll('.asked').length") == 1


async def test_a_model_is_chosen_where_there_are_several(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ, LLM_MODEL="small", LLM_MODELS="small,large")
    model_server.behave(texts=["Here I am."])

    def choose() -> None:
        open_page(page, server)
        page.wait_until("document.querySelector('#model').value === 'small'")
        page.run("document.querySelector('#model').value = 'large'")
        ask(page, "Who are you?")

    await asyncio.to_thread(choose)
    assert [request["model"] for request in model_server.requests] == ["large"]
