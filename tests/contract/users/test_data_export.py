"""What the data export reads, page by page."""

from stores import Store, conversation_of, turn_of


async def test_pages_of_several_owners_are_in_one_order_and_miss_nothing(store: Store) -> None:
    made = [conversation_of(f"owner-{number % 3}") for number in range(10)]
    for conversation in made:
        await store.messages.begin_turn(*turn_of(conversation.id), conversation)
    expected = sorted(each.id for each in made if each.owner_id != "owner-2")
    owners = ("owner-1", "owner-0")

    found: list[str] = []
    while page := await store.owned_records.conversations(owners, after=found[-1] if found else "", limit=3):
        assert len(page) <= 3
        found += [conversation.id for conversation in page]
    assert found == expected
