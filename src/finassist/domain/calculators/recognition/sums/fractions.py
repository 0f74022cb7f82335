"""Shares told in words or in percent: "a third of my pay", "she pays 60% and we split the rest"."""

import re
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.question import Question, amount, apart, part
from finassist.domain.calculators.recognition.sums.values import Value, plain
from finassist.domain.calculators.recognition.sums.words import FRACTIONS, before, said
from finassist.domain.calculators.recognition.wording import NUMBER_WORDS

_REST_ASKED: Final = said("rest_asked")
_PART_TAKEN: Final = said("part_taken")
_OTHERS: Final = re.compile(rf"{said('others').pattern} (?P<number>\d|[^\W\d_]+)")
_PAYS: Final = said("pays_share")
_SELF: Final = said("myself")
_BY_ME: Final = said("paid_by_me")
_OF_IT: Final = before("share_of_it")
_IT_ASKED: Final = said("it_asked")
_OF_AMOUNT: Final = re.compile(
    rf"(?:{'|'.join(spelled.pattern for spelled in FRACTIONS.values())}) {_OF_IT.pattern}"
)
"""A share of an amount, and nothing else: "what's a third of 2,850"."""
_WORDS_MAX: Final = 8
_NEAR: Final = 12
_COMMON: Final = frozenset(("pay", "pays", "the", "rest", "and", "what", "how", "much", "split", "share"))
_SPLIT: Final = said("split_among")
_REST: Final = said("rest_told")
_PERCENT: Final = re.compile(r"(?<![\d.,])\d{1,2}(?:\.\d+)? ?(?:%|percent|prozent|por ?ciento|pour ?cent)")
_CLAUSE: Final = re.compile(r"[,.;:?!](?= |$)| and | und | et | y | e | en | but | aber ")


def fraction_told(text: str) -> bool:
    """Whether a text tells the share of somebody or something in words."""
    return len(_found(text)) > 0 and _PAYS.search(text) is not None


def tells_rest(text: str) -> bool:
    """Whether somebody pays a share in percent of what is told, and others the rest."""
    return _REST.search(text) is not None and any(
        _PAYS.search(_CLAUSE.split(text[: each.start()])[-1]) for each in _PERCENT.finditer(text)
    )


def share_in_words(question: Question) -> Value | None:
    """What a share of the only amount is, what it leaves, or what each of the others pays of the rest."""
    found = _found(question.text)
    if question.asked.goal is not Goal.AMOUNT:
        return None
    if len(question.rates) == 1 and not found and tells_rest(question.text):
        [rate] = question.rates
        share, holder = part(rate), _CLAUSE.split(rate.before)[-1]
    elif len(found) == 1 and not question.rates:
        [(place, above, below)] = found
        share, holder = plain(above) / plain(below), _CLAUSE.split(question.text[:place])[-1]
    else:
        return None
    people = [each for each in question.quantities if each.kind is Kind.PEOPLE]
    counts = [each for each in question.others if each.kind is not Kind.PEOPLE]
    others = others_told(question)
    few = [each for each in question.amounts if each.kind is Kind.SMALL and each.value == others + 1]
    amounts = apart(question.amounts, few)
    if len(amounts) != 1 or counts or len(people) > 1 or len(few) > (others > 0):
        return None
    whole = amount(amounts[0])
    if not people and not others:
        return _of_one(question, whole, share, holder)
    sharing = int(people[0].value) - 1 if people else others
    if people and int(people[0].value) == others:  # "the other two of us"
        sharing = others
    if sharing < 1 or (others and sharing != others):
        return None
    if not _is_rest_asked(question, holder):
        return None
    return (whole * (plain(1) - share) / plain(sharing)).for_each("person")


def _of_one(question: Question, whole: Value, share: Value, holder: str) -> Value | None:
    """What a share of an amount is for the one who pays it, or what it leaves."""
    if question.asked.per in ("each", "person"):
        return None
    if not _PART_TAKEN.search(question.text) and not question.rates:
        is_all = len(question.text.split()) <= _WORDS_MAX and not question.amounts[0].after.strip(" ?!.")
        is_direct = is_all and _OF_AMOUNT.search(question.amounts[0].before) is not None
        return whole * share if is_direct else None
    told = whole if not question.amounts[0].per else whole.for_each(question.amounts[0].per)
    is_own = _SELF.search(question.asked.text) is not None
    if question.rates:
        rest = next(each for each in _CLAUSE.split(question.text) if _REST.search(each))
        is_told_by_me, is_rest_mine = (_BY_ME.search(each) is not None for each in (holder, rest))
        of_rest, of_holder = (bool(_shared_words(each, question.asked.text)) for each in (rest, holder))
        if of_rest is not of_holder:
            return told * (plain(1) - share if of_rest else share)
        is_told = is_own and not of_rest and is_told_by_me is not is_rest_mine
        return told * (share if is_told_by_me else plain(1) - share) if is_told else None
    is_of_it = _OF_IT.search(question.amounts[0].before[-_NEAR:]) and question.asks(_IT_ASKED)
    is_mine = is_own and _PAYS.search(question.asked.text) is not None
    if question.asked.left or (is_mine and not _BY_ME.search(holder)):
        return told * (plain(1) - share)
    return told * share if is_mine or is_of_it else None


def _is_rest_asked(question: Question, holder: str) -> bool:
    """Whether a share of those who split the rest is asked for, and not that of who pays the told one."""
    is_told_by_me = _BY_ME.search(holder) is not None
    is_rest = question.asks(_REST_ASKED)
    if is_told_by_me:
        return is_rest
    is_own = _SELF.search(question.asked.text) is not None and question.says(_SPLIT)
    return is_rest or (is_own and not _shared_words(holder, question.asked.text))


def _shared_words(holder: str, asking: str) -> set[str]:
    words = re.compile(r"[^\W\d_]{3,}")
    return (set(words.findall(holder)) & set(words.findall(asking))) - _COMMON


def others_told(question: Question) -> int:
    """How many others there are: "the other two"; 0 when it is not told."""
    found = _OTHERS.search(question.text)
    word = found["number"] if found else ""
    return int(word) if word.isdigit() else NUMBER_WORDS.get(word, 0)


def _found(text: str) -> list[tuple[int, int, int]]:
    """Where a text tells a fraction, and its parts."""
    return [(place, above, below) for place, _, above, below in spelled_parts(text)]


def spelled_parts(text: str) -> list[tuple[int, str, int, int]]:
    """Where a text tells a fraction, how, and its parts."""
    return [
        (match.start(), match[0], above, below)
        for (above, below), words in FRACTIONS.items()
        for match in words.finditer(text)
    ]
