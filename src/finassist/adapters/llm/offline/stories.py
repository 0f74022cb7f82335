"""What the offline model calculates: what patterns read in a message, or the story that it tells."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from functools import reduce
from typing import Any, Final

from finassist.adapters.embeddings.stories import StoryReader
from finassist.adapters.llm.offline.calculation import Calculations
from finassist.adapters.llm.offline.calls import TELL_MISSING
from finassist.application.ports.knowledge import Embedder
from finassist.data import shipped
from finassist.domain.calculators.calculation import CalculationError
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.gathering import is_only_told, refers_back
from finassist.domain.calculators.recognition.follow_ups.meaning import is_foreign
from finassist.domain.calculators.recognition.reading import Recognised, read
from finassist.domain.calculators.recognition.sums.told.typed import typed_sum
from finassist.domain.calculators.registry import CALCULATORS
from finassist.domain.calculators.stories.named_changes import with_named_changes
from finassist.domain.calculators.stories.numbers import Number, numbers_in, plain
from finassist.domain.calculators.stories.reading import (
    Sum,
    ToldStory,
    alone_lacking,
    roles_of,
    told_story,
    with_later,
)
from finassist.domain.calculators.stories.scores import NUMBERS_MAX, StoryScores
from finassist.domain.calculators.stories.story import MONEY, NONE
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.languages import ENGLISH

_log = logging.getLogger(__name__)

_SUM: Final = "arithmetic"
_REGULAR: Final = "recurring_cost"
"""What patterns make of numbers without another place: of nine that a story contradicted none was right."""
_BOUNDS: Final[dict[str, float]] = shipped("calculators/story_bounds")
TOLD: Final = _BOUNDS["told"]
VERY_SURE: Final = _BOUNDS["very_sure"]
DOUBTED: Final = _BOUNDS["doubted"]
ASKED: Final = _BOUNDS["asked"]
_NEAR: Final = Decimal("0.0005")
_EARLIER_MAX: Final = 6
_CHARACTERS_MAX: Final = 2_000
"""A longer text is read by patterns alone: the network reads no more than some 250 words of it."""
FACTS_MAX: Final = 3
"""Of so many messages with numbers, and the last one, a story is put together."""
_CHANGE_WORDS_MAX: Final = 16
"""A message that only tells other numbers for what was calculated has no more words."""
_BARE_WORDS_MAX: Final = 3
"""So few words are the number that was asked for, whatever else they sound like."""
_ROLE_SURE: Final = 0.6


@dataclass(frozen=True, slots=True)
class _Stand:
    """Where a conversation stands after a message that was read as a story, with all numbers or one too few.
    ``text`` is the message."""

    told: ToldStory
    text: str

    @property
    def result(self) -> Sequence[str]:
        """The amount that the story comes to, as a typed sum for patterns to go on from; empty for another
        figure, and for a story that lacks a number."""
        first = None if self.told.lacking else self.told.first()
        if first is None or first[0] != MONEY:
            return []
        expression = self.told.sums()[0].expression if self.told.story.call is None else ""
        return [expression if typed_sum(expression) else f"{first[1]:f} + 0"]


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What patterns ``found`` that a message asks for, if anything."""

    found: Continued | None

    @property
    def answer(self) -> bool:
        """Whether they found all numbers of it, in the message or in those before it."""
        return self.found is not None and _is_whole(self.found)

    @property
    def go_on(self) -> bool:
        """Whether they change a calculation that was made before, or go on from its result."""
        found = self.found
        return found is not None and bool(found.operation or found.is_chained or found.before is not None)

    @property
    def answer_alone(self) -> bool:
        """Whether they found a new calculation, with all its numbers."""
        return self.answer and not self.go_on

    @property
    def make_a_sum(self) -> bool:
        """Whether they only add or multiply numbers, of the message or of those before it."""
        return self._calculator == _SUM and self.answer_alone

    @property
    def name_an_answer(self) -> bool:
        """Whether they have an answer that is more than a sum, or an amount that comes regularly."""
        is_plain = self.answer_alone and self._calculator in (_SUM, _REGULAR)
        return self.answer and not is_plain

    @property
    def ask(self) -> bool:
        """Whether they have an answer, or ask for one number of a calculator that they name."""
        lacks_one = self.found is not None and len(self.found.draft.missing) == 1
        return self.name_an_answer or (lacks_one and self._calculator != _REGULAR)

    @property
    def _calculator(self) -> str:
        return "" if self.found is None else self.found.draft.calculator

    def come_to(self, told: ToldStory) -> bool:
        """Whether the first figure of a story is among those of what they found."""
        first = None if told.lacking else told.first()
        if first is None or self.found is None or not self.answer_alone:
            return False
        call = recognised(self.found.draft)
        try:
            figures = asdict(CALCULATORS[call.name].function(**call.arguments).figures)
        except CalculationError:
            return False
        return any(abs(each - first[1]) <= abs(first[1]) * _NEAR for each in _numbers(figures))


