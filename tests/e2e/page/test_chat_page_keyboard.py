"""The chat page with the keyboard alone, and what axe-core finds in forms and lists that few visits open."""

from e2e.chat_page import ANN, ENTER, FUND, LOAN, WRITTEN, ask, barriers, open_page, press, sign_up
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script

TAB, ESCAPE, SPACE, DOWN = "\ue004", "\ue00c", " ", "\ue015"
FOCUSED = "document.activeElement"
NAMED = f"return {FOCUSED}.ariaLabel || {FOCUSED}.textContent || {FOCUSED}.id"
# What somebody with a mouse can use: shown, enabled, and not inside of something closed.
USABLE = """
    const kinds = "button, a[href], input, select, textarea, summary, [tabindex='0']";
    const isUsable = (node) =>
        node.checkVisibility({visibilityProperty: true}) && !node.disabled && node.id !== "skip";
    return [...document.querySelectorAll(kinds)].filter(isUsable).map((node, number) => {
        node.dataset.number = number;
        return String(number);
    });
"""


def tab_to(page: Browser, name: str, *, most: int = 80) -> None:
    """Press Tab until what has this name has the focus."""
    for _ in range(most):
        page.key(TAB)
        if page.run(NAMED).strip() == name:
            return
    raise AssertionError(f"Tab does not lead to {name}")


def arrow_to(page: Browser, name: str) -> None:
    """Go down a menu to the entry of this name."""
    for _ in range(20):
        if page.run(NAMED).strip() == name:
            return
        page.key(DOWN)
    raise AssertionError(f"The menu has no {name}")


def write(page: Browser, text: str) -> None:
    for key in text:
        page.key(key)


async def test_tab_leads_to_everything_that_a_mouse_can_use(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    ask(page, FUND)
    ask(page, LOAN)
    page.run("document.querySelector('.sources').click()")
    wanted = set(page.run(USABLE))
    reached = set()
    for _ in range(2 * len(wanted)):
        page.key(TAB)
        reached.add(page.run(f"return {FOCUSED}.dataset.number ?? ''"))
    missed = [
        page.run(f"return document.querySelector('[data-number=\"{each}\"]').outerHTML")
        for each in wanted - reached
    ]
    assert missed == []


async def test_everything_is_done_without_a_mouse(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    page.key(TAB)
    assert page.run(NAMED) == "Skip to the question"
    page.key(ENTER)
    assert page.run(f"return {FOCUSED}.id") == "question"
    write(page, "What is a bond?")
    page.key(ENTER)
    page.wait_until(f"document.querySelectorAll('.reply .feedback').length === 1 && {WRITTEN}")

    page.run("document.querySelector('#log').focus()")
    tab_to(page, "Edit")
    page.key(ENTER)
    assert page.run(f"return {FOCUSED}.matches('.editor textarea')")
    page.key(ESCAPE)
    page.wait_until("!document.querySelector('.editor')")
    assert page.run(NAMED) == "Edit"
    tab_to(page, "1 source")
    page.key(ENTER)
    page.wait_until("document.body.matches('.panel-open')")
    assert page.run(f"return {FOCUSED}.closest('#panel') !== null")
    page.key(ESCAPE)
    page.wait_until("!document.body.matches('.panel-open')")
    assert page.run(NAMED) == "1 source"

    tab_to(page, "Sign up")
    page.key(ENTER)
    page.wait_until(f"{FOCUSED}.name === 'name'")
    for value in ANN.values():
        write(page, value)
        page.key(TAB)
    page.key(TAB)  # past the button that shows the password
    page.key(SPACE)  # stay signed in
    page.key(ENTER)
    page.wait_for("#account .wide", ANN["name"])
    page.wait_until("!document.querySelector('dialog')")

    tab_to(page, ANN["name"])
    page.key(ENTER)
    page.wait_until("document.querySelector('[role=menu]')")
    arrow_to(page, "Shared links")
    page.key(ENTER)
    page.wait_for("dialog", "You have not shared anything.")
    page.key(ESCAPE)
    page.wait_until("!document.querySelector('dialog')")

    tab_to(page, "Options for this conversation")
    page.key(ENTER)
    page.wait_until("document.querySelector('[role=menu]')")
    arrow_to(page, "Delete")
    page.key(ENTER)
    page.wait_until("document.querySelector('dialog .final')")
    tab_to(page, "Delete")
    page.key(ENTER)
    page.wait_for("#list", "No active conversations.")


async def test_nothing_keeps_people_out_of_forms_and_lists(start_server: Start, page: Browser) -> None:
    script = axe_script()
    server = await start_server(SOCIAL_ISSUERS="https://accounts.google.com=client-web")
    found: list[str] = []

    def look() -> None:
        found.extend(barriers(page))

    def close() -> None:
        page.run("document.querySelectorAll('dialog').forEach((dialog) => dialog.close())")
        page.wait_until("!document.querySelector('dialog')")

    for size in ((390, 844), (1280, 800)):
        for scheme in ("light", "dark"):
            page.resize(*size)
            page.prefer(scheme)
            page.run("sessionStorage.clear()") if page.url.startswith("http") else None
            open_page(page, server)
            page.run(script)
            is_phone = size[0] == 390
            if is_phone:
                page.click("#open-side")
            press(page, "Sign in", "#account")
            look()
            press(page, "Continue with a phone number", "dialog")
            page.wait_until("document.querySelector('#field-phone')")
            look()
            close()
            sign_up(page, name=f"Ann {size[0]} {scheme}", email=f"ann{size[0]}{scheme}@example.org")
            if is_phone:
                page.click("#close-side")
            ask(page, FUND)
            page.click("#share")
            press(page, "Create link", "dialog")
            page.wait_until("document.querySelector('.link')")
            look()
            close()
            for entry, there in (
                ("Account", "#account-profile form"),
                ("Your files", "dialog .note"),
                ("Shared links", ".shares"),
            ):
                page.run("document.querySelector('#account .wide').click()")
                press(page, entry, ".menu")
                page.wait_until(f"document.querySelector('{there}')")
                look()
                if entry == "Shared links":
                    press(page, "Change", ".shares")
                    page.wait_until("document.querySelector('#field-expires')")
                    look()
                close()
            assert found == [], (size, scheme)
    page.prefer("light")
