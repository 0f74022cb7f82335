"""Messages that ask for help, told by their words, and by what they mean where the words leave it open."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Final

from finassist.adapters.classifier.distress import (
    LinearDistressClassifier,
    clauses,
    decided,
    depends_on_earlier,
    leaning,
    plainly_told,
    sentences,
    without_idioms,
)
from finassist.adapters.classifier.looks import UNLIKELY, Looks
from finassist.adapters.classifier.passing import FEW_WORDS, is_too_short, needed_in_passing
from finassist.adapters.classifier.tuned import ASKED_FROM, Tuned
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.questions import only_asks_whether
from finassist.domain.safety import DOUBT_OF_DESPAIR, EMERGENCIES, Concern, Distress, Sign

_PLAIN: Final = 9.0
"""The log odds of what is told in plain words in a language that nothing was trained on."""
_WORDS_IN_PASSING: Final = 1.45
"""The least log odds of self-harm that the words of a later message need by themselves: the vector of "what
is the very next thing I should do" sounds of more than is said."""

_FAR_IN_PASSING: Final = -2.0
"""Log odds by words and vector up to which the tuned layers alone find nothing in a conversation: "he's
saying i agreed to it in a text" is about a landlord there."""

_LIKELY: Final = 1.5
_LIKELY_OF_A_CLAUSE: Final = 2.5
"""The least log odds of self-harm with which one sentence decides about a message that asks for other help,
and a clause about one that is no other emergency (docs/safety.md)."""

_WORDS_AGAINST: Final = -1.5
_MEANING_AGAINST: Final = -6.0
_NOTHING_ALIKE: Final = 1.0
"""Of a message that hardly sounds of thoughts of death: log odds up to which its words speak against them;
and those of the one network up to which, and of the other for no help from which on, its vector does. Of 119
such messages that nothing was trained on, and that were told as such, neither holds (docs/safety.md)."""

_LIKELY_OF_A_CHOICE: Final = 2.5
"""The least log odds of self-harm of first words that only ask whether to do what they do not name: "should i
do it" may be about a loan. With despair, as in "idk if i should be here", they have twice that."""
_LONGER_WORDS: Final = 20
_SWINDLES: Final = (Concern.FRAUD, Concern.SCAM)
"""After these, too: "nothing has gone out yet" is about the card, and no loss of a job."""
_NOTHING_WENT: Final = -0.9
"""Log odds up to which somebody who met a swindle gave nothing. In doubt something went: advice on how to
check an offer is no help for those who paid."""


