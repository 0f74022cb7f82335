"""What is calculated by a story, what by patterns, and what is asked for; the reader is scripted."""

from math import log

import pytest

from finassist.adapters.llm.offline import stories as policy
from finassist.adapters.llm.offline.calculation import Calculations
from finassist.adapters.llm.offline.model import OfflineModel
from finassist.adapters.llm.offline.stories import CalculationsAndStories
from finassist.domain.calculators.stories.scores import StoryScores
from finassist.domain.calculators.stories.story import UNUSED
from finassist.domain.errors import EmbeddingError
from recognised_calculations import reply
from unit.calculators.sums.stories.scripted import SURE, UNSURE, Scripted, scores_of, short

TIPS = "tip jar 612.00, ana 31 hrs, beto 22.5, me 18: split by hours pls"
SPLIT = ("split_by_weights", "pool", "weights", "weights", "weights")
WITHOUT_POOL = "ana did 31, beto 22.5, me 18 shifts, the whole jar goes by that"
LACKS_POOL = ("split_by_weights", "weights", "weights", "weights")
PLAIN = "612 + 31 how much is that together"
LOAN = "emi for a loan of 10 lakh at 9% for 5 years"
EACH_YEAR = ("per_one", "total", UNUSED, "count")
"""Another figure of the loan than that which patterns read."""
WITHOUT_RATE = "emi for a loan of 10 lakh for 5 years"


def reading(**script: StoryScores | EmbeddingError) -> tuple[CalculationsAndStories, Scripted]:
    texts = {
        "tips": TIPS,
        "lacking": WITHOUT_POOL,
        "plain_sum": PLAIN,
        "loan": LOAN,
        "without_rate": WITHOUT_RATE,
    }
    reader = Scripted({texts[name]: told for name, told in script.items()})
    return CalculationsAndStories(Calculations(), reader), reader


@pytest.fixture
def likely(monkeypatch: pytest.MonkeyPatch) -> float:
    """Log odds of a story that is likely, and not sure."""
    monkeypatch.setattr(policy, "TOLD", 0.9)
    monkeypatch.setattr(policy, "VERY_SURE", 0.95)
    monkeypatch.setattr(policy, "DOUBTED", 0.5)
    return log(0.75 / 0.25)


async def test_a_story_is_calculated_where_patterns_find_nothing() -> None:
    assert await Calculations().asked(TIPS) is None
    calculations, reader = reading(tips=scores_of(*SPLIT))
    asked = await calculations.asked(TIPS)
    assert asked is not None
    assert [call.name for call in asked.operation] == ["arithmetic"] * len(asked.labels)
    first = asked.operation[0].arguments["expression"]
    assert first == "612.00 * 31 / (31 + 22.5 + 18)"
    assert "612.00 (" in asked.understood
    assert reader.asked == [short(TIPS)], "few digits are enough to read it"


async def test_a_story_that_is_not_sure_is_not_calculated() -> None:
    calculations, _ = reading(tips=scores_of(*SPLIT, sure=UNSURE))
    assert await calculations.asked(TIPS) is None


async def test_what_patterns_find_stays_where_no_story_is_told() -> None:
    calculations, reader = reading()
    asked = await calculations.asked(LOAN)
    assert asked is not None
    assert asked == await Calculations().asked(LOAN)
    assert reader.asked == [short(LOAN)]


@pytest.mark.parametrize(("sure", "is_story"), [(SURE, True), (UNSURE, False)])
@pytest.mark.parametrize(
    ("text", "name", "story"),
    [
        (PLAIN, "plain_sum", ("per_one", "total", "count")),
        (LOAN, "loan", EACH_YEAR),
        (WITHOUT_RATE, "without_rate", ("per_one", "total", "count")),
    ],
)
async def test_a_story_takes_the_place_of_what_patterns_find_when_it_is_sure(
    text: str, name: str, story: tuple[str, ...], sure: float, is_story: bool
) -> None:
    by_patterns = await Calculations().asked(text)
    assert by_patterns is not None
    assert by_patterns.operation == ()
    calculations, _ = reading(**{name: scores_of(*story, sure=sure)})
    asked = await calculations.asked(text)
    assert asked is not None
    assert bool(asked.understood) is is_story
    assert is_story or asked == by_patterns