@dataclass(slots=True)
class _Talk:
    """What the messages of a conversation so far leave: the ``stand`` of the last story, those that patterns
    go on from, and those with numbers that no story was told of. ``scores`` are those of all texts that were
    read: one may be read as a change of a story, and then as a story of several messages."""

    stand: _Stand | None = None
    by_patterns: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    scores: dict[str, StoryScores | None] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The last messages with numbers as one text; there is one at least."""
        return reduce(with_later, self.facts[-FACTS_MAX:])

    def goes_on(self, text: str, found: Continued | None, stand: _Stand | None) -> None:
        """Note a message of which something was ``found``, as a story or else."""
        if stand is not None:
            self.by_patterns, self.facts = [], [stand.text]
        else:
            self.by_patterns.append(text)
            self.facts += [text] if _numbers_of(text) and not typed_sum(text) else []
        self.stand = stand if found is not None else self.stand

    def before(self, text: str) -> Sequence[str]:
        """The messages that patterns go on from, with the story's result where a message speaks of it."""
        if self.stand is None or not refers_back(read(text)):
            return self.by_patterns
        return [*self.stand.result, *self.by_patterns]


class CalculationsAndStories:
    """Reads what a conversation asks to be calculated by patterns and, where the embedder's layers were tuned
    for it, by stories.

    Where both come to the same figure, that by patterns is told. Else a story that is sure is told, one that
    is very sure in place of a calculator that patterns name, too; and the number is asked for that a sure one
    lacks. One that is no more than likely keeps patterns from telling a plain sum of another figure. A later
    message may tell the number that a story lacks, or others for its roles.
    """

    def __init__(self, calculations: Calculations, embedder: Embedder | None = None) -> None:
        self._calculations = calculations
        self._embedder = embedder

    async def asked(
        self, question: str, earlier: Sequence[str] = (), *, language: str = ENGLISH
    ) -> Continued | None:
        """The calculation that a message asks for, whole or not, or None when it asks for none. ``earlier``
        is what the user wrote before, oldest first; a number of it that a message supposes to be another is
        changed there."""
        texts = [*earlier[-_EARLIER_MAX:], question]
        changed, supposed = with_named_changes(texts) if language == ENGLISH else (texts, "")
        found = await self._asked(changed[-1], changed[:-1], language)
        if supposed and (found is None or not _is_whole(found)):
            return await self._asked(question, texts[:-1], language)
        return found if found is None else replace(found, supposed=supposed)

    async def _asked(self, question: str, earlier: Sequence[str], language: str) -> Continued | None:
        if language != ENGLISH or is_foreign(question) or not isinstance(self._embedder, StoryReader):
            return await self._calculations.asked(question, earlier, language=language)
        talk = _Talk()
        for text in earlier:
            told = await self._told(text, talk)
            is_read = await self._may_be_story(text, told, talk)
            found, stand = await self._read(text, told, talk) if is_read else (None, None)
            talk.goes_on(text, found, stand)
        return (await self._read(question, await self._told(question, talk), talk))[0]

    async def checked(self, earlier: Sequence[str], *, language: str = ENGLISH) -> Continued | None:
        """What the last of the earlier messages asked to be calculated, to be calculated once more."""
        if not earlier:
            return None
        asked = await self.asked(earlier[-1], earlier[:-1], language=language)
        if asked is not None and asked.understood:
            return replace(asked, is_checked=True)
        return await self._calculations.checked(earlier, language=language)

    async def _read(
        self, text: str, told: ToldStory | None, talk: _Talk
    ) -> tuple[Continued | None, _Stand | None]:
        """What a message asks for that was ``told`` as a story or none, and where the conversation stands
        after it when that is a story's."""
        patterns = _Patterns(await self._calculations.asked(text, talk.before(text)))
        if typed_sum(text) or (told is not None and patterns.come_to(told)):
            return patterns.found, None
        if told is not None and told.sureness >= (VERY_SURE if patterns.name_an_answer else TOLD):
            calculated = None if told.lacking else _calculated(told, text)
            if calculated is not None:
                return calculated, _Stand(told, text)
        if (changed := await self._changed(talk, text)) is not None:
            is_told = changed.told.first() is not None
            return (_calculated(changed.told, changed.text), changed) if is_told else (None, None)
        is_open = patterns.make_a_sum or not patterns.answer
        if is_open and (gathered := await self._gathered(talk, text)) is not None:
            return _calculated(gathered.told, gathered.text), gathered
        if patterns.make_a_sum and await self._asks_for_none(talk, text):
            return None, None
        if told is None or is_only_told(read(text)):
            return patterns.found, None
        if not patterns.ask and (asking := _asking(told, text)) is not None:
            return asking, _Stand(told, text)
        is_doubted = not told.lacking and told.sureness >= DOUBTED
        return (None if is_doubted and patterns.make_a_sum else patterns.found), None

    async def _may_be_story(self, text: str, told: ToldStory | None, talk: _Talk) -> bool:
        """Whether an earlier message may have been read as a story, by itself or with those before it, or
        changed or completed the one before it."""
        if talk.stand is not None:
            return bool(_numbers_of(text))
        is_told = told is not None and told.sureness >= min(TOLD, ASKED)
        return is_told or await self._gathered(talk, text) is not None

    async def _told(self, text: str, talk: _Talk) -> ToldStory | None:
        numbers = _numbers_of(text)
        scores = await self._scores(text, numbers, talk)
        told = None if scores is None else told_story(numbers, scores)
        return None if told is None else told.fitted_to(text)

    async def _scores(self, text: str, numbers: Sequence[Number], talk: _Talk) -> StoryScores | None:
        if text not in talk.scores:
            talk.scores[text] = await self._scores_of(text, numbers)
        return talk.scores[text]

    async def _scores_of(self, text: str, numbers: Sequence[Number]) -> StoryScores | None:
        is_read = 0 < len(numbers) <= NUMBERS_MAX
        if not isinstance(self._embedder, StoryReader) or not is_read:
            return None
        try:
            return await self._embedder.story_scores(*plain(text, numbers))
        except EmbeddingError as error:
            _log.warning("the message could not be read as a story, patterns decide: %s", error.kind)
            return None

    async def _asks_for_none(self, talk: _Talk, text: str) -> bool:
        """Whether a message asks, with those before it, very likely for no sum at all."""
        if not talk.facts:
            return False
        both = with_later(talk.told, text)
        scores = await self._scores(both, _numbers_of(both), talk)
        return scores is not None and scores.likelihood(NONE) >= VERY_SURE

    async def _gathered(self, talk: _Talk, text: str) -> _Stand | None:
        """The story that a message tells together with numbers of those before it; None where it is not very
        sure, or takes no more numbers than they had in a story."""
        if not talk.facts or (talk.stand is not None and not _numbers_of(text)):
            return None
        said = talk.told
        both = with_later(said, text)
        told = await self._told(both, talk)
        if told is None or told.lacking or told.sureness < VERY_SURE or not told.first():
            return None
        before = [number.start < len(said) for numbers in told.numbers.values() for number in numbers]
        had = 0 if talk.stand is None else sum(map(len, talk.stand.told.numbers.values()))
        return _Stand(told, both) if any(before) and len(before) > had else None

    async def _changed(self, talk: _Talk, text: str) -> _Stand | None:
        """The story with the numbers of a short later message in its roles: that which it lacked, or others
        in place of those that were told. None where none was told before, a number has no sure role, or one
        still lacks."""
        stand, count = talk.stand, len(_numbers_of(text))
        if stand is None or not count or len(text.split()) > _CHANGE_WORDS_MAX:
            return None
        both = with_later(stand.text, text)
        numbers = numbers_in(both)
        given = alone_lacking(stand.told, numbers[-count:]) if len(text.split()) <= _BARE_WORDS_MAX else None
        if given is None:
            scores = await self._scores(both, numbers, talk)
            if scores is None or scores.likelihood(stand.told.story.name) < scores.likelihood(NONE):
                return None
            given = roles_of(stand.told, numbers[-count:], scores.roles[-count:], sure=_ROLE_SURE)
        told = None if given is None else replace(stand.told, numbers={**stand.told.numbers, **given})
        told = None if told is None else told.fitted_to(both)
        return _Stand(told, both) if told is not None and not told.lacking else None


