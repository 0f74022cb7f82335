"""A calculation that a later question repeats with one number changed: "and over 15 years instead?"."""

import re
from collections.abc import Sequence

from finassist.domain.calculators.recognition.quantities import QUANTITY, outline

_LINKING = frozenset(
    "a about after all also an and annum at be but do does each every for get give had how i i'd if in "
    "instead interest invest is it just loan long make me month monthly more now of ok okay only or over p "
    "pa per rate same save saved show so take term that the then they to took was we were what what's with "
    "would year yearly you".split()
)
_MORE = re.compile(r"\bmore\b")
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
    if not replaced:
        return f"{whole.rstrip(' ?!.')} {change.strip(' ?!.')}?"
    if len(replaced) != 1:
        return None
    if _MORE.search(change):
        return _raised(whole, replaced[0], numbers[0])
    return whole[: replaced[0].start()] + numbers[0].group() + whole[replaced[0].end() :]


def _raised(whole: str, old: re.Match[str], more: re.Match[str]) -> str | None:
    """``whole`` with an amount that is the old one and some more."""
    first, second = outline(old.group()), outline(more.group())
    if first is None or second is None or not first[2] or not second[2]:
        return None
    return f"{whole[: old.start()]}{old['currency'] or ''}{first[2][0] + second[2][0]:f}{whole[old.end() :]}"


def _kind(match: re.Match[str]) -> str:
    part = next((part for part in _PARTS if match[part] is not None), "age")
    return "term" if part in _TERMS else part
