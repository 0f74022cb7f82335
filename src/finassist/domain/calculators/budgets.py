"""What comes in, goes out, is owned and owed; and the home that an income carries by the rule of thumb."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Annotated, Final

from finassist.domain.calculators.annuities import monthly, present_value, term
from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Months,
    Param,
    Years,
    amount,
    exact,
    params_of,
    positive_amount,
    rate,
    require_in_range,
)
from finassist.domain.calculators.money import (
    cents,
    percent,
    show_count,
    show_money,
    show_number,
    show_rate,
    show_term,
)

_MOST_ITEMS: Final = 20
_HOUSING_SHARE: Final = Decimal(28)
_DEBT_SHARE: Final = Decimal(36)
_ALL: Final = Decimal(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAmount:
    """One thing that is owned or owed."""

    name: Annotated[str, Param("What it is, for example savings account")]
    amount: Annotated[Decimal, amount("What it is worth, or what is owed")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Amounts a month; they add up to the income."""

    needs: Decimal
    wants: Decimal
    savings: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class NetWorth:
    """``net_worth`` is negative when more is owed than owned."""

    net_worth: Decimal
    total_assets: Decimal
    total_debts: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyLeft:
    """``left`` is negative when more is spent than comes in; ``left_percent`` is of the income; ``weekly`` is
    None unless the weeks of a month are given."""

    left: Decimal
    left_percent: Decimal
    weekly: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DebtToIncome:
    """``ratio`` is in percent; ``left`` is what 36 % of the income leaves for more debts, negative when they
    are above it."""

    ratio: Decimal
    left: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Affordable:
    """What the rule allows: ``max_payment`` a month, ``max_loan``, ``max_price`` with the deposit. Of a
    price: its ``loan`` and ``payment``, whether it ``fits``, and the yearly ``income_needed``; or None."""

    max_payment: Decimal
    max_loan: Decimal
    max_price: Decimal
    loan: Decimal | None
    payment: Decimal | None
    fits: bool | None
    income_needed: Decimal | None


_ITEM_PARAMS = params_of(NamedAmount)
_Share = Annotated[Decimal, Param("Share in percent of the income", ge=0, le=100)]


@exact
def budget_rule(
    *,
    monthly_income: Annotated[Decimal, amount("Income of a month after tax")],
    needs_percent: _Share = Decimal(50),
    wants_percent: _Share = Decimal(30),
    savings_percent: _Share = Decimal(20),
) -> Calculation[Budget]:
    """Split an income after tax into needs, wants and savings by the 50/30/20 rule or other shares."""
    if needs_percent + wants_percent + savings_percent != _ALL:
        raise CalculationError("The three shares must add up to 100 percent.")
    needs, wants = cents(monthly_income * needs_percent / 100), cents(monthly_income * wants_percent / 100)
    shares = "/".join(map(show_number, (needs_percent, wants_percent, savings_percent)))
    savings = cents(monthly_income) - needs - wants
    income = show_money(monthly_income)
    return Calculation(
        answer=f"{show_money(needs)} for needs, {show_money(wants)} for wants and {show_money(savings)} for "
        f"savings and debts, of {income} a month.",
        figures=Budget(needs=needs, wants=wants, savings=savings),
        formula="part = income * share / 100",
        steps=(
            f"Needs: {income} * {show_rate(needs_percent)}",
            f"Wants: {income} * {show_rate(wants_percent)}",
            f"Savings and debts: {income} * {show_rate(savings_percent)}",
        ),
        assumptions=(
            f"The {shares} rule is a rule of thumb, on the income after tax.",
            "Needs are what has to be paid: rent, food, energy, transport, insurance, minimum payments.",
        ),
    )


