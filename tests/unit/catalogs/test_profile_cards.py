"""Profile cards: what an answer may be, which cards are shown, and the files that they come from."""

import json
from typing import Any

import pytest

from finassist.adapters.data_files.profile_cards import WrongCards, read_cards, shipped_cards
from finassist.domain.ids import is_id
from finassist.domain.profile_cards import (
    Card,
    CardCatalog,
    Option,
    ProfileAnswer,
    Question,
    QuestionType,
    UserProfile,
)
from tables import each_row

OPTIONS = (Option(value="a", label="First"), Option(value="b", label="Second"), Option(value="c", label="3"))


def question(type_: str, **fields: Any) -> Question:
    options = OPTIONS if type_.endswith("select") else ()
    values = {"key": "q", "text": "What?", "topic": "What", "options": options, **fields}
    return Question(type=QuestionType(type_), **values)


def card(key: str, *required: bool) -> Card:
    questions = tuple(
        question("text", key=f"{key}{number}", required=each) for number, each in enumerate(required, start=1)
    )
    return Card(key=key, title=key, subtitle="", order=1, questions=questions)


def profile(*answered: str, **fields: Any) -> UserProfile:
    answers = {key: ProfileAnswer(value="something") for key in answered}
    return UserProfile(user_id="u", answers=answers, **fields)


def keys(cards: Any) -> list[str]:
    return [each.key for each in cards]


@pytest.mark.parametrize(
    ("asked", "good", "bad"),
    [
        (question("single_select"), ["a", "c"], ["d", "", "A", 1, True, ["a"], {}]),
        (question("multi_select"), [["a"], ["c", "a"]], [[], ["d"], ["a", "a"], "a", [["a"]], [1], {"a": 1}]),
        (question("multi_select", min=2, max=2), [["a", "b"]], [["a"], ["a", "b", "c"]]),
        (question("number"), [0, -3, 2.5, 1e15], [True, "1", 1.1e15, -2e15, [], 10**30, float("nan")]),
        (question("number", min=0, max=20), [0, 20, 1.5], [-1, 21, 20.01, -0.1]),
        (question("text"), ["x", "x" * 500, " y "], ["", "  ", "\n", "x" * 501, 1, True, ["x"]]),
        (question("text", min=2, max=3), ["xx", "xxx"], ["x", "xxxx"]),
        (question("boolean"), [True, False], [0, 1, "true", []]),
    ],
    ids=lambda value: getattr(value, "type", None),
)
def test_an_answer_has_the_type_and_the_bounds_of_its_question(
    asked: Question, good: list[Any], bad: list[Any]
) -> None:
    assert [asked.problem_with(value) for value in good] == [None] * len(good)
    assert all(asked.problem_with(value) for value in bad)


def test_an_answer_is_told_in_words() -> None:
    assert question("single_select").in_words("a") == "First"
    assert question("multi_select").in_words(["a", "b"]) == "First, Second"
    assert question("number").in_words(20000) == "20,000"
    assert question("number").in_words(2.5) == "2.5"
    assert question("boolean").in_words(False) == "no"
    assert question("text").in_words("a") == "a"


def test_two_cards_are_shown_and_every_session_goes_on_where_the_last_one_ended() -> None:
    catalog = CardCatalog(tuple(card(key, True) for key in "abcde"))
    shown = []
    user = profile()
    assert keys(catalog.current(user)) == ["a", "b"]
    for _ in range(6):
        cards = keys(catalog.next(user))
        shown.append("".join(cards))
        user = profile(shown=tuple(cards))
        assert keys(catalog.current(user)) == cards
    assert shown == ["ab", "cd", "ea", "bc", "de", "ab"]


def test_a_completed_card_makes_room_for_the_next_one() -> None:
    catalog = CardCatalog(tuple(card(key, True) for key in "abc"))
    assert keys(catalog.current(profile("a1", shown=("a", "b")))) == ["b", "c"]
    assert keys(catalog.next(profile("a1", shown=("a", "b")))) == ["c", "b"]
    assert keys(catalog.current(profile("a1", "c1", shown=("a", "b")))) == ["b"]
    assert keys(catalog.current(profile("a1", "b1", "c1", shown=("a", "b")))) == []


