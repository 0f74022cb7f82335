"""Messages that no model should answer: they get a fixed, kind text that says where to turn."""

from dataclasses import dataclass

from finassist.domain.safety.patterns import PATTERNS, Concern
from finassist.domain.safety.texts import TEXTS

__all__ = ["Concern", "Help", "help_for"]


@dataclass(frozen=True, slots=True)
class Help:
    """What is said instead of an answer."""

    concern: Concern
    text: str


def help_for(message: str) -> Help | None:
    """The help that a message asks for, or None when a model may answer it."""
    text = " ".join(message.casefold().replace("\u2019", "'").split())
    for concern, patterns in PATTERNS.items():
        if any(pattern.search(text) for pattern in patterns):
            return Help(concern, TEXTS[concern])
    return None
