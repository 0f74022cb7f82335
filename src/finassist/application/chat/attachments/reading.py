"""Reading the files of messages for a model (docs/files.md)."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from finassist.application.chat.reply.prompt import CHARACTERS_PER_TOKEN
from finassist.application.chat.reply.quoted import delimited, visible
from finassist.application.ports.files import (
    DocumentReader,
    DocumentText,
    FileRepository,
    ImageEditor,
    ObjectStore,
    SpeechToText,
    Spool,
)
from finassist.application.ports.language_model import (
    FilePart,
    ImagePart,
    LanguageModel,
    ModelCapabilities,
    Part,
    PdfPart,
)
from finassist.domain.conversations.message import Attachment, Message, spoken
from finassist.domain.errors import FinassistError, ValidationFailed
from finassist.domain.files.content import FILE_BYTES_MAX, IMAGE_TYPES, MEGABYTE, FileKind
from finassist.domain.files.record import StoredFile
from finassist.domain.users import Caller

TEXT_TOKENS: Final = 8000
"""Limit for all attached text of a request together: an eighth of the window of a small current model."""

NATIVE_BYTES: Final = FILE_BYTES_MAX
"""Limit for all pictures and PDFs that a request carries unchanged: vendors take 32 MB of base64 and more."""

NATIVE_PAGES: Final = 50
"""Limit for all PDFs that a request carries unchanged; each page costs a model some 2,000 tokens."""

PICTURE_BYTES: Final = 3 * MEGABYTE
PICTURE_SIDE: Final = 2048
"""Pixels a side above which a picture is reduced for a model: vendors refuse 5 MB of base64, and scale down
larger pictures."""

EARLIER_FILES: Final = 5
"""How many files of earlier messages are read for a new question."""

_SENTENCE_END: Final = re.compile(r"(?<=[.!?…。])\s+")
_TAG: Final = re.compile(r"<(?=\s*/?\s*attachment\b)", re.IGNORECASE)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Room:
    """What the model can read, and how much still fits into one request to it; reading a file reduces it."""

    can: ModelCapabilities = field(default_factory=ModelCapabilities)
    characters: int = TEXT_TOKENS * CHARACTERS_PER_TOKEN
    native_bytes: int = NATIVE_BYTES
    native_pages: int = NATIVE_PAGES


@dataclass(frozen=True, slots=True)
class Material:
    """The files of one message as parts of a prompt. ``texts`` is what was read of documents, by file.
    ``remarks`` tell the user what was not read, ``room`` is what is left for the files of earlier messages.
    """

    parts: Sequence[Part] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    room: Room = field(default_factory=Room)


@dataclass(frozen=True, slots=True)
class _Shown:
    """One file as parts of a prompt; ``remark`` is for the user, when not all of it could be shown. ``text``
    is what was read of a document."""

    parts: Sequence[Part]
    remark: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFiles:
    """Read the files of a message for a model: pictures for a model that sees, PDFs for one that reads them,
    the text of documents and long recordings within a budget, and of anything else the name."""

    object_store: ObjectStore
    document_reader: DocumentReader
    image_editor: ImageEditor
    spool: Spool
    language_model: LanguageModel
    speech_to_text: SpeechToText | None

    async def __call__(
        self, caller: Caller, files: Sequence[StoredFile], transcripts: Mapping[int, str], model: str
    ) -> Material:
        """``transcripts`` are those of recordings, by their place among the files."""
        room = Room(can=self.language_model.capabilities_of(model))
        said = spoken(transcripts.values())
        shown = []
        for index, file in enumerate(files):
            share = room.characters // (len(files) - index)
            if index in transcripts:
                shown.append(_recording(file, room, share, transcripts[index], said))
            else:
                shown.append(await self.one(caller, file, room, share))
        return Material(
            parts=[part for each in shown for part in each.parts],
            texts={file.id: each.text for file, each in zip(files, shown, strict=True) if each.text},
            remarks=[each.remark for each in shown if each.remark is not None],
            room=room,
        )

    async def one(self, caller: Caller, file: StoredFile, room: Room, share: int) -> _Shown:
        """One file, with at most ``share`` characters of text."""
        if file.kind is FileKind.IMAGE:
            return await self._image(caller, file, room)
        if file.kind in (FileKind.PDF, FileKind.TEXT):
            return await self._document(caller, file, room, share)
        if file.kind is FileKind.AUDIO:
            remark = f"I cannot listen to recordings, so I have not heard {file.filename}."
            if self.speech_to_text is not None:
                remark = f"I could not listen to {file.filename}."
            return _Shown([named(file, "A recording, which you cannot hear.")], remark)
        return _Shown([named(file, "You cannot read it.")], f"I cannot read files like {file.filename}.")

    async def _image(self, caller: Caller, file: StoredFile, room: Room) -> _Shown:
        if not room.can.vision or file.mime_type not in IMAGE_TYPES:
            remark = f"I cannot look at pictures, so I have not seen {file.filename}."
            return _Shown([named(file, "A picture, which you cannot see.")], remark)
        content, mime_type = await self._content(file), file.mime_type
        if file.size > PICTURE_BYTES or max(file.width or 0, file.height or 0) > PICTURE_SIDE:
            try:
                content = await self.image_editor.reduced(content, side_max=PICTURE_SIDE, caller=caller)
            except ValidationFailed:
                return _Shown([named(file, "It could not be read.")], f"I could not read {file.filename}.")
            mime_type = "image/jpeg"
        if len(content) > room.native_bytes:
            remark = f"There were too many pictures and documents at once: I have not seen {file.filename}."
            return _Shown([named(file, "A picture, which you cannot see.")], remark)
        room.native_bytes -= len(content)
        return _Shown([named(file, "The picture that follows."), ImagePart(mime_type, content)])

    async def _document(self, caller: Caller, file: StoredFile, room: Room, share: int) -> _Shown:
        is_pdf = file.kind is FileKind.PDF
        try:
            text = await self._text_of(caller, file, share)
        except ValidationFailed:
            return _Shown([named(file, "It could not be read.")], f"I could not read {file.filename}.")
        if (
            is_pdf
            and room.can.pdf
            and text.page_count <= room.native_pages
            and file.size <= room.native_bytes
        ):
            room.native_pages -= text.page_count
            room.native_bytes -= file.size
            content = await self._content(file)
            pdf = PdfPart(file.filename, content)
            return _Shown([named(file, "The document that follows."), pdf], text=_in_one_line(text))
        if not any(page.strip() for page in text.pages):
            why = "; it may be a scan" if is_pdf else ""
            remark = f"I found no text in {file.filename}{why}."
            return _Shown([named(file, f"It has no text{why}.")], remark)
        room.characters -= sum(map(len, text.pages))
        part = FilePart(file.filename, _tagged_text(file, text), text.pages, text.labels)
        return _Shown([part], _cut(file, text) if text.cut else None, _in_one_line(text))

    async def _text_of(self, caller: Caller, file: StoredFile, share: int) -> DocumentText:
        async with self.spool.draft() as draft:
            async for piece in self.object_store.open(file.key):
                await draft.write(piece)
            await draft.finish()
            return await self.document_reader.text(
                draft.path, mime_type=file.mime_type, characters_max=max(1, share), caller=caller
            )

    async def _content(self, file: StoredFile) -> bytes:
        return b"".join([piece async for piece in self.object_store.open(file.key)])


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFiles:
    """Read the newest files of earlier messages again, as far as they fit into the request; the others, and
    deleted ones, are given by name only. When the store fails, the reply goes on without the files."""

    files: FileRepository
    read_files: ReadFiles

    async def __call__(
        self, caller: Caller, history: Sequence[Message], current: Sequence[Attachment], room: Room
    ) -> Mapping[str, Sequence[Part]]:
        """The ``caller`` owns the conversation: a file of anybody else's is as good as deleted. ``current``
        came with the question. Returns the parts by message id."""
        questions = [message for message in reversed(history) if message.attachments]
        ids = {attachment.file_id for message in questions for attachment in message.attachments}
        if not ids:
            return {}
        found = {file.id: file for file in await self.files.get_many(tuple(ids))}
        own = {file_id: file for file_id, file in found.items() if file.owner_id in caller.owner_ids}
        seen = {attachment.file_id for attachment in current}
        parts: dict[str, list[Part]] = {}
        left = EARLIER_FILES
        for message in questions:
            shown = parts.setdefault(message.id, [])
            for attachment in message.attachments:
                file = own.get(attachment.file_id)
                if file is None:
                    shown.append(named(attachment, "It was deleted since."))
                elif file.id in seen or left == 0 or room.characters <= 0:
                    shown.append(named(file, "It is not shown again here."))
                else:
                    left -= 1
                    seen.add(file.id)
                    shown += await self._again(caller, file, attachment.transcript, message, room)
        return parts

    async def _again(
        self, caller: Caller, file: StoredFile, transcript: str | None, message: Message, room: Room
    ) -> Sequence[Part]:
        if transcript is not None:
            said = spoken(each.transcript for each in message.attachments)
            return _recording(file, room, room.characters, transcript, said).parts
        try:
            return (await self.read_files.one(caller, file, room, room.characters)).parts
        except FinassistError as error:
            _log.warning("an earlier attachment could not be read again: %s", error.code)
            return [named(file, "It could not be read.")]


def named(file: StoredFile | Attachment, note: str) -> FilePart:
    """A file that is given by name only."""
    return FilePart(file.filename, _tagged(file, f"({note})"))


def _recording(file: StoredFile, room: Room, share: int, transcript: str, said: str) -> _Shown:
    """A recording that was transcribed: what its sender said (``spoken``) is a part of the message, and a
    longer one is shown like a document."""
    if not transcript:
        return _Shown([named(file, "A recording without words.")], f"I heard no words in {file.filename}.")
    if said:
        return _Shown([named(file, "A recording. What is said in it follows the text of the message.")])
    # A line for each sentence, so that a model that quotes finds single ones.
    lines = _SENTENCE_END.sub("\n", transcript)
    text = DocumentText(pages=[lines[:share]], page_count=1, cut=len(lines) > share)
    room.characters -= len(text.pages[0])
    part = FilePart(file.filename, _tagged_text(file, text), text.pages)
    return _Shown([part], _cut(file, text) if text.cut else None)


_LONG: Final = "{filename} is long: "


def without_cut(remarks: Sequence[str], filenames: Sequence[str]) -> Sequence[str]:
    """The remarks without that these files were cut: the tool for statements reads all of them."""
    beginnings = tuple(_LONG.format(filename=filename) for filename in filenames)
    return [remark for remark in remarks if not remark.startswith(beginnings)]


def _cut(file: StoredFile, text: DocumentText) -> str:
    read = "only a part" if text.labels else "only its beginning"
    if len(text.pages) < text.page_count:
        unit = text.labels[0].partition(" ")[0]
        read = f"only {len(text.pages)} of its {text.page_count} {unit}s"
    return f"{_LONG.format(filename=file.filename)}I have read {read}."


def _in_one_line(text: DocumentText) -> str:
    """The words of a document as they are searched, where the ends of lines mean nothing; without what a
    database refuses, which decoders of PDFs may give."""
    stored = visible("\n".join(text.pages)).replace("\0", " ").encode(errors="replace").decode()
    return " ".join(stored.split())


def _tagged_text(file: StoredFile, text: DocumentText) -> str:
    if not text.labels:
        return _tagged(file, _inert("\n".join(text.pages)))
    labelled = zip(text.labels, text.pages, strict=True)
    pages = (f"[{_inert(label)}]\n{_inert(page)}" for label, page in labelled)
    unit = text.labels[0].partition(" ")[0]
    return _tagged(file, "\n".join(pages), f' {unit}s="{text.page_count}"')


def _tagged(file: StoredFile | Attachment, text: str, more: str = "") -> str:
    # Names are safe (domain/files/record.py): there is nothing in them that could end the attribute.
    return delimited("attachment", text, f' name="{visible(file.filename)}" type="{file.mime_type}"{more}')


def _inert(text: str) -> str:
    """The text without tags like its own, and without what nobody sees; the rest is data and stays."""
    return _TAG.sub("(", visible(text))
