"""A calculation whose numbers are spread over several messages of a conversation."""

from collections.abc import Sequence

import pytest

from recognised_calculations import recognise


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        (
            ["my rent is 900 and i take home 2500. is that too much", "what percent is it exactly"],
            "what percent of 2500 take home is 900 rent",
        ),
        (
            ["the heat pump quote is 14000 and it saves about 95 a month", "so when does it pay for itself"],
            "14000 to buy, saves 95 a month, when does it pay for itself",
        ),
        (
            ["whats the 4% rule", "so with 420000 how much per year"],
            "by the 4% rule how much per year with 420000",
        ),
        (
            ["how big an emergency fund do i need", "i spend about 1700 a month"],
            "how big an emergency fund do i need if i spend 1700 a month",
        ),
    ],
)
def test_figures_of_one_message_are_used_in_a_later_one(said: Sequence[str], whole: str) -> None:
    *earlier, last = said
    assert recognise(last, earlier) == recognise(whole)
    assert recognise(whole) is not None


def test_figures_are_still_used_after_a_message_between_that_gave_none() -> None:
    said = [
        "i want to buy a sofa for 1800 but cant pay it now",
        "store offers 0% over 12 months",
        "whats the catch",
    ]
    found = recognise("and how much a month would it be", said)
    assert found is not None
    assert found.arguments["yearly_rate"] == 0
    assert 1800 in found.arguments.values()


def test_a_number_may_be_changed_in_what_several_messages_gave() -> None:
    said = [
        "looking at a flat for 360k",
        "how much deposit would 10% be, and whats the loan repayment at 5% over 25 years",
    ]
    found, changed = recognise(said[1], said[:1]), recognise("and with 20%?", said)
    assert found is not None
    assert changed is not None
    assert changed.arguments == {**found.arguments, "deposit_percent": 20}


def test_a_message_may_add_what_another_calculation_takes_to_a_whole_one() -> None:
    said = ["if i put 200 a month away for 15 years at 4% for my son what would he have"]
    found = recognise("and if my sister adds a one off 3000 at the start", said)
    assert found is not None
    assert (found.name, found.arguments["principal"], found.arguments["contribution"]) == (
        "compound_interest",
        3000,
        200,
    )


@pytest.mark.parametrize(
    ("question", "earlier"),
    [
        ("what percent is it", ["my rent is 900 and i take home 2500", "What is an index fund?"]),
        ("what if i never told anyone for 2 years", ["bought for 800 and sold for 1450 so whats the gain"]),
        (
            "what should i cut first",
            ["i bring home 2900 a month", "rent 1150 car 410 insurance 165 phone 85"],
        ),
        ("a day pass is 9. which is cheaper", ["the gym costs 39 a month and i go 3 times a month"]),
        ("what if its 20000", ["whats the cheapest way to send 500 pounds to poland"]),
    ],
)
def test_what_does_not_belong_together_is_not_calculated(question: str, earlier: Sequence[str]) -> None:
    assert recognise(question, earlier) is None
