"""PDFs, with pdfium. Runs in a process of its own.

Pages are read and nothing else: no form is filled, no script run, no attachment opened. pdfium mends a
broken cross-reference table by looking for the objects; what it can read after that is accepted.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import pypdfium2 as pdfium  # type: ignore[import-untyped]
from pypdfium2 import raw

from finassist.adapters.decoding.wire import Refused
from finassist.domain.files.content import PDF_PAGES_MAX

_ENCRYPTED: Final = "Must not be encrypted."
_BROKEN: Final = "Must be a whole PDF: this one is truncated or damaged."
_NOT_ENCRYPTED: Final = -1

# pdfium marks a hyphen at the end of a line with these; the others end no line.
_DROPPED: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])


def inspect_document(content: bytes | Path) -> int:
    """How many pages there are. Raises Refused for a file that cannot be read, and for too many pages."""
    with _opened(content) as document:
        for number in {0, len(document) - 1}:
            with closing(document[number]):
                pass
        return len(document)


def document_text(content: bytes | Path, characters_max: int) -> dict[str, Any]:
    """The text of the pages from the first on, as far as it fits; the fields of ``DocumentText``."""
    pages: list[str] = []
    room = characters_max
    with _opened(content) as document:
        while room > 0 and len(pages) < len(document):
            text = _page_text(document, len(pages), room + 1)
            pages.append(text[:room])
            room -= len(text)
        cut = room < 0 or len(pages) < len(document)
        labels = [f"page {number}" for number in range(1, len(pages) + 1)]
        return {"pages": pages, "page_count": len(document), "cut": cut, "labels": labels}


def _page_text(document: pdfium.PdfDocument, number: int, characters_max: int) -> str:
    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as textpage:
            count = min(textpage.count_chars(), characters_max)
            text: str = textpage.get_text_range(0, count) if count > 0 else ""
    except pdfium.PdfiumError:  # one page that cannot be read spoils no other
        return ""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_DROPPED).strip()


@contextmanager
def _opened(content: bytes | Path) -> Iterator[pdfium.PdfDocument]:
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        locked = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        raise Refused(_ENCRYPTED if locked else _BROKEN) from error
    with closing(document):
        # One that opens without a password is encrypted all the same.
        if raw.FPDF_GetSecurityHandlerRevision(document.raw) != _NOT_ENCRYPTED:
            raise Refused(_ENCRYPTED)
        if not len(document):
            raise Refused(_BROKEN)
        if len(document) > PDF_PAGES_MAX:
            raise Refused(f"Must have at most {PDF_PAGES_MAX} pages.")
        try:
            yield document
        except pdfium.PdfiumError as error:
            raise Refused(_BROKEN) from error