async def test_where_a_likely_story_comes_to_another_figure_than_a_plain_sum_nothing_is_told(
    likely: float,
) -> None:
    calculations, _ = reading(plain_sum=scores_of("per_one", "total", "count", sure=likely))
    assert await calculations.asked(PLAIN) is None


async def test_a_story_that_is_not_very_sure_leaves_a_calculator_that_patterns_name(
    likely: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "TOLD", 0.5)
    calculations, _ = reading(loan=scores_of(*EACH_YEAR, sure=likely))
    assert await calculations.asked(LOAN) == await Calculations().asked(LOAN)


async def test_a_likely_story_leaves_the_question_of_patterns_for_a_number(likely: float) -> None:
    told = scores_of("per_one", "total", "count", sure=likely)
    calculations, _ = reading(without_rate=told)
    assert await calculations.asked(WITHOUT_RATE) == await Calculations().asked(WITHOUT_RATE)


@pytest.mark.parametrize("story", ["loan_payment", "loan_total_interest"])
async def test_a_story_that_comes_to_a_figure_of_patterns_is_left_to_them(story: str) -> None:
    calculations, _ = reading(loan=scores_of(story, "amount", "rate", "months"))
    assert await calculations.asked(LOAN) == await Calculations().asked(LOAN)


async def test_the_only_number_that_lacks_is_asked_for() -> None:
    calculations, _ = reading(lacking=scores_of(*LACKS_POOL))
    asked = await calculations.asked(WITHOUT_POOL)
    assert asked is not None
    assert not asked.operation
    assert asked.lacking == (
        "I can calculate that, but I need one more number: the amount to split. So far I have 31, 22.5, 18 "
        "(the weight of each (hours, nights, size, income, share)). Tell me just what is missing."
    )


async def test_a_usual_number_that_the_words_of_a_message_rule_out_is_asked_for() -> None:
    every_friday = "a bottle of wine every friday, 7.99, how much is it over 2 years?"
    told = scores_of("habit_cost", "price", "years")
    reader = Scripted({every_friday: told, every_friday.replace("every friday", "for me"): told})
    calculations = CalculationsAndStories(Calculations(), reader)
    asked = await calculations.asked(every_friday)
    assert asked is not None
    assert "one more number: how many days or times a week" in asked.lacking
    usual = await calculations.asked(every_friday.replace("every friday", "for me"))
    assert usual is not None
    assert "Not told, so I took the usual: 7 (how many days or times a week)" in usual.understood


async def test_a_number_that_lacks_is_not_asked_for_when_the_story_is_not_sure() -> None:
    calculations, _ = reading(lacking=scores_of(*LACKS_POOL, sure=UNSURE))
    assert await calculations.asked(WITHOUT_POOL) is None


async def test_what_patterns_ask_for_is_asked_in_place_of_what_a_story_lacks() -> None:
    calculations, _ = reading(without_rate=scores_of("loan_payment", "amount", "months"))
    asked = await calculations.asked(WITHOUT_RATE)
    assert asked is not None
    assert asked == await Calculations().asked(WITHOUT_RATE)


async def test_a_story_of_which_two_numbers_lack_is_left_alone() -> None:
    calculations, _ = reading(lacking=scores_of("bill_by_readings", UNUSED, UNUSED, "rate"))
    assert await calculations.asked(WITHOUT_POOL) is None


async def test_without_a_number_nothing_is_read() -> None:
    calculations, reader = reading()
    assert await calculations.asked("split the tip jar by hours pls") is None
    assert reader.asked == []


