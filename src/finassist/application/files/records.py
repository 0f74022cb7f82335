"""Users' files: storing, listing, linking and deleting them (contract section 10).

The content is stored before its record and deleted after it, so a crash in between leaves a content that
no record names. ``SweepFiles`` finds those.
"""

import logging
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from finassist.application.conversations import load_conversation
from finassist.application.erasure.admission import RequireAccount
from finassist.application.files.objects import LINK_SECONDS, discard_unless
from finassist.application.ports.catalogs import QuoteImageRepository
from finassist.application.ports.conversations import ConversationRepository
from finassist.application.ports.database import Page
from finassist.application.ports.files import FileInspector, FileRepository, InspectedFile, ObjectStore, Spool
from finassist.application.ports.system import Clock, IdFactory
from finassist.application.ports.users import UserRepository
from finassist.domain.conversations.message import ListedMessage, Message
from finassist.domain.errors import (
    FieldError,
    FinassistError,
    NotFound,
    StorageError,
    StorageFull,
    ValidationFailed,
)
from finassist.domain.files.content import UPLOAD_RULES
from finassist.domain.files.record import (
    AVATAR_PREFIX,
    KEY_PREFIX,
    QUOTE_IMAGE_PREFIX,
    StorageUse,
    StoredFile,
    id_in_key,
    key_of,
    safe_filename,
)
from finassist.domain.users import Caller

SWEEP_AFTER: Final = timedelta(hours=1)
"""The age from which a content without a record counts as left behind: no upload takes that long."""

_AT_ONCE: Final = 500
_LOOKED_BACK: Final = timedelta(days=7)
"""How far back files of messages are looked at; the job runs every six hours."""

_log = logging.getLogger(__name__)


