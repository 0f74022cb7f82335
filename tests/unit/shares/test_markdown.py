"""Markdown of replies on the page of a share: rendered, and inert."""

import random
from html import escape
from html.parser import HTMLParser

import pytest

from finassist.entrypoints.http.shares.markdown import render_markdown
from markdown_cases import CASES, Case, same_form
from tables import each_row


def as_text(content: str, target: str) -> str:
    """What a share shows of a link: its text and its target, once where they are the same."""
    return content if content == escape(target) else f"{content} ({escape(target)})"


@each_row("case", CASES)
def test_a_share_shows_what_the_chat_page_shows(case: Case) -> None:
    assert same_form(render_markdown(case.text)) == same_form(case.html, as_text)


@each_row(
    ("text", "html"),
    [
        ("", ""),
        ("One\ntwo\n\nthree", "<p>One<br>two</p><p>three</p>"),
        ("# A\n## B ##\ntext", "<h3>A</h3><h4>B</h4><p>text</p>"),
        ("###### deep", "<h6>deep</h6>"),
        ("#hashtag", "<p>#hashtag</p>"),
        ("Why\n- a\n- b\n  more\n\nend", "<p>Why</p><ul><li>a</li><li>b<br>more</li></ul><p>end</p>"),
        ("1. a\n2) b", "<ol><li>a</li></ol><ol start=2><li>b</li></ol>"),
        ("2024 was good", "<p>2024 was good</p>"),
        ("> said\n> so", "<blockquote><p>said<br>so</p></blockquote>"),
        ("```python\na < b\n\n**x**\n```\nend", "<pre><code>a &lt; b\n\n**x**</code></pre><p>end</p>"),
        ("```\nnever closed", "<pre><code>never closed</code></pre>"),
        ("---", "<hr>"),
        (
            "| A | B |\n|---|:-:|\n| 1 | **2** |\nend",
            "<div class=scroll tabindex=0><table><tr><th>A</th><th class=center>B</th></tr>"
            "<tr><td>1</td><td class=center><strong>2</strong></td></tr></table></div><p>end</p>",
        ),
        ("a | b", "<p>a | b</p>"),
        ("**bold** and *it* and __b__ and _i_", "<p><strong>bold</strong> and <em>it</em> and "
         "<strong>b</strong> and <em>i</em></p>"),
        ("snake_case_name 2*3*4 ** not", "<p>snake_case_name 2*3*4 ** not</p>"),
        ("`a*b*c` and `<b>`", "<p><code>a*b*c</code> and <code>&lt;b&gt;</code></p>"),
        ("[text](https://evil.test/?a=1&b=2)", "<p>text (https://evil.test/?a=1&amp;b=2)</p>"),
        ("![](javascript:alert)", "<p>javascript:alert</p>"),
        ("[a](javascript:alert(1)) [b](<x y>)", "<p>a (javascript:alert(1)) b (x y)</p>"),
        ("[](https://evil.test) [x](x)", "<p>https://evil.test x</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("cited [1]", "<p>cited [1]</p>"),
    ],
)  # fmt: skip
def test_what_models_write_is_shown_as_meant(text: str, html: str) -> None:
    assert render_markdown(text) == html


def test_a_wide_table_names_the_column_of_each_cell() -> None:
    assert render_markdown("| A | *B* | C | <D> |\n|---|--:|---|---|\n| 1 | 2 | 3 |\n\nend") == (
        "<div class='scroll wide' tabindex=0><table role=table><thead role=rowgroup><tr role=row>"
        "<th role=columnheader>A</th><th class=right role=columnheader><em>B</em></th>"
        "<th role=columnheader>C</th><th role=columnheader>&lt;D&gt;</th></tr></thead>"
        "<tbody role=rowgroup><tr role=row>"
        '<td role=cell data-name="A">1</td><td class=right role=cell data-name="B">2</td>'
        '<td role=cell data-name="C">3</td><td role=cell data-name="&lt;D&gt;"></td></tr></tbody>'
        "</table></div><p>end</p>"
    )


class Strict(HTMLParser):
    """Refuses tags that the renderer does not make, and attributes other than its own."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in "p h3 h4 h5 h6 ul ol li blockquote pre code hr div table tr th td strong em br".split()
        assert [name for name, _ in attrs] in ([], ["class"], ["start"])
        assert not attrs or attrs[0][1] in ("wide", "center", "right") or str(attrs[0][1]).isdecimal()

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def test_no_text_makes_another_tag() -> None:
    pieces = ["<", ">", "&", '"', "'", "script", "*", "**", "_", "`", "```", "\n", "\n\n", " ", "- ", "1. ",
              "> ", "|", "|-|", "|:-:|", "# ", "[", "](", ")", "!", "x", "<!--", "javascript:", "on=", "é",
              "\t"]  # fmt: skip
    source = random.Random(7)
    for _ in range(3000):
        text = "".join(source.choices(pieces, k=source.randrange(40)))
        Strict().feed(render_markdown(text))


@pytest.mark.parametrize(
    "line", [" " * 30_000 + "x", "-" * 30_000 + "x", " :-: |" * 5_000 + "x", "|-" * 15_000, "| " * 15_000]
)
def test_no_line_below_a_table_head_takes_long_to_read(line: str) -> None:
    # Squares of its length would be minutes.
    assert render_markdown(f"a | b\n{line}").startswith(("<p>", "<div class=scroll tabindex=0>"))


@each_row(
    "piece",
    ["[a](x", "[", "![a](", '[a](x "', "](", "*a ", "**a", "_a *b", "`a``b", "\\", "- ", "> ", "- a\n",
     "    - a\n", "> a\nb\n"],
)  # fmt: skip
def test_no_piece_takes_long_to_read_however_often_it_comes(piece: str) -> None:
    # Squares of their number would be minutes, and 1,000 of the first were 6 s where its cube was taken.
    assert render_markdown(piece * 10_000).startswith("<")


@pytest.mark.parametrize("line", ["|", "a|b", "-", "|-|x", "||"])
def test_what_is_no_rule_makes_no_table(line: str) -> None:
    assert "<table>" not in render_markdown(f"a | b\n{line}")
