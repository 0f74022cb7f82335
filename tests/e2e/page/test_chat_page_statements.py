"""Bank exports on the chat page: that they can be read is said at the beginning, and what may be asked of one
is offered as soon as it is attached. On a phone all of it is in reach."""

from e2e.chat_page import FUND, WRITTEN, barriers, open_page, press, send
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script

EXPORT = "Date,Payee,Amount,Currency\\n" + "".join(
    f"2026-{month:02}-10,{payee},{amount},EUR\\n"
    for month in range(1, 7)
    for payee, amount in (("Aldi", -60 - month * 3), ("Netflix", -14.55), ("Landlord rent", -1008))
)
GIVE = f"""
    const transfer = new DataTransfer();
    transfer.items.add(new File(["{EXPORT}"], "export.csv", {{type: "text/csv"}}));
    const options = {{dataTransfer: transfer, bubbles: true, cancelable: true}};
    document.body.dispatchEvent(new DragEvent("drop", options));
"""
OFFERED = "return [...document.querySelectorAll('#asks button')].map((node) => node.textContent)"


async def test_a_bank_export_is_asked_for_and_questions_about_it_are_offered(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    page.run("document.querySelector('#picker').addEventListener('click', (event) => {"
             "event.preventDefault(); window.chose = true})")  # fmt: skip
    assert "bank export" in page.text(".export")
    assert page.run("return getComputedStyle(document.querySelector('.export .icon')).borderStyle") == "none"
    page.click(".export")
    assert page.run("return window.chose") is True

    assert page.run("return document.querySelector('#asks').checkVisibility()") is False
    page.run(GIVE)
    page.wait_for("#asks", "Where does my money go?")
    assert len(page.run(OFFERED)) == 3
    assert page.run("return document.querySelector('.home .chips').checkVisibility()") is False
    page.run(axe_script())
    assert barriers(page) == []

    press(page, "What subscriptions do I have?", "#asks")
    page.wait_until(f"document.querySelector('.reply .feedback') && {WRITTEN}")
    assert page.run(
        "return [...document.querySelectorAll('.reply .text th')].map((node) => node.textContent)"
    )[:5] == ["Subscription", "Amount", "How often", "A year", "Rows"]
    assert page.run("return document.querySelector('.reply .text td').textContent") == "Netflix"
    assert page.run("return document.querySelector('#asks').checkVisibility()") is False


async def test_a_phone_has_a_new_chat_in_view_wrapped_suggestions_and_amounts(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    page.resize(390, 844)
    open_page(page, server)
    chips = "document.querySelector('.home .chips')"
    assert page.run(f"return {chips}.scrollWidth <= {chips}.clientWidth") is True
    page.run(GIVE)
    page.click("#files .file")
    page.wait_until("document.querySelectorAll('dialog tbody tr').length")
    scroll = "document.querySelector('dialog .scroll')"
    assert page.run(f"return {scroll}.scrollWidth <= {scroll}.clientWidth") is True
    assert (
        page.run("return getComputedStyle(document.querySelector('dialog td:nth-child(3)')).textAlign")
        == "right"
    )
    page.run("document.querySelector('dialog').close()")
    page.click("#files .quiet")
    send(page, FUND)
    page.wait_until(f"document.querySelector('.reply .feedback') && {WRITTEN}")

    # Without an account that is said first, and the main button stays in view.
    page.click("#share")
    assert page.run("return document.querySelector('dialog form > *').textContent").startswith("An account")
    press(page, "Preview", "dialog")
    page.wait_until("document.querySelector('.preview').textContent.length > 200")
    page.run("document.querySelector('dialog').scrollTop = 0")
    box = "document.querySelector('dialog .main').getBoundingClientRect()"
    assert page.run(f"return {box}.bottom <= innerHeight && {box}.bottom > 0") is True
    press(page, "Preview", "dialog")
    page.wait_until("document.querySelector('.preview').hidden")
    page.run("document.querySelector('dialog').close()")

    page.click("#new-here")
    page.wait_for("h2", "What would you like to understand")
