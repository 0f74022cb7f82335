"""What a later message changes in a story, completes, or leaves alone; the reader is scripted."""

import pytest

from finassist.adapters.llm.offline.calculation import Calculations
from finassist.adapters.llm.offline.model import OfflineModel
from finassist.adapters.llm.offline.stories import CalculationsAndStories
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.stories.numbers import numbers_in
from finassist.domain.calculators.stories.reading import with_later
from finassist.domain.calculators.stories.scores import StoryScores
from finassist.domain.calculators.stories.story import NONE, UNUSED
from recognised_calculations import reply
from unit.calculators.sums.stories.scripted import SURE, Scripted, scores_of, short

TIPS = "tip jar 612.00, ana 31 hrs, beto 22.5, me 18: split by hours pls"
SPLIT = ("pool", "weights", "weights", "weights")
WITHOUT_POOL = "ana did 31, beto 22.5, me 18 shifts, the whole jar goes by that"
COSTS = "rent 900 and net 45.50, 3 of us"
LOAN = "emi for a loan of 10 lakh at 9% for 5 years"
OTHER_JAR = "and if the jar is 700?"
OTHER_TERM = "and for 7 years?"
EACH_YEAR = scores_of("per_one", "total", UNUSED, "count")
"""Another figure of the loan than that which patterns read."""
READ = {
    TIPS: scores_of("split_by_weights", *SPLIT),
    WITHOUT_POOL: scores_of("split_by_weights", *SPLIT[1:]),
    COSTS: scores_of("split_costs_even", "costs", "costs", "people"),
}


def later(first: str, message: str, story: str, *roles: str) -> dict[str, StoryScores]:
    """What is read of a story's message and a later one together, of which the last roles are told."""
    before = [UNUSED] * len(numbers_in(first))
    return {with_later(first, message): scores_of(story, *before, *roles)}


def reading(script: dict[str, StoryScores]) -> tuple[CalculationsAndStories, Scripted]:
    reader = Scripted({**READ, **script})
    return CalculationsAndStories(Calculations(), reader), reader


def first_sum(asked: Continued | None) -> str:
    assert asked is not None
    assert asked.understood
    return str(asked.operation[0].arguments["expression"])


@pytest.mark.parametrize(
    ("first", "message", "story", "roles_told", "told"),
    [
        (TIPS, OTHER_JAR, "split_by_weights", ["pool"], "700 * 31 / (31 + 22.5 + 18)"),
        (TIPS, "a jar of 700, 20, 30 and 5 hrs", "split_by_weights", SPLIT, "700 * 20 / (20 + 30 + 5)"),
        (TIPS, "half the jar", "split_by_weights", ["pool"], "0.5 * 31 / (31 + 22.5 + 18)"),
        (COSTS, "and with four of us?", "split_costs_even", ["people"], "(900 + 45.50) / 4"),
        (COSTS, "1,000 and 50 then", "split_costs_even", ["costs", "costs"], "(1000 + 50) / 3"),
        (COSTS, "plus 12 for each", "split_costs_even", ["per_head"], "(900 + 45.50) / 3 + 12"),
    ],
)
async def test_a_later_message_changes_numbers_of_a_story_or_adds_one_that_is_optional(
    first: str, message: str, story: str, roles_told: list[str], told: str
) -> None:
    calculations, reader = reading(later(first, message, story, *roles_told))
    assert first_sum(await calculations.asked(message, [first])) == told
    assert reader.asked[-1] == short(with_later(first, message)), "it is read together with the story"


async def test_changes_add_up() -> None:
    fewer = "20, 10 and 5 hrs that is"
    both = with_later(TIPS, OTHER_JAR)
    script = {
        **later(TIPS, OTHER_JAR, "split_by_weights", "pool"),
        **later(both, fewer, "split_by_weights", *SPLIT[1:]),
    }
    calculations, _ = reading(script)
    asked = await calculations.asked(fewer, [TIPS, OTHER_JAR])
    assert first_sum(asked) == "700 * 20 / (20 + 10 + 5)"


