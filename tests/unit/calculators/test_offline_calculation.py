"""The offline model calculates: it calls the tool and reads the result out."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.adapters.llm.offline.calculation import Calculations
from finassist.adapters.llm.offline.model import OfflineModel
from finassist.adapters.tools.calculators import CalculatorTools
from finassist.application.ports.knowledge import Vector
from finassist.application.ports.language_model import (
    ModelEvent,
    ModelFinished,
    ModelMessage,
    TextDelta,
    ToolAnswer,
    ToolCallRequest,
    ToolOutcome,
    ToolRound,
)
from finassist.domain.conversations.message import Role
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit
from recognised_calculations import MODEL as MODEL_WITH_MEANING
from recognised_calculations import TOOLS, events_of, reply
from remembered_vectors import VECTORS

LOAN = "What is the monthly payment on a 20k loan at 7% for 5 years?"
RECOGNISED = [
    json.loads(line)
    for line in Path(__file__).with_name("calculations_recognised.jsonl").read_text().splitlines()
]


async def ask(
    question: str,
    rounds: Sequence[ToolRound] = (),
    earlier: Sequence[str] = (),
    model: OfflineModel = MODEL_WITH_MEANING,
    **fields: Any,
) -> list[ModelEvent]:
    messages = [ModelMessage(Role.USER, text) for text in (*earlier, question)]
    return await events_of(messages, rounds, model, **fields)


async def told(question: str, outcome: ToolOutcome) -> str:
    call = ToolCallRequest("call_1", "loan_instalment", {})
    events = await ask(question, [ToolRound("", [ToolAnswer(call, outcome)])])
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_a_calculation_calls_the_tool_with_json_numbers() -> None:
    assert await ask(LOAN) == [
        ToolCallRequest("call_1", "loan_instalment", {"principal": 20000, "yearly_rate": 7, "years": 5}),
        ModelFinished("tool_calls"),
    ]


@pytest.mark.parametrize("question", ["What is an ETF?", "hello", "My loan is at 7%."])
async def test_what_is_no_calculation_calls_nothing(question: str) -> None:
    assert all(isinstance(event, TextDelta | ModelFinished) for event in await ask(question))


async def test_without_tools_it_calculates_nothing() -> None:
    assert isinstance((await ask(LOAN, tools=()))[0], TextDelta)


async def test_the_answer_gives_figure_formula_steps_and_assumptions() -> None:
    outcome = await TOOLS.call("loan_instalment", {"principal": 20000, "yearly_rate": 7, "years": 5})
    text = await told(LOAN, outcome)
    assert text.startswith("The monthly instalment is 396.02;")
    assert "Formula: instalment = P * i / (1 - (1 + i)^-n)" in text
    assert "Steps:\n1. Monthly rate i: 7% / 12" in text
    assert "Assumptions:\n- The instalments are equal" in text


@pytest.mark.parametrize(
    ("question", "symbol"),
    [("EMI of 20 lakh at 8.5% for 20 years?", ""), ("emi on ₹2000000 at 8.5%, 20 yrs", "₹")],
)
async def test_a_question_in_lakh_is_answered_in_lakh(question: str, symbol: str) -> None:
    arguments = {"principal": 2000000, "yearly_rate": 8.5, "years": 20}
    text = await told(question, await TOOLS.call("loan_instalment", arguments))
    assert f"over 20 years that is {symbol}21,65,551.52 of interest" in text
    assert "41,65,551.52 - 20,00,000.00" in text
    assert f"{symbol}17,356.46" in text


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("$20,000 loan at 7% for 5 years, monthly payment?", "$396.02"),
        ("monthly payment on a 20000 pounds loan at 7% for 5 years", "£396.02"),
        ("Kredit über 20.000 € mit 7,0 % Zinsen auf 5 Jahre, wie hoch ist die Rate?", "€396,02"),
        ("monthly payment on a loan of 20000 at 7% for 5 years", "is 396.02"),
    ],
)
async def test_the_figure_comes_first_in_the_currency_and_grouping_of_the_question(
    question: str, figure: str
) -> None:
    assert figure in (await reply(question)).partition(";")[0]


async def test_a_question_for_the_interest_is_told_the_interest_first() -> None:
    text = await reply("how much interest will £15,000 earn in a year at 4.2 % aer")
    assert text.startswith("Interest: £630.00.")
    assert (await reply("and total interest?", [LOAN])).startswith("Total interest: 3,761.44.")


async def test_a_result_is_shown_by_year_as_a_table_when_asked_for() -> None:
    text = await reply("show it year by year", [LOAN])
    lines = text.splitlines()
    assert lines[0].startswith("The monthly instalment is 396.02;")
    assert lines[2] == "| Year | Interest | Principal | Balance |"
    assert len(lines) == 4 + 5
    assert lines[-1].endswith("| 0.00 |")
    assert "Formula:" not in text


async def test_months_are_put_together_to_years_unless_months_are_asked_for() -> None:
    question = "10000 at 5% for 3 years compound interest"
    years = (await reply("show it year by year", [question])).splitlines()
    assert years[2:5] == [
        "| Year | Paid in | Return | Value |",
        "| ---: | ---: | ---: | ---: |",
        "| 1 | 10,000.00 | 500.00 | 10,500.00 |",
    ]
    assert len(years) == 4 + 3
    assert len((await reply("month by month", [question])).splitlines()) == 4 + 36


async def test_inflation_is_taken_off_the_result_before() -> None:
    earlier = ["If I invest $300 every month at 7% for 30 years, how much will I have?"]
    text = await reply("with 3 % inflation?", earlier)
    assert text.startswith("At today's prices that is $150,783.57. The investment is worth $365,991.30")


async def test_a_number_that_is_missing_is_asked_for_and_what_was_given_is_said_back() -> None:
    text = await reply("What would the monthly payment be on a $300k mortgage at 6%?")
    assert text.startswith("I can calculate that, but I need one more number: the term")
    assert "$300k (the amount borrowed) and 6% (the yearly rate in percent)" in text


async def test_a_question_without_numbers_is_explained_and_its_numbers_are_asked_for() -> None:
    hit = Hit(article_id="1", title="Refinancing", url=None, snippet="It replaces a loan.", score=0.9)
    text = await reply("should I refinance", references=[hit])
    assert text.startswith("It replaces a loan. [1]")
    assert "I can calculate this for you. Tell me the amount still owed" in text


async def test_a_refusal_of_the_calculator_is_said_plainly() -> None:
    outcome = ToolOutcome({"error": "The term must be at least one month."}, is_error=True)
    assert await told(LOAN, outcome) == "I cannot calculate that. The term must be at least one month."


class BrokenEmbedder:
    """An embedder of the right or of another model, whose questions fail."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.asked = 0

    def understands(self, language: str) -> bool:
        return language == "en"

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise NotImplementedError

    async def embed_query(self, text: str) -> Vector:
        self.asked += 1
        raise EmbeddingError("gone", kind="timeout", retryable=True)

    async def embed_search(self, text: str) -> Vector:
        return await self.embed_query(text)

    async def close(self) -> None: ...