def test_a_card_is_complete_once_its_required_questions_are_answered() -> None:
    catalog = CardCatalog((card("a", True, False), card("b", False, False)))
    assert keys(catalog.incomplete(profile())) == ["a", "b"]
    assert keys(catalog.incomplete(profile("a1"))) == ["b"]
    assert keys(catalog.incomplete(profile("a2", "b1"))) == ["a", "b"]
    assert keys(catalog.incomplete(profile("b1", "b2"))) == ["a"]


def test_nothing_is_asked_again_once_it_is_answered() -> None:
    catalog = CardCatalog((card("a", True, True, False),))
    [shown] = catalog.current(profile("a1"))
    assert keys(shown.questions) == ["a2", "a3"]
    assert shown.id == catalog.cards[0].id


def test_an_answer_that_a_changed_catalog_does_not_accept_counts_as_none() -> None:
    catalog = CardCatalog((card("a", True),))
    answers = {"a1": ProfileAnswer(value=7), "gone": ProfileAnswer(value="x")}
    user = UserProfile(user_id="u", answers=answers, shown=("gone",))
    assert list(catalog.answered(user)) == []
    assert keys(catalog.current(user)) == ["a"]
    assert keys(catalog.next(user)) == ["a"]


def test_at_least_eight_cards_ship() -> None:
    cards = shipped_cards().cards
    assert len(cards) >= 8
    assert [each.order for each in cards] == list(range(1, len(cards) + 1))
    assert all(any(question.required for question in each.questions) for each in cards)
    ids = [each.id for each in cards] + [question.id for each in cards for question in each.questions]
    assert len(set(ids)) == len(ids)
    assert all(map(is_id, ids))


def file_of(*questions: dict[str, Any], **fields: Any) -> bytes:
    return json.dumps({"cards": [{"key": "one", "title": "One", "questions": questions, **fields}]}).encode()


def entry(key: str = "q", type_: str = "text", **fields: Any) -> dict[str, Any]:
    return {"key": key, "text": "What?", "type": type_, **fields}


def test_an_operators_file_replaces_the_cards() -> None:
    [read] = read_cards(file_of(entry("q", "number", min=0, max=7), entry("r", topic="Other"))).cards
    assert (read.key, read.subtitle, read.order) == ("one", "", 1)
    assert [(each.topic, each.min, each.max) for each in read.questions] == [
        ("What?", 0, 7), ("Other", None, None),
    ]  # fmt: skip


SELECT: dict[str, Any] = {"options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}


@each_row(
    ("content", "problem"),
    [
        (b"", "truncated"),
        (b"cards:", "malformed"),
        (b"\xff\xfe", "malformed"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"cards": []}', "length >= 1 - at `$.cards`"),
        (file_of(), "length >= 1 - at `$.cards[0].questions`"),
        (file_of(entry(type_="date")), "Invalid enum value 'date' - at `$.cards[0].questions[0].type`"),
        (file_of(entry(key="Not good")), "at `$.cards[0].questions[0].key`"),
        (file_of(entry(colour="red")), "unknown field `colour`"),
        (file_of(entry(), entry()), "two questions have the key q"),
        (file_of(entry(type_="single_select")), "question q has no options to choose from"),
        (file_of(entry(**SELECT)), "question q cannot have options"),
        (file_of(entry(min=3, max=2)), "question q has a min above its max"),
        (file_of(entry(type_="boolean", min=3)), "question q cannot have min or max"),
        (file_of(entry(type_="multi_select", max=3, **SELECT)), "question q has a min or max beyond"),
        (file_of(entry("q", "multi_select", options=SELECT["options"] * 2)), "q has the option a twice"),
        (file_of(entry("q", min=2, max=1), entry("r", "multi_select")), "max; question r has no options"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_what_is_wrong_with_it(content: bytes, problem: str) -> None:
    with pytest.raises(WrongCards) as refused:
        read_cards(content)
    assert problem in str(refused.value)