async def test_of_a_text_longer_than_the_network_reads_patterns_decide_alone() -> None:
    calculations, reader = reading()
    assert await calculations.asked(f"{TIPS} {'and so on ' * 200}") is None
    assert reader.asked == []


async def test_other_languages_are_left_to_patterns() -> None:
    calculations, reader = reading(tips=scores_of(*SPLIT))
    assert await calculations.asked(TIPS, language="de") is None
    assert reader.asked == []


async def test_patterns_decide_alone_when_the_encoder_fails() -> None:
    failure = EmbeddingError("The sentence encoder failed.", kind="timeout", retryable=True)
    calculations, _ = reading(tips=failure)
    assert await calculations.asked(TIPS) is None
    assert await CalculationsAndStories(Calculations()).asked(TIPS) is None


async def test_all_figures_are_told_at_once_with_what_was_understood() -> None:
    model = OfflineModel(Scripted({TIPS: scores_of(*SPLIT)}))
    text = await reply(TIPS, model=model)
    assert text.startswith("- Each (31): 265.34.\n- Each (22.5): 192.59.\n- Each (18): 154.07.\n")
    assert "I understood: 612.00 (the amount to split); 31, 22.5, 18 (" in text
    assert text.count("Formula: ") == 1, "only the first figure is explained"
    assert "Formula: 612.00 * 31 / (31 + 22.5 + 18)" in text


async def test_the_only_figure_of_a_story_is_told_with_what_it_is() -> None:
    model = OfflineModel(Scripted({LOAN: scores_of(*EACH_YEAR)}))
    assert (await reply(LOAN, model=model)).startswith("For each one: 2,00,000.00.\n")


async def test_what_a_calculator_tells_of_a_story_begins_with_the_figure_that_is_wanted() -> None:
    borrowed = "bank hands me 12,000, takes 6 percent, done in 4 years, ugh"
    scores = scores_of("loan_total_interest", "amount", "rate", "months")
    text = await reply(borrowed, model=OfflineModel(Scripted({borrowed: scores})))
    assert text.startswith("Total interest: 1,527.38. The monthly instalment is 281.82; over 4 years")
    assert "I understood: 12,000 (the amount that is borrowed); 6 (" in text


async def test_what_a_calculator_tells_of_a_debt_is_told() -> None:
    owed = "card sits on 5,000 with 20% and 200 goes there, till when"
    scores = scores_of("debt_cleared_when", "balance", "rate", "payment")
    text = await reply(owed, model=OfflineModel(Scripted({owed: scores})))
    assert text.startswith("It takes 2 years and 9 months and costs 1,522.10 of interest.")
    assert "I understood: 5,000 (what is owed); 20 (" in text


async def test_a_story_is_not_told_of_what_its_words_rule_out() -> None:
    text = "a 220 mile trip at 38mpg, petrol {}. fuel cost, with 5 for parking?"
    texts = [text.format("1.52 a litre"), text.format("6.90 a gallon")]
    told = scores_of("fuel_by_mileage", "distance", "mileage", "price", "extra")
    calculations = CalculationsAndStories(Calculations(), Scripted(dict.fromkeys(texts, told)))
    by_litre, by_gallon = [await calculations.asked(each) for each in texts]
    assert by_litre is None or not by_litre.understood
    assert by_gallon is not None
    assert by_gallon.understood


@pytest.mark.parametrize(("time", "years"), [("36 months", "3"), ("3 years", "3")])
async def test_a_time_is_counted_in_the_periods_of_the_amount_beside_it(time: str, years: str) -> None:
    text = f"lease allows 10,000 miles a year, {time}, done 34,500, 12p a mile over"
    told = scores_of("over_allowance", "allowed", "years", "used", "rate")
    asked = await CalculationsAndStories(Calculations(), Scripted({text: told})).asked(text)
    assert asked is not None
    assert asked.operation[0].arguments["expression"] == f"max(0, 34500 - 10000 * {years}) * 0.12"
