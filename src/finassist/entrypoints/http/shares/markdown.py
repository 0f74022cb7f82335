"""Markdown of replies as HTML, for the pages of shares.

markdown-it-py parses: lists, tables and nesting have more rules than a module should keep, and its time grows
with the length of a text only. This module decides how its tokens are rendered. HTML in a reply is text;
links are shown as text with their target behind it, and images as their target, so that a page that anybody
can publish leads to no other site. ``web/markdown.js`` renders the same for the chat page;
``tests/data/markdown_cases.yaml`` has the cases that both have to pass.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, list_block, table
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from finassist.entrypoints.http.shares.formulas import FORMULA, plain_formula
from finassist.entrypoints.http.shares.mathml import drawn_formula

_RULES: Final = (
    "blockquote",
    "fence",
    "heading",
    "hr",
    "list",
    "table",
    "backticks",
    "emphasis",
    "escape",
    "image",
    "link",
    "newline",
)
"""Not among them: HTML, entities and bare addresses; code by indentation and headings by underlining, which
models write by mistake only; reference definitions, which would turn citations such as ``[1]`` into links."""

_HEADING_BELOW: Final = 2
"""A reply's headings stand below the page's and the message's own."""

_ALIGNED: Final = {"text-align:center": " class=center", "text-align:right": " class=right"}
"""Classes, because the policy of the page refuses styles in attributes."""

_STACKED: Final = 4
"""Columns, from which on a table stands cell below cell on a phone."""

