"""How sure few words have to be, and those of a conversation about something else, that they ask for help."""

from math import log
from typing import Final

from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.safety import Concern, Distress

_OF_ONE_WORD: Final = dict.fromkeys(Concern, 15.2) | {Concern.SELF_HARM: 13.1, Concern.FRAUD: 13.8}
_PER_LOG_WORD: Final = 5.06
"""The log odds that a message of one word needs in a conversation that was not about distress, or a part of
a message about other trouble, and how fast they fall with the logarithm of the number of words: "i just can't
stick to it" is about a budget there, "im drowning" about debts. A logistic
curve, fitted to messages that nothing was trained on (docs/safety.md); less is asked of what must not be
missed."""

_IN_OTHER_LANGUAGES: Final = 2.0
_SHORT_WORDS: Final = 12
_LONGER_THERE: Final = 0.5
_SELF_HARM_THERE: Final = 1.0
"""The log odds that a message in another language needs there, whose words tell of need more readily: with up
to twelve words, and with more. Thoughts of death need the third from seven words on: "je n'ai pas de garant"
is about a flat."""

_TROUBLE: Final = (Concern.BAILIFFS, Concern.GAMBLING, Concern.DEBT, Concern.JOB_LOSS)
_OF_FEW_WORDS: Final = 4.5
FEW_WORDS: Final = 6
"""The log odds that so few first words need for these: "just got paid" is about no lost job."""


def is_too_short(message: str, told: Distress, language: str) -> bool:
    """Whether a first message has too few words to be about such trouble."""
    is_short = language == ENGLISH and len(message.split()) <= FEW_WORDS
    return is_short and told.concern in _TROUBLE and told.odds <= _OF_FEW_WORDS


def needed_in_passing(concern: Concern, words: int, language: str) -> float:
    """The log odds that so many words need beside something else."""
    if language != ENGLISH:
        least = _IN_OTHER_LANGUAGES if words <= _SHORT_WORDS else _LONGER_THERE
        is_told = concern is Concern.SELF_HARM and words > FEW_WORDS
        return _SELF_HARM_THERE if is_told else least
    return max(0.0, _OF_ONE_WORD[concern] - _PER_LOG_WORD * log(max(words, 1)))
