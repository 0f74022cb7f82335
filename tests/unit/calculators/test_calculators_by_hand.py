"""Loans, deposits and everyday sums calculated again month by month, and the laws between them."""

from decimal import Decimal, localcontext
from typing import Any

import pytest

from finassist.domain.calculators import CALCULATORS, CalculationError, NamedAmount
from tables import each_row

D = Decimal
CENT = D("0.01")


def result(name: str, **arguments: Any) -> Any:
    return CALCULATORS[name].function(**arguments)


def figures(name: str, **arguments: Any) -> Any:
    return result(name, **arguments).figures


@each_row("months", [1, 7, 12, 60, 125])
@each_row("rate", [D("0.1"), D("6.7"), D(36)])
def test_a_recurring_deposit_is_the_sum_of_its_deposits_and_the_formula_of_the_banks(
    rate: D, months: int
) -> None:
    found = figures("recurring_deposit", monthly_amount=D(500), yearly_rate=rate, months=months)
    with localcontext(prec=50):
        i = rate / 400
        summed = sum((500 * (1 + i) ** (D(month) / 3) for month in range(1, months + 1)), D(0))
        closed = 500 * ((1 + i) ** (D(months) / 3) - 1) / (1 - (1 + i) ** (D(-1) / 3))
    assert abs(found.final_value - summed) <= D("0.005")
    assert abs(found.final_value - closed) <= D("0.005")


@pytest.mark.parametrize("compounding", ["yearly", "half-yearly", "quarterly", "monthly", "daily"])
def test_a_fixed_deposit_grows_as_compound_interest_does(compounding: str) -> None:
    arguments: dict[str, Any] = {"principal": D(5000), "yearly_rate": D("7.1"), "months": 40}
    deposit = result("fixed_deposit", **arguments, compounding=compounding)
    growth = result("compound_interest", **arguments, compounding=compounding)
    assert deposit.figures.final_value == growth.figures.final_value
    assert deposit.series == growth.series


def test_simple_interest_and_a_deposit_with_interest_at_maturity_are_the_same() -> None:
    deposit = result("fixed_deposit", principal=D(900), yearly_rate=D(5), months=30, compounding="maturity")
    simple = result("simple_interest", principal=D(900), yearly_rate=D(5), years=2, months=6)
    assert deposit.figures.interest == simple.figures.interest == D("112.50")
    assert deposit.series == simple.series


def paid_off(balance: D, rate: D, payment: D) -> tuple[int, D]:
    months, interest = 0, D(0)
    while balance > 0:
        accrued = balance * rate / 1200
        interest += accrued
        balance = balance + accrued - payment
        months += 1
    return months, interest


def test_an_extra_payment_of_every_year_is_made_at_its_end() -> None:
    found = figures("loan_extra_payment", balance=D(1_000), yearly_rate=D(0), years=10, extra_yearly=D(100))
    assert (found.months, found.months_saved, found.payment) == (60, 60, D("8.33"))
    owed, interest = D(50_000), D(0)
    for _ in range(12):
        interest += owed * D("0.06") / 12
        owed = owed * (1 + D("0.06") / 12) - D(400)
    found = figures(
        "loan_extra_payment", balance=D(50_000), yearly_rate=D(6), instalment=D(400), extra_yearly=owed
    )
    assert found.months == 12
    assert abs(found.total_interest - interest) <= D("0.005")


@each_row("rate", [D(0), D("0.5"), D("6.5"), D(29)])
@each_row("extra", [D("0.5"), D(50), D(777), D(10**7)])
def test_an_extra_payment_is_counted_month_by_month(rate: D, extra: D) -> None:
    found = figures("loan_extra_payment", balance=D(90_000), yearly_rate=rate, years=20, extra_monthly=extra)
    with localcontext(prec=50):
        i = rate / 1200
        instalment = 90_000 * i / (1 - (1 + i) ** -240) if i else D(90_000) / 240
        months, interest = paid_off(D(90_000), rate, instalment + extra)
    assert found.months == months
    assert abs(found.total_interest - interest) <= D("0.005")
    assert found.months_without_extra == 240
    assert found.interest_saved == found.total_interest_without_extra - found.total_interest


def test_an_instalment_rounded_to_the_cent_takes_no_month_more() -> None:
    for years in range(1, 41):
        loan = figures("loan_instalment", principal=D(187_654), yearly_rate=D("5.35"), years=years)
        extra = figures(
            "loan_extra_payment",
            balance=D(187_654),
            yearly_rate=D("5.35"),
            instalment=loan.instalment,
            extra_monthly=D(100),
        )
        assert extra.months_without_extra == 12 * years
        assert abs(extra.total_interest_without_extra - loan.total_interest) < 10


