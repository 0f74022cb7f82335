"""The format of an export, told by how it begins and by its type, and its transactions."""

import re
from pathlib import Path
from typing import Final

from finassist.adapters.decoding.statements.camt import camt_statement
from finassist.adapters.decoding.statements.delimited import delimited_statement
from finassist.adapters.decoding.statements.mt940 import mt940_statement
from finassist.adapters.decoding.statements.ofx import ofx_statement
from finassist.adapters.decoding.statements.qif import qif_statement
from finassist.adapters.decoding.texts import decoded
from finassist.adapters.decoding.wire import Refused
from finassist.domain.files.content import WORKBOOK
from finassist.domain.statements.record import ROWS_MAX, Statement

_BEGINNING: Final = 4096
_OFX: Final = re.compile(
    r"\s*(?:OFXHEADER\s*:|<\?xml[^>]*\?>\s*(?:<\?OFX[^>]*\?>\s*)?<OFX|<\?OFX|<OFX>)", re.IGNORECASE
)
_QIF: Final = re.compile(r"\s*!(?:Type|Account|Option)\b", re.IGNORECASE)
_MT940: Final = re.compile(r"(?:^|\n):20:[\s\S]*\n:(?:25|28C?|60[FM]):")
_CAMT: Final = re.compile(r"<(?:\w+:)?Document\b[^>]*camt\.05[234]", re.DOTALL)
_MANY: Final = f"Must have at most {ROWS_MAX:,} rows."
_TABLES: Final = frozenset(("text/csv", "text/tab-separated-values", "text/plain", "application/csv"))


def statement_in(content: bytes | Path, mime_type: str) -> Statement | None:
    """The transactions of a file; None for one that is no statement. Raises Refused."""
    statement = _read(content, mime_type)
    if statement is not None and statement.rows > ROWS_MAX:
        raise Refused(_MANY)
    return statement


def _read(content: bytes | Path, mime_type: str) -> Statement | None:
    if mime_type == WORKBOOK:
        from finassist.adapters.decoding.statements.sheets import workbook_statement  # slow to import

        return workbook_statement(content)
    if mime_type == "application/pdf":
        from finassist.adapters.decoding.statements.pages import document_statement

        return document_statement(content)
    raw = content if isinstance(content, bytes) else content.read_bytes()
    text = decoded(raw)
    beginning = text[:_BEGINNING]
    if _OFX.match(beginning):
        return ofx_statement(text)
    if _QIF.match(beginning):
        return qif_statement(text)
    if _MT940.search(beginning):
        return mt940_statement(text)
    if _CAMT.search(beginning):
        return camt_statement(raw)
    return delimited_statement(text) if mime_type in _TABLES else None
