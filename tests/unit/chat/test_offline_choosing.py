"""Which of the entries that fit about as well the offline model quotes."""

from dataclasses import replace

import pytest

from finassist.adapters.llm.offline.words import compared_in
from finassist.application.ports.language_model import ModelMessage
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from unit.chat.test_offline_model import citations, hit, reply

TEA = "Tea bonds pay a fixed rate. They suit savers who can wait."
COFFEE = "Coffee notes follow the market. They suit those who can bear a loss."


def near(title: str, snippet: str, score: float, cosine: float) -> Hit:
    return replace(hit(title, snippet, score), cosine=cosine)


async def test_a_comparison_gets_the_entry_that_asks_for_it() -> None:
    one_sided = hit("What is a tea bond?", f"{TEA} A coffee note is another thing.", 0.9)
    both = hit("Tea bond or coffee note: which suits me?", "It depends on your nerves.", 0.85)
    text, _ = await reply("tea bonds or coffee notes", [one_sided, both])
    assert "It depends on your nerves." in text
    assert TEA not in text
    assert compared_in("tea bonds or coffee notes", [one_sided, replace(both, score=0.5)]) == ()
    earlier = [ModelMessage(Role.USER, "hi"), ModelMessage(Role.ASSISTANT, "Hello!")]
    later, _ = await reply("tea bonds or coffee notes", [one_sided, both], earlier=earlier)
    assert TEA in later


async def test_a_comparison_that_no_entry_makes_gets_both_sides_under_their_headings() -> None:
    one = hit("Are tea bonds worth it?", f"{TEA} They come after a coffee note.", 0.9)
    other = hit("What is a coffee note?", COFFEE, 0.7)
    text, _ = await reply("tea bonds v coffee notes", [one, other])
    assert f"**{one.title}**" in text
    assert f"**{other.title}**" in text
    compares = replace(one, snippet=f"{TEA} Coffee notes swing; a coffee note can halve; tea bonds cannot.")
    assert compared_in("tea bonds v coffee notes", [compares, other]) == ()


def test_or_in_a_long_message_compares_nothing_that_is_asked_for() -> None:
    one, other = hit("Are tea bonds worth it?", TEA, 0.9), hit("What is a coffee note?", COFFEE, 0.9)
    story = (
        "my uncle, who was in the navy for twenty years, asked whether he keeps his tea bonds or coffee notes"
    )
    assert compared_in(story, [one, other]) == ()


def test_an_entry_for_one_case_goes_before_a_wide_comparison_with_fewer_words_of_the_question() -> None:
    case = hit("I drive a lot of miles: should I lease a car?", "No.", 0.95)
    wide = hit("Lease a car or buy one if I drive little?", "Buy.", 0.9)
    assert 0 in compared_in("lease or buy when i drive 25k miles", [case, wide])


@pytest.mark.parametrize(("worth", "quoted"), [(1.9, ["1", "2"]), (1.8, ["1"])])
async def test_an_entry_that_may_as_well_be_meant_is_quoted_below_the_first(
    worth: float, quoted: list[str]
) -> None:
    first = replace(hit("What is a tea bond?", TEA, 1.0), worth=2.0)
    other = replace(hit("How do I sell my coffee notes?", COFFEE, 0.9), worth=worth)
    text, _ = await reply("getting rid of these savings papers", [first, other])
    assert citations(text) == quoted
    assert (f"**{first.title}**" in text) == (f"**{other.title}**" in text) == (len(quoted) > 1)


async def test_what_asks_the_same_as_the_first_leaves_the_place_below_it_to_another_entry() -> None:
    first = replace(hit("What is a tea bond?", TEA, 1.0), worth=2.0)
    same = replace(hit("What is a tea bond in short?", "It is one.", 0.95), worth=1.95)
    other = replace(hit("How do I sell my coffee notes?", COFFEE, 0.9), worth=1.9)
    text, _ = await reply("getting rid of these savings papers", [first, same, other])
    assert citations(text) == ["1", "3"]


async def test_rules_of_a_country_that_nobody_spoke_of_are_not_quoted_below_those_of_everywhere() -> None:
    first = replace(hit("What is a tea bond?", TEA, 1.0), worth=2.0, jurisdiction="general")
    kenyan = replace(hit("How do I sell coffee notes in Kenya?", COFFEE, 1.0), worth=2.0, jurisdiction="KE")
    for known in (first, replace(first, jurisdiction="US")):
        text, _ = await reply("getting rid of these savings papers", [known, kenyan])
        assert citations(text) == ["1"]
    text, _ = await reply("getting rid of these savings papers in Kenya", [first, kenyan])
    assert citations(text) == ["1", "2"]


@pytest.mark.parametrize(("score", "quoted"), [(0.95, ["1", "2"]), (0.9, ["1"])])
async def test_without_a_worth_of_their_own_the_scores_say_what_may_be_meant(
    score: float, quoted: list[str]
) -> None:
    first, other = hit("What is a tea bond?", TEA, 1.0), hit("How do I sell coffee notes?", COFFEE, score)
    text, _ = await reply("getting rid of these savings papers", [first, other])
    assert citations(text) == quoted


async def test_what_asks_much_the_same_is_not_called_the_nearest_that_there_is() -> None:
    asked = near("How do I buy a tea bond?", TEA, 0.36, 0.58)
    others = [asked, near("What is a coffee note?", COFFEE, 0.3, 0.4)]
    text, reason = await reply("where do i actually get a tea bond", [asked], others)
    assert text.startswith(f"**{asked.title}**")
    assert "- What is a coffee note?" in text.splitlines()
    assert reason == "fallback"


async def test_rules_of_a_country_that_was_quoted_are_no_others() -> None:
    american = replace(hit("How is gold taxed in the US?", "As a collectible.", 0.62), jurisdiction="US")
    indian = replace(hit("How pure is gold in India?", "Look for the mark.", 0.62), jurisdiction="IN")
    fresh = replace(hit("What are gold bonds in India?", TEA, 1.0), jurisdiction="IN")
    quoted = f"{american.snippet} [1]\n\n{indian.snippet} [2]"
    said = [ModelMessage(Role.USER, "what is gold"), ModelMessage(Role.ASSISTANT, quoted)]
    text, _ = await reply("and gold bonds then", [american, indian, fresh], earlier=said)
    assert TEA in text
