"""The share of the value of a home that is borrowed, by the loan or by what is paid down."""

from dataclasses import replace
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import PAIR, Figure, Figures, Question, amount
from finassist.domain.calculators.recognition.sums.told.clauses import role_of
from finassist.domain.calculators.recognition.sums.values import plain
from finassist.domain.calculators.recognition.sums.words import said

_ASKED: Final = said("loan_to_value")
_VALUE, _LOAN, _DOWN = "value", "loan", "down"
_ROLES: Final = {
    _VALUE: said("value_of_home"),
    _LOAN: said("borrowed_on_home"),
    _DOWN: said("paid_down_on_home"),
}
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL))


def loan_to_value(question: Question) -> Figures:
    """The loan in percent of the value, and what is paid down."""
    numbers = question.quantities
    if not question.says(_ASKED) or len(numbers) != PAIR:
        return ()
    if any(each.kind not in _AMOUNTS or each.per is not None for each in numbers):
        return ()
    roles = {role: each for each in numbers if (role := _role_of(each))}
    value = roles.pop(_VALUE, None)
    if value is None or len(roles) != 1:
        return ()
    [(role, other)] = roles.items()
    if not 0 < other.value < value.value:
        return ()
    loan = amount(other) if role == _LOAN else amount(value) - amount(other)
    return (Figure("Loan to value", loan / amount(value) * plain(100), "percent"),)


def _role_of(quantity: Quantity) -> str:
    """What an amount is, by the words beside it without those that ask."""
    told = quantity.before, quantity.after
    earlier, later = (_ASKED.sub(" ", each) for each in told)
    return role_of(_with(quantity, earlier, later), _ROLES)


def _with(quantity: Quantity, earlier: str, later: str) -> Quantity:
    """A number between other words."""
    return replace(quantity, before=earlier, after=later)