async def load_file(files: FileRepository, caller: Caller, file_id: str) -> StoredFile:
    """One of the caller's files. Raises NotFound, and Forbidden for somebody else's."""
    file = await files.get(file_id)
    if file is None:
        raise NotFound("file")
    caller.require_owner(file.owner_id)
    return file


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedFile:
    """A file that arrived, on the disk of this host. ``declared_type`` is what its sender calls it,
    if anything."""

    path: Path
    filename: str
    declared_type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFile:
    """A file, and the address that serves it for 15 minutes."""

    file: StoredFile
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFile:
    """Give a file an address that serves it for 15 minutes."""

    object_store: ObjectStore

    async def __call__(self, file: StoredFile) -> LinkedFile:
        url = await self.object_store.url(
            file.key, filename=file.filename, content_type=file.mime_type, expires_in=LINK_SECONDS
        )
        return LinkedFile(file=file, url=url)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureStorage:
    """What the caller's files take up, of how much they may. A quota of 0 is no limit."""

    files: FileRepository
    storage_quota_mb: int

    async def __call__(self, owner_ids: Sequence[str]) -> StorageUse:
        return StorageUse(await self.files.used_bytes(owner_ids), self.storage_quota_mb * 2**20 or None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardFiles:
    """Delete files that came with what is not kept. One that cannot be deleted stays its owner's."""

    files: FileRepository
    object_store: ObjectStore

    async def __call__(self, file_ids: Iterable[str]) -> None:
        for file_id in file_ids:
            try:
                if await self.files.remove(file_id):
                    await self.object_store.delete(key_of(file_id))
            except FinassistError:
                _log.warning("a file of a message that is not kept could not be deleted")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFile:
    """Store an inspected file of the caller: the content first, then the record that makes it visible. Raises
    StorageFull when the caller's files would take up too much."""

    files: FileRepository
    object_store: ObjectStore
    measure_storage: MeasureStorage
    clock: Clock
    ids: IdFactory

    async def __call__(
        self,
        caller: Caller,
        inspected: InspectedFile[Path],
        filename: str,
        conversation_id: str | None,
        message_id: str | None = None,
    ) -> StoredFile:
        use = await self.measure_storage(caller.owner_ids)
        use.require_room(inspected.size)
        now = self.clock.now()
        file = StoredFile(
            id=self.ids.new_id(),
            owner_id=caller.owner_id,
            conversation_id=conversation_id,
            filename=safe_filename(filename, inspected.mime_type),
            mime_type=inspected.mime_type,
            size=inspected.size,
            kind=inspected.kind,
            width=inspected.width,
            height=inspected.height,
            created_at=now,
            updated_at=now,
            message_id=message_id,
        )
        await self.object_store.put(file.key, inspected.content, file.mime_type)
        try:
            await self._add(file, caller, use.total)
        except FinassistError:
            # The record may be stored all the same. What stays without one, SweepFiles deletes later.
            if not await discard_unless(lambda: self._is_stored(file), self.object_store, file.key):
                raise
        return file

    async def _add(self, file: StoredFile, caller: Caller, total: int | None) -> None:
        if total is None:
            await self.files.add(file)
        elif not await self.files.add_within(file, caller.owner_ids, total):
            raise StorageFull(used=await self.files.used_bytes(caller.owner_ids), total=total)

    async def _is_stored(self, file: StoredFile) -> bool:
        return await self.files.get(file.id) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadFile:
    """Store a file of the caller: a JPEG, PNG, GIF or WebP of at most 10 MB, or a PDF of at most 20 MB.

    The type is detected from the content and must agree with the declared one. Images lose their
    metadata (EXIF, GPS). Unsafe characters of the name are replaced. The file may belong to a
    conversation of the caller. Raises StorageFull when the caller's files take up too much.
    """

    conversations: ConversationRepository
    file_inspector: FileInspector
    measure_storage: MeasureStorage
    store_file: StoreFile
    require_account: RequireAccount
    link_file: LinkFile

    async def __call__(
        self,
        caller: Caller,
        received: ReceivedFile,
        conversation_id: str | None,
        *,
        also_wrong: Sequence[FieldError] = (),
    ) -> LinkedFile:
        """``also_wrong`` are the other errors of the request: one response lists them all."""
        (await self.measure_storage(caller.owner_ids)).require_room(1)  # before the file is opened
        try:
            inspected = await self.file_inspector.inspect(
                received.path, received.declared_type, rules=UPLOAD_RULES, field="file", caller=caller
            )
        except ValidationFailed as refusal:
            raise ValidationFailed([*also_wrong, *refusal.errors]) from refusal
        if also_wrong:
            raise ValidationFailed(also_wrong)
        if conversation_id is not None:
            await load_conversation(self.conversations, caller, conversation_id)
        file = await self.store_file(caller, inspected, received.filename, conversation_id)
        await self.require_account(caller)
        return await self.link_file(file)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFiles:
    """The caller's files, the newest first: what was uploaded and what was sent with a message."""

    files: FileRepository
    conversations: ConversationRepository
    link_file: LinkFile

    async def __call__(
        self, caller: Caller, conversation_id: str | None, *, limit: int, offset: int
    ) -> tuple[Page[StoredFile], Sequence[LinkedFile]]:
        if conversation_id is not None:
            await load_conversation(self.conversations, caller, conversation_id)
        page = await self.files.list(
            caller.owner_ids, conversation_id=conversation_id, limit=limit, offset=offset
        )
        return page, [await self.link_file(file) for file in page.items]


@dataclass(frozen=True, slots=True, kw_only=True)
class GetFile:
    """The metadata of one of the caller's files, with an address that serves it for 15 minutes."""

    files: FileRepository
    link_file: LinkFile

    async def __call__(self, caller: Caller, file_id: str) -> LinkedFile:
        return await self.link_file(await load_file(self.files, caller, file_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFile:
    """Delete one of the caller's files for good. Messages that it was sent with keep its name; later
    replies no longer use it."""

    files: FileRepository
    object_store: ObjectStore

    async def __call__(self, caller: Caller, file_id: str) -> StoredFile:
        file = await load_file(self.files, caller, file_id)
        if not await self.files.remove(file_id):
            raise NotFound("file")
        try:
            await self.object_store.delete(file.key)
        except StorageError:
            await self.files.add(file)  # nothing is half done: the caller can try again later
            raise
        return file


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkAttachments:
    """Give the files that came with messages an address that serves them for 15 minutes.

    Returns the addresses by file id; a file that was deleted, or that is not the caller's, has none. One
    query for all messages together.
    """

    files: FileRepository
    link_file: LinkFile

    async def __call__(
        self, caller: Caller, messages: Iterable[Message | ListedMessage]
    ) -> Mapping[str, str]:
        wanted = {attachment.file_id for message in messages for attachment in message.attachments}
        if not wanted:
            return {}
        found = await self.files.get_many(tuple(wanted))
        own = [file for file in found if file.owner_id in caller.owner_ids]
        return {file.id: (await self.link_file(file)).url for file in own}


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepFiles:
    """Delete what crashes left: contents that no record names, files of messages that were never stored, and
    incomplete uploads. What is younger than an hour may belong to a request that is still running. Returns
    how many there were."""

    files: FileRepository
    users: UserRepository
    quote_images: QuoteImageRepository
    discard_files: DiscardFiles
    object_store: ObjectStore
    spool: Spool
    clock: Clock

    async def __call__(self) -> int:
        before = self.clock.now() - SWEEP_AFTER
        swept = await self.spool.discard_unfinished(begun_before=before)
        swept += await self.object_store.discard_unfinished(begun_before=before)
        lost = await self.files.without_message(before - _LOOKED_BACK, before)
        await self.discard_files([file.id for file in lost])
        swept += len(lost)
        for prefix, named in (
            (KEY_PREFIX, self._files),
            (AVATAR_PREFIX, self.users.avatars_among),
            (QUOTE_IMAGE_PREFIX, self._quote_images),
        ):
            async for keys in self._batches(prefix, before):
                for key in set(keys).difference(await named(keys)):
                    await self.object_store.delete(key)
                    swept += 1
        if swept:
            _log.warning("%s files were left behind and have been removed", swept)
        return swept

    async def _files(self, keys: Sequence[str]) -> Collection[str]:
        return {file.key for file in await self.files.get_many([id_in_key(key) for key in keys])}

    async def _quote_images(self, keys: Sequence[str]) -> Collection[str]:
        edition = await self.quote_images.edition()
        return {each.image_key for each in edition.quote_images if each.image_key is not None}

    async def _batches(self, prefix: str, before: datetime) -> AsyncIterator[list[str]]:
        batch: list[str] = []
        async for stored in self.object_store.list(prefix, modified_before=before):
            batch.append(stored.key)
            if len(batch) == _AT_ONCE:
                yield batch
                batch = []
        if batch:
            yield batch
