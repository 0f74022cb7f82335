"""Profile cards: questions that get to know a user two cards at a time (contract section 9).

The cards are data, the answers belong to the user. An answered question is not asked again, but its answer
can be changed. An answer whose question a changed catalog no longer has, or that it no longer accepts, counts
as missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from finassist.domain.ids import named_id

CARDS_SHOWN = 2
TEXT_MAX = 500
NUMBER_MAX = 1e15
"""Above any amount of money, and every database stores such a number unchanged."""


class QuestionType(StrEnum):
    """The type of an answer: one option's value, a list of them, a number, a text, or true or false."""

    SINGLE_SELECT = "single_select"
    MULTI_SELECT = "multi_select"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"


SELECTS = frozenset({QuestionType.SINGLE_SELECT, QuestionType.MULTI_SELECT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice: ``value`` for programs, ``label`` for people."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question. ``key`` is unique in the catalog; answers are stored under it.

    ``min`` and ``max`` bound a number, the length of a text in characters, or how many options are chosen.
    ``topic`` names the answer in the summary for the model.
    """

    key: str
    text: str
    type: QuestionType
    topic: str
    options: tuple[Option, ...] = ()
    required: bool = False
    min: int | float | None = None
    max: int | float | None = None

    @property
    def id(self) -> str:
        """Follows from the key."""
        return named_id("question", self.key)

    def problem_with(self, value: Any) -> str | None:
        """What is wrong with an answer, in a sentence; None when it is valid."""
        match self.type:
            case QuestionType.SINGLE_SELECT:
                return None if value in self._values and isinstance(value, str) else self._must_be_one
            case QuestionType.MULTI_SELECT:
                return self._problem_with_choices(value)
            case QuestionType.NUMBER:
                return self._problem_with_number(value)
            case QuestionType.TEXT:
                return self._problem_with_text(value)
            case QuestionType.BOOLEAN:
                return None if isinstance(value, bool) else "Must be true or false."

    def in_words(self, value: Any) -> str:
        """A valid answer in words."""
        labels = {option.value: option.label for option in self.options}
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, list | tuple):
            return ", ".join(labels[each] for each in value)
        if isinstance(value, str):
            return labels.get(value, value)
        return f"{value:,.10g}"

    @property
    def _values(self) -> Sequence[str]:
        return [option.value for option in self.options]

    @property
    def _must_be_one(self) -> str:
        return f"Must be one of {', '.join(self._values)}."

    def _problem_with_choices(self, value: Any) -> str | None:
        if not isinstance(value, list | tuple):
            return "Must be an array of options."
        if any(not isinstance(each, str) or each not in self._values for each in value):
            return f"Must contain only {', '.join(self._values)}."
        if len(set(value)) != len(value):
            return "Must not contain an option twice."
        return self._out_of_bounds(len(value), "options", least=1, most=len(self.options))

    def _problem_with_number(self, value: Any) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "Must be a number."
        return self._out_of_bounds(value, "", least=-NUMBER_MAX, most=NUMBER_MAX)

    def _problem_with_text(self, value: Any) -> str | None:
        if not isinstance(value, str) or not value.strip():
            return "Must be a non-empty text."
        return self._out_of_bounds(len(value), "characters", least=1, most=TEXT_MAX)

    def _out_of_bounds(self, size: float, unit: str, *, least: float, most: float) -> str | None:
        low = least if self.min is None else max(self.min, least)
        high = most if self.max is None else min(self.max, most)
        if low <= size <= high:
            return None
        return f"Must be {low:,.15g} to {high:,.15g} {unit}".rstrip() + "."


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Questions that belong together."""

    key: str
    title: str
    subtitle: str
    order: int
    questions: tuple[Question, ...]

    @property
    def id(self) -> str:
        """Follows from the key."""
        return named_id("card", self.key)

    def find(self, question_id: str) -> Question | None:
        """The question with this id."""
        return next((question for question in self.questions if question.id == question_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileAnswer:
    """A user's answer to a question. With ``do_not_use`` it is not given to the model."""

    value: Any
    do_not_use: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UserProfile:
    """A user's answers, by question key, and the sessions in which cards were shown.

    ``shown`` are the keys of the cards of the newest session. ``revision`` counts every change;
    ``updated_at`` is when the last one was, None before the first.
    """

    user_id: str
    answers: Mapping[str, ProfileAnswer] = field(default_factory=lambda: MappingProxyType({}))
    session_count: int = 0
    shown: tuple[str, ...] = ()
    revision: int = 0
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """A question of the catalog with the user's answer."""

    question: Question
    answer: ProfileAnswer


COUNTRY_QUESTION: Final = "country"
"""The key of the question for the country, in the cards that ship and in an operator's."""


@dataclass(frozen=True, slots=True)
class CardCatalog:
    """All cards, in order."""

    cards: tuple[Card, ...]

    def find(self, card_id: str) -> Card | None:
        """The card with this id."""
        return next((card for card in self.cards if card.id == card_id), None)

    def answered(self, profile: UserProfile) -> Iterator[AnsweredQuestion]:
        """The questions that the user has answered, in the order of the cards."""
        for card in self.cards:
            for question in card.questions:
                answer = profile.answers.get(question.key)
                if answer is not None and question.problem_with(answer.value) is None:
                    yield AnsweredQuestion(question=question, answer=answer)

    def given(self, profile: UserProfile) -> Mapping[str, ProfileAnswer]:
        """The user's answers, by question key."""
        return {each.question.key: each.answer for each in self.answered(profile)}

    def incomplete(self, profile: UserProfile) -> Sequence[Card]:
        """The cards that still want an answer.

        A card is complete once its required questions are answered, or all of them where none is required.
        """
        answered = self.given(profile)
        left = []
        for card in self.cards:
            wanted = [question for question in card.questions if question.required] or card.questions
            if not all(question.key in answered for question in wanted):
                left.append(card)
        return left

    def current(self, profile: UserProfile) -> Sequence[Card]:
        """The cards to show now: those of the newest session, and the next ones for what was completed. Their
        answered questions are left out."""
        answered = self.given(profile)
        shown = self._from(profile, self._place_of(profile.shown[0]) if profile.shown else 0)
        return [
            replace(card, questions=tuple(each for each in card.questions if each.key not in answered))
            for card in shown
        ]

    def next(self, profile: UserProfile) -> Sequence[Card]:
        """The cards of the session after the newest: those that follow, from the first again at the end."""
        return self._from(profile, self._place_of(profile.shown[-1]) + 1 if profile.shown else 0)

    def _from(self, profile: UserProfile, place: int) -> Sequence[Card]:
        left = self.incomplete(profile)
        following = [card for card in left if self._place_of(card.key) >= place]
        return [*following, *(card for card in left if card not in following)][:CARDS_SHOWN]

    def _place_of(self, key: str) -> int:
        """The index of a card; 0 for one that no longer exists."""
        return next((place for place, card in enumerate(self.cards) if card.key == key), 0)
