"""What somebody receives of an estate: what is left after debts and costs, a part of it for one, and the rest
in equal parts."""

import re
from functools import reduce
from operator import sub
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.fractions import share_of_estate
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around
from finassist.domain.calculators.recognition.sums.values import plain
from finassist.domain.calculators.recognition.sums.words import before, said
from finassist.domain.calculators.recognition.wording import NUMBER_WORDS

_ESTATE: Final = said("estates")
_OFF: Final = said("off_estate")
_EQUALLY: Final = said("equal_parts")
_ME: Final = said("myself", "we_all")
_ASKED: Final = said("receive_asked")
_TO_ME: Final = said("to_me")
_FAMILY: Final = said("heirs")
_GROUP: Final = re.compile(
    rf"(?<![\w.,])(?P<number>\d{{1,2}}|{'|'.join(NUMBER_WORDS)}) "
    rf"(?:(?:other|of|adult|grown[- ]up) )?(?P<who>{_FAMILY.pattern})"
    rf"(?P<and_me>,? (?:and|und|et|y|e|plus) (?:me|myself|i|ich|moi|yo|io|eu)(?!\w))?"
)
_SIBLING: Final = said("me_and_sibling")
_ME_AND: Final = re.compile(r"(?<!\w)(?:me|myself|i|ich|moi|yo|io|eu) (?:and|und|et|y|e|plus) (?:my )?$")
_OURS: Final = re.compile(r"(?<!\w)(?:us|we|uns|nous|nosotros|noi|nós)(?: the)? $")
_OWN: Final = re.compile(r"(?<!\w)(?:us|we|uns|nous|nosotros|noi|nós)(?!\w)")
_TAX: Final = said("pay_tax", "sales_taxes")
_ABOVE: Final = before("above")
_REST: Final = said("rest_told")
_PART: Final = said("parts_told")
_GETS: Final = said("share_receivers")
_MOST_HEIRS: Final = 20


def inherited(question: Question) -> Figures:
    """What each who shares the rest of an estate receives, or the one who gets the part that is told."""
    if not (question.says(_ESTATE) and question.says(_ASKED)):
        return ()
    people = [each for each in question.quantities if each.kind is Kind.PEOPLE]
    heirs = _heirs(question)
    estates = apart(question.amounts, [*people, *_counted(question)])
    costs = [each for each in estates if _OFF.search(around(each)) is not None]
    gross = apart(estates, costs)
    if len(gross) != 1 or heirs is None or apart(question.others, [*people, *_counted(question)]):
        return ()
    if any(each.per or each.kind not in (Kind.AMOUNT, Kind.SMALL) for each in estates):
        return ()
    net = reduce(sub, map(amount, costs), amount(gross[0]))
    share = share_of_estate(question)
    if share is None or net.number <= 0 or _is_taxed(question):
        return ()
    size, is_mine = heirs
    part, place = share
    if part is None:
        return (Figure("Each receives", net / plain(size)),) if size and is_mine else ()
    if place is not None and _TO_ME.match(place):
        return (Figure("Your part", net * part),)
    rest = net * (plain(1) - part)
    if size and is_mine and question.says(_EQUALLY):
        return (
            Figure("Each of those who share the rest", rest / plain(size)),
            Figure("The part that is told", net * part),
        )
    return ()


def has_unread_shares(question: Question) -> bool:
    """Whether a part of an estate is asked for by shares that are not read: its sum is nobody's part."""
    is_shared = any(question.says(each) for each in (_EQUALLY, _REST, _PART))
    return question.says(_ESTATE) and question.says(_ASKED) and is_shared


def _is_taxed(question: Question) -> bool:
    """Whether a percentage is no part for somebody, or an amount one above which something counts."""
    is_part = all(_GETS.search(around(each)) and not _TAX.search(around(each)) for each in question.rates)
    return not is_part or any(question.rates and _ABOVE.search(each.before) for each in question.amounts)


def _heirs(question: Question) -> tuple[int, bool] | None:
    """How many share the rest in equal parts, and whether the one who asks is one of them; None when more
    than one group is told."""
    found = list(_GROUP.finditer(question.text))
    if len(found) > 1:
        return None
    if not found:
        return (PAIR, True) if question.says(_SIBLING) else (0, False)
    [group] = found
    ahead = question.text[: group.start()]
    is_apart = group["and_me"] is not None or _ME_AND.search(ahead) is not None
    size = _size(group["number"], question) + is_apart
    is_ours = _OWN.search(group[0]) is not None or _OURS.search(ahead) is not None
    is_mine = is_apart or is_ours or question.says(said("each"))
    return (size, is_mine) if 1 < size <= _MOST_HEIRS else None


def _size(number: str, question: Question) -> int:
    """How many a group counts: by its quantity, which a later message may change, else as the text has it."""
    told = [each for each in question.quantities if each.kind is Kind.PEOPLE] or _counted(question)
    if len(told) == 1:
        return int(told[0].value)
    return int(number) if number.isdigit() else NUMBER_WORDS[number]


def _counted(question: Question) -> list[Quantity]:
    """Small numbers that count heirs."""
    return [
        each
        for each in question.quantities
        if each.kind in (Kind.SMALL, Kind.COUNT) and re.match(rf" (?:other )?{_FAMILY.pattern}", each.after)
    ]
