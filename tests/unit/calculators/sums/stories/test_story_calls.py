"""Stories whose figures a calculator tells: what it is called with, and what it has no answer to."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.recognition.reading import Recognised, Value
from finassist.domain.calculators.stories.numbers import numbers_in
from finassist.domain.calculators.stories.reading import ToldStory, told_story
from finassist.domain.calculators.stories.story import stories, story_in
from unit.calculators.sums.stories.scripted import scores_of

LOAN = ("amount", "rate", "months")
DEBT = ("balance", "rate", "payment")


def told(text: str, story: str, *roles: str) -> ToldStory:
    found = told_story(numbers_in(text), scores_of(story, *roles))
    assert found is not None
    return found


def in_roles(story: str, **texts: str) -> ToldStory:
    roles = stories()[story].roles
    numbers = {name: [each.in_unit(roles[name].unit) for each in numbers_in(texts[name])] for name in texts}
    return ToldStory(
        stories()[story], {name: [each for each in its if each] for name, its in numbers.items()}, 1.0
    )


@pytest.mark.parametrize("time", ["4 years", "48 months", "48"])
def test_a_loan_is_calculated_in_months_in_whatever_unit_its_time_is_told(time: str) -> None:
    story = told(f"12,000 at 6% for {time}, the instalment", "loan_payment", *LOAN)
    arguments: dict[str, Value] = {"principal": Decimal(12000), "yearly_rate": Decimal(6), "months": 48}
    assert story.call() == Recognised("loan_instalment", arguments)
    assert story.first() == ("instalment", Decimal("281.82"))
    assert story.sums() == []
    assert 0.99 < story.sureness <= 1


def test_what_is_paid_on_a_debt_decides_when_it_is_paid_off() -> None:
    story = told("5,000 at 20% and I pay 200 a month", "debt_cleared_when", *DEBT)
    debt = Debt(name="debt", balance=Decimal(5000), yearly_rate=Decimal(20))
    assert story.call() == Recognised("debt_payoff", {"monthly_budget": Decimal(200), "debts": (debt,)})
    assert story.first() == ("avalanche.months", Decimal(33))


def debts_together(rates: str) -> ToldStory:
    return in_roles("debts_cleared_together", balances="4.2k, 1800 and 6500", rates=rates, payment="600")


def test_several_debts_are_paid_off_together_each_at_its_rate() -> None:
    story = debts_together("27%, 31% and 22%")
    call = story.call()
    assert call is not None
    assert call.arguments["debts"] == (
        Debt(name="debt 1 (4,200)", balance=Decimal("4200.0"), yearly_rate=Decimal(27)),
        Debt(name="debt 2 (1,800)", balance=Decimal(1800), yearly_rate=Decimal(31)),
        Debt(name="debt 3 (6,500)", balance=Decimal(6500), yearly_rate=Decimal(22)),
    )
    assert story.first() == ("avalanche.months", Decimal(27))


def test_one_rate_that_is_told_for_several_debts_is_that_of_each() -> None:
    call = debts_together("26%").call()
    assert call is not None
    debts = call.arguments["debts"]
    assert isinstance(debts, tuple)
    assert [str(debt.yearly_rate) for debt in debts if isinstance(debt, Debt)] == ["26"] * 3


def test_debts_with_fewer_rates_than_there_are_debts_have_no_result() -> None:
    assert debts_together("27% and 31%").call() is None
    assert debts_together("27% and 31%").first() is None


@pytest.mark.parametrize(
    ("story", "in_text", "called_with"),
    [
        (
            "saved_regularly",
            {"monthly": "200", "rate": "5%", "months": "3 years"},
            {"principal": 0, "months": 36},
        ),
        (
            "saved_until_age",
            {"now": "30", "then": "65 years", "monthly": "200", "rate": "5%"},
            {"principal": 0, "months": 420, "compounding": "monthly"},
        ),
        (
            "saved_until_age",
            {"now": "30", "then": "65", "monthly": "200", "rate": "5%", "saved": "1,000"},
            {"principal": 1000, "months": 420},
        ),
        ("lump_sum_grows", {"amount": "1k", "rate": "5%", "months": "10 years"}, {"compounding": "yearly"}),
        ("income_by_rule", {"income": "3000"}, {"needs_percent": 50, "savings_percent": 20}),
    ],
)
def test_a_calculator_is_called_with_what_is_told_and_with_what_is_usual(
    story: str, in_text: dict[str, str], called_with: dict[str, object]
) -> None:
    call = in_roles(story, **in_text).call()
    assert call is not None
    assert {name: call.arguments[name] for name in called_with} == called_with


def test_a_usual_number_that_is_taken_for_a_call_is_told() -> None:
    assert in_roles("income_by_rule", income="3000").supposed == (
        "50 (the share for needs); 30 (the share for wants); 20 (the share for savings)"
    )


@pytest.mark.parametrize(
    ("text", "story", "as_told"),
    [
        ("5,000 at 20% and I pay 50 a month", "debt_cleared_when", DEBT),
        ("12,000 at 6% over 0 years", "loan_payment", LOAN),
        ("12,000 at 6% over 2.7 years", "loan_payment", LOAN),
        ("1,000 at 5% over 2 years, after 3 years", "loan_left_after", (*LOAN, "paid")),
    ],
)
def test_a_call_without_an_answer_tells_nothing(text: str, story: str, as_told: Sequence[str]) -> None:
    numbers = dict(zip(as_told, (each.written for each in numbers_in(text)), strict=True))
    years = {name: f"{numbers[name]} years" for name in ("months", "paid") if name in numbers}
    assert in_roles(story, **(numbers | years)).first() is None
    assert told_story(numbers_in(text), scores_of(story, *as_told)) is None


def test_a_call_lacks_what_is_not_told() -> None:
    story = told("12,000 at 6%", "loan_payment", "amount", "rate")
    assert story.lacking == ["months"]


def with_call(**more: Any) -> dict[str, Any]:
    """A story as its file tells it, with a call of two arguments."""
    call = {
        "calculator": "percentage",
        "arguments": {"amount": "part / whole", "percent": "whole"},
        "options": {"operation": "of"},
        "wanted": "part",
    }
    roles = {"part": {"asked": "the part"}, "whole": {"asked": "the whole"}}
    return {"name": "share", "about": "", "roles": roles, "call": {**call, **more}}


def test_arguments_without_a_result_are_no_call() -> None:
    part, whole = numbers_in("40 of 80")
    story = ToldStory(story_in(with_call()), {"part": [part], "whole": [whole]}, 1.0)
    arguments: dict[str, Value] = {"operation": "of", "amount": Decimal("0.5"), "percent": Decimal(80)}
    assert story.call() == Recognised("percentage", arguments)
    [nothing] = numbers_in("0")
    of_nothing = ToldStory(story.story, {"part": [part], "whole": [nothing]}, 1.0)
    assert of_nothing.call() is None
    assert of_nothing.first() is None


def test_a_story_of_expressions_has_no_call() -> None:
    assert told("612 by 3", "per_one", "total", "count").call() is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({**with_call(), "call": with_call(arguments={"amount": "rest"})["call"]}, "amount has no such role"),
        ({**with_call(), "figures": [{"label": "It", "expression": "part"}]}, "or both"),
        ({name: each for name, each in with_call().items() if name != "call"}, "neither figures nor a call"),
    ],
)
def test_a_story_has_figures_or_a_call_with_its_roles(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        story_in(given)
