"""Shares told in words: "a third of my pay", "I pay half, the other two split the rest"."""

import re
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.question import Question, amount, apart
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
_SPLIT: Final = said("split_among")


def fraction_told(text: str) -> bool:
    """Whether a text tells the share of somebody or something in words."""
    return len(_found(text)) > 0 and _PAYS.search(text) is not None


def share_in_words(question: Question) -> Value | None:
    """What a share of the only amount is, what it leaves, or what each of the others pays of the rest."""
    found = _found(question.text)
    if len(found) != 1 or question.rates or question.asked.goal is not Goal.AMOUNT:
        return None
    place, above, below = found[0]
    people = [each for each in question.quantities if each.kind is Kind.PEOPLE]
    counts = [each for each in question.others if each.kind is not Kind.PEOPLE]
    others = _others(question)
    few = [each for each in question.amounts if each.kind is Kind.SMALL and each.value == others + 1]
    amounts = apart(question.amounts, few)
    if len(amounts) != 1 or counts or len(people) > 1 or len(few) > (others > 0):
        return None
    whole = amount(amounts[0])
    if not people and not others:
        return _of_one(question, whole, found[0])
    sharing = int(people[0].value) - 1 if people else others
    if sharing < 1 or (others and sharing != others):
        return None
    if not _is_rest_asked(question, place):
        return None
    return (whole * plain(below - above) / plain(below) / plain(sharing)).for_each("person")


def _of_one(question: Question, whole: Value, told_share: tuple[int, int, int]) -> Value | None:
    """What a share of an amount is for the one who pays it, or what it leaves."""
    place, above, below = told_share
    if question.asked.per in ("each", "person"):
        return None
    if not _PART_TAKEN.search(question.text):
        is_all = len(question.text.split()) <= _WORDS_MAX and not question.amounts[0].after.strip(" ?!.")
        is_direct = is_all and _OF_AMOUNT.search(question.amounts[0].before) is not None
        return whole * plain(above) / plain(below) if is_direct else None
    is_of_it = _OF_IT.search(question.amounts[0].before[-_NEAR:]) and question.asks(_IT_ASKED)
    told = whole if not question.amounts[0].per else whole.for_each(question.amounts[0].per)
    is_mine = _SELF.search(question.asked.text) is not None and _PAYS.search(question.asked.text) is not None
    if question.asked.left or (is_mine and not _BY_ME.search(_holder(question, place))):
        return told * plain(below - above) / plain(below)
    return told * plain(above) / plain(below) if is_mine or is_of_it else None


def _is_rest_asked(question: Question, place: int) -> bool:
    """Whether a share of those who split the rest is asked for, and not that of who pays the told one."""
    holder = _holder(question, place)
    is_told_by_me = _BY_ME.search(holder) is not None
    is_rest = question.asks(_REST_ASKED)
    if is_told_by_me:
        return is_rest
    is_own = _SELF.search(question.asked.text) is not None and question.says(_SPLIT)
    return is_rest or (is_own and not _shared_words(holder, question.asked.text))


def _holder(question: Question, place: int) -> str:
    """The words of the clause before a share, which tell whose it is."""
    return re.split(r"[,.;:?!]| and | und | et | y | e | en ", question.text[:place])[-1]


def _shared_words(holder: str, asking: str) -> set[str]:
    words = re.compile(r"[^\W\d_]{3,}")
    return (set(words.findall(holder)) & set(words.findall(asking))) - {"pay", "pays", "the"}


def _others(question: Question) -> int:
    """How many others there are: "the other two"; 0 when it is not told."""
    found = _OTHERS.search(question.text)
    word = found["number"] if found else ""
    return int(word) if word.isdigit() else NUMBER_WORDS.get(word, 0)


def _found(text: str) -> list[tuple[int, int, int]]:
    """Where a text tells a fraction, and its parts."""
    return [
        (match.start(), above, below)
        for (above, below), words in FRACTIONS.items()
        for match in words.finditer(text)
    ]
