"""Markdown as models write it, as HTML: headings, lists, tables, code, bold and italic.

Everything is escaped first, and only tags of this module come out. Links are shown as text with their
address behind it, and images as their address: a page that anybody can publish sends nobody elsewhere.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final

_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_HEADING = re.compile(r"^ {0,3}(#{1,6}) +(.*)$")
_RULE = re.compile(r"^ {0,3}(?:-{3,}|\*{3,}|_{3,}) *$")
_BULLET = re.compile(r"^ {0,9}[-*+] +(.*)$")
_NUMBERED = re.compile(r"^ {0,9}\d{1,9}[.)] +(.*)$")
_QUOTE = re.compile(r"^ {0,3}> ?(.*)$")
_TABLE_RULE_CELL = re.compile(r":?-+:?")

_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\(([^()\s]{1,2000})\)")
_BOLD = re.compile(
    r"(?<![\w*])\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*(?![\w*])|(?<!\w)__(?=\S)([^_\n]+?)(?<=\S)__(?!\w)"
)
_ITALIC = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)")

_MARKERS: Final = frozenset("`~#-*_+>0123456789")
"""What a block that is no paragraph and no table begins with."""

_HEADING_BELOW: Final = 2
"""A reply's headings stand below the page's and the message's own."""


def render_markdown(text: str) -> str:
    """The text as HTML."""
    return "".join(_blocks(text.splitlines()))


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        html, at = _block(lines, at) or _paragraph(lines, at)
        yield html


def _block(lines: Sequence[str], at: int) -> tuple[str, int] | None:
    """What begins at a line and is no paragraph, and where it ends."""
    line = lines[at].lstrip()
    if line[0] not in _MARKERS and "|" not in line:
        return None
    return next((made for read in _READERS if (made := read(lines, at)) is not None), None)


def _code_block(lines: Sequence[str], at: int) -> tuple[str, int] | None:
    fence = _FENCE.match(lines[at])
    if fence is None:
        return None
    end = at + 1
    while end < len(lines) and not lines[end].lstrip().startswith(fence[1]):
        end += 1
    code = escape("\n".join(lines[at + 1 : end]))
    return f"<pre><code>{code}</code></pre>", end + 1


def _heading(lines: Sequence[str], at: int) -> tuple[str, int] | None:
    heading = _HEADING.match(lines[at])
    if heading is None:
        return None
    level = min(6, len(heading[1]) + _HEADING_BELOW)
    return f"<h{level}>{_inline(heading[2].rstrip(' #'))}</h{level}>", at + 1


def _rule(lines: Sequence[str], at: int) -> tuple[str, int] | None:
    return ("<hr>", at + 1) if _RULE.match(lines[at]) else None


def _table(lines: Sequence[str], at: int) -> tuple[str, int] | None:
    if "|" not in lines[at] or at + 1 == len(lines) or not _is_table_rule(lines[at + 1]):
        return None
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    head = "".join(f"<th>{_inline(cell)}</th>" for cell in _cells(lines[at]))
    rows = "".join(
        f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in _cells(line))}</tr>"
        for line in lines[at + 2 : end]
    )
    return f"<div class=wide><table><tr>{head}</tr>{rows}</table></div>", end


def _is_table_rule(line: str) -> bool:
    """Whether a line is the one between a table's head and its rows."""
    return "|" in line and all(map(_TABLE_RULE_CELL.fullmatch, _cells(line)))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _list_of(tag: str, item: re.Pattern[str]) -> Callable[[Sequence[str], int], tuple[str, int] | None]:
    def read(lines: Sequence[str], at: int) -> tuple[str, int] | None:
        items: list[list[str]] = []
        while at < len(lines) and lines[at].strip():
            if (match := item.match(lines[at])) is not None:
                items.append([match[1]])
            elif items and lines[at].startswith(" "):
                items[-1].append(lines[at].strip())
            else:
                break
            at += 1
        if not items:
            return None
        return f"<{tag}>{''.join(f'<li>{_inline(chr(10).join(item))}</li>' for item in items)}</{tag}>", at

    return read


def _quote(lines: Sequence[str], at: int) -> tuple[str, int] | None:
    quoted: list[str] = []
    while at < len(lines) and (match := _QUOTE.match(lines[at])) is not None:
        quoted.append(match[1])
        at += 1
    return (f"<blockquote><p>{_inline(chr(10).join(quoted))}</p></blockquote>", at) if quoted else None


def _paragraph(lines: Sequence[str], at: int) -> tuple[str, int]:
    end = at + 1
    while end < len(lines) and lines[end].strip() and _block(lines, end) is None:
        end += 1
    return f"<p>{_inline(chr(10).join(lines[at:end]))}</p>", end


_READERS: Final[Sequence[Callable[[Sequence[str], int], tuple[str, int] | None]]] = (
    _code_block,
    _heading,
    _rule,
    _table,
    _list_of("ul", _BULLET),
    _list_of("ol", _NUMBERED),
    _quote,
)


def _inline(text: str) -> str:
    """Escaped, with code, bold and italic; what is code stays as it is."""
    if "`" not in text:
        return _styled(text).replace("\n", "<br>")
    pieces = _CODE.split(text)
    return "".join(
        f"<code>{escape(piece)}</code>" if index % 2 else _styled(piece) for index, piece in enumerate(pieces)
    ).replace("\n", "<br>")


def _styled(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(lambda link: f"{link[1]} ({link[2]})" if link[1] else link[2], text)
    text = escape(text)
    if "**" in text or "__" in text:
        text = _BOLD.sub(lambda bold: f"<strong>{bold[1] or bold[2]}</strong>", text)
    if "*" in text or "_" in text:
        text = _ITALIC.sub(lambda italic: f"<em>{italic[1] or italic[2]}</em>", text)
    return text
