"""What later messages have done with the results of a conversation: compared, put in percent, converted,
spent, saved, or calculated with another number; and what sets nothing off."""

from collections.abc import Sequence

import pytest

from finassist.application.ports.language_model import (
    ModelMessage,
    ToolCallRequest,
)
from finassist.domain.conversations.message import Role
from recognised_calculations import replied as answered

LOAN = "car loan of $24,000 at 6.9% for 6 years, monthly payment?"
PAY = "31.25 an hour, 40 hours a week, how much a year"
SAVING = "if i save 300 a month at 5% for 10 years what do i end up with"
LEFT = "i take home 2,900, rent is 950, bills 310, what is left"


async def replied(
    *said: str, language: str = "en", before: str = ""
) -> tuple[str, Sequence[ToolCallRequest]]:
    """The reply to the last message, and the tools that were called for it; ``before`` is the last reply."""
    messages = [ModelMessage(Role.USER, text) for text in said]
    if before:
        messages.insert(-1, ModelMessage(Role.ASSISTANT, before))
    return await answered(messages, language=language)


@pytest.mark.parametrize(
    ("said", "begins"),
    [
        (
            [LOAN, "and at 60 months", "how much more is that"],
            "Instalment: $474.10 - $408.02 = $66.08 more a month: 5 years compared with 6 years. "
            "That is $792.96 a year.",
        ),
        (
            [LOAN, "and at 60 months", "which one costs less in the end and by how much"],
            "Total interest: $5,377.78 - $4,445.84 = $931.94 less: 5 years compared with 6 years.",
        ),
        (
            [LOAN, "and at 60 months", "what if i take 48 months", "which one is cheaper"],
            "Total interest: $3,532.66 (4 years) is the lowest; then $4,445.84 (5 years)",
        ),
        (
            [LOAN, "and at 60 months", "and over 3 years", "how much interest do i save with 60 months"],
            "Total interest: $4,445.84 - $2,638.33 = $1,807.51 more: 5 years compared with 3 years.",
        ),
        (
            [PAY, "i might get a raise of 4% what then", "is that better than a salaried job at 66,000?"],
            "Yearly: 67,600.00 - 66,000.00 = 1,600.00 more a year",
        ),
        (
            [PAY, "i got offered 70k salary somewhere else, how much more is that per month"],
            "Monthly: 5,833.33 - 5,416.67 = 416.66 more a month: 70k compared with 31.25 an hour",
        ),
    ],
)
async def test_results_are_compared_and_the_reply_says_first_what_was_taken_from_what(
    said: Sequence[str], begins: str
) -> None:
    text, calls = await replied(*said)
    assert text.startswith(begins)
    assert {call.name for call in calls} == {"difference"}


async def test_the_last_difference_is_put_in_percent_though_another_calculation_came_between() -> None:
    said = [
        PAY,
        "i got offered 70k salary somewhere else, how much more is that per month",
        "but i'd pay 130 more for gas each month and 90 more for insurance, still worth it?",
    ]
    text, _ = await replied(*said)
    assert text.startswith("196.66 is left: 416.66 less 220.00")
    text, _ = await replied(*said, "ok and the raise in percent?")
    assert text.startswith("From 5,416.67 to 5,833.33 is an increase of 7.6922%.")


@pytest.mark.parametrize(
    ("said", "begins"),
    [
        (
            [LOAN, "and at 60 months", "what share of my pay is the 60 month one if i take home 3900"],
            "$474.10 is 12.1564% of $3,900.00.",
        ),
        (
            [LOAN, "my salary is 78,000 a year, what percent of my pay is that"],
            "$408.02 is 6.2772% of $6,500.00.",
        ),
        (
            [
                "my rent is 1750 and it goes up 2.5%, whats the new rent",
                "i make 4100 net a month, what percent is the new rent",
            ],
            "1,793.75 is 43.75% of 4,100.00.",
        ),
        (
            [
                "my rent is 1750 and it goes up 2.5%, whats the new rent",
                "how much more per year is that",
                "i make 4100 net a month, what percent is the new rent",
            ],
            "1,793.75 is 43.75% of 4,100.00.",
        ),
        ([LOAN, "and in euros at 0.9"], "408.02 is 367.22 euros."),
        (
            ["my rent is 1750 and it goes up 2.5%, whats the new rent", "how much more per year is that"],
            "Yearly: 525.00.",
        ),
        (
            [LEFT, "food is around 400 and transport 120, now how much"],
            "1,120.00 is left: 1,640.00 less 520.00",
        ),
        (
            [LEFT, "if i save half of that how long to get to 5000"],
            "With 820.00 a month, 5,000.00 is reached in 7 months.",
        ),
        ([SAVING, "how much of that is actually interest"], "Interest: 10,584.68."),
        ([LOAN, "and the interest part?"], "Total interest: $5,377.78."),
    ],
)
async def test_a_result_is_put_in_percent_converted_spent_or_saved(said: Sequence[str], begins: str) -> None:
    text, _ = await replied(*said)
    assert text.startswith(begins)


