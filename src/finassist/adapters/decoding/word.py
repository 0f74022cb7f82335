"""Word documents, with python-docx. Runs in a process of its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import docx
from docx.oxml.ns import qn
from lxml import etree  # type: ignore[import-untyped]

from finassist.adapters.decoding.packages import opened
from finassist.adapters.decoding.texts import joined, row_line

_PARAGRAPH, _RUN = qn("w:p"), qn("w:r")
_TABLE, _ROW, _CELL = qn("w:tbl"), qn("w:tr"), qn("w:tc")
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def word_text(content: bytes | Path, characters_max: int) -> dict[str, Any]:
    """The text of a Word document as one page; the fields of ``DocumentText``. Headers, footnotes, comments
    and what was deleted with changes tracked are left out. Raises Refused."""
    with opened(content, "Word document") as file:
        body = docx.Document(file).element.body
        etree.strip_elements(body, _FALLBACK, with_tail=False)  # repeats its text for older programs
        text, cut = joined(_paragraphs(body), characters_max)
    return {"pages": [text], "page_count": 1, "cut": cut}


def _paragraphs(parent: Any) -> Iterator[str]:
    for child in parent.iterchildren(tag=etree.Element):
        if child.tag == _PARAGRAPH:
            yield "".join(run.text for run in child.iter(_RUN))
        elif child.tag == _TABLE:
            for row in _inner(child, _ROW):
                yield row_line(" ".join(_paragraphs(cell)) for cell in _inner(row, _CELL))
        else:
            yield from _paragraphs(child)


def _inner(parent: Any, tag: str) -> Iterator[Any]:
    """The rows of a table or the cells of a row, without those of a table in them."""
    for child in parent.iterchildren(tag=etree.Element):
        if child.tag == tag:
            yield child
        elif child.tag != _TABLE:
            yield from _inner(child, tag)
