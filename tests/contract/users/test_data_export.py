"""What the data export reads, page by page."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from finassist.domain.auth.audit import Actor, AuditRecord, AuditResult
from finassist.domain.shares import Share
from stores import NOW, Store, after, conversation_of, new_id, turn_of

ANN, BEN = new_id(), new_id()


class Record(Protocol):
    @property
    def id(self) -> str: ...


async def walked(page_after: Callable[[str], Awaitable[Sequence[Record]]]) -> list[Record]:
    found: list[Record] = []
    while page := await page_after(found[-1].id if found else ""):
        assert len(page) <= 3
        found += page
    return found


def share_of(user_id: str) -> Share:
    return Share(
        id=new_id(), share_id=f"share-{new_id()}", user_id=user_id, conversation_id=new_id(),
        message_ids=(new_id(),), title="Bonds", created_at=NOW, updated_at=NOW,
    )  # fmt: skip


def audit_record_of(user_id: str, seconds: float) -> AuditRecord:
    return AuditRecord(
        id=new_id(), at=after(seconds), action="signIn", actor=Actor.USER, result=AuditResult.SUCCESS,
        request_id=new_id(), user_id=user_id, address="203.0.113.7",
    )  # fmt: skip


async def test_pages_of_several_owners_are_in_one_order_and_miss_nothing(store: Store) -> None:
    made = [conversation_of(f"owner-{number % 3}") for number in range(10)]
    for conversation in made:
        await store.messages.begin_turn(*turn_of(conversation.id), conversation)
    expected = sorted((each for each in made if each.owner_id != "owner-2"), key=lambda each: each.id)
    owners = ("owner-1", "owner-0")

    found = await walked(lambda last: store.owned_records.conversations(owners, after=last, limit=3))
    assert [each.id for each in found] == [each.id for each in expected]


async def test_pages_of_shares_are_those_of_the_user_with_their_counts(store: Store) -> None:
    made = [share_of(BEN if number % 3 == 2 else ANN) for number in range(10)]
    for share in made:
        await store.shares.add(share, ())
    mine = [share for share in made if share.user_id == ANN]
    await store.shares.record_view(mine[4].share_id, "a viewer", NOW)
    await store.shares.store_continuation(conversation_of("owner", forked_from_share_id=mine[5].share_id), ())

    found = await walked(lambda last: store.owned_records.shares(ANN, after=last, limit=3))
    assert found == [await store.shares.get(share.share_id) for share in mine]


async def test_pages_of_the_audit_log_are_those_about_the_user_in_the_order_of_ids(store: Store) -> None:
    made = [audit_record_of(BEN if number % 3 == 2 else ANN, -number) for number in range(10)]
    for record in made:
        await store.audit_records.add(record)

    found = await walked(lambda last: store.owned_records.audit_records(ANN, after=last, limit=3))
    assert found == [record for record in made if record.user_id == ANN]
