"""Word documents and workbooks for the tests, sound ones and hostile ones."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import openpyxl  # type: ignore[import-untyped]

SHEET = "xl/worksheets/sheet1.xml"
BODY = "word/document.xml"


def word_document(*paragraphs: str, table: Sequence[Sequence[str]] = ()) -> bytes:
    """A Word document with these paragraphs, and a table after them."""
    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    if table:
        cells = document.add_table(len(table), len(table[0]))
        for at, row in enumerate(table):
            for cell, text in zip(cells.rows[at].cells, row, strict=True):
                cell.text = text
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def workbook(
    sheets: Mapping[str, Sequence[Sequence[Any]]], formats: Mapping[str, str] | None = None
) -> bytes:
    """A workbook with these rows in sheets of these names; ``formats`` of cells are of its first sheet."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    for cell, number_format in (formats or {}).items():
        book.worksheets[0][cell].number_format = number_format
    file = BytesIO()
    book.save(file)
    return file.getvalue()


BUDGET = workbook(
    {
        "Income": [
            ["Month", "Salary", "Raise", "Since"],
            ["January", 3000.1 + 0.2, 0.025, datetime.date(2024, 5, 1)],
        ],
        "Costs": [["Item", "Amount"], ["Rent", 900], ["Electricity", 71.9]],
    },
    formats={"C2": "0.0%"},
)


def changed(package: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """The package with one of its parts changed."""
    file = BytesIO()
    with ZipFile(BytesIO(package)) as archive, ZipFile(file, "w", ZIP_DEFLATED) as copy:
        for info in archive.infolist():
            content = archive.read(info)
            copy.writestr(info.filename, change(content) if info.filename == part else content)
    return file.getvalue()


def with_rows(rows: bytes) -> bytes:
    """A workbook whose first sheet has more rows, in XML."""
    return changed(BUDGET, SHEET, lambda xml: xml.replace(b"</sheetData>", rows + b"</sheetData>"))


def with_entities(package: bytes, part: str) -> bytes:
    """The package with a part that declares entities, each ten times as long as the one before."""
    names = "abcdefghi"
    entities = "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10 if before else "lol"}">'
        for before, name in zip(["", *names], names, strict=False)
    )
    declared = f"<!DOCTYPE x [{entities}]>".encode()

    def declare(xml: bytes) -> bytes:
        at = xml.index(b"?>") + 2 if xml.startswith(b"<?xml") else 0
        return xml[:at] + declared + xml[at:]

    return changed(package, part, declare)
