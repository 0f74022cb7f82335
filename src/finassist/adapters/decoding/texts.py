"""Text files and web pages: their encoding and their text. Runs in a process of its own."""

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from finassist.adapters.decoding.wire import Refused

_NO_TEXT: Final = "Must be text."
_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TELLING: Final = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_TELLING_BYTES: Final = 64 * 1024
_LEGACY: Final = ("cp1252", "cp1250", "cp1251")
"""What exports of banks are in besides UTF-8: Western European, Central European and Cyrillic."""
_ASCII_END: Final = 0x80
_BLANKS: Final = re.compile(r"\s+")

_SKIPPED: Final = frozenset(("script", "style", "template", "noscript", "svg", "object", "iframe"))
_CELLS: Final = frozenset(("td", "th"))
_BLOCKS: Final = frozenset(
    "address article aside blockquote br caption dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table title tr ul".split()
)


def plain_text(content: bytes, characters_max: int) -> dict[str, Any]:
    """A text file as one page; the fields of ``DocumentText``. Raises Refused."""
    text = decoded(content)
    return {"pages": [text[:characters_max]], "page_count": 1, "cut": len(text) > characters_max}


def web_page_text(content: bytes, characters_max: int) -> dict[str, Any]:
    """The text of a web page as one page; the fields of ``DocumentText``. Nothing in it is run or loaded.
    Raises Refused."""
    from lxml import etree  # type: ignore[import-untyped]  # only web pages need it here

    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(decoded(content).encode(), parser)
    text, cut = joined(_lines(root, etree) if root is not None else (), characters_max)
    return {"pages": [text], "page_count": 1, "cut": cut}


def joined(lines: Iterable[str], characters_max: int) -> tuple[str, bool]:
    """The lines that are not blank, as far as they fit, and whether there were more."""
    kept: list[str] = []
    room = characters_max
    for line in lines:
        if not line or line.isspace():
            continue
        if len(line) > room:
            kept.append(line[: max(0, room)])
            return "\n".join(kept), True
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept), False


def row_line(cells: Iterable[str]) -> str:
    """The cells of a row of a table as one line."""
    shown = [" ".join(cell.split()) for cell in cells]
    while shown and not shown[-1]:
        shown.pop()
    return " | ".join(shown)


def decoded(content: bytes) -> str:
    """The text in UTF-8, UTF-16 with its mark, or the legacy encoding that fits best. Raises Refused."""
    try:
        encoding = "utf-16" if content.startswith(_BYTE_ORDER_MARKS) else "utf-8-sig"
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode(_legacy_encoding(content), "replace")
    if "\0" in text:
        raise Refused(_NO_TEXT)
    return text


def _legacy_encoding(content: bytes) -> str:
    """The encoding in which the text reads most like a language; Western European where nothing tells."""
    from charset_normalizer import from_bytes  # most files are UTF-8

    telling = b"\n".join(match[0] for match in _TELLING.finditer(content))[:_TELLING_BYTES]
    matches = from_bytes(telling, cp_isolation=list(_LEGACY))
    likeness = {name: match.coherence for match in matches for name in match.could_be_from_charset}
    if not likeness:
        raise Refused(_NO_TEXT)
    best = max(likeness, key=lambda name: (likeness[name], -_LEGACY.index(name)))
    is_mostly_ascii = 2 * sum(byte >= _ASCII_END for byte in telling) < len(telling)
    return _LEGACY[0] if not likeness[best] and is_mostly_ascii else best


def _lines(root: Any, etree: Any) -> Iterator[str]:
    line: list[str] = []
    walker = etree.iterwalk(root, events=("start", "end"))
    for event, element in walker:
        tag = element.tag
        if tag in _BLOCKS:
            yield _BLANKS.sub(" ", "".join(line)).strip()
            line = []
        if event == "end":
            line.append(element.tail or "")
        elif tag in _SKIPPED:
            walker.skip_subtree()
        else:
            if tag in _CELLS and any(map(str.strip, line)):
                line.append(" | ")
            line.append(element.text or "")
    yield _BLANKS.sub(" ", "".join(line)).strip()
