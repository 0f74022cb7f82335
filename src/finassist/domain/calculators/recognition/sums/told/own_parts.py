"""Bills of which somebody pays a part alone and the others share the rest: "hers was 25, we 3 split the
rest"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.fractions import others_told
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
)
from finassist.domain.calculators.recognition.sums.terms import WITH_ME
from finassist.domain.calculators.recognition.sums.values import plain
from finassist.domain.calculators.recognition.sums.words import before, noun_of, said

_REST: Final = said("rest_told", "rest_shared")
_SPLIT: Final = said("split_among", "split_told")
_OTHERS_BEFORE: Final = before("others", "shared_among")
_PAIR_SPLITS: Final = said("pair_splits")
_GROUP_BEFORE: Final = before("we_are", "group_before")
_OWN: Final = said("own_part")
_ONLY_OWN: Final = said("own_part_only")
_OWN_OF_NAMED: Final = re.compile(r"[^\W\d_]{2,}(?:'s|s') [^.;?!,]*$")
_TAKES_PART: Final = said("myself", "we_all")
_AMONG: Final = re.compile(
    rf"(?:{said('shared_among').pattern}) (?P<names>[^.?!;:\d]+?)(?=[.?!;:]|, (?:what|how|was|wie)|$)"
)
_LISTED: Final = re.compile(r", | and | und | et | y | e | en ")
_CLAUSE: Final = re.compile(r"[.;:?!](?= |$)|, | and | but | und | aber | et | mais | y | pero | e | en ")
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL))
_NAME_WORDS: Final = 2
_WORD: Final = re.compile(r"[^\W\d_][^\W\d_'-]*")


@dataclass(frozen=True, slots=True)
class _Parts:
    """The bill, what some pay of it alone, and the counts of those who share."""

    bill: Quantity
    own: Sequence[Quantity]
    groups: Sequence[Quantity]


def with_own_parts(question: Question) -> Figures:
    """What each of the others pays of a bill of which somebody pays a part alone."""
    parts = _parts_of(question)
    size = 0 if parts is None else _sharing(question, parts)
    if parts is None or size < 1:
        return ()
    left = reduce(lambda value, own: value - amount(own), parts.own, amount(parts.bill))
    return (Figure("Each of the others", (left / plain(size)).for_each("person")),)


def lacks_sharers(question: Question) -> bool:
    """Whether all that is not told is how many share the rest."""
    parts = _parts_of(question)
    return parts is not None and not parts.groups and not _told_sharers(question)


def tells_own_part(question: Question) -> bool:
    """Whether somebody pays a part alone, so that nothing is shared or added as a whole."""
    amounts = [each for each in question.amounts if not is_group(each)]
    is_rest = question.says(_REST) and question.says(_SPLIT)
    return is_rest and len(amounts) > 1 and any(map(_is_own, amounts))


def _parts_of(question: Question) -> _Parts | None:
    groups = [each for each in question.quantities if is_group(each)]
    amounts = apart(question.amounts, groups)
    if question.rates or apart(question.others, groups) or len(amounts) < PAIR:
        return None
    if question.asked.goal is not Goal.AMOUNT or not question.says(_REST) or not question.says(_SPLIT):
        return None
    if any(each.per or each.kind not in _AMOUNTS for each in amounts):
        return None
    bill = max(amounts, key=lambda each: each.value)
    own = apart(amounts, [bill])
    is_whole = reduce(add, (each.value for each in own)) < bill.value and all(map(_is_own, own))
    is_of_rest = question.asked.per in ("each", "person") or question.asks(_TAKES_PART)
    return _Parts(bill, own, groups) if is_whole and is_of_rest else None


def _is_own(quantity: Quantity) -> bool:
    """Whether an amount is told as what somebody pays alone, or had."""
    earlier = _CLAUSE.split(quantity.before)[-1]
    later = _CLAUSE.split(quantity.after)[0]
    return bool(_OWN.search(f"{earlier}| {later}") or _OWN_OF_NAMED.search(earlier))


def is_group(quantity: Quantity) -> bool:
    """Whether a number counts those who share."""
    if quantity.kind is Kind.PEOPLE:
        return True
    found = _WORD.match(quantity.after.lstrip())
    is_person = found is not None and noun_of(found[0]) == "person"
    return quantity.kind is Kind.SMALL and (
        is_person or any(words.search(quantity.before) for words in (_OTHERS_BEFORE, _GROUP_BEFORE))
    )


def _sharing(question: Question, parts: _Parts) -> int:
    """How many share the rest; 0 when it is not told, or told in two ways."""
    named = _told_sharers(question)
    told = [int(each.value) for each in parts.groups if _shares_rest(each)]
    whole = [each for each in parts.groups if not _shares_rest(each)]
    sizes = {*told, *([named] if named else [])}
    if len(sizes) > 1 or len(whole) > 1:
        return 0
    everybody = int(whole[0].value) + (1 if WITH_ME.search(whole[0].before) else 0) if whole else 0
    if not sizes:
        return everybody - len(parts.own) if whole and question.says(_ONLY_OWN) else 0
    [size] = sizes
    return size if not whole or everybody in (size, size + len(parts.own)) else 0


def _shares_rest(group: Quantity) -> bool:
    """Whether a count is told of those who share the rest."""
    clause = re.split(r"[.;:?!,](?= |$)", group.before)[-1]
    near = f"{clause} | {re.split(r'[.;:?!,](?= |$)', group.after)[0]}"
    return _OTHERS_BEFORE.search(group.before) is not None or _REST.search(near) is not None


def _told_sharers(question: Question) -> int:
    """How many others the text tells: "the other four", "between me and Sam"."""
    named = others_told(question) or _named_sharers(question)
    return named or (PAIR if question.says(_PAIR_SPLITS) else 0)


def _named_sharers(question: Question) -> int:
    """How many are named that share the rest: "between me and Sam"."""
    found = [
        match for match in _AMONG.finditer(question.text) if _REST.search(question.text[: match.start()])
    ]
    if len(found) != 1:
        return 0
    names = [name for name in _LISTED.split(found[0]["names"].strip()) if name.strip()]
    is_list = len(names) >= PAIR and all(len(name.split()) <= _NAME_WORDS for name in names)
    return len(names) if is_list else 0
