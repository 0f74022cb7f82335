"""Profile cards: two at a time, answered in parts, changed and withdrawn at any time (contract section 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from finassist.application.concurrency.locks import KeyedLocks
from finassist.application.erasure.admission import RequireAccount
from finassist.application.ports.profile_cards import ProfileCardRepository
from finassist.application.ports.system import Clock, IdFactory
from finassist.domain.errors import FieldError, ValidationFailed
from finassist.domain.profile_cards import (
    COUNTRY_QUESTION,
    AnsweredQuestion,
    Card,
    CardCatalog,
    ProfileAnswer,
    UserProfile,
)
from finassist.domain.retrieval.jurisdictions import country_of, country_of_language
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.users import Caller

SUMMARY_MAX: Final = 2000
"""Characters of a profile summary; what comes later in the order of the cards is left out."""

_TEXT_SHOWN_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """An answer as it was sent; ``value`` None withdraws the earlier one."""

    card_id: str
    question_id: str
    value: Any
    do_not_use: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileCards:
    """A user's profile, and the cards to show now."""

    profile: UserProfile
    answers: Mapping[str, Any]
    completed_cards: int
    total_cards: int
    cards: Sequence[Card]

    @property
    def completion_percent(self) -> int:
        """Completed cards in 100, rounded down."""
        return 100 * self.completed_cards // self.total_cards if self.total_cards else 0

    @staticmethod
    def of(profile: UserProfile, catalog: CardCatalog) -> "ProfileCards":
        """Evaluate a profile with these cards."""
        total = len(catalog.cards)
        return ProfileCards(
            profile=profile,
            answers={each.question.key: each.answer.value for each in catalog.answered(profile)},
            completed_cards=total - len(catalog.incomplete(profile)),
            total_cards=total,
            cards=catalog.current(profile),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSession:
    """One time that the app shows cards; ``number`` counts the user's sessions from 1."""

    id: str
    number: int
    cards: Sequence[Card]
    given: Mapping[str, ProfileAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCards:
    """Cards, and the answers to their questions by question key."""

    cards: Sequence[Card]
    given: Mapping[str, ProfileAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class GetProfileCards:
    """The caller's profile, and the cards to show now. It changes nothing."""

    profile_cards: ProfileCardRepository
    card_catalog: CardCatalog

    async def __call__(self, caller: Caller) -> ProfileCards:
        return ProfileCards.of(await self.profile_cards.get(caller.user_id), self.card_catalog)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProfileCards:
    """All cards with the caller's answers, in order, the completed ones included. It changes nothing."""

    profile_cards: ProfileCardRepository
    card_catalog: CardCatalog

    async def __call__(self, caller: Caller) -> AnsweredCards:
        profile = await self.profile_cards.get(caller.user_id)
        return AnsweredCards(cards=self.card_catalog.cards, given=self.card_catalog.given(profile))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnswers:
    """Return what is wrong with answers to profile cards. They are given by their index in the request; the
    errors name it (``answers[1].value``)."""

    card_catalog: CardCatalog

    def __call__(self, answers: Mapping[int, GivenAnswer]) -> Sequence[FieldError]:
        errors: list[FieldError] = []
        seen: set[str] = set()
        for index, answer in answers.items():
            problem = self._problem_with(answer)
            if problem is None and answer.question_id in seen:
                problem = ("questionId", "Must not be answered twice.")
            seen.add(answer.question_id)
            if problem is not None:
                errors.append(FieldError(f"answers[{index}].{problem[0]}", problem[1]))
        return errors

    def _problem_with(self, answer: GivenAnswer) -> tuple[str, str] | None:
        card = self.card_catalog.find(answer.card_id)
        if card is None:
            return "cardId", "There is no such card."
        question = card.find(answer.question_id)
        if question is None:
            return "questionId", "This card has no such question."
        problem = None if answer.value is None else question.problem_with(answer.value)
        return None if problem is None else ("value", problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCards:
    """Store answers to profile cards. Each is checked against its question: type, options, min and max.

    A new answer replaces the earlier one, None withdraws it, and one marked as not to be used is not
    given to the model. All answers are stored, or none.
    """

    profile_cards: ProfileCardRepository
    card_catalog: CardCatalog
    check_answers: CheckAnswers
    require_account: RequireAccount
    clock: Clock

    async def __call__(self, caller: Caller, answers: Sequence[GivenAnswer]) -> ProfileCards:
        errors = self.check_answers(dict(enumerate(answers)))
        if errors:
            raise ValidationFailed(errors)
        by_key = {self._key_of(each): _kept(each) for each in answers}
        profile = await self.profile_cards.save_answers(caller.user_id, by_key, self.clock.now())
        await self.require_account(caller)
        return ProfileCards.of(profile, self.card_catalog)

    def _key_of(self, answer: GivenAnswer) -> str:
        card = self.card_catalog.find(answer.card_id)
        question = card and card.find(answer.question_id)
        assert question is not None  # checked above
        return question.key


@dataclass(frozen=True, slots=True, kw_only=True)
class StartCardSession:
    """Begin a session: the next two cards that still want an answer, from the first again after the last."""

    profile_cards: ProfileCardRepository
    card_catalog: CardCatalog
    require_account: RequireAccount
    clock: Clock
    ids: IdFactory
    _starting: KeyedLocks = field(default_factory=KeyedLocks)

    async def __call__(self, caller: Caller) -> CardSession:
        async with self._starting.of(caller.user_id):
            while True:
                profile = await self.profile_cards.get(caller.user_id)
                cards = self.card_catalog.next(profile)
                if await self.profile_cards.begin_session(
                    caller.user_id,
                    after_revision=profile.revision,
                    shown=[card.key for card in cards],
                    now=self.clock.now(),
                ):
                    await self.require_account(caller)
                    return CardSession(
                        id=self.ids.new_id(),
                        number=profile.session_count + 1,
                        cards=cards,
                        given=self.card_catalog.given(profile),
                    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeAnswers:
    """The questions that a user has answered, in the order of the cards."""

    profile_cards: ProfileCardRepository
    card_catalog: CardCatalog

    async def __call__(self, user_id: str) -> Sequence[AnsweredQuestion]:
        return list(self.card_catalog.answered(await self.profile_cards.get(user_id)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SummariseProfile:
    """Say what the model is told of a user: a line for each answer, without those that it must not use."""

    describe_answers: DescribeAnswers

    async def __call__(self, user_id: str) -> str:
        return _summary_of(await self.describe_answers(user_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class UserDescription:
    """What a reply takes into account of a user: where they live (ISO 3166-1, or ``ELSEWHERE``), the language
    that they prefer (BCP 47), and the ``summary`` of the profile."""

    country: str | None = None
    language: str = ENGLISH
    summary: str = ""

    def in_words(self) -> str:
        """The summary, and the language unless it is English, which nobody had to choose."""
        preferred = "" if self.language == ENGLISH else f"Preferred language: {_one_line(self.language)}"
        return "\n".join(filter(None, (self.summary, preferred)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeUser:
    """Find out what a reply takes into account. The country is that of the card which asks for it, unless it
    must not be used, else the region of the preferred ``language`` ("en-GB")."""

    describe_answers: DescribeAnswers

    async def __call__(self, user_id: str, language: str) -> UserDescription:
        answers = await self.describe_answers(user_id)
        named = [str(each.answer.value) for each in answers if _tells_country(each)]
        country = country_of(named[0]) if named else country_of_language(language)
        return UserDescription(country=country, language=language, summary=_summary_of(answers))


def _summary_of(answers: Sequence[AnsweredQuestion]) -> str:
    lines: list[str] = []
    room = SUMMARY_MAX
    for each in answers:
        if each.answer.do_not_use:
            continue
        line = f"{each.question.topic}: {_one_line(each.question.in_words(each.answer.value))}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def _tells_country(each: AnsweredQuestion) -> bool:
    return each.question.key == COUNTRY_QUESTION and not each.answer.do_not_use


def _kept(answer: GivenAnswer) -> ProfileAnswer | None:
    if answer.value is None:
        return None
    return ProfileAnswer(value=answer.value, do_not_use=answer.do_not_use)


def _one_line(text: str) -> str:
    """A text that cannot look like two lines of the summary."""
    return " ".join(text.split())[:_TEXT_SHOWN_MAX]