@pytest.mark.parametrize(("name", "asked"), [(MODEL, 2), ("another-model", 0)])
async def test_words_decide_when_the_embedder_fails_or_is_of_another_model(name: str, asked: int) -> None:
    embedder = BrokenEmbedder(name)
    call, _ = await ask(LOAN, model=OfflineModel(embedder))
    assert isinstance(call, ToolCallRequest)
    assert embedder.asked == asked


async def test_words_decide_without_an_embedder() -> None:
    call, _ = await ask(LOAN, model=OfflineModel())
    assert isinstance(call, ToolCallRequest)


@pytest.mark.whole_base
async def test_every_calculation_that_is_recognised_is_calculated() -> None:
    for example in RECOGNISED:
        call, end = await ask(example["question"])
        assert isinstance(call, ToolCallRequest), example
        assert end == ModelFinished("tool_calls"), example
        outcome = await TOOLS.call(call.name, json.loads(json.dumps(call.arguments)))
        text = await told(example["question"], outcome)
        assert "Formula:" in text or text.startswith("I cannot calculate that."), example


CARD = "credit card balance 6,240 at 26.99% apr, paying 190 a month, how long"


@pytest.mark.parametrize(
    ("earlier", "question", "says"),
    [
        (
            [CARD, "and with 300 a month"],
            "how much interest do i save then",
            "Total interest: 5,224.01 - 2,268.63 = 2,955.38 less: 300 a month compared with 190 a month.",
        ),
        (
            ["I earn 74k and put in 3%, how much is that"],
            "how much difference if i do 6",
            "In all: 2,220.00 before, 4,440.00 now, 2,220.00 more",
        ),
        (
            ["I want to save 1.2 million naira, I have 8 months, how much monthly"],
            "what of weekly",
            "₦34,615.38 a week",
        ),
        (
            ["if i put 6500 in my tfsa every yr for 25 years and get 5 %"],
            "whats that in todays dollars with 2% inflation",
            "At today's prices that is 189,092.41",
        ),
        (
            ["im on 34.80 an hour casual, 38 hrs a week. yearly?"],
            "how much super should i be getting on that at 12%",
            "12% of 68,764.80 is 8,251.78",
        ),
        (
            ["i earn 52k, i put in 8% and my employer puts in 5%, how much goes into the pension"],
            "what would that grow to in 22 years at 5%",
            "The investment is worth 270,034.50 after 22 years",
        ),
    ],
)
async def test_a_later_message_compares_converts_or_goes_on_from_the_result(
    earlier: Sequence[str], question: str, says: str
) -> None:
    assert says in await reply(question, earlier)


