"""Shares over several processes, of either database, and their page in a real Chromium."""

import asyncio
from typing import Any

import httpx2
import pytest

from e2e.chat_page import ANN, ask, barriers, open_page, press
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script
from servers.model_server import ModelServer
from waiting import until

ROUNDED = "17.6px 17.6px 4.8px"
FORMULA = r"""The value is
\[ FV = PV \times \left(1 + \frac{r}{n}\right)^{nt} + \sum_{k=1}^{n} \sqrt{x_k} \]
with \(\alpha \cdot \text{net income}\) and \(<img src=x onerror=alert(1)>\).

| Rate | Years |
|---|---|
| \(\frac{1}{12}\) | 2 |
"""
WIDE = """| Fund | Cost | Risk | Term |
|---|---:|---|---|
| A | 0.2 % | low | short |
| B | 0.5 % | high | long |
"""
ATTACK = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


async def share(client: httpx2.AsyncClient, message: str, **body: Any) -> tuple[dict[str, str], str, str]:
    """Somebody who shares a conversation: the headers, the share's id and its address."""
    tokens = (await client.post("/api/v1/auth/signup", json=ANN)).json()["data"]
    headers = {"Authorization": f"Bearer {tokens['accessToken']}"}
    reply = await client.post("/api/v1/ai/chat", json={"message": message}, headers=headers)
    conversation = reply.json()["data"]["conversationId"]
    made = await client.post("/api/v1/share", json={"conversationId": conversation, **body}, headers=headers)
    assert made.status_code == 201, made.text
    return headers, made.json()["data"]["shareId"], made.json()["data"]["shareUrl"]


async def test_views_and_copies_over_two_processes_are_counted_exactly(
    start_server: Start, database: dict[str, str]
) -> None:
    servers = [await start_server(**database) for _ in range(2)]
    async with servers[0].client() as here, servers[1].client() as there:
        headers, share_id, _ = await share(here, "What is a bond?")
        path = f"/api/v1/public/share/{share_id}"

        at_once = asyncio.Semaphore(10)  # a busy machine's MongoDB gives each call two seconds

        async def view(number: int) -> httpx2.Response:
            async with at_once:
                client = (here, there)[number % 2]
                shown: httpx2.Response = await client.get(
                    path, headers={"User-Agent": f"agent-{number // 4}"}
                )
                return shown

        seen = await asyncio.gather(*(view(number) for number in range(200)))
        copies = await asyncio.gather(
            *(client.post(f"{path}/continue", headers={"User-Agent": "one"}) for client in (here, there) * 10)
        )

        async def counted() -> tuple[dict[str, Any], dict[str, Any]] | None:
            shown = await there.get(f"/api/v1/share/{share_id}/analytics", headers=headers)
            lists = await here.get("/api/v1/share/list", headers=headers)
            analytics, listed = shown.json()["data"], lists.json()["data"]["shares"][0]
            return (analytics, listed) if min(analytics["uniqueViewers"], listed["viewCount"]) >= 50 else None

        # A reader does not wait for a slow write: the views are all counted a little later on a busy machine.
        analytics, listed = await until(counted)

    assert {answer.status_code for answer in seen} == {200}
    assert sorted(answer.status_code for answer in copies) == [201] * 3 + [429] * 17
    assert (analytics["totalViews"], analytics["uniqueViewers"]) == (50, 50)
    assert (listed["viewCount"], listed["continuationCount"]) == (50, 3)


async def test_a_revocation_holds_at_once_in_every_process(
    start_server: Start, database: dict[str, str]
) -> None:
    servers = [await start_server(**database) for _ in range(2)]
    async with servers[0].client() as here, servers[1].client() as there:
        headers, share_id, _ = await share(here, "What is a bond?")
        path = f"/api/v1/public/share/{share_id}"
        for client in (here, there):
            assert (await client.get(path)).status_code == 200

        assert (await here.delete(f"/api/v1/share/{share_id}", headers=headers)).status_code == 200

        after = await asyncio.gather(*(client.get(path) for client in (there, here) * 10))
        assert {answer.status_code for answer in after} == {404}


@pytest.mark.parametrize("size", [(390, 844), (1280, 900)])
async def test_the_page_of_a_share_is_readable_and_runs_nothing(
    start_server: Start, browser: Browser, size: tuple[int, int]
) -> None:
    server = await start_server()
    async with server.client() as client:
        _, share_id, address = await share(
            client, f"{ATTACK} {'x' * 300}", customTitle=ATTACK, customDescription=ATTACK
        )
    browser.resize(*size)

    browser.open(address)

    assert browser.text("h1") == ATTACK
    assert browser.run("return document.title") == ATTACK
    assert browser.text(".asked .plain").startswith(ATTACK)
    assert browser.run("return document.querySelectorAll('script, img').length") == 0
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth") is True
    assert browser.run("return getComputedStyle(document.querySelector('.asked')).borderRadius") == ROUNDED
    assert browser.complaints() == []
    browser.open(address.replace(share_id, "x" * 22))
    assert browser.text("h1") == "This link does not work"


