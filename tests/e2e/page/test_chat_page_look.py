"""What a comparison with other chat pages found worse: what stands where, and what is seen."""

import asyncio

from e2e.chat_page import FUND, LOAN, ask, open_page
from e2e.chromium import Browser
from e2e.conftest import Start
from servers.model_server import ModelServer

PHONE = (390, 844)
MENU = "document.querySelector('[role=menu]')"
SHOWN = """
    const buttons = [...document.querySelectorAll(".home .chips button")];
    return buttons.filter((node) => node.checkVisibility()).length;
"""
AXIS = """
    return [...document.querySelector(".reply:last-child .chart").querySelectorAll("text")]
        .map((node) => node.textContent).filter((text) => /^\\d+$/.test(text));
"""
FILE = """
    const dataTransfer = new DataTransfer();
    const rows = "Date,Payee,Amount\\n2026-01-02,Shop,-1.50\\n";
    dataTransfer.items.add(new File([rows], "a.csv", {type: "text/csv"}));
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
"""


async def test_the_beginning_fits_a_phone_and_says_when_there_is_nothing_to_send(
    start_server: Start, page: Browser
) -> None:
    open_page(page, await start_server())
    every = page.run(SHOWN)
    left = "(name) => document.querySelector(name).getBoundingClientRect().left"
    button, icon = page.run(f"return ['.export', '.export .icon'].map({left})")
    assert icon - button < 24
    page.resize(*PHONE)
    assert page.run(SHOWN) == 5 < every  # four, and the button that shows the others
    page.click(".home .rest button")
    assert page.run(SHOWN) == every
    assert page.run("return document.activeElement.matches('.home .chips li:nth-child(5) button')") is True
    opacity = "return getComputedStyle(document.querySelector('#send')).opacity"
    assert page.run(opacity) == "0.5"
    page.type("#question", "Why?")
    assert page.run(opacity) == "1"
    page.type("#question", "")


async def test_a_menu_ends_with_what_deletes_stays_at_its_button_and_is_not_drawn_over(
    start_server: Start, page: Browser
) -> None:
    open_page(page, await start_server())
    ask(page, FUND)
    page.click("#list li .quiet")
    page.wait_until(MENU)
    assert page.run(f"return {MENU}.lastElementChild.matches('.danger')") is True

    page.resize(1280, 700)
    page.run("document.querySelector('#side').style.width = '24rem'; dispatchEvent(new Event('resize'))")
    beside = f"{MENU}.getBoundingClientRect().left"
    opener = "document.querySelector('#list li .quiet').getBoundingClientRect().left"
    page.wait_until(f"Math.abs({beside} - {opener}) < 2")

    # A reply that ends in another conversation draws the list again: after the menu is closed.
    asked = (
        "performance.getEntriesByType('resource').filter(({name}) => name.includes('conversations?')).length"
    )
    before = page.run(f"document.querySelector('#list li').dataset.old = true; return {asked}")
    page.run("dispatchEvent(new Event('session'))")
    page.wait_until(f"{asked} > {before}")
    page.run("return new Promise((done) => setTimeout(done, 300))")
    assert page.run(f"return {MENU} !== null") is True
    page.key("\ue00c")
    page.wait_until("!document.querySelector('#list [data-old]') && document.querySelector('#list .open')")


async def test_numbers_of_an_axis_are_round_on_a_phone(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    ask(page, LOAN)
    page.resize(*PHONE)
    page.wait_until("document.querySelector('.chart').viewBox.baseVal.width < 400")
    assert page.run(AXIS) == ["0", "0", "5", "10", "15", "20", "25"]  # the first is of the other axis


async def test_heads_of_a_file_stand_above_their_columns(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    page.run(FILE)
    page.click("#files .file")
    page.wait_until("document.querySelector('dialog tbody td')")
    edge = "(name) => document.querySelector(`dialog ${name}:nth-child(2)`)"
    aligned = f"({edge})('%s') && getComputedStyle(({edge})('%s')).textAlign"
    assert (
        page.run(f"return {aligned % ('th', 'th')}")
        == page.run(f"return {aligned % ('td', 'td')}")
        == "start"
    )
    page.run("document.querySelector('dialog').close()")


async def test_each_reply_says_which_of_several_models_wrote_it(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    model_server.behave(texts=["Yes."])
    server = await start_server(**model_server.environ, LLM_MODEL="small", LLM_MODELS="small,large")

    def use() -> None:
        open_page(page, server)
        ask(page, "One")
        page.run("document.querySelector('#model').value = 'large'")
        ask(page, "Two")
        told = (
            "return [...document.querySelectorAll('.reply .tools > small')].map((node) => node.textContent)"
        )
        assert page.run(told) == ["small", "large"]
        page.reload()
        page.wait_until("document.querySelectorAll('.reply .feedback').length === 2")
        assert page.run(told) == ["small", "large"]

    await asyncio.to_thread(use)
