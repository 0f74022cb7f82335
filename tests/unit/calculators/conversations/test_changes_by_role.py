"""A number of a later message fills the argument of the last calculation that its kind, its words and its
size fit; where two fit, or none, nothing is changed."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.recognition.reading import Recognised
from recognised_calculations import assert_same_calculation, drafted, missing_numbers, recognise

pytestmark = pytest.mark.xdist_group("calculations")

D = Decimal
CAR = "I'm borrowing 18,000 for a car at 6.4% over 5 years, what's the monthly payment?"
HOME = "we want to borrow 320k for a flat, 3.9 percent, 30 years, monthly payment?"
CARD = "Credit card 4,200 at 19.9%, I pay 150 a month, how long?"
SAVING = "If I save 200 a month at 4.5% for 5 years how much would I have?"
GYM = "A gym costs 39 a month, what's that per year?"
GOAL = "im 34 and want 1.5 million at 65. got 42k saved. if it earns 6% how much do i need to put in monthly"
DEPOSIT = "5 lakh FD at 7.1% for 3 years quarterly compounding maturity?"


def debts_of(found: Recognised) -> list[tuple[Decimal, Decimal]]:
    debts = found.arguments["debts"]
    assert isinstance(debts, tuple)
    return [(each.balance, each.yearly_rate) for each in debts if isinstance(each, Debt)]


@pytest.mark.parametrize(
    ("before", "change", "whole"),
    [
        (CAR, "what if I stretch it to 7 years", CAR.replace("5 years", "7 years")),
        (CAR, "no wait the bank called, its 5.9 for the 5 yrs", CAR.replace("6.4%", "5.9%")),
        (HOME, "my husband says we could do 25", HOME.replace("30 years", "25 years")),
        (CAR, "the dealer does 5.4 but 6 years", CAR.replace("6.4%", "5.4%").replace("5 years", "6 years")),
        (CAR, "and if rates are 2 points lower", CAR.replace("6.4%", "4.4%")),
        (CARD, "what if the rate drops to 12", CARD.replace("19.9%", "12%")),
        (SAVING, "grandma puts in 50 more every month", SAVING.replace("200", "250")),
        (SAVING, "actually i can only do 180", SAVING.replace("200", "180")),
        (SAVING, "what if i skip the last 6 months", SAVING.replace("5 years", "54 months")),
        (
            "what's my hourly if i make 61,000 a year and work 45 hours a week",
            "and with 40",
            "what's my hourly if i make 61,000 a year and work 40 hours a week",
        ),
        (
            "bill 186.40 tip 20% split by 4",
            "split by 3 then, its jens bday",
            "bill 186.40 tip 20% split by 3",
        ),
    ],
)
def test_a_number_takes_the_place_of_the_one_that_its_kind_words_and_size_fit(
    before: str, change: str, whole: str
) -> None:
    assert_same_calculation(recognise(change, [before]), recognise(whole))


@pytest.mark.parametrize(
    ("before", "change", "name", "value"),
    [
        (GYM, "and if they raise it by 5", "amount", 39 + 5),
        (GYM, "for my wife as well", "amount", 39 * 2),
        (SAVING, "what if I pay in 100 more", "monthly_amount", 200 + 100),
        (SAVING, "my wife puts in the same", "monthly_amount", 200 * 2),
        (SAVING, "and if rates fall to half", "yearly_return", D("4.5") / 2),
        (CARD, "what if I pay double", "monthly_budget", 150 * 2),
        (CARD, "what if i pay 300 more", "monthly_budget", 150 + 300),
        (DEPOSIT, "i am 63 so i get half percent more", "yearly_rate", D("7.1") + D("0.5")),
        (
            "my salary is 54,000 a year, what is that per month?",
            "and if I get a 4% raise",
            "amount",
            54_000 * D("1.04"),
        ),
    ],
)
def test_what_is_more_less_double_or_half_changes_the_number_that_it_is_of(
    before: str, change: str, name: str, value: Decimal | int
) -> None:
    changed = recognise(change, [before])
    assert changed is not None
    assert changed.arguments[name] == value


def test_what_is_paid_towards_a_debt_first_lowers_it() -> None:
    changed = recognise("and if I put 1000 towards it first", [CARD])
    assert changed is not None
    assert debts_of(changed) == [(D(4200 - 1000), D("19.9"))]
    assert changed.arguments["monthly_budget"] == 150


def test_a_saving_that_begins_later_has_less_time_until_its_end() -> None:
    assert recognise("what if I start 2 years later", [SAVING]) == recognise(
        SAVING.replace("5 years", "3 years")
    )
    assert recognise("what if we only start in 2 years, same end date", [SAVING]) == recognise(
        SAVING.replace("5 years", "3 years")
    )


def test_a_goal_that_is_saved_for_later_keeps_its_end_and_what_is_saved_grows_until_then() -> None:
    changed = recognise("what if i start in 5 years", [GOAL])
    assert changed is not None
    assert changed.arguments["years"] == 31 - 5
    grown = D(42_000) * (1 + D("0.06") / 12) ** 60
    assert changed.arguments["saved"] == grown.quantize(D("0.01"))


def test_the_time_that_is_left_to_save_is_not_taken_for_the_time_until_the_end() -> None:
    asked = "whats 1.5m then in todays money with 2.5 inflation"
    found = recognise(asked, [GOAL])
    assert found is not None
    assert found.arguments == {"amount_today": 1_500_000, "yearly_inflation": D("2.5"), "years": 31}
    assert recognise(asked, [GOAL, "what if i start in 5 years"]) is None


def test_a_raise_after_a_tax_is_one_of_the_pay_and_not_another_tax() -> None:
    before = ["my salary is 54,000 a year, what is that per month?", "and after tax at 25%?"]
    changed = drafted("and if I get a 4% raise", before)
    assert changed is not None
    assert changed.name == "percentage/subtract"
    assert [each.value for each in changed.filled["percent"]] == [25]


def test_another_calculation_takes_the_numbers_that_are_said_to_be_the_same() -> None:
    earlier = [DEPOSIT, "i am 63 so i get half percent more"]
    found = recognise("Compare with RD of 15000 monthly same rate same term", earlier)
    assert found is not None
    assert found.name == "recurring_deposit"
    assert found.arguments == {"monthly_amount": 15_000, "yearly_rate": D("7.6"), "years": 3}


def test_a_result_is_put_in_the_place_of_that() -> None:
    found = recognise(
        "and if I invested that at 6% for 10 years", ["What does 20 a week on coffee come to in a year?"]
    )
    assert found is not None
    assert found.arguments["yearly_rate"] == 6
    assert found.arguments["contribution"] == 20 * 52


def test_a_debt_to_a_person_gets_a_rate_later() -> None:
    found = recognise(
        "what if he wants 2% interest", ["I owe my brother 3,600 and pay 150 a month, no interest. How long?"]
    )
    assert found is not None
    assert found.name == "debt_payoff"
    assert debts_of(found) == [(D(3600), D(2))]


def test_a_number_that_names_another_calculation_changes_that_one() -> None:
    earlier = [
        "car does 6.2 litres per 100 km, 18,000 km a year, petrol 1.82. what do i spend",
        "an electric one uses 17 kwh per 100 km at 0.35, what would that cost",
    ]
    found = recognise("and if petrol goes to 2 euros", earlier)
    assert found is not None
    assert found.name == "fuel_cost"
    assert found.arguments["price"] == 2


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        ([CAR], "what if there's a 50 fee"),
        ([CAR], "what if i died in 5 years"),
        ([CAR], "what is the 4% rule"),
        ([CAR], "i have 5 kids"),
        ([CAR], "my husband says we could do 6"),
        ([SAVING], "what if i put in 1500"),
        ([GOAL], "what if i had 2.5 inflation"),
        (["what's 1,250 a month at 4% over a year"], "then another 3% the year after"),
    ],
)
def test_a_number_that_fits_no_argument_changes_none(earlier: Sequence[str], message: str) -> None:
    assert recognise(message, earlier) is None


def test_a_missing_number_is_not_filled_by_one_by_which_something_rises() -> None:
    assert missing_numbers("and it rises by 3%", ["i have a loan of 20,000 for 5 years"]) is None
