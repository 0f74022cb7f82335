"""Bodies sent as ``multipart/form-data``: one file, and a text part ``data`` that holds the JSON of the rest.

A route takes them besides JSON when its ``opt`` has ``file_part``, the name of the file's part. The fields
of ``data`` are checked like a JSON body; the handler finds the file with ``sent_file``.
"""

from dataclasses import dataclass
from typing import Any, Final

from litestar import Request
from multipart import (  # type: ignore[import-untyped]
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
)

from finassist.domain.errors import FieldError, ValidationFailed

DATA_PART: Final = "data"
DATA_BYTES_MAX: Final = 64 * 1024

PARTS_MAX: Final = 16
BROKEN: Final = "The form is not valid multipart/form-data."
SENT_ONCE: Final = "Must be sent once."


@dataclass(frozen=True, slots=True)
class Form:
    """What a form brought; ``data`` is JSON that nobody has looked at yet."""

    data: bytes
    file: bytes | None


def sent_file(request: Request[Any, Any, Any]) -> bytes | None:
    """The file of the form that the request sent; None for a JSON body and a form without one."""
    file: bytes | None = request.scope["state"].get("file")
    return file


def read_form(boundary: str, body: bytes, file_part: str) -> Form:
    """Take a form apart; parts with other names are ignored. Raises ValidationFailed."""
    parts = _read_parts(boundary, body)
    errors = [FieldError(name, SENT_ONCE) for name in (DATA_PART, file_part) if len(parts.get(name, ())) > 1]
    data = parts.get(DATA_PART, [b"{}"])[0]
    if len(data) > DATA_BYTES_MAX:
        errors.append(FieldError(DATA_PART, "Must have at most 64 KB."))
    if errors:
        raise ValidationFailed(errors)
    return Form(data=data, file=parts.get(file_part, [None])[0])


def _read_parts(boundary: str, body: bytes) -> dict[str, list[bytes]]:
    parts: dict[str, list[bytes]] = {}
    name = ""
    pieces: list[bytes] = []
    try:
        with PushMultipartParser(boundary, max_segment_count=PARTS_MAX) as parser:
            for event in parser.parse(body):
                if isinstance(event, MultipartSegment):
                    name, pieces = event.name, []
                elif event is None:
                    parts.setdefault(name, []).append(b"".join(pieces))
                else:
                    pieces.append(event)
    except (MultipartError, UnicodeError) as error:
        raise ValidationFailed.of("body", BROKEN) from error
    return parts