@exact
def net_worth(
    *,
    assets: Annotated[tuple[NamedAmount, ...], Param("What is owned, at most 20")] = (),
    debts: Annotated[tuple[NamedAmount, ...], Param("What is owed, at most 20")] = (),
    total_assets: Annotated[Decimal | None, amount("All that is owned, instead of assets")] = None,
    total_debts: Annotated[Decimal | None, amount("All that is owed, instead of debts")] = None,
) -> Calculation[NetWorth]:
    """Net worth: everything owned less everything owed."""
    assets, debts = _items("assets", assets, total_assets), _items("debts", debts, total_debts)
    if not assets and not debts:
        raise CalculationError("Give what is owned and what is owed.")
    owned = sum((item.amount for item in assets), Decimal(0))
    owed = sum((item.amount for item in debts), Decimal(0))
    worth = owned - owed
    return Calculation(
        answer=f"The net worth is {show_money(worth)}: {show_money(owned)} of assets less "
        f"{show_money(owed)} of debts.",
        figures=NetWorth(net_worth=cents(worth), total_assets=cents(owned), total_debts=cents(owed)),
        formula="net worth = assets - debts",
        steps=(_listed("Assets", assets), _listed("Debts", debts)),
        assumptions=("Everything is counted at what it is worth, or owed, today.",),
    )


@exact
def money_left(
    *,
    income: Annotated[Decimal, positive_amount("What comes in a month, after tax")],
    expenses: Annotated[Decimal, amount("All that is spent in the month")],
    weeks: Annotated[
        Decimal | None, Param("Weeks of a month, to tell what is left a week", ge=4, le=5)
    ] = None,
) -> Calculation[MoneyLeft]:
    """What is left of a month's income after all expenses."""
    left, share = cents(income) - cents(expenses), percent((income - expenses) / income)
    said = f"{show_money(left)} is left" if left >= 0 else f"{show_money(-left)} is missing"
    return Calculation(
        answer=f"{said}: {show_money(income)} less {show_money(expenses)}, {show_rate(share)} of the income"
        f"{f'; {show_money(left / weeks)} a week' if weeks else ''}.",
        figures=MoneyLeft(
            left=left, left_percent=share, weekly=cents(left / weeks) if weeks is not None else None
        ),
        formula="left = income - expenses",
        steps=(f"Left: {show_money(income)} - {show_money(expenses)}",),
        assumptions=("All amounts are for one month.",),
    )


@exact
def debt_to_income(
    *,
    monthly_debts: Annotated[Decimal, amount("Payments on all debts in a month, housing included")],
    monthly_income: Annotated[Decimal, positive_amount("Income of a month before tax")],
) -> Calculation[DebtToIncome]:
    """Debt-to-income ratio (DTI), and what the usual limit of 36 % leaves."""
    ratio, left = monthly_debts / monthly_income, monthly_income * _DEBT_SHARE / 100 - monthly_debts
    limit = f"{show_rate(_DEBT_SHARE)} of the income, {show_money(monthly_income * _DEBT_SHARE / 100)}"
    beside = f"{show_money(abs(left))} {'below' if left >= 0 else 'above'} the usual limit of {limit}"
    return Calculation(
        answer=f"The debt-to-income ratio is {show_rate(percent(ratio))}; the payments are {beside}.",
        figures=DebtToIncome(ratio=percent(ratio), left=cents(left)),
        formula="ratio = payments / income * 100",
        steps=(f"Ratio: {show_money(monthly_debts)} / {show_money(monthly_income)} * 100",),
        assumptions=(
            "The income is before tax; the payments are those on debts, with rent or mortgage.",
            f"{show_rate(_DEBT_SHARE)} is a rule of thumb; lenders set limits of their own.",
        ),
    )


