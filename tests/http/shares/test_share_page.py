"""The page that a browser gets of a share (contract section 6)."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from finassist.entrypoints.http.web.pages import STYLES
from http_service import Service, Start
from shares_over_http import (
    ATTACHMENT,
    BROWSER,
    EMBED,
    PUBLIC,
    SHARE,
    SOURCE,
    TOOL_CALL,
    dress,
    keep_file,
    share,
)


@pytest.mark.parametrize(
    ("accept", "is_page"),
    [
        (BROWSER, True),
        ("text/html", True),
        ("text/html;q=0.9, application/json;q=0.8", True),
        ("text/html;q=0.8, application/json;q=0.9", False),
        ("application/json", False),
        ("application/json, text/html", False),
        ("*/*", False),
        ("text/*", True),
        ("image/png", False),
        ("nonsense", False),
        ("text/html;q=x", True),
        ("text/html;q=0", False),
        ("text/html; q=0.000, */*", False),
        ("application/json;q=0, text/html", True),
        ("text/html;q=0.001", True),
    ],
)
async def test_the_page_is_for_clients_that_prefer_html(
    service: Service, alice: dict[str, str], accept: str, is_page: bool
) -> None:
    shared = await share(service, alice)
    response = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": accept})
    assert response.status_code == 200
    expected = "text/html; charset=utf-8" if is_page else "application/json"
    assert response.headers["Content-Type"] == expected


class Page(HTMLParser):
    """The tags and the attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


async def test_what_people_write_is_inert_on_the_page(service: Service, alice: dict[str, str]) -> None:
    attack = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> [a](javascript:alert(3)) **b**"
    reply = await service.ask(attack, alice)
    shared = await share(
        service, alice, conversationId=reply["conversationId"], customTitle=attack, customDescription=attack
    )
    bad = {"image_url": "javascript:alert(4)", "quote_text": attack}
    await dress(
        service,
        shared,
        attachments=[{**ATTACHMENT, "filename": attack}],
        visual_embeds=[EMBED | {"quote_text": attack}, EMBED | bad],
        sources=[SOURCE | {"title": attack}, SOURCE | {"url": "javascript:alert(5)"}],
        role="assistant",
    )
    await keep_file(service, shared["userId"])

    response = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})

    page = Page(response.text)
    assert "script" not in page.tags
    assert page.tags.count("img") == 1
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    addresses = [value for name, value in page.attributes if name in ("href", "src")]
    icon, continuation = "../../../../web/icon.svg", f"../../../../#continue={shared['shareId']}"
    assert set(addresses) == {"https://img.example.org/a.png", "https://example.org/b", icon, continuation}
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert policy.endswith("img-src 'self' https://img.example.org")


async def test_the_page_shows_what_a_reply_cites_apart_from_what_is_related(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    await dress(service, shared, sources=[SOURCE, SOURCE | {"index": 2, "cited": False}], role="assistant")

    response = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})

    assert re.findall(r"<summary>(.*?)</summary><ol><li value=(\d)>", response.text) == [
        ("1 source", "1"),
        ("Related", "2"),
    ]


async def test_the_page_says_what_it_is_to_who_previews_links(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice, customTitle='Bonds & "more"', customDescription="Why <b>")
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    assert "<title>Bonds &amp; &quot;more&quot;</title>" in page.text
    assert _previewed(page.text) == {
        "og:title": 'Bonds & "more"',
        "og:description": "Why <b>",
        "og:type": "article",
        "og:site_name": "finassist",
        "og:url": shared["shareUrl"],
        "description": "Why <b>",
        "twitter:card": "summary",
        "twitter:title": 'Bonds & "more"',
        "twitter:description": "Why <b>",
    }
    assert "<meta name=robots content=noindex>" in page.text


def _previewed(page: str) -> dict[str, str]:
    """What a program that previews links reads of a page."""
    found = re.findall(r'<meta (?:name|property)="([a-z:_]+)" content="(.*?)">', page)
    return {name: unescape(value) for name, value in found}


