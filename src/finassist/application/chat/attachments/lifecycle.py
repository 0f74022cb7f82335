"""The files of a message, from the request to the turn: received, found, stored, read, and deleted again
when the turn is refused (contract section 4).
"""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from finassist.application.chat.attachments.reading import Material, ReadFiles
from finassist.application.chat.attachments.received import (
    ArrivedFile,
    ArrivedFiles,
    CheckedFile,
    InlineFile,
    MessageFiles,
    ReceivedFiles,
    SentFile,
    UnopenedFile,
)
from finassist.application.concurrency.confirmed import Unconfirmed
from finassist.application.concurrency.places import FairPlaces
from finassist.application.files.records import DiscardFiles, StoreFile
from finassist.application.ports.files import FileInspector, FileRepository, Spool
from finassist.domain.errors import FieldError, NotFound, ValidationFailed
from finassist.domain.files.content import HEAD_BYTES, INLINE_RULES
from finassist.domain.files.record import StoredFile
from finassist.domain.files.told_types import told_type
from finassist.domain.users import Caller


class ChatAttachments:
    """The files of a message. At most ``inline_attachments_at_once`` inline files are decoded and inspected
    at a time, on disk; the others wait.
    """

    def __init__(
        self,
        *,
        files: FileRepository,
        file_inspector: FileInspector,
        spool: Spool,
        store_file: StoreFile,
        discard_files: DiscardFiles,
        read_files: ReadFiles,
        inline_attachments_at_once: int,
    ) -> None:
        self._files = files
        self._file_inspector = file_inspector
        self._spool = spool
        self._store_file = store_file
        self._discard_files = discard_files
        self._read_files = read_files
        self._places = FairPlaces(inline_attachments_at_once)

    @asynccontextmanager
    async def receive(self, caller: Caller, sent: Sequence[SentFile]) -> AsyncIterator[ArrivedFiles]:
        """Receive the inline files; they are on disk as long as the context is open."""
        async with AsyncExitStack() as drafts:
            arrived: list[str | ArrivedFile] = []
            errors: list[FieldError] = []
            for index, file in enumerate(sent):
                if isinstance(file, str):
                    arrived.append(file)
                    continue
                try:
                    async with self._places.hold(caller):
                        arrived.append(await self._arrived(file, f"attachments[{index}].data", drafts))
                except ValidationFailed as refusal:
                    errors += refusal.errors
            yield ArrivedFiles(arrived, errors)

    async def inspect(self, caller: Caller, arrived: ArrivedFiles, *, opened: bool) -> ReceivedFiles:
        """Inspect the files that have arrived, when they are to be ``opened``."""
        received: list[str | CheckedFile | UnopenedFile] = []
        errors = list(arrived.errors)
        for file in arrived.files:
            if isinstance(file, str):
                received.append(file)
            elif not opened:
                received.append(file.unopened)
            else:
                try:
                    async with self._places.hold(caller):
                        received.append(await self._inspect(caller, file))
                except ValidationFailed as refusal:
                    errors += refusal.errors
        return ReceivedFiles(received, errors)

    async def _arrived(self, file: InlineFile, field: str, drafts: AsyncExitStack) -> ArrivedFile:
        draft = await drafts.enter_async_context(self._spool.draft())
        digest, head = hashlib.sha256(), b""
        for piece in file.pieces():
            digest.update(piece)
            head += piece[: HEAD_BYTES - len(head)]
            await draft.write(piece)
        await draft.finish()
        unopened = UnopenedFile(
            filename=file.filename,
            digest=digest.hexdigest(),
            declared_type=told_type(file.mime_type, file.filename, head),
        )
        return ArrivedFile(unopened=unopened, path=draft.path, field=field)

    async def _inspect(self, caller: Caller, arrived: ArrivedFile) -> CheckedFile:
        file = arrived.unopened
        return CheckedFile(
            inspected=await self._file_inspector.inspect(
                arrived.path, file.declared_type, rules=INLINE_RULES, field=arrived.field, caller=caller
            ),
            filename=file.filename,
        )

    async def find(self, received: ReceivedFiles) -> MessageFiles:
        """Find the stored files whose ids were sent. Raises NotFound for an id that no file has."""
        ids = received.ids
        found = {file.id: file for file in await self._files.get_many(ids)} if ids else {}
        if not found.keys() >= set(ids):
            raise NotFound("file")
        return MessageFiles([found[file] if isinstance(file, str) else file for file in received.files])

    @asynccontextmanager
    async def store(
        self, caller: Caller, files: MessageFiles, conversation_id: str, message_id: str
    ) -> AsyncIterator[Sequence[StoredFile]]:
        """Store the inline files of a message as files of the caller. All of them are deleted again when one
        cannot be stored, or when the body of the context fails; they stay when the message that names them
        may be stored (Unconfirmed)."""
        new: list[StoredFile] = []
        try:
            stored: list[StoredFile] = []
            for file in files.files:
                if isinstance(file, UnopenedFile):
                    raise TypeError("a file that was not looked into is not stored")
                if isinstance(file, CheckedFile):
                    file = await self._store_file(
                        caller, file.inspected, file.filename, conversation_id, message_id
                    )
                    new.append(file)
                stored.append(file)
            yield stored
        except Unconfirmed:
            raise
        except BaseException:
            await self._discard_files([file.id for file in new])
            raise

    async def read(
        self, caller: Caller, files: Sequence[StoredFile], transcripts: Mapping[int, str], model: str
    ) -> Material:
        """Read the stored files of a message for ``model``, and keep what was read for the search of
        conversations; ``transcripts`` are by their place."""
        material = await self._read_files(caller, files, transcripts, model)
        if material.texts:
            await self._files.keep_texts(material.texts)
        return material