def test_a_published_payoff_that_begins_after_five_years_comes_out() -> None:
    """Bankrate: 200,000 at 4.5 %, a twelfth more from the sixth year: 26 years and 9 months, 146,737.89."""
    loan = figures("loan_instalment", principal=D(200_000), yearly_rate=D("4.5"), years=30)
    assert (loan.instalment, loan.total_interest) == (D("1013.37"), D("164813.42"))
    first_years = sum(row.interest for row in loan.schedule[:5])
    rest = figures(
        "loan_extra_payment",
        balance=loan.schedule[4].balance,
        yearly_rate=D("4.5"),
        years=25,
        extra_monthly=loan.instalment / 12,
    )
    assert 60 + rest.months == 26 * 12 + 9
    assert abs(first_years + rest.total_interest - D("146737.89")) < 1


def test_a_mortgage_with_an_extra_payment_is_the_loan_with_it() -> None:
    bought = result(
        "mortgage",
        price=D(300_000),
        yearly_rate=D(5),
        years=25,
        deposit_percent=D(15),
        extra_monthly=D(150),
    )
    loan = result("loan_extra_payment", balance=D(255_000), yearly_rate=D(5), years=25, extra_monthly=D(150))
    assert bought.figures.interest_saved == loan.figures.interest_saved
    assert bought.figures.months_with_extra == loan.figures.months
    assert bought.series == loan.series
    points = bought.series.points
    assert sum(point.principal for point in points) == bought.figures.loan
    assert sum(point.interest for point in points) == bought.figures.total_interest_with_extra
    assert (points[-1].balance, points[-1].balance_without_extra) == (0, 0)
    assert sum(row.interest for row in bought.figures.schedule) == bought.figures.total_interest_with_extra


def test_a_mortgage_says_what_the_extra_payment_saves() -> None:
    answer = result(
        "mortgage", price=D(350_000), deposit=D(50_000), yearly_rate=D("6.5"), years=30, extra_monthly=D(200)
    ).answer
    assert answer == (
        "The monthly instalment is 1,896.20 on a loan of 300,000.00; over 30 years that is 382,633.47 of "
        "interest. With 200.00 more a month, it is repaid in 23 years and 1 month, 6 years and 11 months "
        "sooner, and 103,448.80 of interest is saved."
    )


@each_row("new_years", [None, 5, 12, 15, 30])
@each_row("new_rate", [D(3), D("5.5"), D(8)])
@each_row("costs", [D(0), D(3000), D(50_000)])
def test_refinancing_breaks_even_in_the_first_month_that_has_paid_for_it(
    costs: D, new_rate: D, new_years: int | None
) -> None:
    found = result(
        "refinance_break_even",
        balance=D(150_000),
        current_rate=D(6),
        new_rate=new_rate,
        years_left=15,
        costs=costs,
        new_years=new_years,
    )
    old, new = found.figures.current_instalment, found.figures.new_instalment
    months = 12 * (new_years or 15)
    even = [month for month in range(181) if old * month >= costs + new * min(month, months)]
    if found.figures.break_even_months is None:
        assert not [month for month in even if month > 0]
    elif costs:
        assert abs(found.figures.break_even_months - even[0]) <= 1  # the instalments here are rounded
    last = found.series.points[-1]
    assert abs(last.paid_current - last.paid_refinanced - found.figures.total_saving) <= CENT


def test_refinancing_at_the_same_rate_changes_nothing() -> None:
    found = result(
        "refinance_break_even",
        balance=D(150_000),
        current_rate=D(6),
        new_rate=D(6),
        years_left=15,
        costs=D(0),
    )
    assert found.figures.break_even_months is None
    assert found.answer == "Refinancing changes nothing: the instalment stays at 1,265.79."


@pytest.mark.parametrize("per", ["hour", "day", "week", "fortnight", "month", "year"])
def test_pay_converted_and_back_is_the_same_pay(per: str) -> None:
    names = {"hour": "hourly", "day": "daily", "week": "weekly", "fortnight": "fortnightly"}
    own = names.get(per, f"{per}ly")
    pay = figures("pay_conversion", amount=D("1234.50"), per=per, hours_per_week=D("37.5"))
    assert getattr(pay, own) == D("1234.50")
    back = figures("pay_conversion", amount=pay.yearly, per="year", hours_per_week=D("37.5"))
    assert abs(getattr(back, own) - D("1234.50")) <= CENT


def test_pay_is_told_for_every_other_period() -> None:
    assert result("pay_conversion", amount=D(28), per="hour").answer == (
        "28.00 an hour is 58,240.00 a year, 4,853.33 a month, 2,240.00 a fortnight, 1,120.00 a week and "
        "224.00 a day."
    )


