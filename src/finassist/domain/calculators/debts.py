"""Paying off several debts with one monthly budget."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Annotated, Literal

from finassist.domain.calculators.annuities import monthly
from finassist.domain.calculators.calculation import (
    MAX_MONTHS,
    Calculation,
    CalculationError,
    Param,
    amount,
    exact,
    params_of,
    positive_amount,
    rate,
    require_in_range,
)
from finassist.domain.calculators.money import cents, show_money, show_rate, show_term
from finassist.domain.calculators.series import Point, Series, from_start, series_over

_MAX_DEBTS = 20
_EVERY_MONTH = "every month: balance = balance * (1 + rate / 12) - payment"
_ASSUMPTIONS = (
    "Nothing new is borrowed; the rates stay the same; fees are left out.",
    "The whole budget is paid at the end of every month until all is paid off.",
)

Strategy = Literal["avalanche", "snowball"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Debt:
    """One debt; interest is added every month."""

    name: Annotated[str, Param("What the debt is called, for example credit card")]
    balance: Annotated[Decimal, amount("Amount owed")]
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent")]
    minimum_payment: Annotated[Decimal, amount("Least amount to pay every month")] = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """In which month, counted from 1, a debt is paid off; None when no budget is given."""

    name: str
    month: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoffPlan:
    """How a strategy goes: ``order`` lists the debts as they are paid off. Time and cost need a budget."""

    strategy: Strategy
    order: tuple[Cleared, ...]
    months: int | None
    total_interest: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DebtPayoff:
    """``snowball`` is None when that strategy does not end within a hundred years. What avalanche saves is
    None then, and without a budget."""

    avalanche: PayoffPlan
    snowball: PayoffPlan | None
    interest_saved_by_avalanche: Decimal | None
    months_saved_by_avalanche: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DebtPoint(Point):
    """What is still owed, and the interest of the month or year."""

    balance: Decimal
    interest: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategiesPoint(Point):
    """``DebtPoint`` of both strategies."""

    avalanche_balance: Decimal
    avalanche_interest: Decimal
    snowball_balance: Decimal
    snowball_interest: Decimal


@dataclass(frozen=True, slots=True)
class _Course:
    """A plan as it goes: what is owed after each month, and the interest until then; from the start on."""

    plan: PayoffPlan
    owed: Sequence[Decimal]
    interest: Sequence[Decimal]

    def between(self, before: int, month: int) -> tuple[Decimal, Decimal]:
        last = len(self.owed) - 1
        before, month = min(before, last), min(month, last)
        return cents(self.owed[month]), cents(self.interest[month]) - cents(self.interest[before])


_DEBT_PARAMS = params_of(Debt)


@exact
def debt_payoff(
    *,
    debts: Annotated[tuple[Debt, ...], Param("The debts, 1 to 20 of them", ge=1)],
    monthly_budget: Annotated[
        Decimal | None,
        positive_amount("Amount for all debts together, every month; leave out to get the order alone"),
    ] = None,
) -> Calculation[DebtPayoff]:
    """Which debt to pay off first, and the time and interest with a monthly budget: avalanche, snowball."""
    owed = _checked(debts, monthly_budget)
    if monthly_budget is None:
        return _order_alone(owed)
    avalanche = _pay_off("avalanche", owed, monthly_budget)
    snowball = _pay_off("snowball", owed, monthly_budget)
    if avalanche is None:
        raise CalculationError(f"With this budget the debts are not paid off in {MAX_MONTHS // 12} years.")
    if len(owed) == 1:
        return _one_debt(avalanche, owed[0], monthly_budget)
    plans = [course.plan for course in (avalanche, snowball) if course]
    told = " ".join(map(_told, plans))
    if snowball and snowball.plan.order == avalanche.plan.order:
        plans = [avalanche.plan]
        order = ", then ".join(cleared.name for cleared in avalanche.plan.order)
        told = (
            f"Pay off {order}: the highest rate first (avalanche) is the smallest balance first (snowball), "
            f"too. It {_cost(avalanche.plan)}"
        )
    return Calculation(
        answer=told,
        figures=_figures(avalanche.plan, snowball.plan if snowball else None),
        formula=f"{_EVERY_MONTH}; what the minimum payments leave of the budget goes to the highest rate "
        "(avalanche) or to the smallest balance (snowball)",
        steps=tuple(
            f"{plan.strategy}: {cleared.name} is paid off in month {cleared.month}"
            for plan in plans
            for cleared in plan.order
        ),
        assumptions=(*_ASSUMPTIONS, _given(owed, monthly_budget)),
        series=_series(avalanche, snowball),
    )


def _one_debt(course: _Course, debt: Debt, budget: Decimal) -> Calculation[DebtPayoff]:
    """Where there is nothing to choose first, there is one plan to tell."""
    first = cents(debt.balance * monthly(debt.yearly_rate))
    return Calculation(
        answer=f"It {_cost(course.plan)}",
        figures=_figures(course.plan, replace(course.plan, strategy="snowball")),
        formula=_EVERY_MONTH,
        steps=(
            f"{debt.name} in month 1: {show_money(first)} of the payment is interest, and "
            f"{show_money(min(debt.balance, budget - first))} is taken off what is owed",
        ),
        assumptions=(*_ASSUMPTIONS, _given([debt], budget)),
        series=_series(course, None),
    )


def _given(owed: Sequence[Debt], budget: Decimal) -> str:
    debts = "; ".join(
        f"{debt.name} {show_money(debt.balance)} at {show_rate(debt.yearly_rate)}" for debt in owed
    )
    return f"Owed: {debts}; the budget is {show_money(budget)} a month."


def _series(first: _Course, second: _Course | None) -> Series:
    """One strategy, or both side by side until the longer one ends."""

    def point(at: int, before: int, month: int) -> Point:
        balance, interest = first.between(before, month)
        if second is None:
            return DebtPoint(at=at, balance=balance, interest=interest)
        other_balance, other_interest = second.between(before, month)
        return StrategiesPoint(
            at=at,
            avalanche_balance=balance,
            avalanche_interest=interest,
            snowball_balance=other_balance,
            snowball_interest=other_interest,
        )

    months = max(len(course.owed) - 1 for course in (first, second or first))
    return from_start(series_over(months, point), point(0, 0, 0))


def _order_alone(owed: Sequence[Debt]) -> Calculation[DebtPayoff]:
    """What comes first in each strategy, when nobody said what can be paid every month."""
    plans = [_unpaid("avalanche", owed), _unpaid("snowball", owed)]
    avalanche, snowball = (", then ".join(cleared.name for cleared in plan.order) for plan in plans)
    answer = (
        f"For the least interest, pay off {avalanche} (avalanche: the highest rate first). "
        f"To be done with one soonest, {snowball} (snowball: the smallest balance first)."
    )
    if avalanche == snowball:
        answer = (
            f"Pay off {avalanche}: that is the highest rate first, and the smallest balance first as well."
        )
    return Calculation(
        answer=answer,
        figures=_figures(*plans),
        formula="avalanche: order by rate, highest first; snowball: order by balance, smallest first",
        steps=tuple(
            f"{debt.name}: {show_money(debt.balance)} * {show_rate(debt.yearly_rate)} / 12 = "
            f"{show_money(debt.balance * monthly(debt.yearly_rate))} of interest in the first month"
            for debt in sorted(owed, key=_avalanche_key)
        ),
        assumptions=(
            "The minimum payments of all debts are made; what is left goes to the first debt.",
            "With the amount that can be paid every month, time and interest can be calculated, too.",
        ),
    )


def _unpaid(strategy: Strategy, debts: Sequence[Debt]) -> PayoffPlan:
    order = tuple(Cleared(name=debt.name, month=None) for debt in _queue(strategy, debts))
    return PayoffPlan(strategy=strategy, order=order, months=None, total_interest=None)


def _queue(strategy: Strategy, debts: Sequence[Debt]) -> list[Debt]:
    return sorted(debts, key=_avalanche_key if strategy == "avalanche" else _snowball_key)


def _figures(avalanche: PayoffPlan, snowball: PayoffPlan | None) -> DebtPayoff:
    interest = months = None
    if snowball and snowball.total_interest is not None and avalanche.total_interest is not None:
        interest = snowball.total_interest - avalanche.total_interest
    if snowball and snowball.months is not None and avalanche.months is not None:
        months = snowball.months - avalanche.months
    return DebtPayoff(
        avalanche=avalanche,
        snowball=snowball,
        interest_saved_by_avalanche=interest,
        months_saved_by_avalanche=months,
    )


def _checked(debts: Sequence[Debt], budget: Decimal | None) -> list[Debt]:
    """The debts that are owed at all. Raises CalculationError when the budget cannot carry them."""
    if len(debts) > _MAX_DEBTS:
        raise CalculationError(f"At most {_MAX_DEBTS} debts can be planned at once.")
    for debt in debts:
        require_in_range(asdict(debt), _DEBT_PARAMS)
    owed = [debt for debt in debts if debt.balance]
    if not owed:
        raise CalculationError("There is no debt to pay off.")
    if budget is None:
        if len(owed) == 1:
            raise CalculationError("Give the amount that can be paid every month.")
        return owed
    minimum = sum((min(debt.minimum_payment, debt.balance) for debt in owed), Decimal(0))
    if minimum > budget:
        raise CalculationError(f"The budget does not cover the minimum payments of {show_money(minimum)}.")
    interest = sum((debt.balance * monthly(debt.yearly_rate) for debt in owed), Decimal(0))
    if interest >= budget:
        raise CalculationError(
            f"The budget does not cover the interest of {show_money(interest)} a month: the debts only grow."
        )
    return owed


def _pay_off(strategy: Strategy, debts: Sequence[Debt], budget: Decimal) -> _Course | None:
    """Pay month by month; None when that does not end."""
    queue = _queue(strategy, debts)
    balances = [debt.balance for debt in queue]
    rates = [monthly(debt.yearly_rate) for debt in queue]
    order: list[Cleared] = []
    course, interest = [sum(balances, Decimal(0))], [Decimal(0)]
    for month in range(1, MAX_MONTHS + 1):
        accrued = [balance * i for balance, i in zip(balances, rates, strict=True)]
        interest.append(interest[-1] + sum(accrued))
        owed = [balance + added for balance, added in zip(balances, accrued, strict=True)]
        left = _pay_month(queue, owed, budget)
        order += [
            Cleared(name=debt.name, month=month)
            for debt, before, after in zip(queue, balances, left, strict=True)
            if before and not after
        ]
        balances = left
        course.append(sum(left, Decimal(0)))
        if not any(balances):
            plan = PayoffPlan(
                strategy=strategy, order=tuple(order), months=month, total_interest=cents(interest[-1])
            )
            return _Course(plan, course, interest)
    return None


def _pay_month(queue: Sequence[Debt], owed: Sequence[Decimal], budget: Decimal) -> list[Decimal]:
    """What is owed after the minimum payments, and the rest of the budget in the order of the queue."""
    left = [balance - min(balance, debt.minimum_payment) for debt, balance in zip(queue, owed, strict=True)]
    rest = budget - (sum(owed) - sum(left))
    for position, balance in enumerate(left):
        payment = min(balance, rest)
        left[position], rest = balance - payment, rest - payment
    return left


def _avalanche_key(debt: Debt) -> tuple[Decimal, Decimal]:
    return -debt.yearly_rate, debt.balance


def _snowball_key(debt: Debt) -> tuple[Decimal, Decimal]:
    return debt.balance, -debt.yearly_rate


def _told(plan: PayoffPlan) -> str:
    order = ", then ".join(cleared.name for cleared in plan.order)
    return f"The {plan.strategy} ({order}) {_cost(plan)}"


def _cost(plan: PayoffPlan) -> str:
    months, interest = plan.months or 0, plan.total_interest or Decimal(0)
    return f"takes {show_term(months)} and costs {show_money(interest)} of interest."