async def test_a_story_may_be_changed_after_messages_without_a_number() -> None:
    calculations, _ = reading(later(TIPS, OTHER_JAR, "split_by_weights", "pool"))
    asked = await calculations.asked(OTHER_JAR, [TIPS, "oh thanks", "good to know"])
    assert first_sum(asked) == "700 * 31 / (31 + 22.5 + 18)"


@pytest.mark.parametrize("message", ["612 it was", "the jar had 612", "612"])
async def test_the_number_that_was_asked_for_completes_the_story(message: str) -> None:
    calculations, _ = reading(later(WITHOUT_POOL, message, "split_by_weights", "pool"))
    asked = await calculations.asked(message, [WITHOUT_POOL])
    assert first_sum(asked) == "612 * 31 / (31 + 22.5 + 18)"


async def test_a_story_that_was_completed_may_be_changed() -> None:
    both = with_later(WITHOUT_POOL, "612")
    completed = later(WITHOUT_POOL, "612", "split_by_weights", "pool")
    calculations, _ = reading({**completed, **later(both, OTHER_JAR, "split_by_weights", "pool")})
    asked = await calculations.asked(OTHER_JAR, [WITHOUT_POOL, "612"])
    assert first_sum(asked) == "700 * 31 / (31 + 22.5 + 18)"


LONG = "it was some 612 or so i think, but i will look it up tomorrow and tell you then"


@pytest.mark.parametrize("message", ["thanks", "612 or 700", "10 % of it", LONG])
async def test_anything_else_does_not_complete_it(message: str) -> None:
    calculations, _ = reading({})
    assert await calculations.asked(message, [WITHOUT_POOL]) is None


async def test_a_message_without_a_number_changes_nothing() -> None:
    calculations, reader = reading({})
    assert await calculations.asked("and if the jar has more?", [TIPS]) is None
    assert set(reader.asked) == {short(TIPS)}


async def test_a_message_whose_number_has_no_sure_role_changes_nothing() -> None:
    calculations, reader = reading({with_later(TIPS, OTHER_JAR): scores_of(NONE, *[UNUSED] * 5)})
    assert await calculations.asked(OTHER_JAR, [TIPS]) is None
    assert reader.asked[-1] == short(with_later(TIPS, OTHER_JAR))


async def test_fewer_numbers_do_not_take_the_place_of_several() -> None:
    message = "a rent of 1,000 then"
    calculations, _ = reading(later(COSTS, message, "split_costs_even", "costs"))
    assert await calculations.asked(message, [COSTS]) is None


async def test_a_message_that_is_likelier_of_no_story_changes_nothing() -> None:
    message = "what is an isa, the limit is 20,000?"
    scores = later(COSTS, message, "split_costs_even", "people")[with_later(COSTS, message)]
    likelier = {**scores.stories, NONE: scores.stories["split_costs_even"] + 1}
    calculations, _ = reading({with_later(COSTS, message): StoryScores(likelier, scores.roles)})
    assert await calculations.asked(message, [COSTS]) is None


async def test_a_typed_sum_is_none_of_a_story() -> None:
    typed = "60000 / 12"
    told = scores_of("per_one", "total", "count")
    calculations, _ = reading({typed: told, **later(COSTS, typed, "split_costs_even", "costs", "people")})
    assert await calculations.asked(typed) == await Calculations().asked(typed)
    assert await calculations.asked(typed, [COSTS]) == await Calculations().asked(typed)


@pytest.mark.parametrize(
    ("message", "first"),
    [("double that", "630.33"), ("and 10% of that?", "31.52"), ("add 100 to it", "415.17")],
)
async def test_a_story_has_a_result_to_go_on_from(message: str, first: str) -> None:
    told = await reply(message, [LOAN, COSTS], model=OfflineModel(Scripted(READ)))
    assert first in told


async def test_a_story_does_not_ask_for_what_patterns_have_from_the_messages_before() -> None:
    lacks_bill = scores_of("bill_tip_even", "tip", sure=4.0)
    calculations, _ = reading({"and 20% tip?": lacks_bill})
    bill = "the bill was 84, 15% tip, split 3 ways"
    asked = await calculations.asked("and 20% tip?", [bill])
    assert asked is not None
    assert not asked.lacking
    assert asked == await Calculations().asked("and 20% tip?", [bill])


