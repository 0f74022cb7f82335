"""The archive of an export: which entries there are, and in which order (docs/privacy.md).

The records come in the order in which they explain each other. A file that cannot be read is listed in
``MISSING.txt``. When the database fails in the middle, the response breaks off and the archive has no end,
which every program detects.
"""

from collections.abc import AsyncIterator
from typing import Final

import msgspec

from finassist.application.data_export import OwnedRecords
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message, MessageStatus, Role, Source, ToolCall
from finassist.domain.errors import NotFound, StorageError
from finassist.domain.files.record import StoredFile, safe_filename
from finassist.entrypoints.http.data_export.archive import ArchiveWriter
from finassist.entrypoints.http.data_export.records import (
    exported_answers,
    exported_audit,
    exported_conversation,
    exported_corrections,
    exported_device,
    exported_file,
    exported_message,
    exported_share,
    exported_sign_in_address,
    exported_user,
)
from finassist.entrypoints.http.responses.envelope import View

_AVATAR: Final = "avatar.webp"
_MESSAGES_IN_TWO_GIBIBYTES: Final = 10_000
_NAMED_MISSING_MAX: Final = 1000
_TITLE_IN_NAME_MAX: Final = 60
_SPEAKER: Final = {Role.USER: "You", Role.ASSISTANT: "Assistant"}

README: Final = """\
This archive contains your data at the service. It was made on {now}.

profile.json          your profile, your preferences and your free messages
profile-answers.json  your answers to profile questions
payee-categories.json what you count payments in bank statements as
conversations.json    your conversations, except those that you deleted (see below)
messages.json         all messages of those conversations, with sources, calculations and your feedback
transcripts/          the same conversations to read, one Markdown file each
files.json, files/    the files that you uploaded or sent with a message; the text in files.json is what the
                      search of your conversations finds of them
avatar.webp           your picture, if you uploaded one
shares.json           the links that you made
devices.json          the devices on which you are signed in
sign-in-addresses.json
                      when you signed in with your password from a new network address, and when last;
                      the addresses themselves are kept in a form that nobody can read
audit.json            your sign-ins, and attempts that failed, changes of your password and the like: when,
                      from which network address, with which result
MISSING.txt           only when a file could not be read; lists these files; export again later

JSON files are UTF-8. Times are UTC. Ids are the same in all files: conversationId in messages.json is
the id in conversations.json, and fileId of an attachment is the id in files.json.

Conversations that you deleted are not in this archive. Nobody can open them any more, including you, but
the service keeps them, hidden, until all your data is erased. Files that you sent in them are in files/,
as long as you have not deleted the files, and links to them are in shares.json, revoked.

Questions that you edited, and what came after them, are kept as well. {superseded}
"""

_SUPERSEDED: Final = 'They are in this archive, with the status "superseded" in messages.json.'
_WITHOUT_SUPERSEDED: Final = "They are not in this archive: ask for it with include=superseded to get them."


