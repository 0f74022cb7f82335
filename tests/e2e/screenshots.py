"""Pictures of every state of the pages, on a phone and a desk, light and dark, for people to look at.

    cd src && PYTHONPATH=.:../tests:../tests/support python ../tests/e2e/screenshots.py FOLDER [STATE ...]

Each state is one function; what it sets up is photographed four times, and once as a sheet of a light desktop
beside a dark phone. README.txt in the folder says what each is (``screenshots.json``).
"""

import asyncio
import io
import json
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from PIL import Image

from e2e.chat_page import ANN, FUND, LOAN, WRITTEN, ask, open_page, press, send, sign_up
from e2e.chromium import Browser, open_browser
from e2e.conftest import ServerProcess
from servers.model_server import ModelServer, serve_model

SIZES: Final = {"desk": (1280, 800), "phone": (390, 844)}
POINT: Final = """
    const chart = document.querySelector(".reply:last-child .chart:last-of-type");
    chart.scrollIntoView({block: "center"});
    const {left, top, width} = chart.getBoundingClientRect();
    chart.dispatchEvent(new PointerEvent("pointermove", {clientX: left + width / 2, clientY: top + 50}));
"""
CLOSE_LAST: Final = "[...document.querySelectorAll('dialog')].at(-1).close()"
STATEMENT: Final = """
    const rows = ["Date,Payee,Amount,Currency"];
    const payees = [["Aldi", -64.2], ["Landlord rent", -900], ["Employer salary", 2500], ["Netflix", -12.99],
        ["Shell fuel", -48.7], ["Pharmacy", -23.1], ["Restaurant Roma", -41.5]];
    for (let month = 1; month < 7; month++) payees.forEach(([name, amount], day) =>
        rows.push(`2026-0${month}-${10 + day},${name},${(amount * (1 + month / 50)).toFixed(2)},EUR`));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([rows.join("\\n")], "export.csv", {type: "text/csv"}));
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
"""
WRITES: Final = """## Comparing the two loans

The **effective rate** decides, not the nominal one \\(r_e = (1 + \\frac{r}{n})^n - 1\\).

1. Add the fee to what you pay.
2. Compare over the *same* term.
   - A shorter term costs less interest.
   - A longer one costs less a month.

| Loan | Rate | Fee | Sum paid |
|---|---:|---:|---:|
| Bank A | 4.0 % | 500 | 26,812 |
| Bank B | 4.4 % | 0 | 26,974 |

> A fee is interest by another name.

```python
def payment(principal, rate, months):
    return principal * rate / (1 - (1 + rate) ** -months)
```
"""


class Studio:
    """A window, the service with and without a model, and where pictures go."""

    def __init__(self, page: Browser, folder: Path, server: ServerProcess, model: ModelServer) -> None:
        self.page, self.folder, self.server, self.model = page, folder, server, model

    def take(self, name: str) -> None:
        """Photograph what is shown, in all four ways."""
        shots = {}
        for device, size in SIZES.items():
            self.page.resize(*size)
            for scheme in ("light", "dark"):
                self.page.prefer(scheme)
                self.page.run(
                    "return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 250)))"
                )
                shots[device, scheme] = shot = self.page.screenshot()
                (self.folder / f"{name}-{device}-{scheme}.png").write_bytes(shot)
        light, dark = (Image.open(io.BytesIO(shots[each])) for each in (("desk", "light"), ("phone", "dark")))
        sheet = Image.new("RGB", (light.width + dark.width + 10, max(light.height, dark.height)), "gray")
        sheet.paste(light, (0, 0))
        sheet.paste(dark, (light.width + 10, 0))
        sheet.save(self.folder / f"{name}.png")
        self.page.resize(*SIZES["desk"])
        self.page.prefer("light")

    def fresh(self) -> None:
        """A guest who was never here."""
        self.page.resize(*SIZES["desk"])
        self.page.open(f"{self.server.address}/health/live")
        self.page.run("localStorage.clear(); sessionStorage.clear()")
        open_page(self.page, self.server)

    def choose(self, entry: str) -> None:
        self.page.run("document.querySelector('#account .wide').click()")
        press(self.page, entry, ".menu")

    def close(self) -> None:
        self.page.run("document.querySelectorAll('dialog').forEach((dialog) => dialog.close())")


def beginning(studio: Studio) -> None:
    studio.fresh()
    studio.take("01-beginning")
    studio.page.resize(*SIZES["phone"])
    studio.page.click("#open-side")
    studio.take("02-drawer")
    studio.page.run("document.querySelector('#close-side').click()")


