"""What an attachment is whose declared type says nothing of it (contract section 4).

Senders take the type from their system, which may know none (``application/octet-stream``) or names the
program that opens the file: CSV is ``application/vnd.ms-excel`` where Excel is installed, a Word document may
be ``application/zip``. So where nothing of the declared type can be read, the content and the name's ending
decide, when they agree.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from finassist.domain.files.content import WORD, WORKBOOK, FileKind, kind_of, normal_type, type_by_content

_UNKNOWN: Final = frozenset(("application/octet-stream", "binary/octet-stream"))
"""What is declared of a file that may be anything."""

_ARCHIVE: Final = b"PK\x03\x04"
_BYTE_ORDER_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_NOT_IN_TEXT: Final = bytes((*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))
"""The binary data bytes of https://mimesniff.spec.whatwg.org."""

_TYPE_OF_ENDING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "txt": "text/plain",
        "csv": "text/csv",
        "tsv": "text/tab-separated-values",
        "md": "text/markdown",
        "markdown": "text/markdown",
        "json": "application/json",
        "html": "text/html",
        "htm": "text/html",
        "xml": "application/xml",
        "ofx": "application/x-ofx",
        "qfx": "application/x-ofx",
        "qif": "application/x-qif",
        "sta": "application/x-mt940",
        "mt940": "application/x-mt940",
        "940": "application/x-mt940",
        "docx": WORD,
        "xlsx": WORKBOOK,
        "pdf": "application/pdf",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "png": "image/png",
        "gif": "image/gif",
        "webp": "image/webp",
    }
)


def told_type(declared_type: str, filename: str, head: bytes) -> str:
    """The type of a file that was sent as ``declared_type`` and begins with ``head``: the declared one,
    unless nothing of that type can be read, and content and name tell another one."""
    try:
        declared = normal_type(declared_type)
    except ValueError:
        return declared_type
    if kind_of(declared) is not FileKind.OTHER:
        return declared_type
    found = type_by_content(head)
    named = _TYPE_OF_ENDING.get(_ending(filename))
    if found is not None:
        return found if found == named or declared in _UNKNOWN else declared_type
    return named if named is not None and _may_be(named, head) else declared_type


def _ending(filename: str) -> str:
    _, dot, ending = filename.strip().rpartition(".")
    return ending.lower() if dot else ""


def _may_be(named: str, head: bytes) -> bool:
    """Whether a file that begins so may be of the type that its name tells. Pictures and PDFs, which are
    recognised by content, may not."""
    if named in (WORD, WORKBOOK):
        return head.startswith(_ARCHIVE)
    if kind_of(named) is not FileKind.TEXT:
        return False
    return head.startswith(_BYTE_ORDER_MARKS) or len(head) == len(head.translate(None, _NOT_IN_TEXT))