@pytest.mark.parametrize(
    ("said", "name", "arguments"),
    [
        (
            [LOAN, "and at 48 months", "what if i put 4000 down, still 4 years"],
            "loan_instalment",
            {"principal": 20000, "yearly_rate": 6.9, "years": 4},
        ),
        (
            [SAVING, "how much of that is actually interest", "ok thanks. and what if its only 3%"],
            "regular_investment",
            {"monthly_amount": 300, "yearly_return": 3, "years": 10},
        ),
        (
            [LOAN, "and at 60 months", "and with a rate of 5%", "and over 6 years?"],
            "loan_instalment",
            {"principal": 24000, "yearly_rate": 5, "years": 6},
        ),
        (
            [
                "credit card 7400 at 26.5% paying 250 a month how long",
                "what would i need to pay to be done in 12 months",
            ],
            "loan_instalment",
            {"principal": 7400, "yearly_rate": 26.5, "years": 1},
        ),
        (
            [PAY, "i might get a raise of 4% what then"],
            "pay_conversion",
            {"amount": 32.5, "per": "hour", "hours_per_week": 40},
        ),
        (
            [
                "im 29, make about 3400 a month after tax, rent is 1350 and i have 5200 on a card at 23%",
                "what should i do first",
                "if i put 300 a month on it how long till its gone",
            ],
            "debt_payoff",
            {"monthly_budget": 300},
        ),
        (
            [
                "i make about 3400 a month after tax, rent is 1350 and i have two cats",
                "what percent of my pay is rent",
            ],
            "percentage",
            {"operation": "share", "amount": 3400, "other_amount": 1350},
        ),
    ],
)
async def test_a_calculation_goes_on_and_takes_what_was_told_before(
    said: Sequence[str], name: str, arguments: dict[str, object]
) -> None:
    _, calls = await replied(*said)
    assert calls[0].name == name
    assert {key: calls[0].arguments.get(key) for key in arguments} == arguments


@pytest.mark.parametrize(
    ("language", "said", "begins"),
    [
        (
            "de",
            [
                "Kredit 12.000 Euro, 7,1 %, 48 Monate, welche Rate?",
                "und wenn ich nur 36 Monate nehme",
                "was ist dann günstiger",
            ],
            "Total interest: €1.819,78 - €1.358,67 = €461,11 less: 3 years compared with 4 years.",
        ),
        (
            "fr",
            [
                "si je place 150 € par mois pendant 8 ans à 3 % j'aurai combien",
                "et avec 200 par mois",
                "ça fait combien de plus",
            ],
            "Final value: €21\u202f669,48 - €16\u202f252,11 = €5\u202f417,37 more",
        ),
        (
            "pt",
            ["quanto rende 20 mil a 1% ao mês em 2 anos", "e a 0,8%?"],
            "It is worth 24.214,90 after 2 years",
        ),
    ],
)
async def test_short_words_of_other_languages_are_enough(
    language: str, said: Sequence[str], begins: str
) -> None:
    text, _ = await replied(*said, language=language)
    assert begins in text


async def test_who_doubts_a_result_gets_it_calculated_again_with_what_it_rests_on() -> None:
    first, _ = await replied(LOAN)
    text, calls = await replied(LOAN, "are you sure?", before=first)
    assert [call.name for call in calls] == ["loan_instalment"]
    assert text.startswith("I calculated it again, from the numbers as I understood them")
    assert "The monthly instalment is $408.02" in text
    assert "- Taken: principal 24,000, yearly rate 6.9, years 6." in text
    assert text.endswith("tell me the right one, and I calculate it again.")


@pytest.mark.parametrize(
    "last",
    [
        "is that normal",
        "can i pay it back early",
        "what if i lose my job in 2 years",
        "my wife earns 3000 a month",
        "company puts in 500 a year",
        "what documents do i need",
        "which bank should i take",
        "should i do it",
        "and if one of us pays 10 more because he had wine, what do the others pay",
        "thanks, that helps",
    ],
)
@pytest.mark.parametrize("first", [LOAN, SAVING, LEFT])
async def test_innocent_later_messages_set_nothing_off(first: str, last: str) -> None:
    _, calls = await replied(first, "and is there a fee for that", last)
    assert calls == []
    _, calls = await replied(first, last)
    assert calls == []