@each_row("people", range(1, 13))
def test_a_split_bill_adds_up_to_the_cent(people: int) -> None:
    split = figures("tip_and_split", bill=D("86.41"), tip_percent=D("12.5"), people=people)
    assert split.per_person * people + split.rest == split.total == D("86.41") + split.tip
    assert abs(split.rest) <= people * D("0.005")


@pytest.mark.parametrize("income", [D("0.01"), D("1234.57"), D(10**9)])
def test_a_budget_adds_up_to_the_income(income: D) -> None:
    budget = figures(
        "budget_rule",
        monthly_income=income,
        needs_percent=D("33.3"),
        wants_percent=D("33.3"),
        savings_percent=D("33.4"),
    )
    assert budget.needs + budget.wants + budget.savings == income


def test_a_conversion_between_currencies_without_names_is_told_without_them() -> None:
    assert result("currency_conversion", amount=D(1000), rate=D("0.92")).answer == "1,000.00 is 920.00."


def test_a_net_worth_takes_totals_for_lists() -> None:
    totals = figures("net_worth", total_assets=D(390_000), total_debts=D(220_000))
    listed = figures(
        "net_worth",
        assets=(NamedAmount(name="home", amount=D(350_000)), NamedAmount(name="cash", amount=D(40_000))),
        total_debts=D(220_000),
    )
    assert totals == listed


@pytest.mark.parametrize("debts", [D(0), D(500), D(1500)])
def test_a_price_fits_up_to_the_price_that_the_rule_allows(debts: D) -> None:
    arguments: dict[str, Any] = {
        "yearly_income": D(84_000),
        "yearly_rate": D("6.25"),
        "deposit": D(30_000),
        "monthly_debts": debts,
    }
    most = figures("house_affordability", **arguments).max_price
    assert figures("house_affordability", **arguments, price=most).fits
    above = figures("house_affordability", **arguments, price=most + 100)
    assert not above.fits
    enough = figures(
        "house_affordability",
        **(arguments | {"yearly_income": above.income_needed + CENT}),
        price=most + 100,
    )
    assert enough.fits


@each_row(
    ("name", "arguments", "message"),
    [
        (
            "mortgage",
            {"price": D(100), "deposit": D(100), "yearly_rate": D(5), "years": 5},
            "nothing to borrow",
        ),
        (
            "mortgage",
            {"price": D(9), "deposit": D(1), "deposit_percent": D(5), "yearly_rate": D(5), "years": 5},
            "either as an amount or in percent",
        ),
        ("mortgage", {"price": D(9), "yearly_rate": D(5)}, "at least one month"),
        (
            "loan_extra_payment",
            {"balance": D(9), "yearly_rate": D(5), "extra_monthly": D(1)},
            "the instalment or the term",
        ),
        (
            "loan_extra_payment",
            {"balance": D(1000), "yearly_rate": D(24), "instalment": D(20), "extra_monthly": D(1)},
            "the debt only grows",
        ),
        (
            "loan_extra_payment",
            {"balance": D(10**6), "yearly_rate": D(0), "instalment": D(1), "extra_monthly": D(1)},
            "not paid off in 100 years",
        ),
        ("simple_interest", {"principal": D(1), "yearly_rate": D(1)}, "a day to a hundred years"),
        (
            "simple_interest",
            {"principal": D(1), "yearly_rate": D(1), "years": 100, "days": 1},
            "a hundred years",
        ),
        ("margin_and_markup", {"cost": D(1)}, "Give two of"),
        ("margin_and_markup", {"margin_percent": D(1), "markup_percent": D(1)}, "an amount among them"),
        ("margin_and_markup", {"cost": D(1), "price": D(2), "margin_percent": D(50)}, "Give two of"),
        ("budget_rule", {"monthly_income": D(1), "needs_percent": D(60)}, "add up to 100"),
        ("net_worth", {}, "what is owned and what is owed"),
        (
            "net_worth",
            {"assets": (NamedAmount(name="a", amount=D(1)),), "total_assets": D(1)},
            "either the assets or their total",
        ),
        ("net_worth", {"assets": (NamedAmount(name="a", amount=D(-1)),)}, "at least 0"),
        ("net_worth", {"assets": (NamedAmount(name="a", amount=D(1)),) * 21}, "At most 20"),
        (
            "currency_conversion",
            {"amount": D(1), "rate": D(1), "from_currency": "of " * 9, "to_currency": "EUR"},
            "Name the currencies in short",
        ),
        (
            "currency_conversion",
            {"amount": D(1), "rate": D(0), "from_currency": "USD", "to_currency": "EUR"},
            "rate must be more than 0",
        ),
        ("debt_to_income", {"monthly_debts": D(1), "monthly_income": D(0)}, "more than 0"),
    ],
)
def test_impossible_numbers_are_refused_with_a_plain_message(
    name: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(CalculationError, match=message):
        CALCULATORS[name].function(**arguments)