class Export:
    """One export, to be read once."""

    def __init__(self, owned: OwnedRecords) -> None:
        self._owned = owned
        self._archive = ArchiveWriter()
        self._now = owned.clock.now()
        self._messages = 0
        self._missing: list[str] = []

    @property
    def filename(self) -> str:
        """The file name of the archive."""
        return f"finassist-export-{self._now.date().isoformat()}.zip"

    async def pieces(self) -> AsyncIterator[bytes]:
        """The archive."""
        async for piece in self._entries():
            if piece:
                yield piece
        yield self._archive.finish()

    async def _entries(self) -> AsyncIterator[bytes]:
        owned = self._owned
        superseded = _SUPERSEDED if owned.with_superseded else _WITHOUT_SUPERSEDED
        readme = README.format(now=self._now.strftime("%Y-%m-%d %H:%M UTC"), superseded=superseded)
        for name, content in (
            ("README.txt", readme.encode()),
            ("profile.json", _pretty(exported_user(owned))),
            ("profile-answers.json", _pretty(exported_answers(owned))),
            ("payee-categories.json", _pretty(exported_corrections(owned))),
        ):
            async for piece in self._add(name, _one(content)):
                yield piece
        for entries in (
            self._add("conversations.json", _array(self._conversations())),
            self._message_list(),
            self._transcripts(),
            self._add("files.json", _array(self._file_records())),
            self._files(),
            self._avatar(),
            self._add(
                "shares.json", _array(exported_share(each, owned) async for each in owned.walk_shares())
            ),
            self._add("devices.json", _array(exported_device(each) async for each in owned.walk_devices())),
            self._add("sign-in-addresses.json", _array(self._sign_in_addresses())),
            self._add("audit.json", _array(exported_audit(each) async for each in owned.walk_audit())),
            self._missing_files(),
        ):
            async for piece in entries:
                yield piece

    def _add(self, name: str, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        return self._archive.add(name, pieces, modified_at=self._now)

    async def _conversations(self) -> AsyncIterator[View]:
        async for conversation in self._owned.walk_conversations():
            self._messages += conversation.message_count
            yield exported_conversation(conversation)

    async def _sign_in_addresses(self) -> AsyncIterator[View]:
        for address in self._owned.sign_in_addresses:
            yield exported_sign_in_address(address)

    async def _message_list(self) -> AsyncIterator[bytes]:
        # Only now is it known how many there are.
        huge = self._messages > _MESSAGES_IN_TWO_GIBIBYTES
        async for piece in self._archive.add(
            "messages.json", _array(self._all_messages()), modified_at=self._now, may_be_huge=huge
        ):
            yield piece

    async def _all_messages(self) -> AsyncIterator[View]:
        async for conversation in self._owned.walk_conversations():
            async for message in self._owned.walk_messages(conversation.id):
                yield exported_message(message)

    async def _transcripts(self) -> AsyncIterator[bytes]:
        async for conversation in self._owned.walk_conversations():
            pieces = _transcript(conversation, self._owned.walk_messages(conversation.id))
            async for piece in self._archive.add(
                _transcript_name(conversation), pieces, modified_at=conversation.updated_at
            ):
                yield piece

    async def _file_records(self) -> AsyncIterator[View]:
        async for file in self._owned.walk_files():
            yield exported_file(file, _path_of(file), await self._owned.text_of(file))

    async def _files(self) -> AsyncIterator[bytes]:
        async for file in self._owned.walk_files():
            content = _Content(self._owned, file.key)
            if await content.is_there():
                async for piece in self._archive.add(
                    _path_of(file), content.pieces(), modified_at=file.created_at, compress=False
                ):
                    yield piece
            if content.size != file.size:
                self._missing.append(f"{_path_of(file)}: {content.size} of {file.size} bytes could be read")

    async def _avatar(self) -> AsyncIterator[bytes]:
        if self._owned.user.avatar_key is None:
            return
        content = _Content(self._owned, self._owned.user.avatar_key)
        if await content.is_there():
            async for piece in self._archive.add(
                _AVATAR, content.pieces(), modified_at=self._now, compress=False
            ):
                yield piece
        if content.failed:
            self._missing.append(f"{_AVATAR}: {content.size} bytes could be read")

    async def _missing_files(self) -> AsyncIterator[bytes]:
        if self._missing:
            lines = self._missing[:_NAMED_MISSING_MAX]
            if (more := len(self._missing) - len(lines)) > 0:
                lines.append(f"and {more} more")
            async for piece in self._add("MISSING.txt", _one("\n".join([*lines, ""]).encode())):
                yield piece


class _Content:
    """A file's content as far as it can be read. ``size`` is how many bytes were read."""

    def __init__(self, owned: OwnedRecords, key: str) -> None:
        self._content = owned.open_file(key)
        self._first = b""
        self.size = 0
        self.failed = False

    async def is_there(self) -> bool:
        """Whether there is anything to read: asked before the archive names it."""
        try:
            self._first = await anext(self._content, b"")
        except (NotFound, StorageError):
            self.failed = True
        return not self.failed

    async def pieces(self) -> AsyncIterator[bytes]:
        """What can be read."""
        self.size += len(self._first)
        yield self._first
        try:
            async for piece in self._content:
                self.size += len(piece)
                yield piece
        except (NotFound, StorageError):
            self.failed = True


def _path_of(file: StoredFile) -> str:
    return f"files/{file.id}-{file.filename}"


def _transcript_name(conversation: Conversation) -> str:
    title = " ".join(conversation.title.split())[:_TITLE_IN_NAME_MAX].rstrip(". ")
    name = f"{conversation.created_at.date().isoformat()} {title} {conversation.id}.md"
    return f"transcripts/{safe_filename(name.replace('/', '_').replace(chr(92), '_'), 'text/markdown')}"


async def _transcript(conversation: Conversation, messages: AsyncIterator[Message]) -> AsyncIterator[bytes]:
    yield f"# {_one_line(conversation.title)}\n\n".encode()
    async for message in messages:
        yield _said(message).encode()


def _said(message: Message) -> str:
    """A message to read. What follows its text are its files, what charts of it draw, its sources and the
    feedback."""
    moment = f"{message.created_at:%Y-%m-%d %H:%M} UTC"
    replaced = ", replaced later" if message.status is MessageStatus.SUPERSEDED else ""
    parts = [f"**{_SPEAKER[message.role]}**, {moment}{replaced}", message.content or "(no text)"]
    parts += [f"File: {_one_line(each.filename)} ({each.file_id})" for each in message.attachments]
    parts += [each.transcript for each in message.attachments if each.transcript]
    parts += [table for call in message.tool_calls if (table := _series(call))]
    parts += map(_source, message.sources)
    if message.feedback is not None:
        liked = "liked" if message.feedback.rating > 0 else "disliked"
        comment = f": {_one_line(message.feedback.feedback)}" if message.feedback.feedback else ""
        parts.append(f"You {liked} this{comment}")
    return "\n\n".join([*parts, "---", ""])


def _series(call: ToolCall) -> str:
    """The table of what a chart of the result draws; empty when there is nothing to draw."""
    series = call.result.get("series") if isinstance(call.result, dict) else None
    if not isinstance(series, dict) or not series.get("points"):
        return ""
    points = [*filter(None, [series.get("start")]), *series["points"]]
    names = list(points[0])
    head = [series["label"] if name == "at" else name for name in names]
    rows = [head, ["---"] * len(names), *([point.get(name) for name in names] for point in points)]
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in rows)


def _cell(value: object) -> str:
    return "" if value is None else _one_line(str(value)).replace("|", "\\|")


def _source(source: Source) -> str:
    related = "" if source.cited else "Related: "
    address = "" if source.url is None else f", {source.url}"
    return f"{related}[{source.index}] {_one_line(source.title)}{address}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _pretty(record: View) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"


async def _one(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _array(records: AsyncIterator[View]) -> AsyncIterator[bytes]:
    """A JSON array, a line for each record."""
    separator = b"[\n"
    async for record in records:
        yield separator + msgspec.json.encode(record)
        separator = b",\n"
    yield b"[]\n" if separator == b"[\n" else b"\n]\n"
