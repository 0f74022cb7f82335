"""Which of the entries that fit about as well the offline model quotes."""

from dataclasses import replace

import pytest

from finassist.adapters.llm.offline.nearness import plainly_nearer
from finassist.adapters.llm.offline.words import compared_in
from finassist.application.ports.language_model import ModelMessage
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from unit.chat.test_offline_model import hit, reply

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


@pytest.mark.parametrize(("score", "cosine", "place"), [(0.86, 0.6, 1), (0.91, 0.56, 0), (0.8, 0.7, 0)])
def test_one_that_fits_about_as_well_and_is_plainly_nearer_is_meant(
    score: float, cosine: float, place: int
) -> None:
    first = near("What is a tea bond?", TEA, 1.0, 0.5)
    assert plainly_nearer([first, near("How do I sell a tea bond?", COFFEE, score, cosine)], None) == place
    assert plainly_nearer([replace(first, cosine=0.0), replace(first, cosine=0.9)], None) == 0


def test_nearer_rules_of_a_country_that_nobody_spoke_of_are_not_meant() -> None:
    first = replace(near("What is a tea bond?", TEA, 1.0, 0.5), jurisdiction="general")
    kenyan = replace(near("What is a tea bond in Kenya?", COFFEE, 1.0, 0.7), jurisdiction="KE")
    assert plainly_nearer([first, kenyan], "GB") == 0
    assert plainly_nearer([first, kenyan], None) == 0
    assert plainly_nearer([first, kenyan], "KE") == 1


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