def conversation(studio: Studio) -> None:
    page = studio.page
    studio.fresh()
    ask(page, FUND)
    studio.take("03-answer")
    page.run("document.querySelector('.cite').click()")
    studio.take("04-sources")
    page.run("document.querySelector('#close-panel').click()")
    page.run("document.querySelector('.asked [aria-label=Edit]').click()")
    page.run("document.querySelector('#log').scrollTop = 0")
    studio.take("05-edit")
    press(page, "Cancel", ".editor")
    act_again = "document.querySelector('.reply [aria-label=\"Try again\"]').click()"
    page.run(act_again)
    page.wait_until("document.querySelector('.versions')")
    page.run("document.querySelector('.versions button').click()")
    studio.take("05b-earlier-version")
    press(page, "Back to the newest", "section")
    ask(page, LOAN)
    page.run("[...document.querySelectorAll('.plot')].at(-1).scrollIntoView()")
    studio.take("06-chart")
    page.run("[...document.querySelectorAll('.asked')].at(-1).scrollIntoView()")
    studio.take("07-calculation")
    page.run(POINT)
    studio.take("07b-chart-pointed-at")
    page.run("document.querySelectorAll('.reply:last-child details').forEach((node) => (node.open = true))")
    studio.take("08-calculation-open")


def statement(studio: Studio) -> None:
    page = studio.page
    studio.fresh()
    page.run(STATEMENT)
    page.wait_for("#files", "export.csv")
    studio.take("09-attached")
    page.run("document.querySelector('#files button.file').click()")
    page.wait_until("document.querySelector('dialog tbody tr')")
    studio.take("09b-file-shown")
    studio.close()
    ask(page, "Show my spending by month")
    studio.take("10-by-month")
    ask(page, "Where does my money go?")
    page.run("[...document.querySelectorAll('.plot')].at(-1).scrollIntoView()")
    studio.take("11-by-category")
    ask(page, "What subscriptions do I have?")
    page.run("[...document.querySelectorAll('.asked')].at(-1).scrollIntoView()")
    studio.take("11b-subscriptions")


def lists(studio: Studio) -> None:
    page = studio.page
    studio.fresh()
    for question in ("What is a bond?", "What is an ETF?", "What is inflation?", LOAN):
        press(page, "New chat")
        page.wait_for("h2", "What would you like")
        ask(page, question)
    page.run("document.querySelector('#list li .quiet').click()")
    studio.take("12-menu")
    press(page, "Select several", ".menu")
    press(page, "All", "#chosen")
    page.run("document.body.classList.add('side-open')")
    studio.take("12b-several-chosen")
    press(page, "Cancel", "#chosen")
    page.run("document.body.classList.add('side-open')")  # a drawer on a phone
    page.type("#find", "interest")
    page.wait_for("#list .found", "In a reply:")
    studio.take("13-search")
    page.type("#find", "zebra")
    page.wait_for("#list", "Nothing found.")
    studio.take("14-nothing-found")
    page.run("document.body.classList.remove('side-open')")
    page.run(
        "const box = document.querySelector('#find'); box.value = ''; box.dispatchEvent(new Event('input'))"
    )
    page.click("#keys")
    studio.take("15-keys")
    studio.close()
    page.click("#options")
    press(page, "Delete", ".menu")
    studio.take("16-delete")
    studio.close()
    page.click("#share")
    press(page, "Preview", "dialog")
    page.wait_until("document.querySelector('.preview h3')")
    studio.take("17-guest-shares")
    studio.close()


def account(studio: Studio) -> None:
    page = studio.page
    studio.fresh()
    press(page, "Sign in", "#account")
    studio.take("20-sign-in")
    press(page, "Forgot your password?", "dialog")
    page.wait_until("document.querySelector('dialog .main')?.textContent === 'Send the mail'")
    studio.take("20b-forgotten-password")
    studio.close()
    press(page, "Sign in", "#account")
    press(page, "Continue with a phone number", "dialog")
    page.type("#field-phone", "+447700900123")
    page.click("dialog .main")
    page.wait_until("document.querySelector('#field-otp')")
    studio.take("21-phone-code")
    studio.close()
    press(page, "Sign up", "#account")
    page.type("#field-password", "weak")
    page.click("dialog .main")
    page.wait_until("document.querySelector('[aria-invalid]')")
    studio.take("22-sign-up-errors")
    studio.close()
    sign_up(page)
    page.run(STATEMENT)
    ask(page, "Where does my money go?")
    ask(page, LOAN)
    page.click("#share")
    press(page, "Preview", "dialog")
    page.wait_until("document.querySelector('.preview h3')")
    studio.take("23-share")
    press(page, "Create link", "dialog")
    page.wait_until("document.querySelector('.link')")
    link = page.run("return document.querySelector('.link').value")
    studio.take("24-link")
    studio.close()
    for number, entry, there in (
        (25, "Account", "#account-profile form"),
        (26, "About you", "dialog fieldset"),
        (27, "Your files", "dialog .danger"),
        (28, "Shared links", ".shares"),
    ):
        studio.choose(entry)
        page.wait_until(f"document.querySelector('{there}')")
        studio.take(f"{number}-{entry.lower().replace(' ', '-')}")
        studio.close()
    settings(studio)
    page.open(link)
    studio.take("30-shared-page")
    for number, at in ((32, 0), (33, -1)):
        page.run(f"[...document.querySelectorAll('.plot')].at({at}).scrollIntoView({{block: 'center'}})")
        studio.take(f"{number}-shared-chart")
    page.open(link[:-5] + "xxxxx")
    studio.take("31-shared-page-missing")
    open_page(page, studio.server)


