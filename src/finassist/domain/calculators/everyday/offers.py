"""Offers weighed: two prices over a time, a transfer to a card without interest, a short loan's rate, a new
loan for one whose payment is known."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Final

from finassist.domain.calculators.annuities import equal_instalments, monthly, present_value, term
from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Months,
    Param,
    Years,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import (
    ROUNDED,
    cents,
    percent,
    show_count,
    show_money,
    show_rate,
    show_term,
)

_DAYS: Final = 365
_MOST_MONTHS: Final = 1200


@dataclass(frozen=True, slots=True, kw_only=True)
class CostComparison:
    """``cheaper`` is 1 or 2, None for the same cost; ``break_even_months`` is from when on the offer that
    costs less a month has made up for its higher start, None when it never does."""

    first_total: Decimal
    second_total: Decimal
    difference: Decimal
    cheaper: int | None
    break_even_months: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceTransfer:
    """``monthly_payment`` clears the amount and the fee in ``months``. Another one takes ``months_needed``,
    and ``left`` is what it leaves after ``months``; None without one. ``stay_interest`` is what the card that
    it is moved from takes when it is cleared in as many equal payments, ``saved`` that without the fee; None
    without its rate."""

    fee: Decimal
    total: Decimal
    monthly_payment: Decimal
    months: int
    months_needed: int | None
    left: Decimal | None
    stay_payment: Decimal | None = None
    stay_interest: Decimal | None = None
    saved: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortLoan:
    """Both rates in percent a year: the fee for one year without compounding, and with it."""

    total: Decimal
    fee_percent: Decimal
    yearly_rate: Decimal
    effective_rate: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRefinanced:
    """``monthly_saving`` is negative when the new instalment is higher, ``break_even_months`` None."""

    new_instalment: Decimal
    monthly_saving: Decimal
    break_even_months: int | None


@exact
def cost_comparison(
    *,
    months: Annotated[int, Param("For how many months both are compared", ge=1, le=_MOST_MONTHS)] = 12,
    first_once: Annotated[Decimal, money("What the first costs once")] = Decimal(0),
    first_monthly: Annotated[Decimal, money("What the first costs a month")] = Decimal(0),
    second_once: Annotated[Decimal, money("What the second costs once")] = Decimal(0),
    second_monthly: Annotated[Decimal, money("What the second costs a month")] = Decimal(0),
) -> Calculation[CostComparison]:
    """Which of two offers costs less over a time, each with a cost at once and a cost a month."""
    first, second = first_once + first_monthly * months, second_once + second_monthly * months
    if not first or not second:
        raise CalculationError("Give the cost of both offers.")
    difference = abs(cents(first) - cents(second))
    cheaper = None if not difference else 1 if first < second else 2
    even = _even(first_once - second_once, second_monthly - first_monthly)
    name = "first" if cheaper == 1 else "second"
    totals = f"{show_money(first)} and {show_money(second)} over {show_count(months, 'month')}"
    break_even = f" From month {even:,} on the one that costs less a month is ahead." if even else ""
    return Calculation(
        answer=f"Both cost the same, {totals}."
        if cheaper is None
        else f"The {name} is cheaper by {show_money(difference)}: {totals}.{break_even}",
        figures=CostComparison(
            first_total=cents(first),
            second_total=cents(second),
            difference=difference,
            cheaper=cheaper,
            break_even_months=even,
        ),
        formula="cost = cost at once + cost a month * months",
        steps=(
            f"First: {show_money(first_once)} + {show_money(first_monthly)} * {months}",
            f"Second: {show_money(second_once)} + {show_money(second_monthly)} * {months}",
        ),
        assumptions=("Prices stay the same; interest on money kept is left out.", ROUNDED),
    )


@exact
def balance_transfer(
    *,
    balance: Annotated[Decimal, positive_amount("What is moved")],
    fee_percent: Annotated[Decimal, rate("Fee of the transfer in percent of the amount")],
    months: Annotated[int, Param("Months without interest", ge=1, le=_MOST_MONTHS)],
    payment: Annotated[
        Decimal | None, positive_amount("What is paid a month, to find how long that takes")
    ] = None,
    yearly_rate: Annotated[
        Decimal | None, rate("Yearly rate of the card it is moved from, to find what moving saves")
    ] = None,
) -> Calculation[BalanceTransfer]:
    """What to pay a month to clear a balance moved to a card without interest, and what that saves."""
    fee = cents(balance * fee_percent / 100)
    total = cents(balance) + fee
    needed = None if payment is None else int((total / payment).to_integral_value(ROUND_CEILING))
    left = None if payment is None else max(Decimal(0), total - payment * months)
    stay = None if yearly_rate is None else _staying(balance, yearly_rate, months)
    interest = None if stay is None else cents(stay * months - cents(balance))
    saved = None if interest is None else interest - fee
    return Calculation(
        answer=f"{_told_saved(saved, interest, stay)}{_time_needed(payment, needed, left, months)}"
        f"{show_money(total / months)} a month clears it in {show_count(months, 'month')}: "
        f"{show_money(total)} with the fee of {show_money(fee)}.",
        figures=BalanceTransfer(
            fee=fee,
            total=total,
            monthly_payment=cents(total / months),
            months=months,
            months_needed=needed,
            left=None if left is None else cents(left),
            stay_payment=None if stay is None else cents(stay),
            stay_interest=interest,
            saved=saved,
        ),
        formula="a month = (balance + balance * fee / 100) / months",
        steps=(f"Fee: {show_money(balance)} * {show_rate(fee_percent)}",),
        assumptions=("The fee is added to the balance; nothing else is bought with the card.", ROUNDED),
    )


def _staying(balance: Decimal, yearly_rate: Decimal, months: int) -> Decimal:
    """The equal payment that clears a balance at a rate in so many months."""
    return cents(balance) / present_value(monthly(yearly_rate), months)


def _told_saved(saved: Decimal | None, interest: Decimal | None, stay: Decimal | None) -> str:
    """What moving saves or costs, as the beginning of an answer."""
    if saved is None or interest is None or stay is None:
        return ""
    moving = "saves" if saved >= 0 else "costs"
    return (
        f"Moving it {moving} {show_money(abs(saved))}{'' if saved >= 0 else ' more'}: staying costs "
        f"{show_money(interest)} of interest with {show_money(stay)} a month. "
    )


def _time_needed(payment: Decimal | None, needed: int | None, left: Decimal | None, months: int) -> str:
    """How long a payment takes, as the beginning of an answer."""
    if payment is None or needed is None:
        return ""
    told = f"With {show_money(payment)} a month it takes {show_count(needed, 'month')}"
    return (
        f"{told}, and {show_money(left or payment)} is left after the {months} without interest. "
        if left
        else (f"{told}, within the {months} without interest. ")
    )


@exact
def short_loan_cost(
    *,
    principal: Annotated[Decimal, positive_amount("What is borrowed")],
    fee: Annotated[Decimal, positive_amount("What is paid beyond it")],
    days: Annotated[int, Param("Days until it is paid back", ge=1, le=3650)],
) -> Calculation[ShortLoan]:
    """Yearly rate of a short loan, payday loan or cash advance with a fixed fee."""
    share = fee / principal
    nominal = percent(share * _DAYS / days)
    effective = percent((1 + share) ** (Decimal(_DAYS) / days) - 1)
    return Calculation(
        answer=f"That is an APR of {show_rate(nominal)}, {show_rate(effective)} with compounding: "
        f"{show_money(fee)} for {show_money(principal)} over {show_count(days, 'day')}.",
        figures=ShortLoan(
            total=cents(principal + fee),
            fee_percent=percent(share),
            yearly_rate=nominal,
            effective_rate=effective,
        ),
        formula="APR = fee / loan * 365 / days; with compounding (1 + fee / loan)^(365 / days) - 1",
        steps=(f"Fee in percent: {show_money(fee)} / {show_money(principal)} * 100",),
        assumptions=("All is paid back at the end; a year has 365 days.", ROUNDED),
    )


@exact
def refinance_payment(
    *,
    current_payment: Annotated[Decimal, positive_amount("What is paid a month now")],
    balance: Annotated[Decimal, positive_amount("Amount still owed, that the new loan replaces")],
    new_rate: Annotated[Decimal, rate("Nominal yearly rate of the new loan, in percent")],
    costs: Annotated[Decimal, money("What refinancing costs in all")] = Decimal(0),
    years: Years = 0,
    months: Months = 0,
) -> Calculation[PaymentRefinanced]:
    """When refinancing pays for its costs, by the payment of today and the rate and term of the new loan."""
    new = equal_instalments(balance, monthly(new_rate), term(years, months))
    saving = current_payment - new.payment
    even = int((costs / saving).to_integral_value(ROUND_CEILING)) if saving > 0 else None
    way = "less" if saving >= 0 else "more"
    told = f"The new instalment is {show_money(new.payment)}, {show_money(abs(saving))} {way} a month"
    back = "the costs do not come back" if even is None else f"the costs are back after {even:,} months"
    return Calculation(
        answer=f"{told}; {back}.",
        figures=PaymentRefinanced(
            new_instalment=cents(new.payment), monthly_saving=cents(saving), break_even_months=even
        ),
        formula="instalment = P * i / (1 - (1 + i)^-n); break-even = costs / what a month saves, rounded up",
        steps=(f"Saved a month: {show_money(current_payment)} - {show_money(new.payment)}",),
        assumptions=(
            f"{show_money(balance)} at {show_rate(new_rate)} for {show_term(new.months)}; costs of "
            f"{show_money(costs)}, paid at once.",
            "A new loan that runs longer than the old one costs interest for longer.",
        ),
    )


def _even(more_at_once: Decimal, less_a_month: Decimal) -> int | None:
    """The month in which the higher start is made up; None when one offer is never behind."""
    if more_at_once * less_a_month <= 0:
        return None
    return max(1, int((more_at_once / less_a_month).to_integral_value(ROUND_CEILING)))
