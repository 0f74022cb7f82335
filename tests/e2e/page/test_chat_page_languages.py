"""The chat page in other languages than the browser asks for, in a real Chromium."""

from e2e.chat_page import ask, barriers, open_page, press, sign_up
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script

CHOOSE = """
    const select = document.querySelector("#language");
    select.value = "%s";
    select.dispatchEvent(new Event("change"));
"""
NAMES = "return [...document.querySelectorAll('#language option')].map((node) => node.textContent)"
OWN_NAMES = [
    "Deutsch",
    "English",
    "Español",
    "Français",
    "हिन्दी",
    "Italiano",
    "Nederlands",
    "Polski",
    "Português",
]


async def test_a_language_is_chosen_and_kept_on_all_pages(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    ask(page, "What is a bond?")
    page.click("#share")
    press(page, "Create link", "dialog")
    page.wait_until("document.querySelector('.link')")
    link = page.run("return document.querySelector('.link').value")
    page.run("document.querySelector('dialog').close()")
    assert page.run(NAMES) == OWN_NAMES
    assert page.run("return document.querySelector('#language').value") == "en"

    page.run(CHOOSE % "de")
    page.wait_for("#new", "Neuer Chat")
    page.wait_for(".asked .plain", "What is a bond?")  # where the reader was
    assert page.run("return document.documentElement.lang") == "de"
    assert page.run("return document.querySelector('#question').placeholder") != "Ask about money"
    page.run(axe_script())
    assert barriers(page) == []
    page.open(link)
    page.wait_for("header .go", "Unterhaltung")

    page.open(f"{server.address}/")
    page.wait_for("#new", "Neuer Chat")
    page.run(CHOOSE % "en")
    page.wait_for("#new", "New chat")
