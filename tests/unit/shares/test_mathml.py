r"""Formulas on the page of a share: drawn as on the chat page, and of bounded depth and length."""

import random
import time
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from finassist.entrypoints.http.shares.markdown import render_markdown
from finassist.entrypoints.http.shares.mathml import drawn_formula
from markdown_cases import FORMULAS
from tables import each_row

ELEMENTS = set(
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot "
    "msub msup msubsup munder mover munderover mtable mtr mtd".split()
)
ATTRIBUTES = {"alttext", "display", "displaystyle", "linethickness", "width"}
PIECES = (
    r"{ } ^ _ & [ ] < > \" ' \\ - ~ a 1 12 1.5 ½ é $ % | \( <script> \frac \dfrac \binom \sqrt \sqrt[ \left( "
    r"\right. \bar \underline \text{ \mathrm{ \begin{cases} \begin{array}{c} \end{cases} \sum \lim "
    r"\max \alpha \times \tag{1} \quad \, \{ \| \unknown \operatorname* =".split()
)


@each_row(("tex", "html"), FORMULAS.items())
def test_a_formula_becomes_the_elements_that_it_means(tex: str, html: str) -> None:
    assert drawn_formula(tex, "a <b>", is_block=False) == f'<math alttext="a &lt;b&gt;">{html}</math>'


def test_limits_of_a_formula_of_its_own_are_above_and_below() -> None:
    made = drawn_formula(r"\sum_{k=1}^{n} \lim_x k", "", is_block=True)
    assert made is not None
    assert made.startswith('<math alttext="" display="block">')
    assert (made.count("<munderover>"), made.count("<munder>")) == (1, 1)


def test_the_lines_of_a_formula_are_rows() -> None:
    made = drawn_formula(r"\begin{cases} a & b \\ c & d \end{cases}", "", is_block=True) or ""
    assert (made.count("<mtr>"), made.count("<mtd>")) == (2, 4)
    assert "<mrow><mo>{</mo><mtable" in made


def test_a_reply_has_its_formulas_drawn_and_its_labels_with_their_text() -> None:
    assert render_markdown(r"Pay \(\frac{1}{2}\)") == (
        '<p>Pay <math alttext="1/2"><mfrac><mn>1</mn><mn>2</mn></mfrac></math></p>'
    )
    assert render_markdown(r"[\(x\)](x)") == '<p><math alttext="x"><mi>x</mi></math></p>'


@pytest.mark.parametrize("tex", ["{" * 30, r"\frac" * 30, "^{a" * 30, "a" * 2001, r"\begin{cases}" * 21])
def test_a_formula_that_is_too_deep_or_long_is_its_text(tex: str) -> None:
    assert drawn_formula(tex, "", is_block=False) is None
    assert "<math" not in render_markdown(f"$${tex}$$")


class Strict(HTMLParser):
    """Refuses what is no formula's."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS
        assert {name for name, _ in attrs} <= ATTRIBUTES


def test_no_formula_makes_another_tag() -> None:
    source = random.Random(7)
    drawn = 0
    for _ in range(3000):
        tex = "".join(source.choices(PIECES, k=source.randrange(40)))
        if (made := drawn_formula(tex, tex, is_block=source.random() < 0.5)) is not None:
            drawn += 1
            Strict().feed(made)
            ElementTree.fromstring(made)
    assert drawn > 1000


@each_row("piece", PIECES)
def test_no_piece_takes_long_to_draw_however_often_it_comes(piece: str) -> None:
    began = time.process_time()
    drawn_formula(piece * (2000 // len(piece)), "", is_block=True)
    assert time.process_time() - began < 2
