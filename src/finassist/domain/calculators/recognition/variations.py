"""A calculation that a later question asks for anew with one number changed: "and over 15 years instead?"."""

import re
from collections.abc import Sequence

from finassist.domain.calculators.recognition.quantities import QUANTITY

_LINKING = frozenset(
    "a about after all also an and at be but do does for get give had how i i'd if in instead interest is it "
    "just loan long make me now of ok okay only or over rate same save saved show so take term that the then "
    "they to took was we were what what's with would you".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_PARTS = ("rate", "years", "months", "money")
_TERMS = frozenset(("years", "months"))


def whole_calculation(question: str, earlier: Sequence[str]) -> str | None:
    """The question in whole: the one before it with the number that this one changes; None when it changes
    no single number. ``earlier`` is what the same user wrote before, oldest first."""
    whole: str | None = None
    for before in earlier:
        whole = (whole and _varied(whole, before)) or before
    return whole and _varied(whole, question)


def _varied(whole: str, change: str) -> str | None:
    """``whole`` with the number of ``change`` in place of its only one of the same kind."""
    change = change.casefold().replace("\u2019", "'")
    numbers = list(QUANTITY.finditer(change))
    if len(numbers) != 1 or not _LINKING.issuperset(_WORD.findall(QUANTITY.sub(" ", change))):
        return None
    kind = _kind(numbers[0])
    whole = whole.casefold().replace("\u2019", "'")
    replaced = [match for match in QUANTITY.finditer(whole) if _kind(match) == kind]
    if len(replaced) != 1:
        return None
    return whole[: replaced[0].start()] + numbers[0].group() + whole[replaced[0].end() :]


def _kind(match: re.Match[str]) -> str:
    part = next((part for part in _PARTS if match[part] is not None), "age")
    return "term" if part in _TERMS else part
