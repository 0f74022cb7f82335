"""Bodies sent as ``multipart/form-data``: one file, and the fields of the JSON body.

A route takes them besides JSON when its ``opt`` has ``file_part``, the name of the file's part. The fields
are the JSON text of a part ``data`` or, when the ``opt`` has ``text_parts``, text parts of these names; an
empty one is no field. They are checked like a JSON body; the handler finds the file with ``sent_file``.

The whole form is in memory, so a route that takes it caps its body at what a picture needs; larger files are
received on disk (``uploads``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from multipart import (  # type: ignore[import-untyped]
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
)

from finassist.domain.errors import FieldError, ValidationFailed
from finassist.entrypoints.http.requests.any_request import AnyRequest

DATA_PART: Final = "data"
DATA_BYTES_MAX: Final = 64 * 1024

PARTS_MAX: Final = 16
BROKEN: Final = "The form is not valid multipart/form-data."
SENT_ONCE: Final = "Must be sent once."


@dataclass(frozen=True, slots=True)
class Form:
    """The content of a form; ``data`` is JSON that is not parsed yet."""

    data: bytes
    file: bytes | None


def sent_file(request: AnyRequest) -> bytes | None:
    """The file of the form that the request sent; None for a JSON body and a form without one."""
    file: bytes | None = request.scope["state"].get("file")
    return file


def read_form(boundary: str, body: bytes, file_part: str, text_parts: Sequence[str] = ()) -> Form:
    """Take a form apart; parts with other names are ignored. Raises ValidationFailed."""
    parts = _read_parts(boundary, body)
    names = text_parts or (DATA_PART,)
    errors = [FieldError(name, SENT_ONCE) for name in (*names, file_part) if len(parts.get(name, ())) > 1]
    # An empty text part is a field that was left out; empty JSON is no JSON.
    sent = {name: parts[name][0] for name in names if name in parts and (parts[name][0] or not text_parts)}
    errors += [
        FieldError(name, "Must have at most 64 KB.")
        for name, part in sent.items()
        if len(part) > DATA_BYTES_MAX
    ]
    if not errors and text_parts:
        errors += (
            FieldError(name, "Must be valid UTF-8.") for name, part in sent.items() if not _is_text(part)
        )
    if errors:
        raise ValidationFailed(errors)
    data = _as_json(sent) if text_parts else parts.get(DATA_PART, [b"{}"])[0]
    return Form(data=data, file=parts.get(file_part, [None])[0])


async def read_url_form(request: AnyRequest) -> Mapping[str, str]:
    """The fields of a form that came URL-encoded; of a repeated one the last. Bytes that are no UTF-8 are
    replaced."""
    body = (await request.body()).decode("utf-8", "replace")
    return dict(parse_qsl(body, keep_blank_values=True, errors="replace"))


def _is_text(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_json(sent: Mapping[str, bytes]) -> bytes:
    return msgspec.json.encode({name: part.decode() for name, part in sent.items()})


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
