"""What a file is whose declared type says nothing of it (contract section 4)."""

import pytest

from finassist.domain.files.content import WORD, WORKBOOK
from finassist.domain.files.told_types import told_type
from tables import each_row

EXCEL = "application/vnd.ms-excel"
UNKNOWN = "application/octet-stream"
PNG = b"\x89PNG\r\n\x1a\n"
PDF = b"%PDF-1.7\n"
ZIP = b"PK\x03\x04\x14\x00"
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
TABLE = b"Item;Amount\nRent;900\n"


@each_row(
    ("declared", "filename", "head", "told"),
    [
        (EXCEL, "costs.csv", TABLE, "text/csv"),
        (UNKNOWN, "costs.csv", TABLE, "text/csv"),
        (UNKNOWN, "Costs.May.CSV ", b"Miete f\xfcr Mai;900", "text/csv"),
        (UNKNOWN, "costs.csv", "\ufeffItem;Amount".encode("utf-16-le"), "text/csv"),
        (UNKNOWN, "notes.md", b"# Costs", "text/markdown"),
        ("application/x-genesis-rom", "notes.md", b"# Costs", "text/markdown"),
        (UNKNOWN, "a.txt", b"Rent", "text/plain"),
        (UNKNOWN, "a.json", b"{}", "application/json"),
        (UNKNOWN, "a.htm", b"<p>", "text/html"),
        (UNKNOWN, "a.docx", ZIP, WORD),
        ("application/msword", "a.docx", ZIP, WORD),
        ("application/zip", "a.xlsx", ZIP, WORKBOOK),
        (EXCEL, "a.xlsx", ZIP, WORKBOOK),
        (UNKNOWN, "statement.pdf", PDF, "application/pdf"),
        ("application/x-download", "statement.pdf", PDF, "application/pdf"),
        (UNKNOWN, "no ending", PDF, "application/pdf"),
        (UNKNOWN, "bank.ofx", b"OFXHEADER:100\r\n", "application/x-ofx"),
        (UNKNOWN, "bank.QFX", b"OFXHEADER:100\r\n", "application/x-ofx"),
        (UNKNOWN, "bank.qif", b"!Type:Bank\r\n", "application/x-qif"),
        (UNKNOWN, "bank.sta", b":20:STARTUMSE\r\n", "application/x-mt940"),
        (UNKNOWN, "camt.xml", b'<?xml version="1.0"?>', "application/xml"),
        ("binary/octet-stream", "photo.png", PNG, "image/png"),
        ("APPLICATION/OCTET-STREAM; charset=binary", "photo", PNG, "image/png"),
    ],
)
def test_name_and_content_tell_the_type_where_the_declared_one_says_nothing(
    declared: str, filename: str, head: bytes, told: str
) -> None:
    assert told_type(declared, filename, head) == told


@each_row(
    ("declared", "filename", "head"),
    [
        (UNKNOWN, "costs.csv", ZIP),
        (UNKNOWN, "costs.csv", OLD_OFFICE),
        (UNKNOWN, "costs.csv", b"Item\0Amount"),
        (UNKNOWN, "a.docx", OLD_OFFICE),
        (UNKNOWN, "a.xlsx", TABLE),
        (UNKNOWN, "photo.png", b"Rent"),
        (UNKNOWN, "statement.pdf", ZIP),
        (UNKNOWN, "a.zip", ZIP),
        (UNKNOWN, "costs", TABLE),
        (UNKNOWN, "csv", TABLE),
        (EXCEL, "costs.xls", OLD_OFFICE),
        (EXCEL, "photo.jpg", PNG),
        ("application/zip", "statement.csv", PDF),
    ],
)
def test_a_name_that_the_content_contradicts_tells_nothing(declared: str, filename: str, head: bytes) -> None:
    assert told_type(declared, filename, head) == declared


@pytest.mark.parametrize(
    ("declared", "filename", "head"),
    [
        ("text/plain", "costs.csv", TABLE),
        ("image/jpeg", "photo.png", PNG),
        ("application/pdf", "photo.png", PNG),
        ("audio/mpeg", "costs.csv", TABLE),
        (WORD, "a.xlsx", ZIP),
        ("../../etc/passwd", "costs.csv", TABLE),
    ],
)
def test_a_declared_type_that_says_something_is_taken_at_its_word(
    declared: str, filename: str, head: bytes
) -> None:
    assert told_type(declared, filename, head) == declared
