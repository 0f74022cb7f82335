"""What a question asks to be calculated: a whole calculation, or one that lacks a number."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.asides import is_count_left_out
from finassist.domain.calculators.recognition.choice import NO_CALCULATION, Chooser
from finassist.domain.calculators.recognition.drafts import Draft, draft
from finassist.domain.calculators.recognition.quantities import Kind, without_quantities
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import form_of, forms
from finassist.domain.calculators.recognition.sums.settling import NO_FIGURE, settled, without_cost
from finassist.domain.calculators.recognition.sums.words import said

_NOTICED: Final = 0.02
_CONSIDERED: Final = 0.1
_TELLING: Final = 3
"""So many numbers tell a calculation: fewer fit into most of them."""
_WHOLE: Final = (0.45, 0.1)
"""The least share of a calculation for which the question has all numbers and no other: of fewer numbers, and
of telling ones."""
_WHOLE_OVER_NONE: Final = (1.6, 1.0)
"""How much likelier it is than that nothing is to be calculated, for the same two."""
_WHOLE_OVER_OTHERS: Final = 0.5
"""How likely it is at least, in parts of the likeliest, for which the numbers do not fit."""
_LACKING: Final = {1: 0.45, 2: 0.5}
_LACKING_MORE: Final = 0.85
"""The same of one that lacks one number or two, and of one that lacks more or has none that tells: it is the
likeliest, too."""

Drafted = Callable[[str], Draft | None]
"""The calculation of a name as far as the question gives it."""

_OF_PERCENT: Final = re.compile(
    "|".join(said(name).pattern for name in ("percent", "added_percent", "removed_percent", "part_percent"))
)


def understand(
    reading: Reading, chooser: Chooser, vector: Sequence[float] | None, *, doubt: float = 1.0
) -> Draft | None:
    """The calculation that a question asks for, or None when it asks for none with certainty.

    Every number of the question has a part in it. ``vector`` is that of ``reading.sketch``, or None.
    ``doubt`` is what the likelihood that nothing is to be calculated counts for.
    """
    if reading.quantities is None or not reading.has_one_compounding:
        return None
    drafted = cache(lambda name: draft(name, reading))
    shares = _moved(_doubted(chooser.shares(reading, vector), doubt), drafted)
    found = _told(reading, drafted) or _asked_back(reading, drafted)
    found = found or settled(_named(reading, shares, drafted), reading, shares)
    if found is None or _is_untold(found, reading) or _lacks_count(found, reading):
        return None
    found = without_cost(found, reading)
    return None if _lacks_percentage(found) and not reading.says(_OF_PERCENT) else found


def _told(reading: Reading, drafted: Drafted) -> Draft | None:
    """The calculation that words tell whatever the question is like: every number has its role in it."""
    if reading.says(NO_FIGURE):
        return None
    for name, form in forms().items():
        if form.is_told(reading.text):
            made = drafted(name)
            if made is not None and not made.missing and not made.unclear and _tells(made):
                return made
    return None


def _asked_back(reading: Reading, drafted: Drafted) -> Draft | None:
    """The calculation that words tell and that lacks nothing but what is then asked for."""
    if reading.says(NO_FIGURE):
        return None
    for name, form in forms().items():
        if form.is_asked(reading.text):
            made = drafted(name)
            if made is not None and made.missing and set(made.missing) <= set(form.asks):
                return made
    return None


def _tells(made: Draft) -> bool:
    """Whether the numbers are there that the words are about, by how the names of their slots begin."""
    return all(any(slot.startswith(name) for slot in made.filled) for name in made.form.tells)


def _is_untold(found: Draft, reading: Reading) -> bool:
    """Whether a question is nothing but an amount, a rate and a time, which may be borrowed or saved."""
    words = set(_WORD.findall(without_quantities(reading.text)))
    return found.calculator in _BORROWED_OR_SAVED and not words - _LINKS


def _lacks_count(found: Draft, reading: Reading) -> bool:
    """Whether a sum is made without the number of those for whom something is paid."""
    is_of_people = found.calculator in _OF_PEOPLE
    return is_of_people and is_count_left_out(reading.text, is_shared=reading.says(_SHARED))


_OF_PEOPLE: Final = frozenset(("arithmetic", "recurring_cost", "tip_and_split"))
_SHARED: Final = said("each")
_BORROWED_OR_SAVED: Final = frozenset(("compound_interest", "loan_instalment", "fixed_deposit"))
_WORD: Final = re.compile(r"[^\W\d_]+")
_LINKS: Final = frozenset(str(shipped("calculators/recognition")["recogniser"]["links"]).split())


def _lacks_percentage(found: Draft) -> bool:
    """Whether a percentage is all that a calculation needs."""
    return found.calculator == "percentage" and list(found.missing) == ["percent"]


def _named(reading: Reading, shares: Mapping[str, float], drafted: Drafted) -> Draft | None:
    """The calculation that the words name, with the numbers in its slots."""
    assert reading.quantities is not None
    drafts = {
        name: made
        for name, share in shares.items()
        if name != NO_CALCULATION
        and share >= _CONSIDERED
        and (made := drafted(name)) is not None
        and not made.lacks_what_is_asked
    }
    ranked = sorted(drafts, key=lambda name: -shares[name])
    whole = [name for name in ranked if not drafts[name].missing]
    if whole and _is_whole(whole[0], _among(shares, drafts), len(reading.quantities)):
        return drafts[whole[0]]
    if not ranked or shares[ranked[0]] < max(_likeliest(shares), _least(drafts[ranked[0]])):
        return None
    return drafts[ranked[0]]


def _moved(shares: Mapping[str, float], drafted: Drafted) -> Mapping[str, float]:
    """The shares, those of calculations whose numbers do not fit given to what is meant instead."""
    moved = dict(shares)
    for name, share in shares.items():
        if name == NO_CALCULATION or share < _NOTICED or not form_of(name).instead:
            continue
        made = drafted(name)
        if made is not None and len(made.missing) <= 1 and not _is_without_start(made):
            continue
        other = _fitting(form_of(name).instead, drafted)
        if other and (made is None or _is_without_start(made) or _is_fuller(drafted(other), made)):
            moved[name] = 0.0
            moved[other] = moved.get(other, 0.0) + share
    return moved


def _fitting(name: str, drafted: Drafted) -> str:
    """The form, or the one that is meant instead, that lacks one number at most; empty for none."""
    seen: set[str] = set()
    while name and name not in seen:
        made = drafted(name)
        if made is not None and len(made.missing) <= 1:
            return name
        seen.add(name)
        name = form_of(name).instead
    return ""


def _is_without_start(made: Draft) -> bool:
    """Whether all that lacks is an amount at the start beside one of every month: there is none."""
    return list(made.missing) == ["principal"] and "contribution" in made.filled


def _is_fuller(other: Draft | None, made: Draft) -> bool:
    """Whether another form of the same calculator has all its numbers, where one lacks several."""
    return other is not None and other.calculator == made.calculator and not other.missing


def _least(lacking: Draft) -> float:
    """The least share of a calculation that lacks numbers."""
    return _LACKING.get(len(lacking.missing), _LACKING_MORE) if _is_telling(lacking) else _LACKING_MORE


def _doubted(shares: Mapping[str, float], doubt: float) -> Mapping[str, float]:
    weighed = {name: share * (doubt if name == NO_CALCULATION else 1.0) for name, share in shares.items()}
    total = sum(weighed.values())
    return {name: share / total for name, share in weighed.items()}


def _is_telling(given: Draft) -> bool:
    """Whether a calculation has a number that is more than a few digits, which may be an age."""
    return any(each.kind is not Kind.SMALL for quantities in given.filled.values() for each in quantities)


def _among(shares: Mapping[str, float], drafts: Mapping[str, Draft]) -> Mapping[str, float]:
    """The shares of what the numbers allow, adding up to 1: they rule the rest out."""
    left = {name: share for name, share in shares.items() if name in drafts or name == NO_CALCULATION}
    total = sum(left.values())
    return {name: share / total for name, share in left.items()}


def _is_whole(name: str, shares: Mapping[str, float], numbers: int) -> bool:
    is_telling = numbers >= _TELLING
    over_none = _WHOLE_OVER_NONE[is_telling] * shares[NO_CALCULATION]
    return shares[name] >= max(_WHOLE[is_telling], over_none, _WHOLE_OVER_OTHERS * _likeliest(shares))


def _likeliest(shares: Mapping[str, float]) -> float:
    return max(shares.values())
