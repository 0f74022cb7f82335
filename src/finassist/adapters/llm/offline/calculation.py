"""How the offline model finds what to calculate: by the meaning of the question and of those before it."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain
from typing import Final

import msgspec

from finassist.adapters.data_files.sharing import once_per_file
from finassist.adapters.embeddings.likeness import OF_CALCULATIONS, SUMS_ASKED, Likeness, LikenessByKind
from finassist.adapters.llm.offline.two_answers import SUM, together
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.choice import Choice, Chooser
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued, as_typed
from finassist.domain.calculators.recognition.follow_ups.conversation import Conversation
from finassist.domain.calculators.recognition.follow_ups.correcting import told_anew
from finassist.domain.calculators.recognition.follow_ups.gathering import (
    asks_after_time,
    asks_for_figure,
    asks_for_result,
    changes_subject,
    for_a_period,
    gathered,
    is_doubtful,
    is_lost,
    is_of_another,
    is_one_calculation,
    is_only_told,
    is_told_alone,
    refers,
    supposes,
    with_last_sum,
    with_what_was_told,
)
from finassist.domain.calculators.recognition.follow_ups.meaning import (
    CHANGE,
    is_foreign,
    meant,
    meant_in_words,
)
from finassist.domain.calculators.recognition.follow_ups.recalled import (
    asks_of_what_was_told,
    example_asked,
    in_place_of_it,
    in_place_of_result,
    recalled,
)
from finassist.domain.calculators.recognition.follow_ups.told import completed
from finassist.domain.calculators.recognition.reading import Reading, Recognised, read
from finassist.domain.calculators.recognition.recogniser import understand
from finassist.domain.calculators.recognition.sums.told.typed import typed_sum
from finassist.domain.calculators.recognition.threads.parts import Part, parts_of
from finassist.domain.calculators.recognition.threads.results import (
    asks_of_result,
    calls_for,
    figures_told,
    is_same,
)
from finassist.domain.calculators.recognition.threads.vetoes import adds_age, is_without_place, mixes_interest
from finassist.domain.calculators.recognition.threads.words import CORRECTING, with_digits
from finassist.domain.calculators.recognition.wording import worded
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.languages import ENGLISH, is_plainly_english

_log = logging.getLogger(__name__)

_SHIPPED: Final = files("finassist.data") / "calculators" / "choice.msgpack"
_EARLIER_MAX: Final = 6
_ASKED: Final = 0.4
"""What the likelihood that nothing is to be calculated counts for when the last message asks for a figure."""
_NOTICEABLE: Final = 0.01
_PLAIN: Final = 0.6
_DIGIT: Final = re.compile(r"\d")
_NOT_RECALLED: Final = frozenset(("arithmetic", "unit_price"))
_RATE: Final = "yearly_rate"


class Calculations:
    """Reads what a conversation asks to be calculated, with the vectors of the shipped embedding model; with
    another one, or none, by its words."""

    def __init__(self, embedder: Embedder | None = None, *, weights: Traversable = _SHIPPED) -> None:
        """``weights`` is the file that ``training/calculations.py`` makes, loaded with the first question."""
        self._embedder = embedder
        self._file = weights
        self._kinds: Final = LikenessByKind(OF_CALCULATIONS)
        self._sums: Final = Likeness(SUMS_ASKED)

    async def asked(
        self, question: str, earlier: Sequence[str] = (), *, language: str = ENGLISH
    ) -> Continued | None:
        """The calculation that a message asks for, whole or not, or None when it asks for none. ``earlier``
        is what the user wrote before, oldest first: a message may change the calculation before it."""
        texts = [*earlier[-_EARLIER_MAX:], question]
        readings = [replace(read(with_digits(text)), expression=typed_sum(text)) for text in texts]
        readings[1:] = map(for_a_period, readings[1:])
        is_english = language == ENGLISH and not any(map(is_foreign, texts))
        before = [part for each in readings[:-1] for part in await self._apart(each)]
        whole = await self._one_of([*before, readings[-1]], is_english=is_english)
        parts = parts_of(readings[-1])
        return await self._both(before, parts, whole, is_english=is_english) if parts else whole

    async def _one_of(self, readings: Sequence[Reading], *, is_english: bool) -> Continued | None:
        """What the last message asks for, as one thing."""
        if len(readings) > 1:
            return await self._last_of(readings, is_english=is_english)
        [reading] = readings
        if typed := as_typed(reading):
            return typed
        if reading.quantities is None:
            return None
        vector = await self._vector(reading.sketch)
        found = self._found(reading, vector)
        if (
            not found
            or is_told_alone(reading, found)
            or not self._asks_for_it(found, reading, vector if is_english else None)
        ):
            return None
        return None if adds_age(found) else Continued(found)

    async def _apart(self, reading: Reading) -> Sequence[Reading]:
        """A message as one that asks each of its things, when each is a calculation of its own."""
        parts = [part.whole for part in parts_of(reading)]
        found = [await self._understood(part) for part in parts]
        return parts if parts and all(each is not None and not each.missing for each in found) else [reading]

    async def _both(
        self, before: Sequence[Reading], parts: Sequence[Part], whole: Continued | None, *, is_english: bool
    ) -> Continued | None:
        """The answers to the two things that a message asks: one result that tells both, or two, the second
        of the whole story or after the first one; the ``whole`` when neither is found."""
        first, second = parts
        one, calls = await self._answered([*before, first.whole], first, is_english=is_english)
        other, more = await self._answered([*before, second.whole], second, is_english=is_english)
        if one is not None and calls:
            is_again = is_same(more, calls)
            names = () if is_again else figures_told(calls, second.alone)
            if names:
                return replace(one, wanted=names)
            if is_again or not more or asks_of_result(second.alone):
                said = [*before, first.whole, second.alone]
                later, further = await self._answered(said, second, is_english=is_english)
                other, more = (later, further) if further else (other, more)
        return together(parts, (one, other), (calls, more), whole)

    async def _answered(
        self, said: Sequence[Reading], part: Part, *, is_english: bool
    ) -> tuple[Continued | None, Sequence[Recognised]]:
        """What the last of some messages asks for, and the calls that answer it."""
        asked = await self._one_of(said, is_english=is_english)
        return asked, () if asked is None else calls_for(asked, part.alone)

    async def checked(self, earlier: Sequence[str], *, language: str = ENGLISH) -> Continued | None:
        """What the last of the earlier messages asked to be calculated, to be calculated once more."""
        if not earlier:
            return None
        asked = await self.asked(earlier[-1], earlier[:-1], language=language)
        if asked is None or asked.is_chained or asked.inflation is not None:
            return None
        return replace(asked, is_compared=False, is_checked=True)

    async def _last_of(self, readings: Sequence[Reading], *, is_english: bool) -> Continued | None:
        """What the last message asks for: a change of the last calculation, figures of the results so far,
        a calculation of its own, or one whose numbers several messages gave."""
        asked: Continued | None = None
        conversation = Conversation()
        readings = list(readings)
        for place in range(len(readings)):
            readings[place] = conversation.picked(readings[place])
            said = readings[: place + 1]
            asked = as_typed(said[-1]) or conversation.chosen(said[-1])
            asked = asked or await self._next(said, conversation, is_english=is_english)
            if asked is None or (asked.draft.missing and not asked.operation and not asked.is_chained):
                asked = await self._supposed(said, conversation, is_english=is_english) or asked
            asked = asked or conversation.open(said[-1])
            asked = conversation.in_same_period(asked, said[-1])
            if asked is not None and asked.is_changed:
                readings[:place] = told_anew(readings[:place], said[-1])
            conversation.settle(place, said[-1], asked)
        return asked

    async def _supposed(
        self, said: Sequence[Reading], conversation: Conversation, *, is_english: bool
    ) -> Continued | None:
        """What a message that takes a number back asks for, as one that supposes another: "sorry, the rent is
        1,550"."""
        *before, last = said
        if not before or not last.quantities or not last.says(CORRECTING):
            return None
        supposed = read(f"what if {CORRECTING.sub('', last.text)}")
        return await self._next([*before, supposed], conversation, is_english=is_english)

    async def _next(
        self, said: Sequence[Reading], conversation: Conversation, *, is_english: bool
    ) -> Continued | None:
        """What the last of some messages asks for after the others."""
        *before, reading = said
        place = len(before)
        other = conversation.asked_with(reading)
        if other is not None or (place and conversation.changes_nothing(reading)):
            return other
        vector = await self._vector(reading.sketch) if reading.quantities is not None else None
        found = self._found(reading, vector)
        known = vector if is_english else None
        is_vetoed = found is not None and not self._asks_for_it(found, reading, known)
        if is_vetoed:
            found = None
        elif found is None and conversation.ledger and refers(reading):
            found = self._found(reading, vector, doubt=_ASKED)
        if is_only_told(reading) and (place or is_told_alone(reading, found)):
            found = None
        meaning = self._meaning(reading, vector, is_english=is_english) if conversation.ledger else ""
        asked = (
            await self._placed(reading, conversation, found, is_english=is_english)
            or await self._of_result(reading, conversation, is_first=True)
            or conversation.on_table(reading, found)
            or conversation.asked(place, reading, found, meaning)
        )
        if asked is None or (asked.draft.missing and not asked.is_chained and not asked.operation):
            asked = (
                await self._gathered(said, conversation.since, conversation.whole)
                or _with_what_was_told(asked, before)
                or await self._recalled(said, conversation, asked)
                or conversation.on_told(reading)
                or await self._of_result(reading, conversation)
                or conversation.on_table(reading, found, is_last=True)
                or await self._placed(reading, conversation, found, is_english=is_english, is_last=True)
                or asked
            )
        return None if conversation.repeats(asked, reading) or is_without_place(asked, said) else asked

    def _meaning(self, reading: Reading, vector: Vector | None, *, is_english: bool) -> str:
        """What a message wants of the calculations before it."""
        if not is_english:
            return meant_in_words(reading)
        return "" if vector is None else meant(self._kinds(vector))

    async def _placed(
        self,
        reading: Reading,
        conversation: Conversation,
        found: Draft | None,
        *,
        is_english: bool,
        is_last: bool = False,
    ) -> Continued | None:
        """The last calculation with the numbers of a message, each in the one place that it can be meant for,
        when what the message asks is like a change."""
        request = conversation.request(reading)
        if request is None:
            return None
        vector = await self._vector(request.sketch)
        likeness = self._kinds(vector)[CHANGE] if vector is not None and is_english else None
        return conversation.placed(reading, request, found, likeness, is_last=is_last)

    async def _gathered(
        self, readings: Sequence[Reading], since: int, whole: Continued | None
    ) -> Continued | None:
        """A calculation from the messages ``since`` the last whole one, which the first of them asked for, or
        from one thing that was told at any time."""
        last, recent = readings[-1], readings[since:]
        if not asks_for_result(last) or (is_only_told(last) and not await self._is_asked(recent[:-1])):
            return None
        if whole is not None and is_lost(recent):
            return None
        own = await self._understood(last)
        others = () if supposes(last) else chain(gathered(recent), with_what_was_told(readings))
        for reading in chain(others, with_last_sum(whole, last)):
            found = await self._understood(reading, doubt=_ASKED if asks_for_figure(last) else 1.0)
            if found is None or is_doubtful(found, recent) or is_of_another(found, own, last):
                continue
            if mixes_interest(found, whole.draft if whole else None):
                continue
            if is_one_calculation(found, recent[0], whole, last):
                return Continued(found)
            if asks_after_time(last) and whole is None and list(found.missing) == [_RATE]:
                return Continued(found)
        return None

    async def _recalled(
        self, readings: Sequence[Reading], conversation: Conversation, asked: Continued | None
    ) -> Continued | None:
        """A calculation from what messages told that asked for none, or of an example."""
        *earlier, last = readings
        told: list[Reading] = []
        for place, before in enumerate(earlier):
            if not last.quantities and changes_subject(before):
                told.clear()
            if before.quantities and place not in conversation.counted:
                told.append(before)
        for reading in filter(None, (example_asked(readings), in_place_of_it(told, last))):
            found = await self._understood(reading)
            if found is not None and not found.missing:
                return Continued(found)
        if not asks_of_what_was_told(last) or (asked is not None and asked.draft.filled):
            return None
        for reading in recalled(told, last):
            found = await self._understood(reading)
            is_whole = found is not None and is_one_calculation(found, readings[0], conversation.whole)
            if found is not None and is_whole and found.calculator not in _NOT_RECALLED:
                return Continued(found)
        return None

    async def _of_result(
        self, last: Reading, conversation: Conversation, *, is_first: bool = False
    ) -> Continued | None:
        """A calculation of its own with the result before it as one of its numbers."""
        if is_first and not conversation.goes_further(last):
            return None
        told = None if conversation.state is None else conversation.state.draft
        reading = in_place_of_result(conversation.result(last), last, told)
        found = None if reading is None else await self._understood(reading, doubt=_ASKED)
        is_sum = found is None or found.missing or found.calculator in _NOT_RECALLED
        return None if found is None or is_sum else Continued(found)

    async def _is_asked(self, readings: Sequence[Reading]) -> bool:
        """Whether messages ask for a figure, or one of them for a calculation that lacks numbers."""
        for reading in readings:
            if asks_for_figure(reading) or await self._understood(reading) is not None:
                return True
        return False

    async def likely(self, said: Sequence[str]) -> frozenset[str]:
        """The calculators that any of the last texts may mean; none of them when no text holds a number."""
        texts = said[-_EARLIER_MAX:]
        if not any(_DIGIT.search(worded(text)) for text in texts):
            return frozenset()
        names = {SUM} if any(map(typed_sum, texts)) else set()
        for reading in map(read, texts):
            shares = self._chooser.shares(reading, await self._vector(reading.sketch))
            names |= {name.partition("/")[0] for name, share in shares.items() if share >= _NOTICEABLE}
        return frozenset(names)

    async def calculator_of(self, text: str) -> str:
        """The calculator that a text plainly asks for when it gives every number; else an empty text."""
        reading = read(text)
        if not reading.quantities:
            return ""
        vector = await self._vector(reading.sketch)
        draft = understand(reading, self._chooser, vector)
        if draft is None or draft.missing:
            return ""
        is_plain = self._chooser.shares(reading, vector)[draft.name] >= _PLAIN
        return draft.calculator if is_plain else ""

    async def _understood(self, reading: Reading, *, doubt: float = 1.0) -> Draft | None:
        if reading.quantities is None:
            return None
        return self._found(reading, await self._vector(reading.sketch), doubt=doubt)

    def _found(self, reading: Reading, vector: Vector | None, *, doubt: float = 1.0) -> Draft | None:
        return understand(reading, self._chooser, vector, doubt=doubt)

    def _asks_for_it(self, found: Draft | None, reading: Reading, vector: Vector | None) -> bool:
        """Whether a message by itself asks for what was read in it: numbers in a story add up to nothing."""
        if found is None or found.calculator != SUM or found.missing:
            return found is not None
        if vector is None or not is_plainly_english(reading.text):
            return True
        adds = "+" in str(recognised(found).arguments.get("expression", ""))
        return not adds or self._sums(vector) > 0

    async def _vector(self, text: str) -> Vector | None:
        if self._embedder is None or self._embedder.model != self._chooser.model or not text.strip():
            return None
        try:
            return await self._embedder.embed_query(text)
        except EmbeddingError as error:
            _log.warning("the question could not be embedded, its words decide: %s", error.kind)
            return None

    @cached_property
    def _chooser(self) -> Chooser:
        return _chooser_of(self._file)


@once_per_file(_SHIPPED)
def _chooser_of(file: Traversable) -> Chooser:
    return Chooser(msgspec.msgpack.decode(file.read_bytes(), type=Choice))


def _with_what_was_told(asked: Continued | None, earlier: Sequence[Reading]) -> Continued | None:
    """A calculation that lacks numbers, with those that earlier messages told."""
    whole = None if asked is None else completed(asked.draft, earlier)
    return None if whole is None else Continued(whole)