@exact
def house_affordability(
    *,
    yearly_income: Annotated[Decimal, positive_amount("Income of a year before tax")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly rate of the mortgage in percent")],
    price: Annotated[Decimal | None, positive_amount("Price of a home to check; leave out for none")] = None,
    deposit: Annotated[Decimal, amount("Deposit or down payment")] = Decimal(0),
    years: Years = 30,
    months: Months = 0,
    monthly_debts: Annotated[Decimal, amount("Payments on other debts in a month")] = Decimal(0),
) -> Calculation[Affordable]:
    """Home that an income can afford by the 28/36 rule of thumb, and whether a price fits."""
    income = yearly_income / 12
    most = max(Decimal(0), min(income * _HOUSING_SHARE / 100, income * _DEBT_SHARE / 100 - monthly_debts))
    count = term(years, months)
    factor = present_value(monthly(yearly_rate), count)
    found = _affordable(most, factor, deposit, price, monthly_debts)
    return Calculation(
        answer=_affordable_told(found, price),
        figures=found,
        formula="payment = min(28 % of the income, 36 % of the income - other debts); "
        "loan = payment * (1 - (1 + i)^-n) / i; price = loan + deposit",
        steps=(
            f"Income of a month: {show_money(yearly_income)} / 12 = {show_money(income)}",
            f"28% of it: {show_money(income * _HOUSING_SHARE / 100)}; 36% less other debts: "
            f"{show_money(income * _DEBT_SHARE / 100)} - {show_money(monthly_debts)}",
            f"Present value of 1 a month for {show_count(count, 'month')}: {show_number(factor)}",
            f"Largest loan: {show_money(most)} * {show_number(factor)}",
        ),
        assumptions=(
            f"Income: {show_money(yearly_income)} a year before tax; deposit: {show_money(deposit)}; "
            f"other debts take {show_money(monthly_debts)} a month.",
            f"The mortgage is at {show_rate(yearly_rate)} a year for {show_term(count)}.",
            "28/36 is a rule of thumb; property tax and insurance belong in the 28% and are left out here.",
        ),
    )


def _items(name: str, items: tuple[NamedAmount, ...], total: Decimal | None) -> tuple[NamedAmount, ...]:
    """What makes up one side; a total is its only item."""
    if items and total is not None:
        raise CalculationError(f"Give either the {name} or their total, and leave out the other.")
    if len(items) > _MOST_ITEMS:
        raise CalculationError(f"At most {_MOST_ITEMS} assets and {_MOST_ITEMS} debts can be added up.")
    for item in items:
        require_in_range(asdict(item), _ITEM_PARAMS)
    return items if total is None else (NamedAmount(name="all together", amount=total),)


def _listed(title: str, items: Sequence[NamedAmount]) -> str:
    named = " + ".join(f"{item.name} {show_money(item.amount)}" for item in items)
    return f"{title}: {named or show_money(Decimal(0))}"


def _affordable(
    most: Decimal, factor: Decimal, deposit: Decimal, price: Decimal | None, debts: Decimal
) -> Affordable:
    loan = payment = fits = needed = None
    if price is not None:
        loan = max(Decimal(0), price - deposit)
        payment = loan / factor
        fits = cents(payment) <= cents(most)
        needed = cents(1200 * max(payment / _HOUSING_SHARE, (payment + debts) / _DEBT_SHARE))
    return Affordable(
        max_payment=cents(most),
        max_loan=cents(most * factor),
        max_price=cents(most * factor + deposit),
        loan=None if loan is None else cents(loan),
        payment=None if payment is None else cents(payment),
        fits=fits,
        income_needed=needed,
    )


def _affordable_told(found: Affordable, price: Decimal | None) -> str:
    allowed = f"a home of up to {show_money(found.max_price)}, with {show_money(found.max_payment)} a month"
    if price is None or found.payment is None or found.income_needed is None:
        return f"The 28/36 rule allows {allowed}."
    said = f"{show_money(price)} {'fits' if found.fits else 'does not fit'} the 28/36 rule"
    return (
        f"{said}: it costs {show_money(found.payment)} a month, and the rule allows {allowed}. "
        f"It takes an income of {show_money(found.income_needed)} a year."
    )
