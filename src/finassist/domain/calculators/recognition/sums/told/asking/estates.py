"""What somebody receives of an estate: what is left after debts and costs, a part of it for one, and the rest
in equal parts."""

import re
from dataclasses import dataclass
from functools import reduce
from operator import sub
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.fractions import spelled_parts
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
    part,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around
from finassist.domain.calculators.recognition.sums.values import Value, plain
from finassist.domain.calculators.recognition.sums.words import before, said
from finassist.domain.calculators.recognition.wording import NUMBER_WORDS

_ESTATE: Final = said("estates")
_OFF: Final = said("off_estate")
_NET: Final = said("net_of_debts")
_ONE_OF: Final = re.compile(r"(?<!\w)(?:1|one) of (?:the|those|them|us) $")
_ONE_OF_ALL: Final = re.compile(r"(?<!\w)(?:1|one) of (?:them|us)(?!\w)")
_ONE_OF_THEM: Final = said("one_of_them")
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
_EACH: Final = said("each")
_EACH_ASKED: Final = said("each_heir_asked")
_THE_OTHER: Final = re.compile(rf"{said('others').pattern} $")
_CLAUSE: Final = re.compile(r"[.,;:?!](?= |$)")
_CLAUSE_OF_REST: Final = re.compile(
    rf"[.,;:?!](?= |$)|(?<= )(?:{said('clause_links').pattern})(?= (?:{_REST.pattern}))"
)


@dataclass(frozen=True, slots=True)
class _Share:
    """The part of an estate that one gets, and the words of its clause before and behind it."""

    value: Value
    ahead: str
    behind: str


def inherited(question: Question) -> Figures:
    """What each who shares the rest of an estate receives, or the one who gets the part that is told."""
    if not (question.says(_ESTATE) and question.says(_ASKED)):
        return ()
    people = [each for each in question.quantities if each.kind is Kind.PEOPLE or _is_all_heirs(each)]
    heirs = _heirs(question, question.text)
    estates = apart(question.amounts, [*people, *_counted(question)])
    if any(_is_all_heirs(each) and (heirs is None or each.value != heirs[0]) for each in people):
        return ()
    costs = [each for each in estates if _OFF.search(_NET.sub(" ", around(each))) is not None]
    gross = apart(estates, costs)
    if len(gross) != 1 or heirs is None or apart(question.others, [*people, *_counted(question)]):
        return ()
    if any(each.per or each.kind not in (Kind.AMOUNT, Kind.SMALL) for each in estates):
        return ()
    net = reduce(sub, map(amount, costs), amount(gross[0]))
    if net.number <= 0 or _is_taxed(question):
        return ()
    shares = _shares(question)
    if not shares:
        is_part_told = question.says(_REST) or question.says(_PART)
        size, is_mine = heirs
        return (Figure("Each receives", net / plain(size)),) if size and is_mine and not is_part_told else ()
    return _beside_part(question, net, shares[0]) if len(shares) == 1 else ()


def _beside_part(question: Question, net: Value, share: _Share) -> Figures:
    """What one part of an estate comes to, and the rest of it in equal parts."""
    if _is_of_several(share):
        return ()
    if _TO_ME.match(share.behind):
        return (Figure("Your part", net * share.value),)
    size, is_mine = _heirs(question, _clause_of_rest(question.text)) or (0, False)
    if not (size and is_mine and question.says(_EQUALLY)):
        return ()
    rest = net * (plain(1) - share.value)
    return (
        Figure("Each of those who share the rest", rest / plain(size)),
        Figure("The part that is told", net * share.value),
    )


def _shares(question: Question) -> list[_Share]:
    """The parts of the whole that are told, in percent or in words."""
    text = question.text
    told = [
        _Share(plain(above) / plain(below), text[:place], text[place + len(spelled) :])
        for place, spelled, above, below in spelled_parts(text)
        if not _THE_OTHER.search(text[:place])
    ]
    edge = 0
    for rate in question.rates:
        place = text.find(rate.written, edge)
        edge = place + len(rate.written)
        told.append(_Share(part(rate), text[: max(place, 0)], text[edge:]))
    return [
        _Share(each.value, _CLAUSE_OF_REST.split(each.ahead)[-1], _CLAUSE_OF_REST.split(each.behind)[0])
        for each in told
    ]


def _is_of_several(share: _Share) -> bool:
    """Whether a part is one that each of several gets, or that several get together."""
    clause = f"{share.ahead}|{share.behind}"
    return any(words.search(clause) for words in (_EACH, _GROUP, _SIBLING, _OWN))


def _clause_of_rest(text: str) -> str:
    """The clause that tells who gets the rest, from its word on where the part is told before it."""
    clause = next((each for each in _CLAUSE_OF_REST.split(text) if _REST.search(each)), "")
    found = _REST.search(clause)
    is_part_before = found is not None and _PART.search(clause[: found.start()]) is not None
    return clause[found.start() :] if found is not None and is_part_before else clause


def has_unread_shares(question: Question) -> bool:
    """Whether a part of an estate is asked for by shares that are not read: its sum is nobody's part."""
    is_shared = any(question.says(each) for each in (_EQUALLY, _REST, _PART))
    return question.says(_ESTATE) and question.says(_ASKED) and is_shared


def has_part_of_several(question: Question) -> bool:
    """Whether several get one part of an estate together: the whole of it is nobody's."""
    is_asked = question.says(_ESTATE) and question.says(_ASKED)
    return is_asked and any(
        _is_of_several(each) and not _EACH.search(f"{each.ahead}|{each.behind}") for each in _shares(question)
    )


def _is_taxed(question: Question) -> bool:
    """Whether a percentage is no part for somebody, or an amount one above which something counts."""
    is_part = all(_GETS.search(around(each)) and not _TAX.search(around(each)) for each in question.rates)
    return not is_part or any(question.rates and _ABOVE.search(each.before) for each in question.amounts)


def _heirs(question: Question, text: str) -> tuple[int, bool] | None:
    """How many share in equal parts by some words, and whether the one who asks is one of them; None when
    more than one group is told."""
    found = list(_GROUP.finditer(_ONE_OF_ALL.sub(" ", text)))
    if len(found) > 1:
        return None
    if not found:
        return (PAIR, True) if _SIBLING.search(text) else (0, False)
    [group] = found
    ahead = text[: group.start()]
    is_apart = group["and_me"] is not None or _ME_AND.search(ahead) is not None
    size = _size(group["number"], question) + is_apart
    is_ours = _OWN.search(group[0]) is not None or _OURS.search(ahead) is not None
    is_one = question.says(_ONE_OF_THEM)
    is_mine = is_apart or is_ours or is_one or question.says(_EACH_ASKED)
    return (size, is_mine) if 1 < size <= _MOST_HEIRS else None


def _size(number: str, question: Question) -> int:
    """How many a group counts: by its quantity, which a later message may change, else as the text has it."""
    told = [each for each in question.quantities if each.kind is Kind.PEOPLE] or _counted(question)
    if len(told) == 1:
        return int(told[0].value)
    return int(number) if number.isdigit() else NUMBER_WORDS[number]


def _is_all_heirs(quantity: Quantity) -> bool:
    """Whether a number counts those of whom the one who asks is one: "as one of the 5"."""
    return quantity.kind in (Kind.SMALL, Kind.COUNT) and _ONE_OF.search(quantity.before) is not None


def _counted(question: Question) -> list[Quantity]:
    """Small numbers that count heirs."""
    return [
        each
        for each in question.quantities
        if each.kind in (Kind.SMALL, Kind.COUNT) and re.match(rf" (?:other )?{_FAMILY.pattern}", each.after)
    ]
