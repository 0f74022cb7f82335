"""Who shares a bill: a number that counts them, and somebody who pays a part alone."""

import re
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    Question,
)
from finassist.domain.calculators.recognition.sums.words import before, noun_of, said

_REST: Final = said("rest_told", "rest_shared")
_SPLIT: Final = said("split_among", "split_told")
_OTHERS_BEFORE: Final = before("others", "shared_among")
_GROUP_BEFORE: Final = before("we_are", "group_before")
_OWN: Final = said("own_part")
_OWN_OF_NAMED: Final = re.compile(r"[^\W\d_]{2,}(?:'s|s') [^.;?!,]*$")
_CLAUSE: Final = re.compile(r"[.;:?!](?= |$)|, | and | but | und | aber | et | mais | y | pero | e | en ")
_WORD: Final = re.compile(r"[^\W\d_][^\W\d_'-]*")


def tells_own_part(question: Question) -> bool:
    """Whether somebody pays a part alone, so that nothing is shared or added as a whole."""
    amounts = [each for each in question.amounts if not is_group(each)]
    is_rest = question.says(_REST) and question.says(_SPLIT)
    return is_rest and len(amounts) > 1 and any(map(_is_own, amounts))


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
