"""Files that come with a message: checked before anything is stored, stored before the turn begins, and
removed again when the turn is refused (contract section 4).
"""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from finassist.application.files.records import StoreFile
from finassist.application.ports.files import FileInspector, FileRepository, InspectedFile, ObjectStore, Spool
from finassist.domain.conversations.conversation import InputType
from finassist.domain.conversations.message import Attachment
from finassist.domain.errors import FieldError, FinassistError, NotFound, ValidationFailed
from finassist.domain.files.content import INLINE_RULES
from finassist.domain.files.record import StoredFile
from finassist.domain.users import Caller

_AUDIO: Final = "audio/"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineFile:
    """A file that comes inside of a request. ``pieces`` decodes it as they are taken, once."""

    filename: str
    mime_type: str
    pieces: Callable[[], Iterator[bytes]]


SentFile = str | InlineFile
"""What comes with a message: the id of a stored file, or a file itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """An inline file that was looked into; its content is on the disk of this host. ``digest`` and
    ``declared_type`` are of what was sent."""

    inspected: InspectedFile[Path]
    filename: str
    digest: str
    declared_type: str


@dataclass(frozen=True, slots=True)
class ReceivedFiles:
    """The files of one message, in its order, none of them refused."""

    files: Sequence[StoredFile | CheckedFile] = ()

    def require_owner(self, caller: Caller) -> None:
        """Raise Forbidden when one of the stored files is somebody else's."""
        for file in self.files:
            if isinstance(file, StoredFile):
                caller.require_owner(file.owner_id)

    @property
    def input_type(self) -> InputType:
        """How a conversation that begins with them was initiated."""
        types = [
            file.mime_type if isinstance(file, StoredFile) else file.inspected.mime_type
            for file in self.files
        ]
        if any(mime_type.startswith(_AUDIO) for mime_type in types):
            return InputType.VOICE
        return InputType.FILE if types else InputType.TEXT

    @property
    def fingerprints(self) -> list[str]:
        """What tells them from other files."""
        return [
            part
            for file in self.files
            for part in (
                (file.id,)
                if isinstance(file, StoredFile)
                else (file.filename, file.declared_type, file.digest)
            )
        ]


class ReceiveFiles:
    """Look into the files of a message. At most ``inline_attachments_at_once`` inline files are decoded and
    looked into at a time, on disk; the others wait.

    Raises ValidationFailed with everything that is wrong with them, then NotFound for an id that no file
    has.
    """

    def __init__(
        self,
        *,
        files: FileRepository,
        file_inspector: FileInspector,
        spool: Spool,
        inline_attachments_at_once: int,
    ) -> None:
        self._files = files
        self._file_inspector = file_inspector
        self._spool = spool
        self._places = asyncio.Semaphore(inline_attachments_at_once)

    @asynccontextmanager
    async def __call__(
        self, sent: Sequence[SentFile], *, also_wrong: Sequence[FieldError] = ()
    ) -> AsyncIterator[ReceivedFiles]:
        """The files, as long as the context is open. ``also_wrong`` is what else is wrong."""
        async with AsyncExitStack() as drafts:
            errors = list(also_wrong)
            checked: dict[int, CheckedFile] = {}
            for index, file in enumerate(sent):
                if isinstance(file, InlineFile):
                    try:
                        checked[index] = await self._check(file, f"attachments[{index}].data", drafts)
                    except ValidationFailed as refusal:
                        errors += refusal.errors
            if errors:
                raise ValidationFailed(errors)
            stored = await self._load([file for file in sent if isinstance(file, str)])
            yield ReceivedFiles(
                [stored[file] if isinstance(file, str) else checked[index] for index, file in enumerate(sent)]
            )

    async def _check(self, file: InlineFile, field: str, drafts: AsyncExitStack) -> CheckedFile:
        async with self._places:
            draft = await drafts.enter_async_context(self._spool.draft())
            digest = hashlib.sha256()
            for piece in file.pieces():
                digest.update(piece)
                await draft.write(piece)
            await draft.finish()
            inspected = await self._file_inspector.inspect(
                draft.path, file.mime_type, rules=INLINE_RULES, field=field
            )
        return CheckedFile(
            inspected=inspected,
            filename=file.filename,
            digest=digest.hexdigest(),
            declared_type=file.mime_type,
        )

    async def _load(self, ids: Sequence[str]) -> dict[str, StoredFile]:
        found = {file.id: file for file in await self._files.get_many(ids)} if ids else {}
        if not found.keys() >= set(ids):
            raise NotFound("file")
        return found


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """The files of one message, all of them stored; ``new`` are those that this message brought."""

    files: Sequence[StoredFile] = ()
    new: Sequence[StoredFile] = ()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What the message keeps of them."""
        return tuple(
            Attachment(file_id=file.id, filename=file.filename, mime_type=file.mime_type, size=file.size)
            for file in self.files
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepFiles:
    """Store the inline files of a message as files of its sender, all of them or none."""

    store_file: StoreFile
    files: FileRepository
    object_store: ObjectStore

    async def __call__(self, caller: Caller, received: ReceivedFiles, conversation_id: str) -> KeptFiles:
        kept: list[StoredFile] = []
        new: list[StoredFile] = []
        try:
            for file in received.files:
                if isinstance(file, StoredFile):
                    kept.append(file)
                    continue
                stored = await self.store_file(
                    caller.owner_id, file.inspected, file.filename, conversation_id
                )
                kept.append(stored)
                new.append(stored)
        except FinassistError:
            await self.take_back(KeptFiles(kept, new))
            raise
        return KeptFiles(kept, new)

    async def take_back(self, kept: KeptFiles) -> None:
        """Remove what was stored for a turn that was refused."""
        for file in kept.new:
            try:
                if await self.files.remove(file.id):
                    await self.object_store.delete(file.key)
            except FinassistError:  # why the turn was refused is what the caller hears of
                _log.warning("a file of a refused message could not be deleted")