@pytest.mark.parametrize(
    "said",
    [
        [
            "My employer offers an HDHP with an HSA or a PPO. Which should I choose?",
            "company puts in 750 a year",
        ],
        [
            "I want to buy term insurance. How much cover should I take?",
            "salary 14 lakh, wife and one kid, home loan 35 lakh",
        ],
        [LOAN, "What is an ETF?", "which is cheaper"],
        [LOAN, "how much more is that"],
        [LOAN, "what share of my pay is that"],
    ],
)
async def test_numbers_that_are_only_told_and_results_that_are_missing_are_not_calculated_with(
    said: Sequence[str],
) -> None:
    _, calls = await replied(*said)
    assert calls == []


EARNED = "i earn 3,050 a month"
AFTER_COSTS = "what is left after rent of 900 and bills of 260"


@pytest.mark.parametrize(
    ("said", "begins"),
    [
        (["what is 18% of 950", "split that by three"], "57.00 each."),
        (["what is 18% of 950", "ok can we split it equally between the 3 of us"], "57.00 each"),
        (
            [
                "my take home is 2,640 a month",
                "rent 980, food 410, phone 25, bus 70, total?",
                "so whats left",
            ],
            "Left: 1,155.00.",
        ),
        (
            ["what is 2.5% of 1,880", "that's what i pay a month", "and how much a year"],
            "Yearly: 564.00.",
        ),
        (
            [
                "i charge 48 an hour, 25 hours a week",
                "if i put 22% aside for tax",
                "so what is left per month",
            ],
            "It comes to 4,056.00 a month.",
        ),
        ([EARNED, AFTER_COSTS, "and if rent is 1040"], "1,750.00 is left"),
        ([EARNED, AFTER_COSTS, "whats that a year"], "Yearly: 22,680.00."),
    ],
)
async def test_what_was_told_or_calculated_before_is_calculated_with(
    said: Sequence[str], begins: str
) -> None:
    reply, _ = await replied(*said)
    assert reply.startswith(begins)


async def test_a_rent_is_told_as_a_share_of_the_income_that_it_is_less_than() -> None:
    reply, _ = await replied(PAY, "and after 20% tax per month", "is that enough for a rent of 1100")
    assert reply.startswith("1,100.00 is 25.3846% of 4,333.33.")


async def test_of_several_costs_none_is_replaced_by_one_that_names_no_other() -> None:
    _, calls = await replied(LEFT, "and 1040?")
    assert calls == []


@pytest.mark.parametrize("text", ["can i share this with a friend", "should i divide it into two accounts"])
async def test_to_share_or_to_divide_is_no_sum_without_a_number_of_parts(text: str) -> None:
    _, calls = await replied(SAVING, text)
    assert calls == []


async def test_inflation_and_a_figure_of_the_result_are_understood_in_german() -> None:
    said = ["Ich spare 150 Euro im Monat, 12 Jahre, 5 Prozent, was kommt heraus?"]
    said.append("und was ist das nach Inflation noch wert, sagen wir 3 %")
    reply, _ = await replied(*said, language="de")
    assert "At today's prices that is" in reply
    reply, _ = await replied(*said, "Wie viel davon sind denn Zinsen?", language="de")
    assert "Interest: " in reply


async def test_a_result_is_halved() -> None:
    text, _ = await replied("what if i only put in 5% of my 12k", "how much would that be if it halves")
    assert text.startswith("It comes to 300.00.")


async def test_the_reply_says_back_what_was_changed_and_only_then() -> None:
    said, _ = await replied(LOAN, "what if I stretch it to 7 years")
    assert "That is with 7 years instead of" in said
    said, _ = await replied(LOAN, "what if I stretch it to 7 years", "and total interest?")
    assert "instead of" not in said


async def test_an_amount_that_was_changed_into_another_currency_has_no_symbol_of_the_first() -> None:
    said, _ = await replied("convert 3,450 usd to euros at 1.08", "minus 10% of that")
    assert "$" not in said


async def test_the_reply_begins_with_what_a_goal_is_worth_after_inflation() -> None:
    goal = "I want 90,000 in 12 years at 5%, how much a month do I need to save"
    reply, _ = await replied(goal, "what would that be worth in today's money with 3% inflation")
    assert reply.startswith("What costs 90,000.00 today")
