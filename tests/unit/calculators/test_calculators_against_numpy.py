"""The calculators against numpy-financial on a grid of inputs, and the laws that hold between them."""

import itertools
import random
from decimal import Decimal
from typing import Any

import numpy_financial as npf
import pytest

from finassist.domain.calculators import CALCULATORS, CalculationError, Debt
from tables import each_row

pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning")

D = Decimal
AMOUNTS = (D(100), D("2345.67"), D(250_000))
RATES = (D(0), D("0.1"), D(3), D("7.25"), D(36))
TERMS = (1, 7, 12, 60, 125, 360)
GRID = list(itertools.product(AMOUNTS, RATES, TERMS))
CENT = D("0.01")


def figures(name: str, **arguments: Any) -> Any:
    return CALCULATORS[name].function(**arguments).figures


def same_cent(exact: D, floating: float) -> bool:
    """Equal except for the error of a float at the border between two cents."""
    return abs(float(exact) - floating) <= 0.005 + 1e-9 * abs(floating)


@each_row(("amount", "rate", "months"), GRID)
def test_loans_agree_with_numpy_financial(amount: D, rate: D, months: int) -> None:
    i = float(rate) / 1200
    loan = figures("loan_instalment", principal=amount, yearly_rate=rate, months=months)
    afford = figures("loan_affordability", monthly_payment=amount, yearly_rate=rate, months=months)
    payment = -npf.pmt(i, months, float(amount))
    assert same_cent(loan.instalment, payment)
    assert same_cent(loan.total_interest, payment * months - float(amount))
    assert same_cent(afford.max_principal, -npf.pv(i, months, float(amount)))
    if i:
        interest = -npf.ipmt(i, list(range(1, months + 1)), months, float(amount))
        yearly = [sum(interest[start : start + 12]) for start in range(0, months, 12)]
        assert len(yearly) == len(loan.schedule)
        assert all(
            abs(float(row.interest) - exact) < 0.011 for row, exact in zip(loan.schedule, yearly, strict=True)
        )


@each_row(("amount", "rate", "months"), GRID)
@each_row("timing", ["start", "end"])
def test_regular_investments_agree_with_numpy_financial(amount: D, rate: D, months: int, timing: str) -> None:
    i = float(rate) / 1200
    sip = figures(
        "regular_investment", monthly_amount=amount, yearly_return=rate, months=months, timing=timing
    )
    both = figures(
        "compound_interest",
        principal=D(1000),
        yearly_rate=rate,
        months=months,
        compounding="monthly",
        contribution=amount,
        contribution_timing=timing,
    )
    when = "begin" if timing == "start" else "end"
    assert same_cent(sip.final_value, -npf.fv(i, months, float(amount), 0, when=when))
    assert same_cent(both.final_value, -npf.fv(i, months, float(amount), 1000, when=when))


@each_row(
    ("compounding", "periods"),
    [("yearly", 1), ("half-yearly", 2), ("quarterly", 4), ("weekly", 52), ("daily", 365)],
)
@each_row(("interval", "a_year"), [("monthly", 12), ("quarterly", 4), ("yearly", 1)])
@each_row("rate", RATES)
def test_contributions_between_compounding_dates_earn_the_equivalent_rate(
    compounding: str, periods: int, interval: str, a_year: int, rate: D
) -> None:
    found = figures(
        "compound_interest",
        principal=D(5000),
        yearly_rate=rate,
        years=9,
        compounding=compounding,
        contribution=D(75),
        contribution_interval=interval,
    )
    i = (1 + float(rate) / 100 / periods) ** (periods / a_year) - 1
    assert same_cent(found.final_value, -npf.fv(i, 9 * a_year, 75, 5000))


@each_row(("saved", "rate", "months"), GRID)
def test_savings_goals_agree_with_numpy_financial(saved: D, rate: D, months: int) -> None:
    i, goal = float(rate) / 1200, saved * 200
    plan = figures("savings_goal", goal=goal, saved=saved, yearly_rate=rate, months=months)
    expected = max(0.0, -npf.pmt(i, months, -float(saved), float(goal)))
    assert same_cent(plan.monthly_amount, expected)
    assert same_cent(plan.interest, float(plan.final_balance - saved - plan.contributed))


