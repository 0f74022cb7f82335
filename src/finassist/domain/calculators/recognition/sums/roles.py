"""What is done with an amount or a percentage of a sum, by the words beside it."""

import re
from dataclasses import replace
from enum import Enum
from typing import Final

from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.words import after, before, said, words
from finassist.patterns import late_pattern

_CLAUSE_BEFORE: Final = re.compile(r"^.*(?:[;?!:]|\.(?= )|, | and | und | et | y | e | en )")
_CLAUSE_AFTER: Final = late_pattern(
    rf"(?:[;?!:]|\.(?: |$)|, | and | und | et | y | e | en | {words('next_step')} |"
    rf" {words('on_top_of_it')}(?= (?:[^\W\d_]+ )?{words('sales_taxes')}(?!\w))).*$"
)
"""A percentage behind the next step is another one: "remise de 15 % puis tva 20 %"."""
_SUBTRACTED_BEFORE: Final = before("subtracted_before")
_TAKEN_AS_WHOLE: Final = said("subtracted_as_whole")
"""What a cost is taken off with whose name stands before it: "minus sss and philhealth, total 4,350"."""
_SUBTRACTED_AFTER: Final = after("subtracted_after")
_SPENT: Final = said("spent")
_MONTHLY: Final = said("monthly")
_RECEIVED: Final = said("received")
_PAID_REGULARLY: Final = before("paid_regularly")
_ROLES: Final = {
    "included": said("included_percent"),
    "withheld": said("withheld_percent"),
    "added": said("added_percent"),
    "removed": said("removed_percent"),
    "part": said("part_percent"),
}
_VAGUE: Final = said("vague_added")
_THEN: Final = said("then_percent")
_ASKING: Final = re.compile(
    rf"(?:\b(?:what|how|combien|cuánto|quanto|hoeveel|qué|quel\w*)\b|{said('how_much').pattern}).*$"
)
_LEADING_ON: Final = re.compile(rf" {said('lists').pattern} ?$")
"""What leads to the next number."""
_JOINED: Final = re.compile(rf"(?: [^\W\d_]+){{0,4}}(?:, |,? {said('lists').pattern} )")
_NEAR: Final = 4
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


class Role(Enum):
    """What a percentage does to the sum before it."""

    ADDED = "added"
    REMOVED = "removed"
    WITHHELD = "withheld"
    PART = "part"
    INCLUDED = "included"


def around(term: Term) -> tuple[str, str]:
    """The words before and after a number within its clause."""
    quantity = term.quantity
    return _CLAUSE_BEFORE.sub("", quantity.before), _CLAUSE_AFTER.sub("", quantity.after)


def is_subtracted(term: Term) -> bool:
    """Whether the words say that an amount is taken off."""
    _, later = around(term)
    return _SUBTRACTED_AFTER.match(later) is not None or is_subtracted_before(term)


def is_subtracted_before(term: Term) -> bool:
    """Whether words before an amount say that it is taken off."""
    earlier, _ = around(term)
    return bool(_SUBTRACTED_BEFORE.search(earlier) or _TAKEN_AS_WHOLE.search(term.quantity.before))


def is_spent(term: Term) -> bool:
    """Whether the words beside an amount tell a cost."""
    return _told(term, _SPENT) and not is_received(term)


def is_received(term: Term) -> bool:
    """Whether the words beside an amount tell an income or a price that somebody gets."""
    return _told(term, _RECEIVED)


def is_pay(term: Term) -> bool:
    """Whether an amount of a period is what somebody is paid: "paid 612 a week"."""
    return bool(term.value.periods) and _PAID_REGULARLY.search(term.quantity.before) is not None


def is_of_month(term: Term) -> bool:
    """Whether an amount is of what is paid every month: a rent."""
    return _MONTHLY.search(term.quantity.before) is not None


def _told(term: Term, words: re.Pattern[str]) -> bool:
    earlier, later = around(term)
    few = " ".join(_ASKING.sub("", later).split()[:_NEAR])
    return bool(words.search(earlier) or words.search(few))


def role_of(term: Term, asking: str) -> Role | None:
    """What a percentage does; that of which the question asks is a part of the sum."""
    earlier, later = around(term)
    later = _ASKING.sub("", later)
    near = f"{earlier} | {later}"
    if _ROLES["included"].search(near):
        return Role.INCLUDED
    role = _first_role(later) or _last_role(earlier)
    is_asked = bool(set(_WORD.findall(asking)) & set(_WORD.findall(near)) - _COMMON)
    is_part = is_asked and (role not in (Role.ADDED, Role.WITHHELD) or ASKS_PART.search(asking) is not None)
    return Role.PART if role is not None and is_part else role


def is_vaguely_added(term: Term) -> bool:
    """Whether all that says that a percentage is added may say as well that a discount grows: "extra 15%"."""
    near = _VAGUE.sub(" ", f"{term.quantity.before} | {around(term)[1]}")
    return _ROLES["added"].search(near) is None


def _first_role(later: str) -> Role | None:
    found = [(match.start(), name) for name, words in _ROLES.items() if (match := words.search(later))]
    return Role(min(found)[1]) if found else None


def _last_role(earlier: str) -> Role | None:
    found = [
        (match.end(), -match.start(), name)
        for name, words in _ROLES.items()
        for match in words.finditer(earlier)
    ]
    return Role(max(found)[2]) if found else None  # of two that end together the one that says more


def is_discount(rate: Term) -> bool:
    """Whether a percentage is taken off a price."""
    return _DISCOUNT.search(" | ".join(around(rate))) is not None


_COMMON: Final = frozenset(
    ("price", "the", "and", "much", "what", "how", "off", "pay", "prix", "preis", "precio", "total")
)
ASKS_PART: Final = said("part_asked")
_DISCOUNT: Final = said("discount_percent")


def is_further(term: Term) -> bool:
    """Whether a percentage is said to come after another one."""
    return bool(_THEN.search(term.quantity.before) or _THEN.search(around(term)[1]))


def is_joined(term: Term) -> bool:
    """Whether a percentage is told in one list with the number before it: "20% tax and 5% pension"."""
    return _JOINED.fullmatch(term.quantity.before) is not None


def without_next(term: Term) -> Term:
    """A number without the word that only leads to the next one of its list."""
    quantity = replace(term.quantity, after=_LEADING_ON.sub(" ", term.quantity.after))
    return replace(term, quantity=quantity)
