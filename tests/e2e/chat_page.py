"""What a person does on the chat page."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from e2e.chromium import Browser

ENTER = "\ue007"
ANN = {"name": "Ann", "email": "ann@example.org", "password": "Secret-123"}
FUND = "How large should my emergency fund be?"
LOAN = "What is my monthly payment on a loan of 250000 at 4% over 25 years?"
WRITTEN = "!document.querySelector('.reply[aria-busy]') && document.querySelector('#stop').hidden"

AXE = """
    const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const told = ({id, impact, nodes}) => [impact, id, ...nodes.map(({html}) => html)].join(" ");
    return axe.run({runOnly}).then(({violations}) => violations.map(told));
"""


def open_page(page: Browser, server: Any) -> None:
    page.open(f"{server.address}/")
    page.wait_for("h2", "What would you like to understand")


def send(page: Browser, message: str) -> None:
    page.type("#question", message)
    page.click("#send")


def ask(page: Browser, message: str) -> None:
    """Ask, and wait for the whole reply."""
    replies = page.run("return document.querySelectorAll('.reply').length")
    page.type("#question", f"{message}{ENTER}")
    page.wait_until(f"document.querySelectorAll('.reply .feedback').length === {replies + 1} && {WRITTEN}")


def press(page: Browser, text: str, inside: str = "body") -> None:
    """Press the button that says so, when it is there."""
    buttons = f"[...document.querySelectorAll('{inside} button')]"
    found = f"{buttons}.find((button) => button.textContent === '{text}')"
    page.wait_until(f"Boolean({found})")
    page.run(f"{found}.click()")


def sign_up(
    page: Browser, remember: bool = False, name: str = ANN["name"], email: str = ANN["email"]
) -> None:
    press(page, "Sign up", "#account")
    for field, value in {**ANN, "name": name, "email": email}.items():
        page.type(f"#field-{field}", value)
    if remember:
        page.click("dialog [type=checkbox]")
    page.click("dialog .main")
    page.wait_for("#account .wide", name)
    page.wait_until("!document.querySelector('dialog')")


def rename(page: Browser, title: str) -> None:
    """Type another title where the old one stands."""
    page.run(f"document.querySelector('#field-title').value = {json.dumps(title)}")
    page.press("#field-title", ENTER)


@asynccontextmanager
async def guest(server: Any, page: Browser) -> AsyncIterator[httpx2.AsyncClient]:
    """A client that calls as the guest of the page."""
    async with server.client() as client:
        client.headers["x-device-id"], client.headers["X-Device-Token"] = page.run(
            "return ['finassist.device', 'finassist.device-token'].map((key) => localStorage.getItem(key))"
        )
        yield client


def barriers(page: Browser, *impacts: str) -> list[str]:
    """What axe-core finds, of any impact or of these; its script runs in the page already."""
    return [found for found in page.run(AXE) if not impacts or found.startswith(impacts)]
