"""Whether a message with numbers wants to know what to think of them, or a limit, and no figure of them."""

from typing import Final

from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.sums.asked import read_asked
from finassist.domain.calculators.recognition.sums.words import said
from finassist.domain.calculators.recognition.threads.words import ADVICE

_HOW_MUCH: Final = said("how_much", "how_many", "how_long")
_YES_OR_NO: Final = said("yes_or_no")
_THOUGHT_OF: Final = said("thought_of")
_LIMIT: Final = said("limit")


def is_opinion(reading: Reading) -> bool:
    """Whether advice, an opinion or a yes or no is asked for: "is that too much", "what do i pay first"."""
    return reading.says(ADVICE) or (reading.says(_YES_OR_NO) and not reading.says(_HOW_MUCH))


def is_judged(question: str) -> bool:
    """Whether a message asks what to think of its numbers, and for no figure: "£1,450 rent on 32k, is that
    mad"."""
    reading = read(question)
    is_asked = is_opinion(reading) or reading.says(_THOUGHT_OF)
    return is_asked and read_asked(reading.quantities or (), reading.text) is None


def wants_rule(question: str) -> bool:
    """Whether an entry answers a message rather than a calculation that lacks a number: it asks for an
    opinion, or how much somebody may do."""
    reading = read(question)
    return reading.says(_LIMIT) or is_opinion(reading)
