"""Menus on the chat page: at their buttons, for the keyboard, and closed by what closes menus."""

import json

from e2e.chat_page import FUND, ask, barriers, open_page, sign_up
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script

TAB, ESCAPE = "\ue004", "\ue00c"
UP, DOWN, HOME, END = "\ue013", "\ue015", "\ue011", "\ue010"
FOCUSED = "document.activeElement"
BOXES = """
    const box = (name) => document.querySelector(name).getBoundingClientRect();
    const menu = box("[role=menu]"), button = box(%s);
    return [menu.top >= button.bottom || menu.bottom <= button.top,
        menu.left >= 0 && menu.right <= innerWidth,
        menu.top >= 0 && menu.bottom <= innerHeight,
        Math.min(Math.abs(menu.top - button.bottom), Math.abs(menu.bottom - button.top)) < 12];
"""


def is_closed(page: Browser, opener: str) -> None:
    page.wait_until("!document.querySelector('[role=menu]')")
    page.wait_until(f"{FOCUSED}.matches({json.dumps(opener)})")
    assert page.run(f"return document.querySelector({json.dumps(opener)}).ariaExpanded") == "false"


async def test_a_menu_stands_at_its_button_and_obeys_the_keyboard(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    sign_up(page)
    ask(page, FUND)
    page.run(axe_script())
    for opener in ("#options", "#account .wide", "#list li .quiet"):
        for on_phone in (False, True):
            in_drawer = on_phone and opener != "#options"
            page.resize(*((390, 844) if on_phone else (1280, 800)))
            if in_drawer:
                page.click("#open-side")
            page.click(opener)
            page.wait_until("document.querySelector('[role=menu]')")
            assert page.run(BOXES % json.dumps(opener)) == [True, True, True, True], (opener, on_phone)
            page.wait_until(f"document.querySelector('{opener}').ariaExpanded === 'true'")
            if not page.run("return document.querySelector('#main').inert"):
                assert barriers(page) == []  # beside an open drawer there is no main part
            count = page.run("return document.querySelectorAll('[role=menu] button').length")
            at = f"return [...document.querySelectorAll('[role=menu] button')].indexOf({FOCUSED})"
            for key, wanted in ((DOWN, 1), (UP, 0), (UP, count - 1), (DOWN, 0), (END, count - 1), (HOME, 0)):
                page.key(key)
                assert page.run(at) == wanted
            page.key(ESCAPE)
            is_closed(page, opener)
            page.click(opener)
            page.wait_until("document.querySelector('[role=menu]')")
            page.click(opener)  # once more
            is_closed(page, opener)
            if in_drawer:
                # Escape closed the menu alone.
                assert page.run("return document.body.matches('.side-open')") is True
                page.click("#close-side")
    page.resize(1280, 800)
    page.click("#options")
    page.wait_until("document.querySelector('[role=menu]')")
    page.key(TAB)
    page.wait_until("!document.querySelector('[role=menu]')")
    assert page.run(f"return {FOCUSED}.id") == "log"  # what comes after the button
    page.click("#options")
    page.wait_until("document.querySelector('[role=menu]')")
    page.click("#question")  # beside it
    page.wait_until("!document.querySelector('[role=menu]')")
