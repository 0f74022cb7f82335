"""The offline model quotes what answers, as a whole, and says so when nothing does."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from finassist.adapters.llm.offline.model import OfflineModel
from finassist.adapters.llm.offline.parts import first_sentence
from finassist.adapters.llm.offline.phrases import phrases_in
from finassist.adapters.llm.offline.words import compared_in, stems_of
from finassist.application.ports.language_model import ModelFinished, ModelMessage, ModelRequest, TextDelta
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.queries import without_sizes

FUND = "An emergency fund is money set aside for unexpected costs. Three to six months are a common target."
DETAILS = "1. Add up a month of essential expenses.\n2. Multiply by three."
DEBT = "Expensive debt comes before investing. A credit card at 20% costs more than shares earn."
LOANS = "A loan is repaid in instalments. Part of each is interest."


def hit(title: str, snippet: str, score: float = 0.8) -> Hit:
    return Hit(article_id=title, title=title, url=None, snippet=snippet, score=score, quotable=True)


async def reply(
    question: str,
    references: Sequence[Hit] = (),
    near: Sequence[Hit] = (),
    earlier: Sequence[ModelMessage] = (),
    *,
    is_vague: bool = False,
) -> tuple[str, str]:
    """The text, and why it ended."""
    request = ModelRequest(
        model="offline-extractive",
        system="",
        messages=[*earlier, ModelMessage(Role.USER, question)],
        references=references,
        near=near,
        is_vague=is_vague,
    )
    async with OfflineModel().stream(request) as events:
        *texts, end = [event async for event in events]
    assert isinstance(end, ModelFinished)
    pieces = [event.text for event in texts if isinstance(event, TextDelta)]
    assert all(len(piece.split()) == 1 for piece in pieces)
    return "".join(pieces), end.reason


def citations(text: str) -> Sequence[str]:
    return re.findall(r"\[(\d+)\]", text)


async def test_the_best_entry_is_quoted_as_a_whole_with_its_source_after_the_answer() -> None:
    text, reason = await reply(
        "What is an emergency fund?", [hit("Fund", f"{FUND}\n\n{DETAILS}"), hit("Debt", DEBT)]
    )
    assert text.startswith(f"{FUND} [1]\n\n{DETAILS}")
    assert "debt" not in text
    assert reason == "stop"


async def test_a_comparison_gets_the_entry_of_each_side_under_its_title() -> None:
    references = [
        hit("What is a fixed rate?", "It stays the same."),
        hit("What is a tracker?", "It follows."),
    ]
    text, _ = await reply("fixed rate or tracker?", references)
    assert text.startswith(
        "**What is a fixed rate?**\n\nIt stays the same. [1]\n\n**What is a tracker?**\n\nIt follows. [2]"
    )


async def test_an_entry_that_speaks_of_both_sides_answers_a_comparison_alone() -> None:
    both = hit("Fixed rate or tracker?", "A fixed rate stays, a tracker follows.")
    text, _ = await reply("fixed rate or tracker?", [both, hit("What is a tracker?", "It follows.")])
    assert citations(text) == ["1"]


async def test_a_side_that_no_source_speaks_of_is_left_out() -> None:
    text, _ = await reply("fixed rate vs submarine?", [hit("What is a fixed rate?", "It stays the same.")])
    assert text.startswith("It stays the same. [1]")


async def test_a_second_entry_that_fits_about_as_well_is_quoted_under_its_title_without_details() -> None:
    vesting = hit("What does vesting mean in a pension?", f"It becomes yours.\n\n{DETAILS}")
    shares = hit("What do cliff and grant mean for employee options?", "Shares become yours.", 0.79)
    text, _ = await reply("my job offer has 4 years vest", [vesting, shares])
    assert text.startswith(
        f"**{vesting.title}**\n\nIt becomes yours. [1]\n\n**{shares.title}**\n\nShares become yours. [2]"
    )


@pytest.mark.parametrize(
    ("question", "title", "score"),
    [
        ("what is vesting", "What do cliff and grant mean for options?", 0.7),
        ("what does vesting mean in a pension", "What do cliff and grant mean for options?", 0.8),
        ("my job offer has 4 years vest", "What does vesting mean in an American pension?", 0.8),
    ],
    ids=["further off", "the first is what was asked", "the same question of another country"],
)
async def test_a_second_entry_is_left_out(question: str, title: str, score: float) -> None:
    first = hit("What does vesting mean in a pension?", "It becomes yours.")
    text, _ = await reply(question, [first, hit(title, "Shares become yours.", score)])
    assert citations(text) == ["1"]


async def test_in_a_conversation_both_entries_that_fit_about_as_well_are_quoted() -> None:
    vesting = replace(hit("What does vesting mean in a pension?", "It becomes yours."), cosine=0.3)
    cliff = hit("What do cliff and grant mean for employee options?", "Shares become yours.", 0.73)
    shares = replace(cliff, cosine=0.5)
    earlier = [ModelMessage(Role.USER, "hello"), ModelMessage(Role.ASSISTANT, "Hello.")]
    text, _ = await reply("my job offer has 4 years vest", [vesting, shares], earlier=earlier)
    assert citations(text) == ["1", "2"]
    later, _ = await reply(
        "my job offer has 4 years vest", [vesting, replace(shares, score=0.6)], earlier=earlier
    )
    assert citations(later) == ["1"]


async def test_it_says_once_in_a_conversation_that_it_quotes() -> None:
    first, _ = await reply("debt", [hit("Debt", DEBT)])
    assert first.endswith(phrases_in("en").quoting)
    earlier = [ModelMessage(Role.USER, "debt"), ModelMessage(Role.ASSISTANT, first)]
    second, _ = await reply("debt", [hit("Debt", DEBT)], earlier=earlier)
    assert second == f"{DEBT} [1]"


async def test_a_follow_up_that_no_part_and_no_other_entry_answers_is_told_so() -> None:
    first, _ = await reply("debt", [hit("Debt", DEBT)])
    earlier = [ModelMessage(Role.USER, "debt"), ModelMessage(Role.ASSISTANT, first)]
    again, _ = await reply("and church taxes", [hit("Debt", DEBT), hit("Loans", LOANS, 0.3)], earlier=earlier)
    assert again.startswith(
        "I have nothing on just that beyond what I quoted from my article \u201cDebt\u201d. [1]"
    )
    assert again.endswith("- Loans")


async def test_a_follow_up_on_what_was_not_quoted_gets_the_nearest_entry_below_its_title() -> None:
    first, _ = await reply("debt", [hit("Debt", DEBT)])
    earlier = [ModelMessage(Role.USER, "debt"), ModelMessage(Role.ASSISTANT, first)]
    again, _ = await reply("and church taxes", [hit("Debt", DEBT), hit("Loans", LOANS, 0.5)], earlier=earlier)
    assert again == f"{phrases_in('en').nearest}\n\n**Loans**\n\n{LOANS} [2]"


async def test_a_follow_up_that_finds_nothing_is_not_told_that_there_is_no_article_at_all() -> None:
    first, _ = await reply("debt", [hit("Debt", DEBT)])
    earlier = [ModelMessage(Role.USER, "debt"), ModelMessage(Role.ASSISTANT, first)]
    text, _ = await reply("how do i ask for more of it", [], earlier=earlier)
    assert text.startswith("I find nothing more on that than what I quoted before.")


async def test_a_follow_up_on_a_sentence_gets_it_with_the_one_behind_it() -> None:
    answer = "Write the shares down. Everyone on the contract owes all of it. A standing order helps."
    first, _ = await reply("bills with flatmates", [hit("Bills", answer)])
    earlier = [ModelMessage(Role.USER, "bills with flatmates"), ModelMessage(Role.ASSISTANT, first)]
    text, _ = await reply("who is on the contract", [hit("Bills", answer)], earlier=earlier)
    part = "Everyone on the contract owes all of it. A standing order helps."
    assert text.startswith(f"On that, my article \u201cBills\u201d says:\n\n{part}\n\n[1]")
    earlier += [ModelMessage(Role.USER, "who is on the contract"), ModelMessage(Role.ASSISTANT, text)]
    again, _ = await reply("but who is on the contract", [hit("Bills", answer)], earlier=earlier)
    assert part not in again


async def test_a_follow_up_gets_another_entry_than_the_one_before_or_its_first_sentence() -> None:
    first, _ = await reply("debt", [hit("Debt", DEBT)])
    earlier = [ModelMessage(Role.USER, "debt"), ModelMessage(Role.ASSISTANT, first)]
    other, _ = await reply("and then?", [hit("Debt", DEBT), hit("Loans", LOANS)], earlier=earlier)
    assert other == f"{LOANS} [2]"
    short, _ = await reply("short answer please", [hit("Debt", DEBT)], earlier=earlier)
    assert short.startswith(f"In short: {DEBT.split('. ')[0]}. [1]")
    assert DEBT not in short


@pytest.mark.parametrize(
    ("question", "snippet", "told"),
    [
        ("how is it taxed", "It is taxed at 20 %.", True),
        ("how does India tax it", "It is taxed at 20 %.", False),
        ("how is it taxed", "In India it is taxed at 20 %.", False),
    ],
)
async def test_whose_rules_are_quoted_is_said_where_nobody_has_named_a_country(
    question: str, snippet: str, told: bool
) -> None:
    text, _ = await reply(question, [replace(hit("Tax", snippet), jurisdiction="IN")])
    assert text.startswith("These are the rules of India.") is told


async def test_what_is_near_is_offered_and_not_quoted() -> None:
    text, reason = await reply("odd debt", near=[hit("How do I pay debt?", DEBT)])
    assert "- How do I pay debt?" in text
    assert DEBT not in text
    assert (citations(text), reason) == ([], "fallback")


@pytest.mark.parametrize("question", ["What is the capital of France?", "How do I bake bread", "", "?"])
async def test_it_says_so_when_it_knows_nothing(question: str) -> None:
    text, reason = await reply(question)
    assert text.startswith("I have nothing on that in my knowledge base")
    assert (citations(text), reason) == ([], "fallback")


async def test_numbers_that_nothing_is_made_of_are_said_back_and_asked_for_as_a_sum() -> None:
    question = "console is 799, got 145 from nan, can put away 35 a week. how many weeks"

    text, reason = await reply(question)
    assert text.startswith("I read 799, 145 and 35 there")
    assert "Type it as a sum, such as" in text
    assert reason == "fallback"

    beside, _ = await reply(question, [hit("Goals", "Divide.")], near=[hit("Goals", "Divide.")])
    assert beside.startswith("I read 799, 145 and 35 there")
    assert "Divide." in beside


async def test_one_number_or_a_question_for_no_figure_is_no_sum() -> None:
    for question in (
        "can a friend keep 35",
        "is 24 too old with 3 friends",
        "is 1100 a month for a 1 bed a lot",
    ):
        text, _ = await reply(question)
        assert text.startswith("I have nothing on that")


@pytest.mark.parametrize("snippet", ["", "  \n "])
async def test_references_without_a_word_are_no_knowledge(snippet: str) -> None:
    text, _ = await reply("capital of France", [hit("", snippet)])
    assert text.startswith("I have nothing on that")


@pytest.mark.parametrize(
    "greeting", ["Hi", "hello there", "Who are you?", "good morning", "can you help me?"]
)
async def test_a_greeting_is_answered_in_kind(greeting: str) -> None:
    text, reason = await reply(greeting)
    assert text.startswith("Hello!")
    assert "offline" in text
    assert reason == "stop"


@pytest.mark.parametrize("thanks", ["Thanks!", "thank you so much", "ok bye"])
async def test_thanks_are_answered_in_kind(thanks: str) -> None:
    assert (await reply(thanks))[0].startswith("You are welcome!")


def test_how_large_is_how_much() -> None:
    assert without_sizes("How large should it be, and how high is the tax?") == (
        "how much should it be, and how much is the tax?"
    )
    assert "how much" in stems_of("How large is it?")


@pytest.mark.parametrize(
    ("question", "titles", "places"),
    [
        ("Roth or traditional?", ("roth", "traditional"), [1, 2]),
        ("stocks vs bonds", ("stocks", "bonds"), [1, 2]),
        (
            "What is the difference between term and whole life insurance?",
            ("whole numbers", "whole life", "term"),
            [2, 3],
        ),
        ("What is an index fund?", ("index", "fund"), []),
        ("What now, or what?", ("now", "what"), []),
    ],
)
def test_what_a_question_compares(question: str, titles: Sequence[str], places: Sequence[int]) -> None:
    hits = [hit(title, "Money grows.") for title in ("money", *titles)]
    assert list(compared_in(question, hits)) == places


def test_the_first_sentence_is_not_a_heading() -> None:
    text = "**What can I afford?**\n\nA common rule is a third of net pay. Then test it. [1]\n\n**And then?**"
    assert first_sentence(text) == "A common rule is a third of net pay."


async def test_when_nothing_answers_the_nearest_entry_is_shown_as_such_and_the_others_are_offered() -> None:
    near = [
        hit("What is an emergency fund?", f"{FUND}\n\n{DETAILS}", 0.4),
        hit("Pay debts first?", DEBT, 0.3),
    ]
    text, reason = await reply("a cushion for the boiler", near[:1], near)
    assert text.startswith("I have no article that answers exactly that.")
    assert f"**What is an emergency fund?**\n\n{FUND} [1]" in text
    assert DETAILS not in text
    assert "- Pay debts first?" in text.splitlines()
    assert reason == "fallback"


@pytest.mark.parametrize(
    ("answer", "is_headed"), [("Usually yes. It pays.", True), ("A loan costs 5 %.", False)]
)
async def test_a_verdict_on_another_question_than_the_one_asked_stands_below_its_own(
    answer: str, is_headed: bool
) -> None:
    title = "Should I take a loan for a car?"
    text, _ = await reply("is it silly to cash in my bike for a moped", [hit(title, answer)])
    assert text.startswith(f"**{title}**" if is_headed else answer)
    same, _ = await reply("Should I take a loan for a car this year?", [hit(title, answer)])
    assert same.startswith(answer)


async def test_an_entry_that_means_little_of_what_was_asked_stands_below_its_title() -> None:
    far = replace(hit("How does a loan work?", LOANS), cosine=0.5)
    near = replace(far, cosine=0.6)
    assert (await reply("how do i borrow for a boat", [far]))[0].startswith("**How does a loan work?**")
    assert (await reply("how do i borrow for a boat", [near]))[0].startswith(LOANS)


async def test_a_general_answer_offers_the_rules_of_countries_that_fit_about_as_well() -> None:
    general = replace(hit("How are gains taxed?", "Gains are taxed.", 0.9), jurisdiction="general")
    national = [
        replace(hit(f"How does {name} tax a sale?", "It does.", 0.8), jurisdiction=code)
        for name, code in (("Canada", "CA"), ("India", "IN"))
    ]
    question = "how much of my profit is taxed"
    text, _ = await reply(question, [general, *national])
    assert "Rules differ by country." in text
    assert {"- How does Canada tax a sale?", "- How does India tax a sale?"} <= set(text.splitlines())
    for others in (national[:1], [replace(each, score=0.5) for each in national]):
        assert "Rules differ" not in (await reply(question, [general, *others]))[0]


async def test_a_vague_question_gets_something_wide_a_question_back_and_directions() -> None:
    widest, near = (
        hit("How does a loan work?", f"{LOANS}\n\n{DETAILS}"),
        [hit("Is a car loan worth it?", DEBT)],
    )
    text, reason = await reply("loan?", [widest], near, is_vague=True)
    assert f"**How does a loan work?**\n\n{LOANS} [1]" in text
    assert DETAILS not in text
    assert "What would you like to decide or find out?" in text
    assert text.endswith("- Is a car loan worth it?")
    assert reason == "stop"
    text, reason = await reply("how am i doing", (), near, is_vague=True)
    assert text.startswith("Tell me a little more")
    assert (text.endswith("- Is a car loan worth it?"), reason) == (True, "fallback")