def _is_whole(found: Continued) -> bool:
    """Whether what was found lacks no number."""
    is_whole = bool(found.operation) or found.is_chained or not found.draft.missing
    return is_whole and not (found.choice or found.lacking)


def _numbers_of(text: str) -> Sequence[Number]:
    is_read = len(text) <= _CHARACTERS_MAX and not is_foreign(text)
    return numbers_in(text) if is_read else ()


def _numbers(figures: Any) -> Iterator[Decimal]:
    """All numbers of a result but zeros, those of its parts among them."""
    if isinstance(figures, Decimal | int) and not isinstance(figures, bool) and figures:
        yield Decimal(figures)
    elif isinstance(figures, dict):
        for each in figures.values():
            yield from _numbers(each)


def _calculated(told: ToldStory, said: str) -> Continued | None:
    """The figures of a story; None when a role has the wrong numbers for them."""
    supposed = f"Not told, so I took the usual: {told.supposed}." if told.supposed else ""
    remarks = (f"I understood: {told.understood}.", supposed, *told.story.assumes)
    understood = " ".join(filter(None, remarks))
    if told.story.call is not None:
        call = told.call()
        wanted = [told.story.call.wanted] if told.story.call.is_told_first else []
        whole = Continued(_draft(said), wanted=wanted, understood=understood)
        return None if call is None else replace(whole, operation=[call])
    sums = told.sums() if told.is_even else ()
    labels = [each.label for each in sums]
    whole = Continued(_draft(said), labels=labels, understood=understood)
    return replace(whole, operation=[_call(each) for each in sums]) if sums else None


def _asking(told: ToldStory, said: str) -> Continued | None:
    """The question for the only number that a story lacks, which is sure without it, and as sure as a story
    that is told where one number alone speaks for it."""
    is_single = sum(map(len, told.numbers.values())) == 1
    if len(told.lacking) != 1 or not told.numbers or told.sureness < (TOLD if is_single else ASKED):
        return None
    [name] = told.lacking
    lacking = (
        f"I can calculate that, but I need one more number: {told.story.roles[name].asked}. "
        f"So far I have {told.understood}. {TELL_MISSING}"
    )
    return Continued(_draft(said), lacking=lacking)


def _draft(said: str) -> Draft:
    return Draft(_SUM, {"numbers": ()}, said)


def _call(found: Sum) -> Recognised:
    unit = {} if found.is_money else {"unit": found.unit}
    return Recognised(_SUM, {"expression": found.expression, **unit})