class DistressClassifierByMeaning:
    """``DistressClassifier``: words and runs of letters for all messages and languages; the vector of a short
    message as well, in a language that the encoder understands, unless the words rule out every concern.

    The vector, of the shipped sentence encoder in this process, is asked for in the form in which the search
    asks for it, which then finds it remembered. Without it, or when it fails, the words decide.

    Where an embedder has layers that were tuned for help, these speak against what was found, find what was
    missed, and tell the level where they are sure of it; about thoughts of death in an English message of
    usual length they decide.
    """

    def __init__(self, words: LinearDistressClassifier, embedder: Embedder | None) -> None:
        self._words = words
        self.looks = Looks(words, embedder)

    async def concern(
        self, message: str, history: Sequence[str] = (), *, language: str = ENGLISH
    ) -> Concern | None:
        """What the message asks help for, however surely, or None."""
        found = await self.distress(message, history, language=language)
        return found.concern if found else None

    async def distress(
        self, message: str, history: Sequence[str] = (), *, language: str = ENGLISH
    ) -> Distress | None:
        """What the message asks help for, or None; ``history`` is what the same user wrote before it."""
        if plain := plainly_told(message, language):
            return Distress(plain, _PLAIN)
        return await self._looked_at(without_idioms(message), history, language)

    async def _looked_at(self, message: str, history: Sequence[str], language: str) -> Distress | None:
        """What a message asks help for by its words, its vector and the tuned layers. Of thoughts of death in
        a message of usual length these decide, unless some were told a moment ago."""
        margins = await self.looks.margins(message, language)
        before = None
        if history and depends_on_earlier(margins):
            before = await self._before(history, language)
        read = await self.looks.tuned(message, language) if max(margins.values()) > ASKED_FROM else None
        if read is None or read.is_long or before is Concern.SELF_HARM:
            return await self._by_parts(message, margins, read, before, history, language)
        despair = await self._despair(message, margins[Concern.SELF_HARM], read, history, language)
        return despair or await self._of_other_concerns(message, margins, read, before, history, language)

    async def _despair(
        self, message: str, margin: float, tuned: Tuned, history: Sequence[str], language: str
    ) -> Distress | None:
        """The thoughts of death that a message of usual length tells of by the layers, or one of several
        sentences does by itself; none that it hardly sounds of and words or vector speak against."""
        found = tuned.despair(margin, in_passing=bool(history))
        if found is not None and await self._is_told_against(message, margin, language, by_parts=True):
            return None
        return found or await self._despair_in_a_sentence(message, language)

    async def _despair_in_a_sentence(self, message: str, language: str) -> Distress | None:
        """The thoughts of death that one of several sentences plainly tells of: what the others tell, however
        loudly, must not hide them."""
        parts = sentences(message)
        for part in parts if len(parts) > 1 else ():
            if self._words.margins(part)[Concern.SELF_HARM] > 0:
                tuned = await self.looks.tuned(part, language)
                if tuned is not None and (found := tuned.despair_in_a_sentence):
                    return found
        return None

    async def _by_parts(
        self,
        message: str,
        margins: Mapping[Concern, float],
        tuned: Tuned | None,
        before: Concern | None,
        history: Sequence[str],
        language: str,
    ) -> Distress | None:
        """What a message asks help for by its words, its vector and those of its parts; of a long one the
        layers for those speak against it."""
        told = await self._told(message, margins, before, language, is_first=not history)
        hidden = None
        if told is not None and told.concern is not Concern.SELF_HARM:
            hidden = await self._hidden_self_harm(message, told.concern, language)
            told = None if not history and is_too_short(message, told, language) else told
        if told is None and hidden is None and max(margins.values()) <= ASKED_FROM:
            return None
        tuned = tuned or await self.looks.tuned(message, language)
        if tuned is not None and tuned.is_story_far_from_despair:
            hidden, margins = None, {**margins, Concern.SELF_HARM: min(0.0, margins[Concern.SELF_HARM])}
            told = await self._told(message, margins, before, language, is_first=not history)
        in_passing = bool(history) and before is not Concern.SELF_HARM
        if hidden is not None and not (
            in_passing and await self._is_denied(hidden, tuned, message, language)
        ):
            return hidden
        if tuned is None:
            return told
        if await self._is_told_against(message, margins[Concern.SELF_HARM], language, by_parts=True):
            tuned = tuned.without(Concern.SELF_HARM)
        if told is None:
            return await self._missed(tuned, message, margins, history, language)
        if in_passing and await self._is_only_passing(told, tuned, message, margins, before, language):
            return None
        return await self._corrected(told, tuned, message, before, language)

    async def _of_other_concerns(
        self,
        message: str,
        margins: Mapping[Concern, float],
        tuned: Tuned,
        before: Concern | None,
        history: Sequence[str],
        language: str,
    ) -> Distress | None:
        """What a message asks help for that tells of no thoughts of death."""
        margins = {**margins, Concern.SELF_HARM: UNLIKELY}
        tuned = tuned.without(Concern.SELF_HARM)
        told = await self._told(message, margins, before, language, is_first=not history)
        if told is None or (not history and is_too_short(message, told, language)):
            return await self._missed(tuned, message, margins, history, language)
        if history and await self._is_only_passing(told, tuned, message, margins, before, language):
            return None
        return await self._corrected(told, tuned, message, before, language)

    async def _is_denied(self, told: Distress, tuned: Tuned | None, message: str, language: str) -> bool:
        """Whether the layers speak in a conversation against what a message tells; against thoughts of death
        of each part alone, too."""
        if tuned is None or not tuned.is_against(told, in_passing=True):
            return False
        return told.concern is not Concern.SELF_HARM or not await self._in_a_part_alone(message, language)

    async def _is_only_passing(
        self,
        told: Distress,
        tuned: Tuned,
        message: str,
        margins: Mapping[Concern, float],
        before: Concern | None,
        language: str,
    ) -> bool:
        """Whether the layers speak against what is told in a conversation. How short it is counts for nothing
        here."""
        odds = max(
            margins[each] + (leaning(each) if each is before else 0.0) for each in _alike(told.concern)
        )
        return await self._is_denied(Distress(told.concern, odds), tuned, message, language)

    async def _told(
        self,
        message: str,
        margins: Mapping[Concern, float],
        before: Concern | None,
        language: str,
        *,
        is_first: bool,
    ) -> Distress | None:
        """What a message asks help for by the log odds of its concerns."""
        is_short = len(message.split()) <= _LONGER_WORDS
        if not is_first and (before is None or (before in _SWINDLES and is_short)):
            margins = self._in_passing(margins, message, before, language)
        if await self._is_told_against(message, margins[Concern.SELF_HARM], language, by_parts=True):
            margins = {**margins, Concern.SELF_HARM: min(0.0, margins[Concern.SELF_HARM])}
        found = decided(margins, before)
        if found is None:
            return None
        if found is Concern.SELF_HARM:
            is_choice = is_first and language == ENGLISH and only_asks_whether(message)
            is_clear = not is_choice or margins[found] > _LIKELY_OF_A_CHOICE
            return Distress(found, margins[found]) if is_clear else None
        if found in _SWINDLES and before not in _SWINDLES:
            found = await self._stage(message, language)
        return Distress(found, max(margins.values()))

    async def _stage(self, message: str, language: str) -> Concern:
        """Of a message about a swindle whether money or data went."""
        went = self._words.went(message, await self.looks.vector(message, language))
        return Concern.FRAUD if went > _NOTHING_WENT else Concern.SCAM

    async def _missed(
        self,
        tuned: Tuned,
        message: str,
        margins: Mapping[Concern, float],
        history: Sequence[str],
        language: str,
    ) -> Distress | None:
        """What the tuned layers find where words and vector found nothing. What was told a moment ago is not
        repeated, however far the words are from it; nor does anything count in a conversation that the words
        are far from."""
        in_passing = bool(history) or len(message.split()) <= FEW_WORDS
        if not tuned.is_enough(in_passing=in_passing):
            return None
        found = tuned.likeliest
        if history and (margins[found] <= _FAR_IN_PASSING or self._is_unnamed(found, message)):
            return None
        alike = _alike(found)
        if found in _SWINDLES:
            found = await self._stage(message, language)
        odds = tuned.any_help
        if found in EMERGENCIES:
            odds += min(0.0, max(margins[each] for each in alike)) / 2
        if history and found is await self._before(history, language):
            return None
        is_open = Concern.SELF_HARM in tuned.odds
        hidden = await self._hidden_self_harm(message, found, language) if is_open else None
        return hidden or Distress(found, odds)

    def _is_unnamed(self, found: Concern, message: str) -> bool:
        """Whether thoughts of death are found of which the words of a message hardly sound."""
        return found is Concern.SELF_HARM and not self._names_despair(message)

    async def _corrected(
        self, told: Distress, tuned: Tuned, message: str, before: Concern | None, language: str
    ) -> Distress | None:
        """What is left of what words and vector found. Who was in an emergency a moment ago is believed, and
        who tells of thoughts of death, surely or in a part that does so by itself. Whether something went
        in a swindle the look at that alone tells better. Another level is as sure as the layers are of it."""
        found = None if tuned.is_against(told) else tuned.instead_of(told.concern)
        if found is told.concern or before in EMERGENCIES:
            return told
        if told.concern is Concern.SELF_HARM:
            is_sure = found is None and not told.is_hardly_told
            if is_sure or await self._in_a_part(message, language, 0.0):
                return told
        if found is None:
            return None
        odds = tuned.odds[found]
        if found in _SWINDLES:
            if told.concern in _SWINDLES:
                return told
            found = await self._stage(message, language)
        return Distress(found, odds)

    def _in_passing(
        self, margins: Mapping[Concern, float], message: str, before: Concern | None, language: str
    ) -> Mapping[Concern, float]:
        """The log odds that are left of a message in a conversation about something else."""
        words = len(message.split())
        left = {
            concern: margin - (0.0 if concern is before else needed_in_passing(concern, words, language))
            for concern, margin in margins.items()
        }
        if left[Concern.SELF_HARM] > 0 and not self._names_despair(message):
            left[Concern.SELF_HARM] = 0.0
        return left

    def _names_despair(self, message: str) -> bool:
        """Whether the words alone, and not just the vector, sound of thoughts of death."""
        return self._words.margins(message)[Concern.SELF_HARM] > _WORDS_IN_PASSING

    async def _before(self, history: Sequence[str], language: str) -> Concern | None:
        """What the message before asked help for; an emergency that it hardly told does not count."""
        before = await self.distress(history[-1], history[-2:-1], language=language)
        return None if before is None or before.is_hardly_told else before.concern

    async def _is_told_against(
        self, message: str, odds: float, language: str, *, by_parts: bool = False
    ) -> bool:
        """Whether either the words or the vector of a message that hardly sounds of thoughts of death speak
        clearly against them: "what happens to debts when somebody dies? I'm doing my will" sounds so by its
        vector alone, "how do I help her without going under" by its words alone. With ``by_parts`` none of
        its parts may sound of them by itself: an innocent beginning must not hide what follows."""
        if not 0 < odds <= DOUBT_OF_DESPAIR:
            return False
        vector = await self.looks.vector(message, language)
        if vector is None or (by_parts and await self._sounds_in_part(message, language)):
            return False
        is_unsaid = self._words.margins(message)[Concern.SELF_HARM] <= _WORDS_AGAINST
        return is_unsaid or self._is_far(vector)

    def _is_far(self, vector: Vector) -> bool:
        """Whether both networks say of a vector that it is far from thoughts of death."""
        told, alike = self._words.network_odds(vector)
        return told[Concern.SELF_HARM] <= _MEANING_AGAINST and alike >= _NOTHING_ALIKE

    async def _sounds_in_part(self, message: str, language: str) -> bool:
        """Whether a sentence or a clause sounds of thoughts of death by its words and by its vector."""
        parts = (*sentences(message), *clauses(message))
        async for _, margins in self._sounding(parts, language, least=_WORDS_AGAINST):
            if margins[Concern.SELF_HARM] > 0:
                return True
        return False

    async def signs(self, message: str, *, language: str = ENGLISH) -> Sequence[Sign]:
        """What is wrong with the offer that the message tells of, the clearest first."""
        scores = dict(self._words.signs(message))
        vector = await self.looks.vector(message, language)
        if vector is not None:
            # What the words name stands there, whatever the rest of the message is about.
            added = self._words.meaning_of_signs(vector)
            scores = {sign: max(score, score + added[sign]) for sign, score in scores.items()}
        found = [sign for sign, score in scores.items() if score > 0]
        return sorted(found, key=lambda sign: -scores[sign])

    async def _hidden_self_harm(self, message: str, found: Concern, language: str) -> Distress | None:
        """What one part of a message tells of thoughts of death: what the others tell, however loudly, must
        not hide it. A clause does where they tell of no emergency. A sentence that hardly sounds so does not
        count when both networks say of the whole message that it is far from them."""
        hidden = await self._self_harm_in(sentences(message), language, _LIKELY)
        if hidden is not None and hidden.is_hardly_told:
            vector = await self.looks.vector(message, language)
            hidden = None if vector is not None and self._is_far(vector) else hidden
        if hidden is None and found not in EMERGENCIES:
            hidden = await self._self_harm_in(clauses(message), language, _LIKELY_OF_A_CLAUSE)
        return hidden

    async def _in_a_part(self, message: str, language: str, least: float) -> bool:
        """Whether a sentence or a clause tells of thoughts of death by itself."""
        parts = (*sentences(message), *clauses(message))
        return await self._self_harm_in(parts, language, least) is not None

    async def _in_a_part_alone(self, message: str, language: str) -> bool:
        """Whether a sentence or a clause plainly tells of thoughts of death, and the layers of it do, too."""
        parts = (*sentences(message), *clauses(message))
        async for part, margins in self._sounding(parts, language, least=0.0):
            told = Distress(Concern.SELF_HARM, margins[Concern.SELF_HARM])
            if decided(margins) is Concern.SELF_HARM and told.odds > _LIKELY:
                tuned = await self.looks.tuned(part, language)
                if tuned is None or not tuned.is_against(told, in_passing=True):
                    return True
        return False

    async def _self_harm_in(self, parts: Iterable[str], language: str, least: float) -> Distress | None:
        """The first of the parts that, by itself, asks for help after thoughts of death."""
        async for part, margins in self._sounding(parts, language, least=0.0):
            needed = max(least, needed_in_passing(Concern.SELF_HARM, len(part.split()), language))
            odds = margins[Concern.SELF_HARM]
            if decided(margins) is Concern.SELF_HARM and odds > needed:
                return Distress(Concern.SELF_HARM, odds)
        return None

    async def _sounding(
        self, parts: Iterable[str], language: str, *, least: float
    ) -> AsyncIterator[tuple[str, Mapping[Concern, float]]]:
        """The parts of a message whose words have more than these log odds of self-harm and of which nothing
        speaks against it, each with the log odds of its concerns."""
        for part in parts:
            if self._words.margins(part)[Concern.SELF_HARM] > least:
                margins = await self.looks.margins(part, language)
                if not await self._is_told_against(part, margins[Concern.SELF_HARM], language):
                    yield part, margins


def _alike(concern: Concern) -> Sequence[Concern]:
    """The concerns that words and vector tell apart by what went only: all swindles, or the one."""
    return _SWINDLES if concern in _SWINDLES else (concern,)
