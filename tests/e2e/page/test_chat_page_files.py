"""What is in a file is shown on the chat page: before it is sent, beside its message, among one's files."""

import json

from e2e.chat_page import ask, barriers, open_page, press, sign_up
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script

EXPORT = 'Date;Payee;Amount\n2026-01-03;"Café ""Eck""; Ulm";-5,00\n' + "2026-01-04;Aldi;-7,00\n" * 300
GIVE = """
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(%s, (sign) => sign.charCodeAt(0));
    transfer.items.add(new File([bytes], "export.csv", {type: "text/csv"}));
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 40;
    canvas.getContext("2d").fillRect(0, 0, 20, 20);
    return new Promise((done) => canvas.toBlob((blob) => {
        transfer.items.add(new File([blob], "receipt.png", {type: "image/png"}));
        transfer.items.add(new File(["a <script>window.ran = 1</script>"], "note.html", {type: "text/html"}));
        const options = {dataTransfer: transfer, bubbles: true, cancelable: true};
        document.body.dispatchEvent(new DragEvent("drop", options));
        done();
    }));
"""
SHOWN = "[...document.querySelectorAll('dialog')].at(-1)"
CELLS = f"return [...{SHOWN}.querySelectorAll('tr')].slice(0, 2).map((row) => row.innerText)"


def look(page: Browser, inside: str, name: str) -> None:
    """Open the preview of a file there."""
    chips = f"[...document.querySelectorAll('{inside} button.file')]"
    page.run(f"{chips}.find((node) => node.textContent === '{name}').click()")
    page.wait_until(f"{SHOWN}?.querySelector('h2').textContent === '{name}'")


def close(page: Browser) -> None:
    page.run(f"{SHOWN}.close()")


def reads(page: Browser, inside: str) -> None:
    """Each of the three files can be read there."""
    look(page, inside, "export.csv")
    page.wait_until(f"{SHOWN}.querySelectorAll('tbody tr').length === 200")
    assert page.run(CELLS) == ["Date\tPayee\tAmount", '2026-01-03\tCafé "Eck"; Ulm\t-5,00']
    page.wait_for("dialog:last-of-type", "only the beginning")
    assert page.run("return document.documentElement.scrollWidth <= innerWidth") is True
    close(page)
    look(page, inside, "receipt.png")
    page.wait_until(f"{SHOWN}.querySelector('img')?.naturalWidth === 40")
    close(page)
    look(page, inside, "note.html")
    page.wait_for("dialog:last-of-type pre", "a <script>window.ran = 1</script>")
    assert page.run("return window.ran ?? null") is None


async def test_files_are_shown_wherever_they_are_named(start_server: Start, page: Browser) -> None:
    server = await start_server()
    page.resize(390, 844)
    open_page(page, server)
    page.click("#open-side")
    sign_up(page)
    page.click("#close-side")
    page.run(GIVE % json.dumps(EXPORT))  # in Windows' encoding, as banks write
    page.wait_for("#files", "note.html")
    reads(page, "#files")
    close(page)
    ask(page, "What did I spend in total?")
    page.reload()
    page.wait_for(".asked .files", "note.html")
    reads(page, ".asked")
    page.run(axe_script())
    assert barriers(page) == []
    assert page.run(f"return {SHOWN}.querySelector('.actions a').textContent") == "Open the file"
    close(page)
    page.wait_until(f"!{SHOWN}")

    page.click("#open-side")
    page.run("document.querySelector('#account .wide').click()")
    press(page, "Your files", ".menu")
    page.wait_for("dialog", "note.html")
    reads(page, "dialog .shares")

    # A link is good for a while only.
    page.run("window.fetch = async () => new Response('', {status: 404})")
    close(page)
    look(page, "dialog .shares", "note.html")
    page.wait_for("dialog:last-of-type", "cannot be shown here")
