"""Files sent as ``multipart/form-data``, written to disk while they are received (contract sections 1 and
10).

A form has one part with the file and may have a text part beside it, in either of two spellings. Only the
current pieces are in memory, however large the file is.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from litestar.exceptions import ClientException, HTTPException, InternalServerException
from multipart import (  # type: ignore[import-untyped]
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
)

from finassist.application.files.records import ReceivedFile
from finassist.application.ports.files import Draft, Spool
from finassist.domain.errors import FieldError, ValidationFailed
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.field_errors import REQUIRED
from finassist.entrypoints.http.requests.forms import BROKEN, PARTS_MAX, SENT_ONCE

_TEXT_BYTES_MAX: Final = 1024
_TOO_LONG: Final = "Is too long."


@dataclass(slots=True)
class UploadForm:
    """The content of a form. ``errors`` is what is wrong with it; ``file`` is None when there was none.
    ``text_part`` is the name under which the text was sent."""

    file: ReceivedFile | None = None
    text: str | None = None
    text_part: str = ""
    errors: list[FieldError] = field(default_factory=list)


@asynccontextmanager
async def receive_upload(
    request: AnyRequest,
    spool: Spool,
    *,
    file_part: str,
    text_parts: tuple[str, str],
    bytes_max: int,
) -> AsyncIterator[UploadForm]:
    """Receive a form; its file is on disk until the context ends. ``text_parts`` are the two spellings of the
    text part; other parts are ignored.

    Of a file over ``bytes_max`` no more is kept than tells so, but all of it is read: the route's own cap
    comes first (413). Raises ValidationFailed for a malformed form, and 415 for another body.
    """
    media_type, options = request.content_type
    if media_type != "multipart/form-data":
        raise HTTPException(status_code=415, detail="The body must be sent as multipart/form-data.")
    async with spool.draft() as draft:
        reading = _Reading(draft, file_part, text_parts, bytes_max)
        try:
            with PushMultipartParser(options.get("boundary", ""), max_segment_count=PARTS_MAX) as parser:
                async for piece in request.stream():
                    if piece:
                        for event in parser.parse(piece):
                            await reading.take(event)
        except (MultipartError, UnicodeError) as error:
            raise ValidationFailed.of("body", BROKEN) from error
        except InternalServerException as error:
            raise ClientException("The request ended before its body was complete.") from error
        await draft.finish()
        yield reading.form()


class _Reading:
    """The parts of a form as they come."""

    def __init__(self, draft: Draft, file_part: str, text_parts: tuple[str, str], bytes_max: int) -> None:
        self._draft = draft
        self._file_part = file_part
        self._bytes_max = bytes_max
        self._times = dict.fromkeys((file_part, *text_parts), 0)
        self._part: MultipartSegment | None = None
        self._file: MultipartSegment | None = None
        self._texts = {name: bytearray() for name in text_parts}

    async def take(self, event: MultipartSegment | bytes | None) -> None:
        """The beginning of a part, a piece of it, or (None) its end."""
        if isinstance(event, MultipartSegment):
            self._part = event
            if event.name in self._times:
                self._times[event.name] += 1
            if event.name == self._file_part and self._file is None:
                self._file = event
        elif event is not None and self._part is not None:
            if self._part is self._file:
                if self._draft.size <= self._bytes_max:
                    await self._draft.write(event)
            elif (text := self._texts.get(self._part.name)) is not None and len(text) <= _TEXT_BYTES_MAX:
                text += event

    def form(self) -> UploadForm:
        """The content of the form, once all of it was received."""
        form = UploadForm()
        form.errors = [FieldError(name, SENT_ONCE) for name, times in self._times.items() if times > 1]
        for name in self._texts:
            if self._times[name]:
                self._read_text(name, form)
        if self._file is None:
            form.errors.append(FieldError(self._file_part, REQUIRED))
        else:
            form.file = ReceivedFile(
                path=self._draft.path,
                filename=self._file.filename or "",
                declared_type=self._file.content_type,
            )
        return form

    def _read_text(self, name: str, form: UploadForm) -> None:
        if len(self._texts[name]) > _TEXT_BYTES_MAX:
            form.errors.append(FieldError(name, _TOO_LONG))
            return
        try:
            text = self._texts[name].decode()
        except UnicodeDecodeError:
            form.errors.append(FieldError(name, "Must be valid UTF-8."))
            return
        if form.text is None:
            form.text, form.text_part = text, name
        elif form.text != text:
            form.errors.append(FieldError(name, f"Must not differ from {form.text_part}."))
