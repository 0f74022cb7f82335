"""The attachments of a chat request: stored files by id, and files inside of the JSON as base64 (contract
section 4).

Base64 is strict: the standard alphabet, padded, nothing in between. How large a file will be is told from
the length of its text before anything is decoded.
"""

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec

from finassist.application.chat import InlineFile
from finassist.application.chat.attachments.received import SentFile
from finassist.domain.chat.events import ATTACHMENTS_MAX, INLINE_BYTES_MAX
from finassist.domain.errors import FieldError
from finassist.domain.files.content import (
    FILE_BYTES_MAX,
    HEAD_BYTES,
    INLINE_RULES,
    MEDIA_TYPE_PATTERN,
    MEGABYTE,
    type_problems,
)
from finassist.domain.files.told_types import told_type
from finassist.domain.ids import ID_PATTERN
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.field_errors import REQUIRED

_PIECE: Final = MEGABYTE
"""Characters of base64 that are decoded at a time; four of them are three bytes."""

_HEAD: Final = -(-HEAD_BYTES // 3) * 4
"""Characters of base64 that a file's type is told by."""

_MEDIA_TYPE: Final = re.compile(MEDIA_TYPE_PATTERN)
_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_INLINE: Final = ("data", "mimeType", "filename")


class AttachmentBody(Body):
    """Either the id of an uploaded file, or a file itself: ``data`` (base64), ``mimeType``, ``filename``."""

    file_id: Annotated[str, msgspec.Meta(pattern=ID_PATTERN, max_length=24)] | None = None
    data: str | None = None
    mime_type: Annotated[str, msgspec.Meta(pattern=MEDIA_TYPE_PATTERN)] | None = None
    filename: Annotated[str, msgspec.Meta(min_length=1, max_length=1000, pattern=r"\S")] | None = None


Attachments = Annotated[list[AttachmentBody], msgspec.Meta(max_length=ATTACHMENTS_MAX)]


def wrong_attachments(_: AnyRequest, body: Mapping[str, Any]) -> Iterator[FieldError]:
    """What is wrong with the attachments beyond the types of their fields."""
    attachments = body.get("attachments")
    if not isinstance(attachments, list) or len(attachments) > ATTACHMENTS_MAX:
        return
    together = 0
    for index, attachment in enumerate(attachments):
        if isinstance(attachment, dict):
            name = f"attachments[{index}]"
            yield from _wrong_fields(attachment, name)
            if isinstance(data := attachment.get("data"), str):
                together += _decoded_size(data)
                yield from (FieldError(f"{name}.data", problem) for problem in _wrong_data(data))
    if together > INLINE_BYTES_MAX:
        limit = INLINE_BYTES_MAX // MEGABYTE
        yield FieldError("attachments", f"Inline attachments must have at most {limit} MB together.")


def wrong_contents(_: AnyRequest, body: Mapping[str, Any]) -> Iterator[FieldError]:
    """Which attachments are not what they are sent as, as far as their beginnings tell."""
    attachments = body.get("attachments")
    if not isinstance(attachments, list) or len(attachments) > ATTACHMENTS_MAX:
        return
    for index, sent in enumerate(attachments):
        data, mime_type, name = map(sent.get, _INLINE) if isinstance(sent, dict) else (None, None, None)
        if not (isinstance(data, str) and isinstance(mime_type, str)):
            continue
        if _MEDIA_TYPE.match(mime_type) and not any(_wrong_data(data)):  # else it is wrong already
            head, size = b64decode(data[:_HEAD]), _decoded_size(data)
            told = told_type(mime_type, name if isinstance(name, str) else "", head)
            yield from type_problems(told, head, size, rules=INLINE_RULES, field=f"attachments[{index}].data")


def _wrong_fields(attachment: Mapping[str, Any], name: str) -> Iterator[FieldError]:
    inline = [field for field in _INLINE if attachment.get(field) is not None]
    if attachment.get("fileId") is not None:
        if inline:
            yield FieldError(f"{name}.fileId", f"Must not be sent together with {', '.join(inline)}.")
    elif not inline:
        yield FieldError(name, "Must have a fileId, or data, mimeType and filename.")
    else:
        yield from (FieldError(f"{name}.{field}", REQUIRED) for field in _INLINE if field not in inline)


def _wrong_data(data: str) -> Iterator[str]:
    if _decoded_size(data) > FILE_BYTES_MAX:
        yield f"Must have at most {FILE_BYTES_MAX // MEGABYTE} MB."
    elif not data:
        yield "Must not be empty."
    elif not _is_base64(data):
        yield "Must be base64: the standard alphabet, padded, without white space."


def _decoded_size(data: str) -> int:
    return len(data) // 4 * 3 - data[-2:].count("=")


def _is_base64(data: str) -> bool:
    if len(data) % 4 or not data.isascii():
        return False
    padding = data[-2:].count("=")
    body = data[: len(data) - padding]
    if any(
        body[start : start + _PIECE].encode().translate(None, _ALPHABET)
        for start in range(0, len(body), _PIECE)
    ):
        return False
    try:
        last = b64decode(data[-4:], validate=True)
    except binascii.Error:
        return False
    return b64encode(last).decode() == data[-4:]  # no bits are hidden before the padding


def sent_files(
    attachments: Sequence[AttachmentBody] | None, *, when_decoded: Callable[[], None]
) -> Sequence[SentFile]:
    """The attachments, once they are checked. Takes the texts along: nobody else keeps them in memory.

    ``when_decoded`` is called when the last of the files in the request was decoded.
    """
    sent = attachments or ()
    left = sum(attachment.file_id is None for attachment in sent)

    def decoded() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            when_decoded()

    return tuple(_sent_file(attachment, decoded) for attachment in sent)


def _sent_file(attachment: AttachmentBody, when_decoded: Callable[[], None]) -> SentFile:
    if attachment.file_id is not None:
        return attachment.file_id
    data, attachment.data = attachment.data or "", None

    def pieces() -> Iterator[bytes]:
        nonlocal data
        text, data = data, ""  # taken once, so that the text can go
        for start in range(0, len(text), _PIECE):
            yield b64decode(text[start : start + _PIECE])
        when_decoded()

    return InlineFile(filename=attachment.filename or "", mime_type=attachment.mime_type or "", pieces=pieces)
