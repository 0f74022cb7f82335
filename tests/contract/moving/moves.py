"""Moves between two databases, and what is in them when they are compared."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from everything import Everything, everything_of, guest_of
from finassist.adapters.identity.keys import KeyFiles, StoredKeys
from finassist.adapters.mongo import MongoDatabase, MongoSigningKeys
from finassist.adapters.mongo.moving.stores import MongoMoveSource, MongoMoveTarget
from finassist.adapters.sqlite.moving.stores import SqliteMoveSource, SqliteMoveTarget
from finassist.adapters.system.clock import SystemClock
from finassist.application.operations.moving.kinds import KINDS
from finassist.application.operations.moving.records import MoveRecords
from finassist.application.operations.moving.stores import Key, MoveSource, MoveTarget
from finassist.application.ports.auth import LoginState
from finassist.domain.catalogs.preprompts import Preprompt
from finassist.domain.conversations.message import FinishReason, Message, MessageStatus, ToolCall, Usage
from finassist.domain.erasure import Erasure, ErasureSubject
from finassist.domain.users import Identity, User
from stores import NOW, PATIENT_SECONDS, Store, after, conversation_of, embed_of, identity_of, new_id, turn_of

Contents = dict[tuple[str, Key], bytes]


def source_at(url: str) -> MoveSource:
    """The store that records leave."""
    if url.startswith("mongodb"):
        return MongoMoveSource(url)
    return SqliteMoveSource(path_of(url), keys_of(url))


def target_at(url: str) -> MoveTarget:
    """The store that records go to."""
    if url.startswith("mongodb"):
        return MongoMoveTarget(url)
    return SqliteMoveTarget(path_of(url), keys_of(url))


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def keys_of(url: str) -> Path:
    return path_of(url).parent / "keys"


@asynccontextmanager
async def move_between(url: str, to: str) -> AsyncIterator[MoveRecords]:
    """A move that has begun."""
    move = MoveRecords(source=source_at(url), target=target_at(to), new_id=new_id)
    async with move.opened():
        await move.begin()
        yield move


async def contents_of(url: str) -> Contents:
    """The hash of every record of a database."""
    store = source_at(url)
    await store.open()
    found: Contents = {}
    try:
        for kind in KINDS:
            cursor, is_more = None, True
            while is_more:
                records, cursor = await store.page(kind, cursor, 100)
                is_more = cursor is not None
                found |= {(kind.name, record.key): record.digest for record in records}
    finally:
        await store.close()
    return found


def difference(one: Contents, other: Contents) -> set[tuple[str, Key]]:
    """The records that are missing on one side or differ."""
    return {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


async def sign_up(store: Store, subject: str, **fields: str) -> User:
    """A user whose identity is an account of the built-in provider."""
    identity: Identity = identity_of(subject, issuer="local", **fields)
    return await store.users.upsert_identity(identity, new_user_id=new_id(), now=NOW)


async def live(store: Store, number: int) -> Everything:
    """A user who has one record of every kind."""
    user = await sign_up(store, f"account-{number}", email=f"Ann{number}@Example.org")
    everything = everything_of(user.id, account=f"account-{number}", phone=f"+4917012{number:06d}")
    await everything.store_in(store)
    guest = await guest_of(store, f"guest-{number}")
    await store.devices.claim_guest(
        guest.id, owner_id=guest.guest_owner_id, new_owner_id=new_id(), user_id=user.id
    )
    for hours, viewer in ((1, 1), (25, 1), (26, 2), (49, 3), (50, 1)):
        await store.shares.record_view(everything.share.share_id, f"{viewer:032x}", after(hours * 3600))
    await store.sign_in_failures.admit(f"failures-{number}", NOW)
    await answer(store, everything.turn[1])
    return everything


async def answer(store: Store, reply: Message) -> None:
    """End a turn with a reply that has everything."""
    assert reply.lease is not None
    call = ToolCall(
        id="call-1", name="loan", arguments={"$rate": 4.5, "a.b": [1]}, called_at=1, result={"n": 2**60}
    )
    final = replace(
        reply,
        content="Put aside what you need for half a year.",
        status=MessageStatus.COMPLETED,
        finish_reason=FinishReason.STOP,
        usage=Usage(prompt_tokens=9, completion_tokens=7),
        tool_calls=(call,),
        lease=None,
    )
    assert await store.messages.finish_turn(final, reply.lease.holder)


async def ask(store: Store, owner_id: str, question: str) -> Message:
    """Begin a turn in a new conversation; returns the reply that is about to be written."""
    conversation = conversation_of(owner_id)
    asked, reply = turn_of(conversation.id, question)
    assert await store.messages.begin_turn(asked, reply, conversation)
    return reply


async def fill_catalogs(store: Store) -> None:
    """The records that belong to nobody."""
    for number, catalog in enumerate((store.preprompts, store.second_opinion_preprompts)):
        preprompt = Preprompt(
            id=new_id(), key=f"key-{number}", public_value="Invest", masked_value="Explain investing",
            tags=("money",), created_at=NOW, updated_at=NOW,
        )  # fmt: skip
        await catalog.create(preprompt)
    await store.links.set({"termsUrl": "https://example.org/terms", "aboutUrl": "https://example.org"})
    await store.quote_images.add([embed_of(), embed_of("Debt")])
    await store.catalog_filling.claim(now=NOW, until=after(60), done=True)
    state = LoginState(
        client_state=None, nonce="n", code_verifier="v", callback_uri="https://app.test", redirect_uri=None
    )
    await store.login_states.add("state-1", state, after(60))
    await store.erasures.bury("buried-1", NOW)
    subject = ErasureSubject(user_id=new_id(), owner_ids=("owner-9",), emails=("a@example.org",))
    erasure = Erasure(receipt_id="receipt-1", requested_at=NOW, subject=subject)
    await store.erasures.begin(erasure, holder="a", lease_until=after(30))


async def add_keys(store: Store) -> None:
    """Two signing keys."""
    keys: KeyFiles | StoredKeys = KeyFiles(keys_of(store.url))
    async with AsyncExitStack() as stack:
        if store.url.startswith("mongodb"):
            database = MongoDatabase(store.url, call_seconds=PATIENT_SECONDS)
            await database.open()
            stack.push_async_callback(database.close)
            keys = StoredKeys(MongoSigningKeys(database), SystemClock())
        await keys.load()
        await keys.rotate(NOW, after(1) - NOW)
