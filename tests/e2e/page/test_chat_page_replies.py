"""Replies on the chat page: names of languages, formulas, tables on a phone, and a voice that reads them."""

import asyncio
import json
from typing import Any

from e2e.chat_page import WRITTEN, ask, barriers, open_page
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script
from markdown_cases import FORMULAS
from servers.model_server import ModelServer

CODE = "Two:\n\n```python\nprint(1)\n```\n\n```\nplain\n```\n\n~~~<img/src=x>\nx\n~~~"
FORMULA = r"""The value is
\[ FV = PV \times \left(1 + \frac{r}{n}\right)^{nt} + \sum_{k=1}^{n} \sqrt{x_k} \]
with \(\alpha \cdot \text{net income}\) and \(<img src=x onerror=alert(1)>\)."""
TABLE = """| Fund | Cost | Risk | Return | Term |
|---|---:|---:|---:|---|
| A | 0.2 % | low | 3 % | short |
| B | 0.5 % | high | 7 % | long |
"""
MATH = """
    return import("./web/messages/math.js").then(({mathOf}) =>
        %s.map(([tex, isBlock]) => mathOf(tex, isBlock).innerHTML))
"""
# How many elements a formula makes that are no formula's, and how many are in each other.
DRAWN = """
    const height = (node) => 1 + Math.max(0, ...[...node.children].map(height));
    return import("./web/messages/math.js").then(({drawFormulas}) => %s.map((tex) => {
        const place = document.createElement("span");
        Object.assign(place, {className: "tex", tex, textContent: tex});
        const within = document.createElement("div");
        within.append(place);
        drawFormulas(within);
        const isForeign = (node) => !node.namespaceURI.endsWith("MathML");
        return [[...place.querySelectorAll("*")].filter(isForeign).length, height(place)];
    }))
"""
ONE_FAILS = """
    return import("./web/messages/math.js").then(({drawFormulas}) => {
        const within = document.createElement("div");
        for (const tex of [{length: 1}, "a"]) {
            const place = document.createElement("span");
            within.append(Object.assign(place, {className: "tex", tex, textContent: "text"}));
        }
        drawFormulas(within);
        return within.textContent;
    })
"""
FIGURES = r"""It is \(\frac{1200}{12}\) times
\(1.05^{10}\).

| Rate | Years |
|---|---|
| \(\frac{1}{12}\) | 2 |
"""
LANGUAGES = {
    "Der Fonds ist günstig und für Sie nicht zu groß.": "de",
    "The fund is cheap and the risk is low for you.": "en",
    "El fondo es barato y los costes son una parte para usted.": "es",
    "Le fonds est bon marché et les frais sont bas pour vous.": "fr",
    "यह fund सस्ता है।": "hi",
    "Il fondo è una scelta che non costa molto per lei.": "it",
    "Het fonds is goedkoop en het risico is niet te groot voor je.": "nl",
    "Ten fundusz nie jest drogi, a ryzyko jest niskie dla ciebie.": "pl",
    "O fundo é uma boa escolha para você, com custos que não sobem.": "pt",
    "ETF": "en",
    "1 2 3 4 5 6 7 8": "en",
    "Xyz xyz xyz xyz xyz xyz xyz": "en",
}
LANGUAGES_OF = """
    return import("./web/messages/aloud.js").then(({languageOf}) => Promise.all(%s.map(languageOf)))
"""
VOICE = """
    window.spoken = [];
    window.ended = 0;
    speechSynthesis.speak = (said) => window.spoken.push([said.text, said.lang, said]);
    speechSynthesis.cancel = () => window.ended++;
"""


async def replied(server: Any, page: Browser, model_server: ModelServer, text: str) -> None:
    model_server.behave(texts=[text])

    def read() -> None:
        open_page(page, server)
        ask(page, "Show me")

    await asyncio.to_thread(read)


async def test_a_block_of_code_names_its_language(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)
    await replied(server, page, model_server, CODE)
    blocks = "[...document.querySelectorAll('.block')]"
    named = f"return {blocks}.map((block) => block.querySelector('.take span')?.innerText ?? '')"
    assert page.run(named) == ["python", "", ""]
    assert page.run("return document.querySelectorAll('.text img').length") == 0
    page.run(axe_script())
    assert barriers(page) == []


async def test_formulas_are_drawn_and_none_of_them_runs(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)
    await replied(server, page, model_server, FORMULA)
    page.wait_until("document.querySelectorAll('.tex math').length === 3")
    assert page.run("return document.querySelector('math').getAttribute('display')") == "block"
    drawn = "['mfrac', 'msup', 'munderover', 'msqrt', 'msub']"
    count = "(name) => document.querySelectorAll(`math ${name}`).length"
    assert page.run(f"return {drawn}.map({count})") == [1, 1, 1, 1, 1]
    assert page.run("return document.querySelector('math mtext').textContent") == "net income"
    assert page.run("return document.querySelectorAll('.text img').length") == 0
    height = "(name) => document.querySelector(`math ${name}`).getBoundingClientRect().height"
    fraction, letter = page.run(f"return ['mfrac', 'mi'].map({height})")
    assert fraction > 1.5 * letter  # the browser lays it out
    page.run(axe_script())
    assert barriers(page) == []


