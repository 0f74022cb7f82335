"""Messages that no model should answer: they get a fixed, kind text that says where to turn."""

from dataclasses import dataclass

from finassist.domain.safety.concerns import Concern
from finassist.domain.safety.texts import TEXTS, TEXTS_AGAIN

__all__ = ["Concern", "Help", "help_with"]


@dataclass(frozen=True, slots=True)
class Help:
    """What is said instead of an answer."""

    concern: Concern
    text: str


def help_with(concern: Concern, *, again: bool = False) -> Help:
    """The help for a concern; ``again`` to somebody who got it a moment ago and writes on."""
    return Help(concern, TEXTS_AGAIN.get(concern, TEXTS[concern]) if again else TEXTS[concern])
