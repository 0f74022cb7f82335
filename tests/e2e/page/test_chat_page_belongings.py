"""What somebody has on the chat page: a profile, files with where they are used, links with their figures."""

from typing import Any

import httpx2

from e2e.chat_page import ANN, FUND, ask, barriers, guest, open_page, press, sign_up
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script

ESCAPE = "\ue00c"

SLOW = """
    const real = window.fetch;
    window.asked = 0;
    window.fetch = async (path, options) => {
        if (path.includes("/archive") && ++window.asked === 1) await new Promise((go) => (window.goOn = go));
        return real(path, options);
    };
"""
GIVE_FILE = """
    const transfer = new DataTransfer();
    transfer.items.add(new File(["a,b\\n1,2"], "figures.csv", {type: "text/csv"}));
    const options = {dataTransfer: transfer, bubbles: true, cancelable: true};
    document.body.dispatchEvent(new DragEvent("drop", options));
"""
GIVE_PICTURE = """
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 40;
    canvas.getContext("2d").fillRect(0, 0, 20, 20);
    canvas.toBlob((blob) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([blob], "me.png", {type: "image/png"}));
        const picker = document.querySelector("#account-profile [type=file]");
        picker.files = transfer.files;
        picker.dispatchEvent(new Event("change"));
    });
"""
LAST = "[...document.querySelectorAll('dialog')].at(-1)"


def choose(page: Browser, entry: str) -> None:
    page.run("document.querySelector('#account .wide').click()")
    press(page, entry, ".menu")


def close_all(page: Browser) -> None:
    page.run("document.querySelectorAll('dialog').forEach((dialog) => dialog.close())")


