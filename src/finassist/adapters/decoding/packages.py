"""The archives that Word documents and workbooks are. Runs in a process of its own.

An archive is checked before a library opens it: how large it is unpacked, and that no part of it declares a
document type, which the format forbids and which could define entities.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final, NoReturn
from xml.parsers import expat
from zipfile import ZipFile

from finassist.adapters.decoding.wire import Refused
from finassist.domain.files.content import MEGABYTE, PARTS_MAX, UNPACKED_BYTES_MAX

_OLD_FORMAT: Final = b"\xd0\xcf\x11\xe0"
_OLD: Final = "Must not be encrypted or in the format of Office 2003 and before."
_ENCRYPTED: Final = "Must not be encrypted."
_NO_DTD: Final = "Must not declare a document type (DTD)."
_MANY_PARTS: Final = f"Must have at most {PARTS_MAX} parts."
_LARGE: Final = f"Must have at most {UNPACKED_BYTES_MAX // MEGABYTE} MB unpacked."
_BROKEN: Final = "Must be a whole {name}: this one is truncated or damaged."
_PIECE_BYTES: Final = 64 * 1024
_IS_ENCRYPTED: Final = 1


@contextmanager
def opened(content: bytes | Path, name: str) -> Iterator[BinaryIO]:
    """The file, checked. Whatever its reader stumbles over is a Refused that calls the file ``name``."""
    try:
        with BytesIO(content) if isinstance(content, bytes) else content.open("rb") as file:
            if file.read(len(_OLD_FORMAT)) == _OLD_FORMAT:
                raise Refused(_OLD)
            _require_harmless(file)
            file.seek(0)
            yield file
    except (Refused, MemoryError):
        raise
    except Exception as error:  # readers raise whatever a broken file makes them stumble over
        raise Refused(_BROKEN.format(name=name)) from error


def _require_harmless(file: BinaryIO) -> None:
    with ZipFile(file) as archive:
        parts = archive.infolist()
        if len(parts) > PARTS_MAX:
            raise Refused(_MANY_PARTS)
        # A part that is larger than the archive tells fails its checksum, or runs into the memory limit.
        if sum(part.file_size for part in parts) > UNPACKED_BYTES_MAX:
            raise Refused(_LARGE)
        if any(part.flag_bits & _IS_ENCRYPTED for part in parts):
            raise Refused(_ENCRYPTED)
        for part in parts:
            with archive.open(part) as opened:
                _require_no_document_type(opened.read(_PIECE_BYTES))


class _Root(Exception):
    """The first element of an XML file, before which a document type would have been."""


def _require_no_document_type(beginning: bytes) -> None:
    def refuse(*_: object) -> NoReturn:
        raise Refused(_NO_DTD)

    def stop(*_: object) -> NoReturn:
        raise _Root

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = stop
    try:
        parser.Parse(beginning, False)
    except (_Root, expat.ExpatError):  # not all parts are XML
        return