JAR, HOURS, WANTED = (
    "there was 612 in the jar",
    "ana did 31 hrs and beto 22.5",
    "i did 18, who gets what by the hours",
)
ALL_TOLD = with_later(with_later(JAR, HOURS), WANTED)


async def test_a_message_may_ask_for_a_sum_of_numbers_that_those_before_it_told() -> None:
    calculations, _ = reading({ALL_TOLD: scores_of("split_by_weights", *SPLIT)})
    assert first_sum(await calculations.asked(WANTED, [JAR, HOURS])) == "612 * 31 / (31 + 22.5 + 18)"


OWED = "my card is at 3,260, been paying 85 quid"
CLEARED = "so how long would it take if i do 180 a month"
AT_RATE = "34.9% apr according to the app"


async def test_it_is_told_in_place_of_a_plain_sum_that_patterns_make_of_the_messages() -> None:
    told = with_later(with_later(OWED, AT_RATE), CLEARED)
    roles = ("balance", UNUSED, "rate", "payment")
    calculations, _ = reading({told: scores_of("debt_cleared_when", *roles)})
    asked = await calculations.asked(CLEARED, [OWED, AT_RATE])
    assert asked is not None
    assert asked.operation[0].name == "debt_payoff"


FLAT, BILLS = "the flat is 850 and the garage 60", "bills are 200, whats it all together"


@pytest.mark.parametrize(("story", "is_told"), [(NONE, False), ("per_one", True)])
async def test_a_plain_sum_of_several_messages_is_not_told_where_they_surely_ask_for_none(
    story: str, *, is_told: bool
) -> None:
    read = scores_of(story, UNUSED, UNUSED, UNUSED, sure=0.0)  # as likely as no story, and certain of none
    calculations, _ = reading({with_later(FLAT, BILLS): read})
    asked = await calculations.asked(BILLS, [FLAT])
    assert (asked is not None) is is_told
    assert await Calculations().asked(BILLS, [FLAT]) is not None


async def test_what_changes_a_calculation_of_patterns_is_no_story_of_several_messages() -> None:
    first, change = "15% of 340", "and if it was 400"
    told = scores_of("split_costs_even", "people", "costs", "costs")
    calculations, _ = reading({with_later(first, change): told})
    asked = await calculations.asked(change, [first])
    assert asked == await Calculations().asked(change, [first])
    assert asked is not None


async def test_it_is_changed_like_a_story_that_was_told_at_once() -> None:
    other = later(ALL_TOLD, OTHER_JAR, "split_by_weights", "pool")
    calculations, _ = reading({ALL_TOLD: scores_of("split_by_weights", *SPLIT), **other})
    asked = await calculations.asked(OTHER_JAR, [JAR, HOURS, WANTED])
    assert first_sum(asked) == "700 * 31 / (31 + 22.5 + 18)"


@pytest.mark.parametrize(("roles", "sure"), [(SPLIT, 1.0), ((UNUSED, *SPLIT[1:]), SURE)])
async def test_what_is_not_very_sure_or_lacks_a_number_is_not_told(
    roles: tuple[str, ...], sure: float
) -> None:
    calculations, _ = reading({ALL_TOLD: scores_of("split_by_weights", *roles, sure=sure)})
    assert await calculations.asked(WANTED, [JAR, HOURS]) is None


async def test_what_takes_no_number_of_earlier_messages_is_no_story_of_them() -> None:
    told = scores_of("split_by_weights", UNUSED, *SPLIT)
    calculations, _ = reading(
        {with_later("hello, i am 30", TIPS): told, TIPS: scores_of(NONE, *[UNUSED] * 4)}
    )
    assert await calculations.asked(TIPS, ["hello, i am 30"]) is None


async def test_an_earlier_message_with_letters_of_another_script_is_left_to_patterns() -> None:
    calculations, reader = reading({})
    await calculations.asked(OTHER_JAR, ["5 m\u0131l, f\u0131ve of us and 612"])
    assert reader.asked == [short(OTHER_JAR)]