async def test_a_name_a_language_and_a_picture_are_changed(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    choose(page, "Account")
    page.wait_until("document.querySelector('#account-profile form')")
    page.type("#field-fullName", "Ann Miller")
    page.run("document.querySelector('#field-language').value = 'de'")
    page.click("#account-profile form .main")
    page.wait_for("#account-profile .note", "Saved.")
    page.wait_for("#account .wide", "Ann Miller")
    assert page.run("return document.querySelector('#field-language').value") == "de"

    page.run(GIVE_PICTURE)
    page.wait_until("document.querySelector('.avatar')?.naturalWidth > 0")
    press(page, "Remove the picture", "#account-profile")
    page.wait_until("document.querySelector('#account-profile form') && !document.querySelector('.avatar')")


async def test_files_are_listed_with_where_they_are_used_and_deleted(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    page.run(GIVE_FILE)
    page.wait_for("#files", "figures.csv")
    ask(page, "What does the attached file say?")
    press(page, "New chat")
    choose(page, "Your files")
    page.wait_for("dialog", "figures.csv")
    page.wait_for("dialog .note", "of 200 MB are used.")
    page.click("dialog .used")
    page.wait_for(".asked .file", "figures.csv")

    choose(page, "Your files")
    page.wait_until("document.querySelector('dialog .danger')")
    page.click("dialog .danger")
    page.wait_for("dialog:last-of-type", "will be gone for good")
    page.click("dialog:last-of-type .final")
    page.wait_for("dialog", "You have sent no files.")


async def test_a_link_is_described_changed_and_its_views_counted(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    sign_up(page)
    ask(page, FUND)
    page.click("#share")
    page.type("#field-customTitle", "My reserve")
    page.type("#field-customDescription", "How large it should be")
    press(page, "Create link", "dialog")
    page.wait_until("document.querySelector('.link')")
    link = page.run("return document.querySelector('.link').value")
    close_all(page)

    async def shown() -> tuple[str, Any]:
        async with server.client() as client:
            return (
                (await client.get(link, headers={"Accept": "text/html"})).text,
                (await client.get(link)).json()["data"],
            )

    text, data = await shown()
    assert '<meta property="og:description" content="How large it should be">' in text
    assert data["expiresAt"] is None

    choose(page, "Shared links")
    page.wait_for(".shares", "My reserve")
    press(page, "Change", ".shares")
    page.wait_until("document.querySelector('#field-expires')")
    page.type("#field-customTitle", "My buffer")
    page.run("document.querySelector('#field-customDescription').value = ''")
    page.run("document.querySelector('#field-expires').value = '7'")
    page.run(f"{LAST}.querySelector('[name=go]').click()")
    page.run(f"{LAST}.querySelector('.main').click()")
    page.wait_for(".shares", "My buffer")
    page.wait_for(".shares", "until")
    text, data = await shown()
    assert (data["title"], data["description"], data["allowContinuation"]) == ("My buffer", None, False)
    assert data["expiresAt"] is not None
    assert '<meta property="og:title" content="My buffer">' in text

    press(page, "Figures", ".shares")
    page.wait_for("dialog:last-of-type dl", "Views1")
    assert page.run("return document.querySelectorAll('dialog .plot .chart').length") == 1
    close_all(page)
    assert ANN["name"] in page.text("#account")


async def talk(client: httpx2.AsyncClient, page: Browser, number: int) -> None:
    """Begin so many conversations, and show them in the list."""
    for each in range(number):
        answer = await client.post("/api/v1/ai/chat", json={"message": f"Hello number {each}"})
        assert answer.status_code == 200
    page.reload()
    page.wait_until(f"document.querySelectorAll('#list .open').length === {number}")


def begin_to_choose(page: Browser) -> None:
    """Choose the first conversation of the list."""
    page.wait_until("document.querySelector('#list li .quiet')")
    page.run("document.querySelector('#list li .quiet').click()")
    press(page, "Select several", ".menu")
    page.wait_for("#chosen strong", "1 selected")


async def test_several_conversations_are_archived_and_deleted_together(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    async with guest(server, page) as client:
        await talk(client, page, 4)
    page.run("document.querySelector('#list li .open').click()")
    page.wait_for(".asked .plain", "Hello number 3")

    begin_to_choose(page)
    page.press("#chosen button", ESCAPE)
    page.wait_until("document.querySelector('#chosen').hidden && !document.querySelector('#list input')")
    begin_to_choose(page)
    page.press("#list li:nth-child(2) input", " ")
    page.wait_for("#chosen strong", "2 selected")
    page.run(axe_script())
    assert barriers(page) == []
    press(page, "Archive", "#chosen")
    page.wait_until("document.querySelectorAll('#list .open').length === 2")
    assert page.run(
        "return [document.querySelector('#chosen').hidden, document.activeElement.className]"
    ) == [
        True,
        "open",
    ]
    page.click("#archived")
    page.wait_for("#list", "Hello number 3")
    begin_to_choose(page)
    press(page, "Restore", "#chosen")
    page.wait_until("document.querySelectorAll('#list .open').length === 1")

    page.click("#active")
    page.wait_until("document.querySelectorAll('#list .open').length === 3")
    begin_to_choose(page)
    press(page, "All", "#chosen")
    page.wait_for("#chosen strong", "3 selected")
    press(page, "Delete", "#chosen")
    page.wait_for("dialog h2", "Delete 3 conversations?")
    page.click("dialog .final")
    page.wait_for("#list", "No active conversations.")
    page.wait_for("#title", "New chat")  # the open one is among them
    page.wait_until("!document.querySelector('dialog')")


async def test_archiving_several_ends_with_the_choice_and_passes_over_those_that_are_gone(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    async with guest(server, page) as client:
        await talk(client, page, 3)
        page.run(SLOW)
        begin_to_choose(page)
        press(page, "All", "#chosen")
        press(page, "Delete", "#chosen")
        page.press("dialog .final", ESCAPE)
        page.wait_until("!document.querySelector('dialog')")
        page.wait_for("#chosen strong", "3 selected")

        press(page, "Archive", "#chosen")
        page.wait_until("window.asked === 1")
        assert page.run("return document.querySelector('#chosen').inert") is True
        page.run("dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
        page.run("window.goOn()")
        page.wait_until("document.querySelectorAll('#list .open').length === 2")
        assert page.run("return [window.asked, document.querySelector('dialog')]") == [1, None]

        begin_to_choose(page)
        press(page, "All", "#chosen")
        page.wait_for("#chosen strong", "2 selected")
        gone = page.run("return document.querySelector('#list li').id").removeprefix("c-")
        assert (await client.delete(f"/api/v1/user/conversations/{gone}")).status_code == 200
    press(page, "Archive", "#chosen")
    page.wait_for("#list", "No active conversations.")
    assert page.run("return [window.asked, document.querySelector('dialog')]") == [3, None]
    assert page.run("return document.querySelector('#chosen').hidden") is True