_ROLES: Final = {"thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "th": "columnheader", "td": "cell"}
_TABLE_PARTS: Final = ("thead_open", "thead_close", "tbody_open", "tbody_close")


def render_markdown(text: str) -> str:
    """The text as HTML."""
    return "".join(_blocks(_PARSER.parse(text)))


def _multiplication(state: StateInline, silent: bool) -> bool:
    """Read a lone asterisk between letters or digits as itself: ``2*3*4`` has no emphasis."""
    at, text = state.pos, state.src
    if text[at] != "*" or not (text[at - 1 : at].isalnum() and text[at + 1 : at + 2].isalnum()):
        return False
    if not silent:
        state.append_pending("*")
    state.pos += 1
    return True


def _end_of_table(state: StateBlock, line: int, _: int, silent: bool) -> bool:
    """End a table at a line without a column, as a paragraph often follows without an empty line."""
    in_table = silent and state.parentType == "table"
    return in_table and "|" not in state.src[state.bMarks[line] : state.eMarks[line]]


def _table_below(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """End a list or a quote at a table, as an empty line between is often left out."""
    if not silent or state.parentType == "table":
        return False
    indent, state.blkIndent = state.blkIndent, 0
    is_table = table(state, line, end, True)
    state.blkIndent = indent
    return is_table


def _list(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Read a list whatever its indent. CommonMark adds an item that is indented by four to the item above,
    because it reads an indent of four as code, which is not among the rules here."""
    indent, state.listIndent = state.listIndent, -1
    found = list_block(state, line, end, silent)
    state.listIndent = indent
    return found


def _formula(state: StateInline, silent: bool) -> bool:
    """Read a formula in LaTeX, in which no sign means anything else. As part of a label it is its text."""
    found = FORMULA.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        kind = found.lastindex or 0
        token.content = plain_formula(found[kind])
        token.meta = {"tex": found[kind], "is_block": kind > 1}
    state.pos = found.end()
    return True


class _Parser(MarkdownIt):
    """Takes targets of links as they are written, whatever they lead to: they are shown, not followed."""

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url


def _make_parser() -> MarkdownIt:
    parser = _Parser("zero").enable(_RULES)
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.inline.ruler.before("emphasis", "multiplication", _multiplication)
    parser.block.ruler.at("list", _list, {"alt": ["blockquote", "paragraph"]})
    parser.block.ruler.before("table", "end_of_table", _end_of_table, {"alt": ["blockquote"]})
    parser.block.ruler.before("table", "table_below", _table_below, {"alt": ["blockquote", "paragraph"]})
    return parser


_PARSER: Final = _make_parser()


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    end = 0
    for at, token in enumerate(tokens):
        if at < end:
            continue
        if token.type == "table_open" and len(names := _columns(tokens, at)) >= _STACKED:
            end = next(at for at in range(at, len(tokens)) if tokens[at].type == "table_close") + 1
            yield from _wide_table(tokens[at + 1 : end - 1], names)
        elif token.type == "inline":
            yield from _inline(token.children or ())
        elif not token.hidden and token.type not in _TABLE_PARTS:
            yield _BLOCKS.get(token.type, _tag)(token)


def _columns(tokens: Sequence[Token], at: int) -> Sequence[str]:
    """The names of the columns of a table that begins there."""
    names = []
    while tokens[at].type != "thead_close":
        if tokens[at].type == "inline":
            names.append("".join(child.content for child in tokens[at].children or ()))
        at += 1
    return names


def _wide_table(tokens: Sequence[Token], names: Sequence[str]) -> Iterator[str]:
    """A table that stands cell below cell on a phone, each with the name of its column. Roles say there what
    elements that are no longer laid out as a table do not."""
    column = 0
    yield "<div class='scroll wide' tabindex=0><table role=table>"
    for token in tokens:
        if token.type == "inline":
            yield from _inline(token.children or ())
        elif token.nesting < 0:
            yield f"</{token.tag}>"
        else:
            column = 0 if token.tag == "tr" else column + 1
            name = f' data-name="{escape(names[column - 1])}"' if token.tag == "td" else ""
            yield f"{_cell(token)[:-1]} role={_ROLES[token.tag]}{name}>"
    yield "</table></div>"


def _tag(token: Token) -> str:
    start = f" start={token.attrs['start']}" if "start" in token.attrs else ""
    return f"</{token.tag}>" if token.nesting < 0 else f"<{token.tag}{start}>"


def _heading(token: Token) -> str:
    level = min(6, int(token.tag[1:]) + _HEADING_BELOW)
    return f"<h{level}>" if token.nesting > 0 else f"</h{level}>"


def _cell(token: Token) -> str:
    return f"<{token.tag}{_ALIGNED.get(str(token.attrGet('style')), '')}>"


def _fence(token: Token) -> str:
    return f"<pre><code>{escape(token.content.removesuffix(chr(10)))}</code></pre>"


_BLOCKS: Final[Mapping[str, Callable[[Token], str]]] = {
    "fence": _fence,
    "heading_open": _heading,
    "heading_close": _heading,
    "table_open": lambda _: "<div class=scroll tabindex=0><table>",
    "table_close": lambda _: "</table></div>",
    "td_open": _cell,
    "th_open": _cell,
}


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    opened = 0
    for at, token in enumerate(tokens):
        if token.type == "link_open":  # links are not nested
            opened = at
        elif token.type == "link_close":
            label = "".join(part.content for part in tokens[opened + 1 : at])
            yield _target(label, tokens[opened].attrGet("href"))
        elif token.type == "image":
            yield escape(token.content) + _target(token.content, token.attrGet("src"))
        else:
            yield _INLINE.get(token.type, _tag)(token)


def _target(label: str, target: str | int | float | None) -> str:
    """What follows the text of a link."""
    if label == target:
        return ""
    return escape(f" ({target})" if label else f"{target}")


def _drawn(token: Token) -> str:
    """A formula as MathML, or as its text where it cannot be drawn."""
    drawn = drawn_formula(token.meta["tex"], token.content, is_block=token.meta["is_block"])
    return drawn or escape(token.content).replace("\n", "<br>")


_INLINE: Final[Mapping[str, Callable[[Token], str]]] = {
    "code_inline": lambda token: f"<code>{escape(token.content)}</code>",
    "formula": _drawn,
    "hardbreak": lambda _: "<br>",
    "softbreak": lambda _: "<br>",
    "text": lambda token: escape(token.content),
}