async def test_a_long_message_changes_nothing() -> None:
    calculations, _ = reading(later(TIPS, LONG, "split_by_weights", "pool"))
    assert await calculations.asked(LONG, [TIPS]) is None


async def test_a_message_that_leaves_a_story_without_a_result_changes_nothing() -> None:
    message = "and with 0 of us?"
    calculations, _ = reading(later(COSTS, message, "split_costs_even", "people"))
    assert await calculations.asked(message, [COSTS]) is None


async def test_nothing_is_changed_where_no_story_was_told() -> None:
    calculations, _ = reading(later("hello, i am 30", OTHER_JAR, "split_by_weights", "pool"))
    assert await calculations.asked(OTHER_JAR, ["hello, i am 30"]) is None


async def test_a_later_message_may_be_a_story_by_itself() -> None:
    calculations, _ = reading({})
    assert first_sum(await calculations.asked(TIPS, ["hello, how are you"])).startswith("612.00 * 31")
    assert first_sum(await calculations.asked(COSTS, [TIPS])) == "(900 + 45.50) / 3"
    assert first_sum(await calculations.asked(TIPS, [WITHOUT_POOL])).startswith("612.00 * 31")


async def test_the_later_of_two_stories_is_changed() -> None:
    message = "and with four of us?"
    calculations, _ = reading(later(COSTS, message, "split_costs_even", "people"))
    assert first_sum(await calculations.asked(message, [TIPS, COSTS])) == "(900 + 45.50) / 4"


async def test_messages_that_were_read_as_stories_are_kept_from_patterns() -> None:
    by_patterns = Calculations()
    changed = await by_patterns.asked(OTHER_TERM, [LOAN])
    assert changed is not None
    assert await by_patterns.asked(OTHER_TERM) is None
    calculations, _ = reading({LOAN: EACH_YEAR})
    assert await calculations.asked(OTHER_TERM, [LOAN]) is None
    calculations, _ = reading({})
    assert await calculations.asked(OTHER_TERM, [LOAN]) == changed


async def test_messages_that_changed_a_story_are_kept_from_patterns() -> None:
    calculations, _ = reading(later(TIPS, OTHER_JAR, "split_by_weights", "pool"))
    asked = await calculations.asked("double that", [LOAN, TIPS, OTHER_JAR])
    assert asked is not None
    assert asked.operation[0].arguments["expression"] == "(700 * 31 / (31 + 22.5 + 18)) * 2"


async def test_patterns_go_on_from_what_comes_to_their_own_figure() -> None:
    calculations, _ = reading({LOAN: scores_of("loan_payment", "amount", "rate", "months")})
    asked = await calculations.asked(OTHER_TERM, [LOAN])
    assert asked is not None
    assert asked == await Calculations().asked(OTHER_TERM, [LOAN])


async def test_a_story_that_is_doubted_is_calculated_once_more() -> None:
    calculations, _ = reading({})
    asked, checked = await calculations.asked(TIPS), await calculations.checked([TIPS])
    assert asked is not None
    assert checked is not None
    assert (checked.operation, checked.is_checked) == (asked.operation, True)
    assert await calculations.checked([LOAN]) == await Calculations().checked([LOAN])
    assert await calculations.checked([]) is None


async def test_the_model_asks_for_what_lacks_and_tells_what_was_changed() -> None:
    both = with_later(WITHOUT_POOL, "612.00")
    completed = later(WITHOUT_POOL, "612.00", "split_by_weights", "pool")
    changed = later(both, OTHER_JAR, "split_by_weights", "pool")
    model = OfflineModel(Scripted({**READ, **completed, **changed}))
    text = await reply(WITHOUT_POOL, model=model)
    assert text.startswith("I can calculate that, but I need one more number: the amount to split.")
    assert "Each (31): 265.34." in await reply("612.00", [WITHOUT_POOL], model=model)
    text = await reply(OTHER_JAR, [WITHOUT_POOL, "612.00"], model=model)
    assert "Each (31): 303.50." in text
    assert "I understood: 700 (the amount to split); 31, 22.5, 18 (" in text
