"""The files of a message in each step: sent, inspected, found and stored (contract section 4)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from finassist.application.ports.files import InspectedFile
from finassist.domain.conversations.conversation import InputType
from finassist.domain.conversations.message import Attachment
from finassist.domain.errors import FieldError
from finassist.domain.files.content import RECORDINGS
from finassist.domain.files.record import StoredFile
from finassist.domain.users import Caller

_AUDIO: Final = "audio/"


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineFile:
    """A file that is part of a request. ``pieces`` decodes it as they are taken, once."""

    filename: str
    mime_type: str
    pieces: Callable[[], Iterator[bytes]]


SentFile = str | InlineFile
"""What a message brings: the id of a stored file, or a file itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """An inline file that was looked into; its content is on the disk of this host."""

    inspected: InspectedFile[Path]
    filename: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnopenedFile:
    """An inline file that was not looked into: not yet, or because its sender has no allowance left for the
    turn, or no room for files. ``digest`` and ``declared_type`` are of what was sent."""

    filename: str
    digest: str
    declared_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedFile:
    """An inline file on the disk of this host, not looked into yet; ``field`` is where it was sent."""

    unopened: UnopenedFile
    path: Path
    field: str


@dataclass(frozen=True, slots=True)
class ArrivedFiles:
    """The files of one message as they arrived, in its order: ids, and inline files. ``errors`` is what is
    wrong with the others."""

    files: Sequence[str | ArrivedFile] = ()
    errors: Sequence[FieldError] = ()

    @property
    def fingerprints(self) -> list[str]:
        """What distinguishes these files from others."""
        return [
            part
            for file in self.files
            for part in (
                (file,)
                if isinstance(file, str)
                else (file.unopened.filename, file.unopened.declared_type, file.unopened.digest)
            )
        ]


@dataclass(frozen=True, slots=True)
class ReceivedFiles:
    """The files of one message, in its order: ids, and inline files. ``errors`` is what is wrong with the
    others."""

    files: Sequence[str | CheckedFile | UnopenedFile] = ()
    errors: Sequence[FieldError] = ()

    @property
    def ids(self) -> Sequence[str]:
        """The ids among them."""
        return [file for file in self.files if isinstance(file, str)]


@dataclass(frozen=True, slots=True)
class MessageFiles:
    """The files of one message, in its order: each is stored already, or came with it. ``transcripts`` has a
    text for each recording that was transcribed, by its place among them."""

    files: Sequence[StoredFile | CheckedFile | UnopenedFile] = ()
    transcripts: Mapping[int, str] = field(default_factory=dict)

    def require_owner(self, caller: Caller) -> None:
        """Raise Forbidden when one of the stored files belongs to somebody else."""
        for file in self.files:
            if isinstance(file, StoredFile):
                caller.require_owner(file.owner_id)

    @property
    def are_opened(self) -> bool:
        """Whether all that came with the message was looked into."""
        return not any(isinstance(file, UnopenedFile) for file in self.files)

    @property
    def stored(self) -> "MessageFiles":
        """Those that are stored already."""
        kept = [at for at, file in enumerate(self.files) if isinstance(file, StoredFile)]
        said = {to: self.transcripts[at] for to, at in enumerate(kept) if at in self.transcripts}
        return MessageFiles([self.files[at] for at in kept], said)

    @property
    def recordings(self) -> Mapping[int, StoredFile | CheckedFile]:
        """Those that can be transcribed, by their place: what was not looked into is not sent to anybody."""
        return {
            at: file
            for at, file in enumerate(self.files)
            if not isinstance(file, UnopenedFile) and type_of(file) in RECORDINGS
        }

    @property
    def input_type(self) -> InputType:
        """How a conversation that begins with them was initiated."""
        types = [type_of(file) for file in self.files]
        if any(mime_type.startswith(_AUDIO) for mime_type in types):
            return InputType.VOICE
        return InputType.FILE if types else InputType.TEXT


def type_of(file: StoredFile | CheckedFile | UnopenedFile) -> str:
    """The media type of a file of a message; of one that was not looked into, what it was declared to be."""
    match file:
        case StoredFile():
            return file.mime_type
        case CheckedFile():
            return file.inspected.mime_type
        case UnopenedFile():
            return file.declared_type


def as_attachments(files: Sequence[StoredFile], sent: MessageFiles) -> tuple[Attachment, ...]:
    """Return the records of the files that a message stores, of what was sent in this order."""
    return tuple(
        Attachment(
            file_id=file.id,
            filename=file.filename,
            mime_type=file.mime_type,
            size=file.size,
            transcript=sent.transcripts.get(at),
            is_inline=not isinstance(sent.files[at], StoredFile),
        )
        for at, file in enumerate(files)
    )