def settings(studio: Studio) -> None:
    """What is deeper in the menu of an account, and the page in another language."""
    page = studio.page
    studio.choose("Account")
    press(page, "Change the password", "#account-password")
    studio.take("25b-change-password")
    page.run(CLOSE_LAST)
    press(page, "Switch on", "#account-factor")
    page.wait_until("document.querySelector('textarea.link')")
    studio.take("25c-second-factor")
    page.run(CLOSE_LAST)
    page.run("document.querySelector('#account-sessions').scrollIntoView()")
    studio.take("25d-sessions")
    studio.close()
    press(page, "Your data", "#account")
    studio.take("29-your-data")
    press(page, "Delete everything", "dialog")
    studio.take("29b-delete-everything")
    studio.close()
    page.run("document.cookie = 'finassist_language=de'")
    page.reload()
    page.wait_for("#new", "Neuer Chat")
    page.wait_until("document.querySelector('.plot')")
    studio.take("29c-in-german")
    page.run("document.cookie = 'finassist_language=;max-age=0'")


async def modelled(studio: Studio) -> None:
    """What only happens with a model: streaming, failures, several of them, Markdown of all kinds."""
    page, model = studio.page, studio.model
    with tempfile.TemporaryDirectory() as data:
        environ = {
            **model.environ,
            "LLM_MODEL": "small",
            "LLM_MODELS": "small,large",
            "FREE_MESSAGE_THRESHOLD": "4",
        }
        server = await ServerProcess.start({"DATA_DIR": data, **environ})
        usual, studio.server = studio.server, server

        def write() -> None:
            studio.fresh()
            ask(page, "Which loan is cheaper?")
            page.run("document.querySelector('#log').scrollTop = 0")
            studio.take("40-markdown")
            page.run("document.querySelector('#log').scrollTop = 1e6")
            studio.take("41-markdown-end")

        def wait() -> None:
            send(page, "And over twenty years?")
            page.wait_until("document.querySelectorAll('.reply').length === 2")
            studio.take("42-waiting")

        def read() -> None:
            page.wait_for("article:last-child .text", "half")
            studio.take("43-streaming")
            page.run("document.querySelector('#stop').click()")
            page.wait_for("#messages", "You stopped")
            studio.take("44-stopped")

        def fail() -> None:
            send(page, "Will it work?")
            page.wait_until("document.querySelector('.notice')")
            studio.take("45-failed")

        def spend() -> None:
            for _ in range(3):
                send(page, FUND)
                page.wait_until(f"({WRITTEN}) || document.querySelector('.notice')")
                page.wait_until("document.querySelector('#stop').hidden")
            page.wait_for(".notice", "free messages are used up")
            studio.take("46-used-up")

        try:
            model.behave(texts=[WRITES])
            await asyncio.to_thread(write)
            model.behave(texts=["", "Here is the first half, ", "and this never comes."], pause_after=1)
            await asyncio.to_thread(wait)
            model.behave(texts=["", "Here is the first half, ", "and this never comes."], pause_after=2)
            await asyncio.to_thread(page.run, "document.querySelector('#stop').click()")
            await asyncio.to_thread(page.wait_until, WRITTEN)
            await asyncio.to_thread(send, page, "And over thirty?")
            await asyncio.to_thread(read)
            model.behave(status=500)
            await asyncio.to_thread(fail)
            model.behave(texts=["Yes."])
            await asyncio.to_thread(spend)
        finally:
            studio.server = usual
            await server.end(signal.SIGKILL)


def offline(studio: Studio) -> None:
    page = studio.page
    studio.fresh()
    page.go_offline()
    send(page, FUND)
    page.wait_for(".waiting", "The connection was lost")
    studio.take("47-lost")
    page.run("document.querySelector('#list').closest('aside').querySelector('#archived').click()")
    page.wait_for("#list", "cannot be reached")
    studio.take("48-offline-list")
    page.go_offline(False)


State = Callable[[Studio], Awaitable[None] | None]
STATES: Final[tuple[State, ...]] = (beginning, conversation, statement, lists, account, modelled, offline)


async def main(folder: Path, *wanted: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, open_browser(Path(data) / "profile") as page:
        async with serve_model() as model:
            environ = {"DATA_DIR": data, "SOCIAL_ISSUERS": "https://accounts.google.com=client-web"}
            server = await ServerProcess.start({**environ, "FREE_MESSAGE_THRESHOLD": "10"})
            studio = Studio(page, folder, server, model)
            try:
                for state in STATES:
                    if wanted and state.__name__ not in wanted:
                        continue
                    if asyncio.iscoroutinefunction(state):
                        await state(studio)
                    else:
                        await asyncio.to_thread(state, studio)
            finally:
                await server.end(signal.SIGKILL)
    told = json.loads(Path(__file__).with_suffix(".json").read_text())
    lines = [
        f"{name:28} {what}"
        for name, what in told.items()
        if name == "NAME" or any(folder.glob(f"{name}*.png"))
    ]
    (folder / "README.txt").write_text("\n".join(lines) + "\n")
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}; signed up as {ANN['name']}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