async def test_a_guest_goes_on_with_a_share_in_a_copy(start_server: Start, page: Browser) -> None:
    server = await start_server()
    async with server.client() as client:
        _, share_id, address = await share(client, "What is a bond?")
    page.open(address)
    page.click("header .go")
    page.wait_for(".asked .plain", "What is a bond?")
    assert "continue" not in page.url
    ask(page, "And a share?")
    assert page.run("return document.querySelectorAll('.asked').length") == 2

    # A person who comes from elsewhere is asked first, and told when it does not work.
    page.open("about:blank")
    page.open(f"{server.address}/#continue={share_id}")
    page.wait_for("dialog h2", "Continue this conversation?")
    page.wait_until("document.querySelectorAll('#list .open').length === 1")
    page.click("dialog .main")
    page.wait_until(
        "document.querySelectorAll('#list .open').length === 2 && document.querySelector('.asked')"
    )
    page.open("about:blank")
    page.open(f"{server.address}/#continue={'x' * 22}")
    page.wait_for("dialog h2", "Continue this conversation?")
    page.click("dialog .main")
    page.wait_until("document.querySelector('dialog .wrong[role=alert]').textContent")
    page.run("document.querySelector('dialog').close()")


async def test_a_guest_previews_a_share_and_signs_up_for_the_link(start_server: Start, page: Browser) -> None:
    server = await start_server()
    open_page(page, server)
    ask(page, "I am at ann.miller@example.org. What is an index fund?")
    page.click("#share")
    press(page, "Preview", "dialog")
    page.wait_for(".preview", "What is an index fund?")
    press(page, "Sign up to share", "dialog")
    page.wait_for("dialog h2", "Create an account")
    for field, value in ANN.items():
        page.type(f"#field-{field}", value)
    page.click("dialog .main")
    page.wait_for("dialog h2", "Share this conversation")
    press(page, "Create link", "dialog")
    page.wait_until("document.querySelector('.link')")
    page.run("document.querySelector('dialog').close()")


async def test_the_charts_of_a_shared_page_fit_and_keep_nobody_out(
    start_server: Start, page: Browser
) -> None:
    script = axe_script()
    server = await start_server()
    async with server.client() as client:
        _, _, address = await share(
            client, "What is my monthly payment on a loan of 250000 at 4% over 25 years?"
        )
    for size in ((390, 844), (1280, 900)):
        page.resize(*size)
        for scheme in ("light", "dark"):
            page.prefer(scheme)
            page.open(address)
            page.run(script)
            assert barriers(page) == [], (size, scheme)
            drawn = "return [...document.querySelectorAll('svg.chart')].map((node) => node.ariaLabel)"
            assert page.run(drawn) == [
                "Loan instalment, year: Balance",
                "Loan instalment, year: Interest, Principal",
            ]
            assert page.run("return document.querySelectorAll('.plot tbody tr').length") == 25
            assert page.run("return document.documentElement.scrollWidth <= innerWidth") is True
    page.prefer("light")


async def test_the_formulas_of_a_shared_page_are_drawn_without_a_script(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    model_server.behave(texts=[FORMULA])
    server = await start_server(**model_server.environ)
    async with server.client() as client:
        _, _, address = await share(client, "What is it worth?")

    page.resize(390, 844)
    page.open(address)

    count = "(name) => document.querySelectorAll(`.text ${name}`).length"
    parts = "['math', 'mfrac', 'msup', 'munderover', 'msqrt', 'img', 'script']"
    assert page.run(f"return {parts}.map({count})") == [4, 2, 1, 1, 1, 0, 0]
    height = "(name) => document.querySelector(`math ${name}`).getBoundingClientRect().height"
    fraction, letter = page.run(f"return ['mfrac', 'mi'].map({height})")
    assert fraction > 1.5 * letter  # the browser lays it out
    assert page.run("return document.documentElement.scrollWidth <= innerWidth") is True
    assert page.run("return document.querySelector('td math').getAttribute('alttext')") == "1/12"
    page.run(axe_script())
    assert barriers(page) == []


async def test_a_wide_table_of_a_shared_page_stands_cell_below_cell_on_a_phone(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    model_server.behave(texts=[WIDE])
    server = await start_server(**model_server.environ)
    async with server.client() as client:
        _, _, address = await share(client, "What do they cost?")
    page.resize(390, 844)
    page.open(address)
    script = axe_script()
    named = "getComputedStyle(document.querySelector('td:nth-child(3)'), '::before').content"
    row = "[...document.querySelectorAll('tbody tr:first-child td')].map((cell) => cell.offsetTop)"
    assert page.run(f"return {named}") == '"Risk"'
    assert len(set(page.run(f"return {row}"))) == 4
    assert page.run("return document.querySelector('header .go').offsetHeight") < 40  # one line
    page.run(script)
    assert barriers(page) == []
    page.resize(1280, 800)
    assert len(set(page.run(f"return {row}"))) == 1