@each_row("rate", RATES[1:])
@each_row("budget", [D(150), D(400), D("999.99")])
def test_one_debt_takes_as_long_as_nper_says(rate: D, budget: D) -> None:
    payoff = figures(
        "debt_payoff", debts=(Debt(name="a", balance=D(4900), yearly_rate=rate),), monthly_budget=budget
    )
    exact = npf.nper(float(rate) / 1200, -float(budget), 4900)
    assert payoff.avalanche.months == int(-(-exact // 1))
    assert payoff.avalanche.total_interest == payoff.snowball.total_interest


@each_row(("principal", "rate", "months"), GRID)
def test_an_amortisation_adds_up_to_the_cent(principal: D, rate: D, months: int) -> None:
    loan = figures("loan_instalment", principal=principal, yearly_rate=rate, months=months)
    assert sum(row.principal for row in loan.schedule) == principal
    assert sum(row.interest for row in loan.schedule) == loan.total_interest
    assert loan.total_paid == principal + loan.total_interest
    assert loan.schedule[-1].balance == 0
    assert [row.year for row in loan.schedule] == list(range(1, -(-months // 12) + 1))
    balances = [principal, *(row.balance for row in loan.schedule)]
    assert all(
        before - row.principal == row.balance for before, row in zip(balances, loan.schedule, strict=False)
    )


@each_row(("payment", "rate", "months"), GRID)
def test_the_loan_that_a_payment_affords_costs_that_payment(payment: D, rate: D, months: int) -> None:
    loan = figures("loan_affordability", monthly_payment=payment, yearly_rate=rate, months=months)
    back = figures("loan_instalment", principal=loan.max_principal, yearly_rate=rate, months=months)
    assert abs(back.instalment - payment) <= CENT


@each_row("compounding", ["yearly", "half-yearly", "quarterly", "monthly", "weekly", "daily", "continuously"])
@each_row("rate", RATES)
def test_nominal_and_effective_rates_are_each_others_inverse(compounding: str, rate: D) -> None:
    effective = figures("effective_annual_rate", yearly_rate=rate, compounding=compounding).effective_rate
    back = figures("effective_annual_rate", yearly_rate=effective, compounding=compounding, given="effective")
    assert abs(back.nominal_rate - rate) <= D("0.0002")


@each_row(("saved", "rate", "months"), GRID)
def test_a_cent_more_reaches_a_goal_in_time_and_a_cent_less_does_not(saved: D, rate: D, months: int) -> None:
    goal = saved * 300_000
    needed = figures("savings_goal", goal=goal, saved=saved, yearly_rate=rate, months=months).monthly_amount
    if needed <= 1:
        return
    more = figures("savings_goal", goal=goal, saved=saved, yearly_rate=rate, monthly_amount=needed + CENT)
    less = figures("savings_goal", goal=goal, saved=saved, yearly_rate=rate, monthly_amount=needed - CENT)
    assert more.months <= months < less.months


@each_row(("start", "rate", "months"), [case for case in GRID if case[2] >= 12 and case[0] > 1000])
def test_the_growth_rate_of_compound_interest_is_its_rate(start: D, rate: D, months: int) -> None:
    grown = figures("compound_interest", principal=start, yearly_rate=rate, months=months).final_value
    found = figures("compound_annual_growth_rate", start_value=start, end_value=grown, months=months)
    assert abs(found.yearly_growth_rate - rate) <= D("0.0005")


@each_row(("amount", "inflation", "months"), GRID)
def test_the_real_value_of_a_future_cost_is_todays_amount(amount: D, inflation: D, months: int) -> None:
    later = figures("inflation_adjustment", amount_today=amount, yearly_inflation=inflation, months=months)
    back = figures(
        "inflation_adjustment", amount_today=later.future_cost, yearly_inflation=inflation, months=months
    )
    assert abs(back.real_value - amount) <= CENT


@each_row("step_up", [D(0), D(5), D("12.5")])
@each_row("months", [1, 12, 13, 100])
@each_row("timing", ["start", "end"])
def test_a_step_up_raises_the_amount_every_twelve_months(step_up: D, months: int, timing: str) -> None:
    found = figures(
        "regular_investment",
        monthly_amount=D(500),
        yearly_return=D(9),
        months=months,
        timing=timing,
        yearly_step_up=step_up,
    )
    balance = D(0)
    for month in range(months):
        paid = 500 * (1 + step_up / 100) ** (month // 12)
        balance = (balance + paid) * D("1.0075") if timing == "start" else balance * D("1.0075") + paid
    assert abs(found.final_value - balance) <= D("0.005")


def test_an_avalanche_never_costs_more_interest_than_a_snowball() -> None:
    chance = random.Random(20)
    compared = 0
    for _ in range(300):
        debts = tuple(
            Debt(
                name=str(number),
                balance=D(chance.randint(0, 20_000)),
                yearly_rate=D(chance.randint(0, 400)) / 10,
                minimum_payment=D(chance.choice([0, 0, 25, 60])),
            )
            for number in range(chance.randint(1, 5))
        )
        try:
            payoff = figures("debt_payoff", debts=debts, monthly_budget=D(chance.randint(300, 2000)))
        except CalculationError:
            continue
        if payoff.snowball:
            compared += 1
            assert payoff.avalanche.total_interest <= payoff.snowball.total_interest
            assert payoff.avalanche.months <= payoff.snowball.months
            assert {cleared.name for cleared in payoff.avalanche.order} == {
                d.name for d in debts if d.balance
            }
    assert compared > 150