async def test_commands_of_formulas_become_the_elements_that_they_mean(
    start_server: Start, page: Browser
) -> None:
    open_page(page, await start_server())
    assert page.run(MATH % json.dumps([[tex, False] for tex in FORMULAS])) == list(FORMULAS.values())
    lines = r"\begin{cases} a & b \\ c & d \end{cases}"
    (cases,) = page.run(MATH % json.dumps([[lines, True]]))
    assert (cases.count("<mtr>"), cases.count("<mtd>")) == (2, 4)
    assert cases.startswith("<mrow><mo>{</mo>")


async def test_hostile_formulas_stay_formulas_or_text(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    pieces = ["{", "}", "^", "_", "&", "[", "<script>", r"\frac", r"\sqrt", r"\sqrt[", r"\left(", r"\\"]
    pieces += [
        "^1",
        "_a",
        "^{a",
        r"\bar",
        r"\text{",
        r"\begin{cases}",
        r"\end{x}",
        "{x^",
        r"\begin{<img src=x onerror=alert(1)>}",
    ]
    texts = [piece * times for piece in pieces for times in (1, 2, 300, 20_000)]
    foreign, heights = zip(*page.run(DRAWN % json.dumps(texts)), strict=True)
    assert set(foreign) == {0}
    assert max(heights) < 45


async def test_a_formula_that_cannot_be_drawn_leaves_the_others(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    assert page.run(ONE_FAILS) == "texta"


async def test_a_table_of_five_columns_fits_a_phone(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)
    await replied(server, page, model_server, TABLE)
    page.resize(390, 844)
    table = "document.querySelector('.text .scroll')"
    assert page.run(f"return {table}.scrollWidth <= {table}.clientWidth") is True
    cells = f"[...{table}.querySelectorAll('tbody tr:first-child td')]"
    assert page.run(f"return {cells}.map((cell) => getComputedStyle(cell, '::before').content)") == [
        '"Fund"', '"Cost"', '"Risk"', '"Return"', '"Term"',
    ]  # fmt: skip
    rows = f"return {cells}.map((cell) => cell.getBoundingClientRect().top)"
    assert len(set(page.run(rows))) == 5  # each has a line of its own
    page.run(axe_script())
    assert barriers(page) == []
    page.resize(1280, 800)
    assert len(set(page.run(rows))) == 1


async def test_a_reply_is_read_aloud_until_it_is_stopped(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)
    text = "Das ist **die Antwort** und sie ist für Sie.\n\n- Eins\n  - Darunter\n- Zwei\n\n```\ncode\n```"
    await replied(server, page, model_server, text)
    page.run(VOICE)
    page.click(".reply [aria-label='Read aloud']")
    page.wait_until("window.spoken.length === 4")
    assert page.run("return window.spoken.map(([text, lang]) => [text, lang])") == [
        ["Das ist die Antwort und sie ist für Sie.", "de"],
        ["Eins", "de"],
        ["Darunter", "de"],
        ["Zwei", "de"],
    ]
    page.click(".reply [aria-label='Stop reading'][aria-pressed=true]")
    page.wait_until("document.querySelector(\".reply [aria-label='Read aloud'][aria-pressed=false]\")")
    page.click(".reply [aria-label='Read aloud']")
    page.wait_until("window.spoken.length === 8")
    page.run("window.spoken.at(-1)[2].onend()")  # it is said
    page.wait_until("document.querySelector(\".reply [aria-label='Read aloud'][aria-pressed=false]\")")


async def test_what_leaves_the_page_is_not_read_on(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)
    await replied(server, page, model_server, "A private figure.")

    def leave(control: str, ended: int) -> None:
        page.wait_until(f"document.querySelector('.reply .aloud') && {WRITTEN}")
        page.click(".reply [aria-label='Read aloud']")
        page.wait_until("document.querySelector(\".reply [aria-label='Stop reading']\")")
        page.run(f"document.querySelector({json.dumps(control)}).click()")
        page.wait_until(f"window.ended === {ended}")

    page.run(VOICE)
    await asyncio.to_thread(leave, ".reply [aria-label='Try again']", 2)
    await asyncio.to_thread(leave, "#new", 4)


async def test_figures_of_formulas_are_said_and_saved_as_they_are_written(
    start_server: Start, page: Browser, model_server: ModelServer
) -> None:
    server = await start_server(**model_server.environ)
    await replied(server, page, model_server, FIGURES)
    page.wait_until("document.querySelectorAll('.tex math').length === 3")
    told = page.run("return document.querySelector('[role=status]').textContent")
    assert "It is 1200/12 times\n1.05^10.\n\n" in told
    page.run(VOICE)
    page.click(".reply [aria-label='Read aloud']")
    page.wait_until("window.spoken.length === 3")
    assert page.run("return window.spoken.map(([text]) => text)") == [
        "It is 1200/12 times\n1.05^10.",
        "Rate, Years",
        "1/12, 2",
    ]
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click(".reply [aria-label='Copy as CSV']")
    page.wait_until("Boolean(window.copied)")
    assert page.run("return window.copied") == "Rate,Years\r\n1/12,2"


async def test_the_language_of_a_text_is_told_by_its_words(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    assert page.run(LANGUAGES_OF % json.dumps(list(LANGUAGES))) == list(LANGUAGES.values())
