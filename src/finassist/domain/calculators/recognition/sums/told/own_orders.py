"""What each pays of an order of which everybody had a part, with a percentage on or off all of it: "mine was
34.50, Jess 28, 18% tip on the lot"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
    part,
)
from finassist.domain.calculators.recognition.sums.roles import Role, role_of
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.told.own_parts import is_group
from finassist.domain.calculators.recognition.sums.values import Value, plain, with_unit
from finassist.domain.calculators.recognition.sums.words import said, words

_EVENLY: Final = said("split_evenly", "rest_told", "own_bill", "couple")
_ON_ALL: Final = said("on_all")
_EACH_ASKED: Final = said("each", "myself", "we_all", "who_pays")
_TREATS: Final = said("treats")
_PERSON: Final = said("person_told")
_ATE: Final = said("ate_own")
_YOU: Final = "You"
_NO_PERSON: Final = said("no_person")
_ME: Final = said("myself", "me_told")
_CLAUSE: Final = re.compile(r"[.;:?!,()]| - ")
_LISTED_BY: Final = re.compile(rf"(?<!\w){words('lists')}(?!\w)")
_BESIDE_NAMES: Final = re.compile(rf"^(?:{words('before_names')} )+")
_VERBS: Final = re.compile(rf"(?<=\w) (?:{words('ate_own')}|{words('own_verbs')}|{words('own_things')})$")
_WORDS: Final = re.compile(r"[^\W\d_][^\W\d_'-]*(?: [^\W\d_][^\W\d_'-]*)?")
_NAMED_BEHIND: Final = re.compile(
    rf" (?:{words('named_behind')} )?(?P<name>[^\W\d_]{{2,}})(?=[,.;?]| {words('lists')} )"
)
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL))


def with_percentage_of_all(question: Question) -> Figures:
    """What each pays for an own part of an order, with a tip or after a discount on all of it."""
    groups, amounts = _groups_and_amounts(question)
    names = _people(question)
    if len(question.rates) != 1 or apart(question.others, groups) or not names:
        return ()
    factor = _factor(question.rates[0])
    if question.says(_TREATS):
        return ()
    is_each = question.asked.goal is Goal.AMOUNT and question.asks(_EACH_ASKED)
    if not is_each or factor is None or any(each.value != len(set(names)) for each in groups):
        return ()
    shares = [(name, _had(name, names, amounts)) for name in dict.fromkeys(names)]
    whole = reduce(add, (value for _, value in shares))
    figures = [Figure(name, value * factor) for name, value in shares]
    return (*figures, Figure("Together", whole * factor))


def tells_own_orders(question: Question) -> bool:
    """Whether everybody had an own part, so that nothing is shared evenly."""
    return len(question.rates) == 1 and bool(_people(question))


def _people(question: Question) -> Sequence[str]:
    """Who had each amount; empty when a thing is named, or it is shared evenly."""
    _, amounts = _groups_and_amounts(question)
    if len(amounts) < PAIR or question.says(_EVENLY):
        return ()
    if any(each.per or each.kind not in _AMOUNTS for each in amounts):
        return ()
    names = _names(amounts) or ()
    is_told = _YOU in names or any(_PERSON.fullmatch(name.casefold()) for name in names)
    return names if len(set(names)) >= PAIR and (is_told or question.says(_ATE)) else ()


def _groups_and_amounts(question: Question) -> tuple[Sequence[Quantity], Sequence[Quantity]]:
    groups = [each for each in question.quantities if is_group(each)]
    return groups, apart(question.amounts, groups)


def _had(name: str, names: Sequence[str], amounts: Sequence[Quantity]) -> Value:
    """All that somebody had."""
    return reduce(add, (amount(each) for each, own in zip(amounts, names, strict=True) if own == name))


def _factor(rate: Quantity) -> Value | None:
    """What the order is multiplied by, when the words tell whether the percentage is added."""
    alone = replace(rate, after=_ON_ALL.sub("", rate.after))
    role = role_of(Term(with_unit(rate.value), alone, 0, percent=True), "")
    if role is Role.ADDED:
        return plain(1) + part(rate)
    return plain(1) - part(rate) if role is Role.REMOVED else None


def _names(amounts: Sequence[Quantity]) -> Sequence[str] | None:
    """Who had each amount, named before all of them or behind; None when a thing is named, or nobody."""
    names = [_person(_named_before(each)) for each in amounts]
    if not all(names):
        found = [_NAMED_BEHIND.match(each.after) for each in amounts]
        names = [_person(match["name"]) if match else "" for match in found]
    return names if all(names) else None


def _named_before(quantity: Quantity) -> str:
    """The words before an amount since the last comma; empty when two are named together."""
    clause = next((each for each in reversed(_CLAUSE.split(quantity.before)) if each.strip()), "")
    found = _LISTED_BY.search(clause)
    earlier, joined, later = clause.rpartition(found[0]) if found else ("", "", clause)
    return "" if joined and earlier.strip() else later


def _person(words: str) -> str:
    """Who is named, as a heading; empty for a thing."""
    name = _BESIDE_NAMES.sub("", words.strip(" -"))
    while name != (shorter := _VERBS.sub("", name)):
        name = shorter
    name = name.removesuffix("'s").removesuffix("s'")
    if not name or len(name.split()) > PAIR or _NO_PERSON.search(name) or not _WORDS.fullmatch(name):
        return ""
    return _YOU if _ME.fullmatch(name) else f"{name[:1].upper()}{name[1:]}"
