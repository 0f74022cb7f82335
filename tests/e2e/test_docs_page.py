"""The page at /docs in a real Chromium: it shows every operation, and calls them as a guest or a user."""

import json

from e2e.chromium import Browser
from e2e.conftest import ServerProcess, Start

RECORD = """
    window.sent = [];
    const real = fetch;
    window.fetch = (request, options) => {
        const {url, headers} = new Request(request, options);
        window.sent.push([new URL(url).pathname, Object.fromEntries(headers)]);
        return real(request, options);
    };
"""


def open_docs(page: Browser, server: ServerProcess) -> None:
    page.open(f"{server.address}/docs")
    page.wait_until("document.querySelector('.opblock')")


def operation(page: Browser, operation_id: str) -> str:
    """Open an operation to try it out; returns its selector."""
    block = f'.opblock[id$="-{operation_id}"]'
    page.run(f"document.querySelector('{block} .opblock-summary-control').click()")
    page.wait_until(f"document.querySelector('{block} .try-out__btn')")
    page.click(f"{block} .try-out__btn")
    return block


def authorize(page: Browser, scheme: str, value: str) -> None:
    """Give a credential in the dialog, as a person does."""
    page.click(".btn.authorize")
    box = f"""[...document.querySelectorAll('.auth-container')]
        .find((each) => each.querySelector('code')?.textContent === '{scheme}')"""
    page.run(f"{box}.querySelector('input').id = 'credential'; {box}.querySelector('.authorize').id = 'give'")
    page.type("#credential", value)
    page.click("#give")
    page.click(".close-modal")


async def test_the_page_shows_every_operation_and_loads_nothing_from_elsewhere(
    start_server: Start, page: Browser
) -> None:
    server = await start_server(PUBLIC_BASE_URL="https://money.example.com")
    open_docs(page, server)
    async with server.client() as client:
        paths = (await client.get("/openapi.json")).json()["paths"]
    assert page.run("return document.querySelectorAll('.opblock').length") == sum(map(len, paths.values()))
    loaded = page.run("return performance.getEntriesByType('resource').map(({name}) => name)")
    assert [name for name in loaded if not name.startswith((server.address, "data:"))] == []
    assert page.run("return document.querySelector('.servers select').value") == server.address


async def test_a_guest_tries_a_call_out(start_server: Start, page: Browser) -> None:
    open_docs(page, await start_server())
    authorize(page, "device", "made-up-device")
    page.run(RECORD)
    listing = operation(page, "listConversations")
    page.click(f"{listing} .execute")
    page.wait_for(f"{listing} .live-responses-table tbody", '"conversations": []')
    [[path, headers]] = page.run("return window.sent")
    assert (path, headers["x-device-id"]) == ("/api/v1/user/conversations", "made-up-device")
    assert "authorization" not in headers


async def test_a_user_tries_a_call_out_with_a_body(start_server: Start, page: Browser) -> None:
    server = await start_server()
    async with server.client() as client:
        account = {"name": "Ann", "email": "ann@example.org", "password": "Secret-123"}
        token = (await client.post("/api/v1/auth/signup", json=account)).json()["data"]["accessToken"]
    open_docs(page, server)
    authorize(page, "bearer", token)
    page.run(RECORD)
    chat = operation(page, "chat")
    body = page.run(f"return document.querySelector('{chat} .body-param__text').value")
    assert "emergency fund" in json.loads(body)["message"]
    page.click(f"{chat} .execute")
    page.wait_for(f"{chat} .live-responses-table tbody", '"success": true')
    [[path, headers]] = page.run("return window.sent")
    assert (path, headers["authorization"]) == ("/api/v1/ai/chat", f"Bearer {token}")


async def test_credentials_are_forgotten_with_the_page(start_server: Start, page: Browser) -> None:
    open_docs(page, await start_server())
    authorize(page, "device", "made-up-device")
    assert page.run("return [localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
