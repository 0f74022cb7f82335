"""The answers to profile cards, in every database (contract section 9)."""

import asyncio
from typing import Any

import pytest

from finassist.domain.profile_cards import ProfileAnswer, UserProfile
from stores import NOW, Store, after, new_id


@pytest.fixture
def user_id() -> str:
    return new_id()


async def test_a_user_who_answered_nothing_has_an_empty_profile(store: Store, user_id: str) -> None:
    assert await store.profile_cards.get(user_id) == UserProfile(user_id=user_id)


@pytest.mark.parametrize(
    "value", ["a text \u00e9\u4e16\0", 0, 7, -1.5, 2**53, 1e15, True, False, ["one", "two"], "$set", ""]
)
async def test_a_value_comes_back_as_it_was_given(store: Store, user_id: str, value: Any) -> None:
    await store.profile_cards.save_answers(user_id, {"key": ProfileAnswer(value=value)}, NOW)
    kept = (await store.profile_cards.get(user_id)).answers["key"].value
    assert (kept, type(kept)) == (value, type(value))


async def test_answers_are_changed_and_withdrawn_one_by_one(store: Store, user_id: str) -> None:
    first = {"age": ProfileAnswer(value=40), "country": ProfileAnswer(value="Peru", do_not_use=True)}
    await store.profile_cards.save_answers(user_id, first, NOW)
    changed = await store.profile_cards.save_answers(
        user_id, {"age": ProfileAnswer(value=41), "country": None, "unknown": None}, after(5)
    )
    assert changed == UserProfile(
        user_id=user_id, answers={"age": ProfileAnswer(value=41)}, revision=2, updated_at=after(5)
    )
    assert await store.profile_cards.get(user_id) == changed
    again = await store.profile_cards.save_answers(user_id, {"country": first["country"]}, after(9))
    assert again.answers["country"].do_not_use


async def test_profiles_of_users_are_their_own(store: Store, user_id: str) -> None:
    await store.profile_cards.save_answers(user_id, {"age": ProfileAnswer(value=40)}, NOW)
    assert (await store.profile_cards.get(new_id())).answers == {}


async def test_parallel_answers_are_all_kept(store: Store, user_id: str) -> None:
    keys = [f"question_{number}" for number in range(50)]
    await asyncio.gather(
        *(store.profile_cards.save_answers(user_id, {key: ProfileAnswer(value=key)}, NOW) for key in keys)
    )
    profile = await store.profile_cards.get(user_id)
    assert {key: answer.value for key, answer in profile.answers.items()} == {key: key for key in keys}
    assert profile.revision == 50


async def test_a_session_begins_only_from_the_revision_that_was_read(store: Store, user_id: str) -> None:
    begin = store.profile_cards.begin_session
    assert await begin(user_id, after_revision=0, shown=["a", "b"], now=NOW)
    assert not await begin(user_id, after_revision=0, shown=["c", "d"], now=NOW)
    assert not await begin(user_id, after_revision=2, shown=["c", "d"], now=NOW)
    await store.profile_cards.save_answers(user_id, {"age": ProfileAnswer(value=40)}, after(1))
    assert not await begin(user_id, after_revision=1, shown=["c", "d"], now=NOW)
    assert await begin(user_id, after_revision=2, shown=["c"], now=after(2))
    assert await store.profile_cards.get(user_id) == UserProfile(
        user_id=user_id,
        answers={"age": ProfileAnswer(value=40)},
        session_count=2,
        shown=("c",),
        revision=3,
        updated_at=after(2),
    )


async def test_of_many_sessions_from_one_revision_one_begins(store: Store, user_id: str) -> None:
    for revision in (0, 1):
        begun = await asyncio.gather(
            *(
                store.profile_cards.begin_session(user_id, after_revision=revision, shown=["a"], now=NOW)
                for _ in range(20)
            )
        )
        assert begun.count(True) == 1


async def test_sessions_and_answers_of_several_processes_are_all_counted(
    store: Store, user_id: str, call_from_processes: Any
) -> None:
    keys, numbers = await asyncio.gather(
        call_from_processes("answer_card", 20, user_id), call_from_processes("begin_card_session", 5, user_id)
    )
    assert sorted(numbers) == list(range(1, 11))
    profile = await store.profile_cards.get(user_id)
    assert set(profile.answers) == set(keys)
    assert profile.session_count == 10
    assert profile.revision == 50
