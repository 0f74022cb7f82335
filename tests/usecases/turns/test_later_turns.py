"""What the offline model says to follow-ups on what it has just told."""

import pytest

from finassist.adapters.llm.offline.phrases import phrases_in
from finassist.composition.application import Finassist
from usecases.conftest import in_shared_service
from usecases.test_conversations_offline import cited, replies_to

pytestmark = in_shared_service


async def test_what_was_just_read_gives_way_to_the_entry_that_has_more_on_it(offline: Finassist) -> None:
    first, reply = await replies_to(offline, "Where should I keep my emergency fund?", "what about crypto")
    assert "crypto" in first.content
    assert "crypto" in cited(reply)[0]
    assert "are unsuitable" not in reply.content


async def test_a_question_for_yes_or_no_gets_the_sentence_that_answers_it_and_no_warning(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(
        offline, "what is a defined benefit pension", "is it a fraction of my pay for life?"
    )
    assert reply.content.startswith("On that, ")
    assert "a fraction of pay for each year of service, for life" in reply.content
    assert "Ask for a forecast" not in reply.content


async def test_what_no_entry_is_likely_to_answer_is_told_to_have_no_answer(offline: Finassist) -> None:
    *_, last, reply = await replies_to(
        offline,
        "what happens to my debt when i die",
        "do i need a will for that or not",
        "How long does one last",
    )
    phrases = phrases_in("en")
    told = [phrases.nearest, *(phrases.no_part.format(title) for title in cited(last))]
    assert reply.content.startswith(tuple(told))


async def test_a_follow_up_goes_on_from_the_question_before_it(offline: Finassist) -> None:
    replies = await replies_to(
        offline,
        "How much pocket money is normal?",
        "And what about my other grandchild who is 16?",
    )
    assert any("teenager" in title for title in cited(replies[-1]))


@pytest.mark.parametrize(
    ("language", "first", "second", "part"),
    [
        (
            "fr",
            "LEP c'est quoi ?",
            "et si je dépasse les revenus plus tard ?",
            "après deux années au-dessus du plafond",
        ),
        ("de", "Wie funktioniert ein ETF-Sparplan?", "kann ich da jederzeit raus", "jederzeit ändern"),
    ],
)
async def test_a_follow_up_in_another_language_gets_a_part_that_is_not_how_the_answer_begins(
    offline: Finassist, language: str, first: str, second: str, part: str
) -> None:
    told, reply = await replies_to(offline, first, second)
    assert part in reply.content
    assert told.content.partition(".")[0] not in reply.content


async def test_a_message_that_turns_to_another_entry_in_its_language_gets_that(offline: Finassist) -> None:
    _, reply = await replies_to(
        offline, "LEP c'est quoi ?", "ok. mon patron propose un PEE, ça vaut le coup ?"
    )
    assert cited(reply) == ["Qu'est-ce que l'intéressement, la participation et le PEE ?"]


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("What is a payday loan?", "I need 200 by monday, what else is there", "instead of a payday loan"),
    ],
)
async def test_the_nearest_entry_that_was_not_told_yet_is_quoted_whole_below_its_title(
    offline: Finassist, first: str, second: str, title: str
) -> None:
    _, reply = await replies_to(offline, first, second)
    told = cited(reply)
    assert any(title in nearest for nearest in told)
    assert all(f"**{nearest}**" in reply.content for nearest in told)


async def test_how_an_answer_began_gives_way_to_an_entry_that_surely_answers(offline: Finassist) -> None:
    first, reply = await replies_to(
        offline, "what is a fixed rate mortgage", "is that the same as a tracker?"
    )
    assert first.content.partition(".")[0] not in reply.content
    assert cited(reply)[0].startswith("What is the difference between a tracker")


async def test_who_asks_for_more_when_all_was_told_gets_the_next_entry_on_the_subject(
    offline: Finassist,
) -> None:
    *before, last = await replies_to(
        offline,
        "how much emergency fund do i need",
        "so not in stocks?",
        "i would like a more detailed answer",
    )
    told = {title for reply in before for title in cited(reply)}
    [following] = cited(last)
    assert following not in told
    assert "emergency fund" in following
    assert f"**{following}**" in last.content


@pytest.mark.parametrize(
    ("first", "second", "part"),
    [
        ("what is a pension annuity", "which one would you go for", "**Should I buy an annuity?**"),
        (
            "Is it smart to buy now pay later for a laptop",
            "what would you do if it was you",
            "Is buy now, pay later better",
        ),
    ],
)
async def test_who_asks_the_assistant_to_choose_gets_what_the_choice_hangs_on_and_no_greeting(
    offline: Finassist, first: str, second: str, part: str
) -> None:
    _, reply = await replies_to(offline, first, second)
    assert reply.content.startswith("I am a program and cannot take that decision from you.")
    assert part in reply.content
    assert cited(reply)


async def test_who_asks_what_to_do_first_gets_the_entry_on_how_to_do_it_and_then_what_that_says(
    offline: Finassist,
) -> None:
    _, entry, steps = await replies_to(
        offline, "what is an emergency fund", "so how do i start", "just tell me the first thing to do"
    )
    title = "How do I build an emergency fund quickly or from nothing?"
    assert entry.content.startswith(f"**{title}**")
    assert steps.content.startswith(f"What my article \u201c{title}\u201d says to do:\n\n- Start")
    assert "What is an emergency fund?" not in steps.content


async def test_a_question_that_could_be_about_several_subjects_is_about_that_of_the_conversation(
    offline: Finassist,
) -> None:
    *_, reply = await replies_to(
        offline, "is it smart to buy a house now or keep renting", "what other costs come up when buying"
    )
    assert cited(reply)[0] == "What are the costs of buying a home besides the price?"


async def test_an_entry_that_asks_the_message_goes_before_a_part_that_was_just_read(
    offline: Finassist,
) -> None:
    *_, reply = await replies_to(offline, "what is an etf", "can it go bust")
    assert cited(reply)[0] == "Is my ETF or fund safe if the fund company goes bankrupt?"


@pytest.mark.parametrize("second", ["is it a good idea", "are they worth it for somebody like me"])
async def test_who_asks_about_what_was_told_without_a_question_mark_gets_no_mere_word(
    offline: Finassist, second: str
) -> None:
    _, reply = await replies_to(offline, "what is an annuity", second)
    assert cited(reply)


async def test_the_question_that_opened_the_conversation_counts_for_a_message_without_a_subject(
    offline: Finassist,
) -> None:
    *_, reply = await replies_to(
        offline,
        "I am the executor of my mum's will in England. Where do I start?",
        "she had a house and about 30k in the building society",
        "do i have to pay her credit card out of my own money?",
    )
    assert any("debt" in title.lower() or "executor" in title.lower() for title in cited(reply))


async def test_a_question_after_words_without_a_subject_is_answered_by_itself(offline: Finassist) -> None:
    *_, reply = await replies_to(
        offline, "what should I do?", "how do i get rid of a joint account with my ex"
    )
    assert any("joint account" in title for title in cited(reply))


async def test_a_message_that_an_entry_asks_is_answered_by_that_whatever_came_before(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(
        offline, "What does a car loan of 20,000 cost over five years?", "What is a bond?"
    )
    assert cited(reply)[0] == "What is a bond?"
