"""The cases that both renderers of Markdown pass, and HTML in a form in which they can be compared."""

from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import yaml  # type: ignore[import-untyped]

CASES_FILE = Path(__file__).parent / "data" / "markdown_cases.yaml"

_OF_ONE_PAGE = {"div", "span", "thead", "tbody"}
"""Elements that only one of the pages puts around others."""

FORMULAS = {
    r"\frac12": "<mfrac><mn>1</mn><mn>2</mn></mfrac>",
    r"x_i^2": "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>",
    r"\sqrt[3]{8}": "<mroot><mn>8</mn><mn>3</mn></mroot>",
    r"1{,}000\% - a": "<mrow><mn>1,000</mn><mtext>%</mtext><mo>−</mo><mi>a</mi></mrow>",
    r"\unknown": "<mtext>unknown</mtext>",
    r"\text{a {b} \% c}": "<mtext>a b % c</mtext>",
    r"\bar{x}": "<mover><mi>x</mi><mo>¯</mo></mover>",
    r"^2": "<msup><mrow></mrow><mn>2</mn></msup>",
    "}": "<mrow></mrow>",
    r"\constructor": "<mtext>constructor</mtext>",  # what objects have by themselves is no command
    r"\begin{constructor}\end{constructor}": '<mrow><mtable displaystyle="false"></mtable></mrow>',
}
"""Formulas in a line, and what both pages draw of them as MathML."""


class Case(NamedTuple):
    """A text and the HTML that both pages make of it."""

    name: str
    text: str
    html: str


CASES = [Case(**case) for case in yaml.safe_load(CASES_FILE.read_text())]


def same_form(html: str, link: Callable[[str, str], str] | None = None) -> str:
    """HTML without what only one page has and without line breaks outside of code. A formula is its text.

    ``link`` makes what stands for a link, of its content and its target; without it an ``a`` does.
    """
    parser = _SameForm(link or (lambda content, target: f'<a href="{escape(target)}">{content}</a>'))
    parser.feed(html)
    parser.close()
    return parser.text


class _SameForm(HTMLParser):
    def __init__(self, link: Callable[[str, str], str]) -> None:
        super().__init__()
        self.text = ""
        self._link = link
        self._links: list[tuple[int, str]] = []
        self._in_code = self._in_formula = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "math":
            self.text += escape(known["alttext"] or "", quote=False).replace("\n", "<br>")
            self._in_formula = True
        if self._in_formula:
            return
        if tag == "a":
            self._links.append((len(self.text), known["href"] or ""))
        elif tag not in _OF_ONE_PAGE:
            self._in_code |= tag == "pre"
            kept = [f" {name}={known[name]}" for name in ("class", "start") if known.get(name)]
            self.text += f"<{tag}{''.join(kept)}>"

    def handle_endtag(self, tag: str) -> None:
        if self._in_formula:
            self._in_formula = tag != "math"
        elif tag == "a":
            start, target = self._links.pop()
            self.text = self.text[:start] + self._link(self.text[start:], target)
        elif tag not in _OF_ONE_PAGE:
            self._in_code &= tag != "pre"
            self.text += f"</{tag}>"

    def handle_data(self, data: str) -> None:
        if self._in_formula:
            return
        self.text += escape(data if self._in_code else data.replace("\n", ""))