async def test_a_later_message_is_told_what_was_taken() -> None:
    text = await reply("and over 30 years?", ["loan of 20000 at 8% for 5 years, monthly payment"])
    assert "- Taken: principal 20,000, yearly rate 8, years 30." in text


async def test_what_is_likely_is_offered_and_little_else() -> None:
    tools = CalculatorTools(likely=Calculations(VECTORS).likely)
    offered = {spec.name for spec in await tools.likely_specs([CARD, "and with 300 a month"])}
    assert {"debt_payoff", "percentage"} < offered
    assert len(offered) < len(TOOLS.specs()) / 2
    assert len(await tools.likely_specs(["What is an ETF?"])) < len(offered) + 5
    assert await TOOLS.likely_specs(["What is an ETF?"]) == TOOLS.specs()


@pytest.mark.parametrize(
    "message",
    [
        "My credit score went from 761 to 702 after I closed a card. Why did it drop?",
        "I'm 29 and got an offer in Denver at $95,000 after making $61,000 in Tulsa. My parents think I'll "
        "be rich. How does that compare with what people make there?",
        "I drove for DoorDash last year, about $14k, with only one 1099 for $9k. The software asks about the "
        "accounting method.",
        "My firm offers me 1,850 a month until 65 instead of the 2,700 I earn now, and I have to decide",
    ],
)
async def test_numbers_of_a_story_add_up_to_nothing(message: str) -> None:
    assert not [event for event in await ask(message) if isinstance(event, ToolCallRequest)]


@pytest.mark.parametrize(
    ("message", "expression"),
    [
        ("klarna left: 3 x 27.50, 2 x 14.99 and 4 x 41.20. how much do i owe altogether", "27.5 * 3"),
        ("rent is 900, food 300 and the bus pass 70. whats that in total", "900 + 300 + 70"),
    ],
)
async def test_numbers_that_a_sum_is_asked_of_are_added(message: str, expression: str) -> None:
    [call] = [event for event in await ask(message) if isinstance(event, ToolCallRequest)]
    assert (call.name, expression in call.arguments["expression"]) == ("arithmetic", True)
