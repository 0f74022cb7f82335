"""Numbers of a question that no slot takes: ages, who asks, the time it is asked for, what is said twice."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity

_OF_A_PERSON: Final = re.compile(
    r"(?:\b(?:i am|i'm|im|we are|we're|aged?|i are|he is|she is|he's|she's|my \w+ is|turn(?:s|ed|ing)?"
    r"|until(?: age)?|till|until (?:i'm|i am|he is|he's|she is|she's|they are)"
    r"|retir(?:e|ing) at(?: age)?|ich bin|j'ai|tengo|tenho|ho)"
    r"(?: (?:now|just|only|nearly|almost|about))?) $"
)
_ONE: Final = re.compile(r"1 (?:year|month)")
_AND: Final = re.compile(r",? and |, ")
_IN: Final = re.compile(r"\bin $")
_YEARS_OLD: Final = re.compile(r"\bold\b|\bage\b")
_US: Final = re.compile(r"\b(?:the|both|all|for|we|us)(?: the)? $")
_OF_US: Final = re.compile(r"of us\b")
_REFERS: Final = re.compile(
    r"\b(?:the|same|that|this|my|their|its|der|die|das|den|le|la|les|el|los|o|a|il) $"
)


def ways_to_read(quantities: Sequence[Quantity]) -> Iterator[Sequence[Quantity]]:
    """The numbers as they are, and then without more and more of what may stand beside a calculation."""
    seen: list[Sequence[Quantity]] = []
    some = _without_asides(quantities)
    once = _without_repeats(some)
    for way in (quantities, some, once, [each for each in once if not _is_us(each)]):
        if way not in seen:
            seen.append(way)
            yield way


def _without_repeats(quantities: Sequence[Quantity]) -> list[Quantity]:
    """What an article or pronoun refers back to is the number that was told before."""
    left: list[Quantity] = []
    for quantity in quantities:
        is_told = any((each.kind, each.value) == (quantity.kind, quantity.value) for each in left)
        if not (is_told and _REFERS.search(quantity.before)):
            left.append(quantity)
    return left


def _is_us(quantity: Quantity) -> bool:
    """Whether a number counts those who ask: "how much do the two of us pay"."""
    return (
        quantity.kind is Kind.PEOPLE
        and _OF_US.search(quantity.written) is not None
        and _US.search(quantity.before) is not None
    )


def _without_asides(quantities: Sequence[Quantity]) -> list[Quantity]:
    left: list[Quantity] = []
    was_aside = False
    for quantity in quantities:
        is_next = was_aside and quantity.kind is Kind.SMALL and _AND.fullmatch(quantity.before) is not None
        was_aside = is_next or _is_aside(quantity)
        if not was_aside:
            left.append(quantity)
    return left


def _is_aside(quantity: Quantity) -> bool:
    """Whether a number is an age, or the time for which something is asked: "what goes in a month"."""
    if quantity.kind is Kind.TERM:
        return _ONE.fullmatch(quantity.written) is not None and _IN.search(quantity.before) is not None
    return is_age(quantity)


def is_age(quantity: Quantity) -> bool:
    """Whether a small number is somebody's age."""
    return quantity.kind is Kind.SMALL and bool(
        _OF_A_PERSON.search(quantity.before) or _YEARS_OLD.search(quantity.written)
    )
