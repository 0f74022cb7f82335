"""What the encoder's layers that were tuned for help say of a message, beside its words and its vector."""

from dataclasses import dataclass, replace
from math import exp, log, log1p
from typing import Final

from finassist.adapters.embeddings.help import HelpOdds
from finassist.domain.safety import DOUBT_OF_DESPAIR, EMERGENCIES, Concern, Distress

ASKED_FROM: Final = -6.5
"""Log odds by words and vector up to which the layers are not asked: four of five ordinary questions. Nobody
in need whom the layers alone find in the sets of messages has less."""

_AGAINST: Final = -1.0
_AGAINST_EMERGENCY: Final = -1.8
_PER_TOLD: Final = 0.5
"""Log odds of any help up to which what words and vector found does not count; those of an emergency, where
help matters most; and how much lower they have to be for each of the log odds with which it was found."""

_AGAINST_IN_PASSING: Final = 0.0
_PER_TOLD_IN_PASSING: Final = 1 / 3
_AGAINST_DESPAIR_IN_PASSING: Final = 2.0
"""The same in a conversation, where what is told goes on from something else more often than not: both looks
together have to tell of need, and of thoughts of death (half as in a first message) more plainly. Of 33 later
messages of despair in the sets none comes near it (docs/safety.md)."""

_ALONE: Final = 1.0
_ALONE_IN_PASSING: Final = 3.0
"""Log odds of any help from which on the layers are enough where words and vector found nothing; and those in
a conversation, of which they see one message ("i could get hit by a bus tomorrow" follows "do i need a
will"), and of a few first words."""

_AGAINST_IN_STORY: Final = -0.8
_CLEAR_IN_STORY: Final = 3.0
"""Log odds of any help in a long message up to which what its words found does not count, and how surely they
have to tell it before that counts against the layers. Of 88 long messages of people in need none is lost."""

_FAR_FROM_DESPAIR: Final = -2.2
"""Log odds of thoughts of death up to which what the words of a long message, or one of its sentences, sound
of counts for nothing: "I've tried everything" is said in many stories. Of 30 long messages of despair that
nothing was trained on none has less than -2.0 (docs/safety.md)."""

_DESPAIR: Final = (-1.5, -3.0)
"""Log odds of thoughts of death in a message of usual length, against all else, from which on there may be
some, and those where words and vector plainly sound of them. From 0 on they are told as such, and not as what
a program may have misread. Chosen on messages that nothing was trained on (docs/safety.md)."""
_DESPAIR_IN_PASSING: Final = (1.5, -1.5)
_PER_DOUBT: Final = 0.5
"""The same in a conversation, and how much more is needed for each of the log odds by which words and vector
speak against it ("how long till im done with all of them"): of 1,404 later messages about money four get help
for thoughts of death instead of nine without, and of 208 messages of despair 123 instead of 125
(docs/safety.md)."""
_PLAIN: Final = 3.0
"""Log odds by words and vector that are plain."""
_DESPAIR_IN_A_SENTENCE: Final = 2.0
"""Log odds of a sentence by itself from which on the others do not hide it."""

_SURE_OF_LEVEL: Final = 2.5
"""So much likelier than any other has a level to be that replaces what words and vector found. Of those who
tell of thoughts of death in the sets of messages nobody loses that help by any bound above 0.8."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """What the layers say of one message. The bounds were chosen on messages that nothing was trained on
    (docs/safety.md)."""

    odds: HelpOdds
    is_long: bool = False
    """Whether the layers for long messages read it."""

    @property
    def is_story_far_from_despair(self) -> bool:
        """Whether it is a long message that tells of no thoughts of death."""
        return self.is_long and self.odds[Concern.SELF_HARM] <= _FAR_FROM_DESPAIR

    def despair(self, margin: float, *, in_passing: bool) -> Distress | None:
        """The thoughts of death that a message of usual length tells of, if any; ``margin`` are the log odds
        of them by words and vector. In doubt they are not told in place of another emergency that is
        likelier."""
        least = (_DESPAIR_IN_PASSING if in_passing else _DESPAIR)[margin > _PLAIN]
        if in_passing:
            least += _PER_DOUBT * max(0.0, -margin)
        found = self._despair(least)
        is_other = self.likeliest in EMERGENCIES and self.likeliest is not Concern.SELF_HARM
        return None if found is not None and found.is_hardly_told and is_other else found

    @property
    def despair_in_a_sentence(self) -> Distress | None:
        """Those that a sentence by itself tells of."""
        return self._despair(_DESPAIR_IN_A_SENTENCE)

    def _despair(self, least: float) -> Distress | None:
        others = sum(exp(odds) for concern, odds in self.odds.items() if concern is not Concern.SELF_HARM)
        odds = self.odds[Concern.SELF_HARM] - log1p(others)
        return Distress(Concern.SELF_HARM, DOUBT_OF_DESPAIR + odds) if odds > least else None

    @property
    def likeliest(self) -> Concern:
        """The likeliest concern, whether or not help is needed."""
        return max(self.odds, key=lambda concern: self.odds[concern])

    @property
    def any_help(self) -> float:
        """The log odds that any help is needed."""
        return log(sum(map(exp, self.odds.values())))

    def is_against(self, told: Distress, *, in_passing: bool = False) -> bool:
        """Whether no help is needed though words and vector found that it is."""
        if in_passing and told.concern is Concern.SELF_HARM:
            return self.any_help <= _AGAINST_DESPAIR_IN_PASSING - _PER_TOLD * told.odds
        if in_passing:
            return self.any_help <= _AGAINST_IN_PASSING - _PER_TOLD_IN_PASSING * told.odds
        if self.is_long:
            return self.any_help <= _AGAINST_IN_STORY - _PER_TOLD * max(0.0, told.odds - _CLEAR_IN_STORY)
        bound = _AGAINST_EMERGENCY if told.concern in EMERGENCIES else _AGAINST
        return self.any_help <= bound - _PER_TOLD * told.odds

    def without(self, concern: Concern) -> "Tuned":
        """What the layers say of the other concerns."""
        return replace(self, odds={each: odds for each, odds in self.odds.items() if each is not concern})

    def is_enough(self, *, in_passing: bool) -> bool:
        """Whether help is needed though words and vector did not find it."""
        return self.any_help > (_ALONE_IN_PASSING if in_passing else _ALONE)

    def instead_of(self, found: Concern) -> Concern:
        """The level of a message of which words and vector found this one: the same where the layers are not
        sure of another."""
        likeliest = self.likeliest
        others = max(odds for concern, odds in self.odds.items() if concern is not likeliest)
        is_sure = self.any_help > 0 and self.odds[likeliest] - others > _SURE_OF_LEVEL
        return likeliest if is_sure else found