async def test_a_preview_tells_nothing_of_the_content_that_the_owner_did_not_word(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    told = _previewed(page.text)
    assert told["og:title"] == told["twitter:title"] == "A shared conversation"
    assert "bond" not in " ".join(told.values()).lower()


@pytest.mark.parametrize(("allowed", "has_chat_page"), [(True, True), (False, True), (True, False)])
async def test_a_share_that_may_be_continued_leads_to_the_chat_page(
    start: Start, allowed: bool, has_chat_page: bool
) -> None:
    service = await start({"web_client_enabled": has_chat_page})
    shared = await share(service, await service.token("alice"), allowContinuation=allowed)
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    assert (f'href="../../../../#continue={shared["shareId"]}"' in page.text) is (allowed and has_chat_page)


async def test_lists_have_the_numbers_that_the_reply_gave_them(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    await dress(service, shared, content="3. three\n4. four\n\nThen\n\n5. five", role="assistant")
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    assert (
        "<ol start=3><li>three</li><li>four</li></ol><p>Then</p><ol start=5><li>five</li></ol>" in page.text
    )


async def test_the_page_looks_like_the_chat_page(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    assert STYLES in page.text
    assert STYLES in (await service.client.get("/")).text


async def test_the_page_has_each_new_title_at_once(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice, customTitle="Old")
    first = "What is a bond?"
    for given, shown in (("New", "New"), ("  ", first), ("Newer", "Newer"), ("", first)):
        path = f"{SHARE}/{shared['shareId']}"
        changed = await service.client.patch(path, json={"customTitle": given}, headers=alice)
        assert changed.status_code == 200
        page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
        assert f"<title>{shown}</title>" in page.text
        assert f"<h1>{shown}</h1>" in page.text
        assert _previewed(page.text)["og:title"] == (given.strip() or "A shared conversation")


async def test_a_link_that_does_not_work_is_a_page_as_well(service: Service) -> None:
    response = await service.client.get(f"{PUBLIC}/{'x' * 22}", headers={"Accept": BROWSER})
    assert response.status_code == 404
    assert "This link does not work" in response.text
    assert "Ask a question of your own" in response.text
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")


async def test_a_table_with_words_beside_its_amounts_is_drawn(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    table = (
        "| Subscription | Amount | How often | A year | Rows |\n| :--- | ---: | :--- | ---: | :--- |\n"
        "| Gym | 29.90 EUR | every month | 358.80 EUR | rows 3, 10 and 4 more |\n"
        "| Netflix | 13.99 EUR | every month | 167.88 EUR | row 2 |\n"
    )
    await dress(service, shared, content=table, role="assistant")
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    assert 'aria-label="Chart of the reply: Amount, A year"' in page.text
    assert page.text.count("<rect") == 4


async def test_the_page_draws_what_the_reply_states_and_looks_at_no_tool(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    listed = "- January 2026: out 950.00 EUR, in 2,500.00 EUR\n- February 2026: out 70.00 EUR, in 0.00 EUR"
    points = [{"at": at, "secret": at * 1000} for at in range(9)]
    call = TOOL_CALL | {"result": {"series": {"label": "month", "points": points}}}
    await dress(service, shared, content=listed, role="assistant", tool_calls=[call])
    address = f"{PUBLIC}/{shared['shareId']}"
    page = await service.client.get(address, headers={"Accept": BROWSER})
    assert 'aria-label="Chart of the reply: out, in"' in page.text
    assert page.text.count("<rect") == 4
    assert "secret" not in page.text + (await service.client.get(address)).text


async def test_a_short_address_shows_the_same_share(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    long, short = f"{PUBLIC}/{shared['shareId']}", f"/shared/{shared['shareId']}"
    seen = [(await service.client.get(path)).json()["data"] for path in (long, short)]
    assert seen[1] == seen[0] | {"viewCount": 1}
    pages = [await service.client.get(path, headers={"Accept": BROWSER}) for path in (long, short)]
    assert pages[0].text.replace("../../../../", "../").replace(long, short) == pages[1].text
    assert _previewed(pages[1].text)["og:url"] == shared["shareUrl"].replace(long, short)
    kept = ("Cache-Control", "X-Robots-Tag", "Content-Security-Policy", "Vary")
    assert [pages[0].headers[name] for name in kept] == [pages[1].headers[name] for name in kept]

    await service.client.delete(f"{SHARE}/{shared['shareId']}", headers=alice)
    for accept in (BROWSER, "application/json"):
        assert (await service.client.get(short, headers={"Accept": accept})).status_code == 404
