"""Replies on the chat page, in a real Chromium: shown as on the page of a share, and in linear time."""

import json
import random
from typing import Any

from e2e.chat_page import open_page
from e2e.chromium import Browser
from e2e.conftest import Start
from finassist.entrypoints.http.shares.mathml import drawn_formula
from markdown_cases import CASES, same_form

RENDER = """
    return import("./web/markdown.js").then(({render}) => %s.map((text) => {
        const shown = document.createElement("div");
        shown.append(...render(text));
        return shown.%s;
    }))"""
REPEATED = [
    "[a](x", "[", "![a](", '[a](x "', "[x[a]", "](", "*a ", "*a*", "**a", "_a *b", "`a``b", "` ", "\\", "|a",
    "|-\n", "- ", "- a\n", "1. a\n\n", "> ", "> a\nb\n", "# ", "- - ", "```\n", "*",
    "\\(", "\\[", "\\[=", "$$", "$$a", "\\({", "\\(\\frac{",
]  # fmt: skip
"""What a hostile text repeats. 1,000 of the first took 6 s where their cube was taken."""

DRAW = """
    return import("./web/messages/math.js").then(({mathOf}) => %s.map(([tex, isBlock]) => {
        try {
            return mathOf(tex, isBlock).innerHTML;
        } catch (error) {
            return error.name;
        }
    }))"""
PARTS = (
    r"{ } ^ _ & [ ] < > - ~ ' a x 1 12 1.5 é $ % | \frac \dfrac \binom \sqrt \sqrt[ \left( \right. \bar "
    r"\underline \text{ \mathrm{ \begin{cases} \begin{array}{c} \end{cases} \sum \lim \max \alpha "
    r"\times \tag{1} \quad \, \{ \| \unknown \operatorname* = \\ \\&".split()
)
"""What formulas are made of, whole and broken."""


def rendered(page: Browser, texts: list[str], what: str) -> Any:
    return page.run(RENDER % (json.dumps(texts), what))


async def test_the_chat_page_shows_what_a_share_shows(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    shown = rendered(page, [case.text for case in CASES], "innerHTML")
    different = {
        case.name: same_form(html)
        for case, html in zip(CASES, shown, strict=True)
        if same_form(html) != same_form(case.html)
    }
    assert different == {}


async def test_the_chat_page_draws_what_a_share_draws(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    source = random.Random(7)
    formulas = [
        ("".join(source.choices(PARTS, k=source.randrange(1, 30))), source.random() < 0.5)
        for _ in range(2000)
    ]
    formulas += [("a+b" * times, True) for times in (1, 600)]
    different = []
    for (tex, is_block), shown in zip(formulas, page.run(DRAW % json.dumps(formulas)), strict=True):
        made = drawn_formula(tex, "", is_block=is_block)
        inner = made.partition(">")[2].removesuffix("</math>") if made else "RangeError"
        if inner != shown:
            different.append((tex, inner, shown))
    assert different == []


async def test_addresses_that_are_not_of_the_web_are_no_links(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    hostile = [
        "[a **b**](javascript:alert(1))",
        "![](data:text/html,x)",
        "[c](//elsewhere.example)",
        "[d](file:///x)",
    ]
    shown = rendered(page, ["\n\n".join(hostile)], "innerHTML")
    assert [same_form(html) for html in shown] == [
        "<p>a <strong>b</strong></p><p>data:text/html,x</p><p>c</p><p>d</p>"
    ]


async def test_no_text_takes_long_to_show_however_often_a_piece_comes(
    start_server: Start, page: Browser
) -> None:
    open_page(page, await start_server())
    for piece in REPEATED:
        # Squares of their number would be minutes: the driver ends a script after 30 s.
        text = piece * 20_000
        [(length)] = rendered(page, [text], "textContent.length")
        assert length <= len(text)
