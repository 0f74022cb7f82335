"""Exporting everything that belongs to a user (contract section 3, "Export and erasure")."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from finassist.application.ports.auth import SignInAddressRepository
from finassist.application.ports.data_export import OwnedRecordRepository
from finassist.application.ports.files import ObjectStore, PayeeCategoryRepository
from finassist.application.ports.profile_cards import ProfileCardRepository
from finassist.application.ports.system import Clock
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.application.quotas import GetAllowance
from finassist.domain.auth.audit import AuditRecord
from finassist.domain.auth.sign_in_limits import SignInAddress
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message
from finassist.domain.errors import NotFound
from finassist.domain.files.record import StoredFile
from finassist.domain.profile_cards import CardCatalog, Question, UserProfile
from finassist.domain.quotas import Allowance
from finassist.domain.shares import Share
from finassist.domain.statements.corrections import Corrections
from finassist.domain.users import Caller, Device, User

_AT_ONCE: Final = 100


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_Identified)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedRecords:
    """All that belongs to one caller. Long lists are read a page at a time while they are walked, and may
    change meanwhile."""

    user: User
    allowance: Allowance
    profile: UserProfile
    questions: dict[str, Question]
    corrections: Sequence[Corrections]
    own_device: Device | None
    sign_in_addresses: Sequence[SignInAddress]
    owner_ids: Sequence[str]
    owned_records: OwnedRecordRepository
    object_store: ObjectStore
    clock: Clock
    with_superseded: bool

    def walk_conversations(self) -> AsyncIterator[Conversation]:
        """The conversations that were not deleted, oldest first."""
        return _walk(
            lambda after: self.owned_records.conversations(self.owner_ids, after=after, limit=_AT_ONCE)
        )

    def walk_messages(self, conversation_id: str) -> AsyncIterator[Message]:
        """A conversation's messages, oldest first."""
        return _walk(
            lambda after: self.owned_records.messages(
                conversation_id, after=after, limit=_AT_ONCE, with_superseded=self.with_superseded
            )
        )

    def walk_files(self) -> AsyncIterator[StoredFile]:
        """The files, oldest first."""
        return _walk(lambda after: self.owned_records.files(self.owner_ids, after=after, limit=_AT_ONCE))

    async def text_of(self, file: StoredFile) -> str | None:
        """What is kept of the text of a file, for the search."""
        return await self.owned_records.file_text(file.id)

    async def walk_devices(self) -> AsyncIterator[Device]:
        """The devices that are signed in; a guest's own."""
        if self.own_device is not None:
            yield self.own_device
            return
        async for device in _walk(
            lambda after: self.owned_records.devices(self.user.id, after=after, limit=_AT_ONCE)
        ):
            yield device

    def walk_shares(self) -> AsyncIterator[Share]:
        """The shares, oldest first."""
        return _walk(lambda after: self.owned_records.shares(self.user.id, after=after, limit=_AT_ONCE))

    def walk_audit(self) -> AsyncIterator[AuditRecord]:
        """The audit log's records about the user, oldest first."""
        return _walk(
            lambda after: self.owned_records.audit_records(self.user.id, after=after, limit=_AT_ONCE)
        )

    def open_file(self, key: str) -> AsyncIterator[bytes]:
        """The content of a file, in pieces. Raises NotFound and StorageError, also in the middle."""
        return self.object_store.open(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOwnedRecords:
    """Read all that the service holds of the caller: the records, and the content of the files while
    they are read. Deleted conversations are left out, and superseded messages unless they are wanted."""

    users: UserRepository
    devices: DeviceRepository
    profile_cards: ProfileCardRepository
    card_catalog: CardCatalog
    payee_categories: PayeeCategoryRepository
    get_allowance: GetAllowance
    sign_in_addresses: SignInAddressRepository
    owned_records: OwnedRecordRepository
    object_store: ObjectStore
    clock: Clock

    async def __call__(self, caller: Caller, *, with_superseded: bool = False) -> OwnedRecords:
        user = await self.users.get(caller.user_id)
        if user is None:
            raise NotFound("user")
        own_device = None
        if caller.is_guest and caller.device_id is not None:
            own_device = await self.devices.get(caller.device_id)
        questions = [question for card in self.card_catalog.cards for question in card.questions]
        return OwnedRecords(
            user=user,
            allowance=await self.get_allowance(user.id),
            profile=await self.profile_cards.get(user.id),
            questions={question.key: question for question in questions},
            corrections=await self.payee_categories.list_of(caller.owner_ids),
            own_device=own_device,
            sign_in_addresses=await self.sign_in_addresses.list_of(await self.users.identities_of(user.id)),
            owner_ids=caller.owner_ids,
            owned_records=self.owned_records,
            object_store=self.object_store,
            clock=self.clock,
            with_superseded=with_superseded,
        )


async def _walk(page_after: Callable[[str], Awaitable[Sequence[T]]]) -> AsyncIterator[T]:
    after = ""
    while page := await page_after(after):
        for item in page:
            yield item
        after = page[-1].id
