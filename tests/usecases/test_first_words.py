"""First words that ask nothing yet, and what is said in the language and the letters of a question."""

import re

import pytest

from finassist.application.chat import ChatMessage, InlineFile
from finassist.composition.application import Finassist
from finassist.domain.conversations.message import FinishReason
from usecases.conftest import guest_of, in_shared_service
from usecases.test_conversations_offline import cited, replies_to

pytestmark = in_shared_service


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("i got a raise!!", "Congratulations!"),
        ("im broke", "I am sorry"),
        ("i hate my bank", "I am sorry"),
        ("you there?", "Yes, I am here."),
        ("help", "Of course"),
        ("i am so bad at all this", "I am sorry"),
        ("finally out of debt!!", "Congratulations!"),
        ("What would you do?", "That depends"),
        ("idk if i should do it", "That depends"),
        ("should i go for it", "That depends"),
    ],
)
async def test_first_words_that_ask_nothing_get_a_fitting_word_and_something_that_moves_on(
    offline: Finassist, message: str, word: str
) -> None:
    [reply] = await replies_to(offline, message)
    assert reply.content.startswith(word)
    assert "?" in reply.content
    assert reply.finish_reason is FinishReason.STOP


@pytest.mark.parametrize(
    "message",
    [
        "panic selling - why is it bad",
        "how do i save when everything is going up",
        "is it worth fixing my phone or getting a new one",
        "we are getting married, should we put everything together",
    ],
)
async def test_a_question_that_begins_like_a_complaint_or_a_choice_is_answered(
    offline: Finassist, message: str
) -> None:
    [reply] = await replies_to(offline, message)
    assert not reply.content.startswith(("I am sorry", "That depends"))
    assert any(source.cited for source in reply.sources), reply.content


async def test_a_few_words_that_ask_about_a_sum_are_no_greeting(offline: Finassist) -> None:
    [reply] = await replies_to(offline, "i got 5k what now")
    assert not reply.content.startswith("Hello")


@pytest.mark.parametrize(
    "message", ["my old work sent me a P45 who do i give it to", "who do i give my p45 to"]
)
async def test_a_question_about_a_form_that_its_code_names_is_no_greeting(
    offline: Finassist, message: str
) -> None:
    [reply] = await replies_to(offline, message)
    assert any(source.cited and "P45" in source.title for source in reply.sources), reply.content


async def test_thousands_with_a_k_find_what_they_find_in_digits(offline: Finassist) -> None:
    short, full = (
        await replies_to(offline, "how to save 3k fast"),
        await replies_to(offline, "how to save 3,000 fast"),
    )
    assert cited(short[0])[:1] == cited(full[0])[:1] != []


@pytest.mark.parametrize(
    "message",
    ["so my bank did the thing again", "my boss did it again", "they raised my rent", "my dog died"],
)
async def test_what_is_no_good_news_gets_no_congratulations(offline: Finassist, message: str) -> None:
    [reply] = await replies_to(offline, message)
    assert not reply.content.startswith("Congratulations!")


async def test_a_fitting_word_stands_above_no_entry_that_is_not_beyond_doubt(offline: Finassist) -> None:
    [reply] = await replies_to(offline, "so my bank did the thing again")
    assert reply.content.startswith("I am sorry")
    assert not any(source.cited for source in reply.sources), reply.content


@pytest.mark.parametrize("message", ["is this okay??", "which one is better", "how much do i take"])
async def test_who_names_nothing_is_asked_what_it_is_about(offline: Finassist, message: str) -> None:
    [reply] = await replies_to(offline, message)
    assert re.search("what (?:is it|it is) about", reply.content)
    assert not any(source.cited for source in reply.sources), reply.content


@pytest.mark.parametrize(
    "message",
    [
        "ok so the second letter came",
        "they want it by the 14th",
        "is 4 normal",
    ],
)
async def test_what_only_makes_sense_with_what_nobody_told_is_asked_back_and_not_charged(
    offline: Finassist, message: str
) -> None:
    [reply] = await replies_to(offline, message)
    assert "what it is about" in reply.content
    assert not any(source.cited for source in reply.sources), reply.content
    assert reply.finish_reason is FinishReason.FALLBACK


@pytest.mark.engine  # files are looked into by another process
async def test_what_comes_with_a_file_is_about_that(offline: Finassist) -> None:
    letter = InlineFile(
        filename="letter.txt", mime_type="text/plain", pieces=lambda: iter([b"Total due: 265.00 by 3 May."])
    )
    guest = await guest_of(offline, "device-with-a-letter")
    message = ChatMessage(message="what does this mean", attachments=[letter])
    reply = (await (await offline.send_message(guest, message)).ending()).message
    assert "265.00" in reply.content
    assert reply.finish_reason is FinishReason.STOP


@pytest.mark.parametrize("message", ["w2 never came in the mail", "gym wont let me cancel"])
async def test_what_sounds_unclear_and_has_an_entry_is_answered(offline: Finassist, message: str) -> None:
    [reply] = await replies_to(offline, message)
    assert any(source.cited for source in reply.sources), reply.content


async def test_a_question_of_a_word_that_is_also_a_plain_one_is_answered(offline: Finassist) -> None:
    [reply] = await replies_to(offline, "what's a put")
    assert any(source.cited for source in reply.sources), reply.content


async def test_the_question_in_a_message_that_sounds_of_no_money_is_answered(offline: Finassist) -> None:
    [reply] = await replies_to(offline, "for our village hall evening: what are the most common scams")
    assert any("scam" in source.title for source in reply.sources if source.cited), reply.content


@pytest.mark.parametrize(
    "message", ["idk if i should be here", "i should not be alive", "should i just end it", "i cant go on"]
)
async def test_first_words_of_despair_get_help_however_vague(offline: Finassist, message: str) -> None:
    [reply] = await replies_to(offline, message)
    assert "988" in reply.content


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("ik wil niet meer leven", "113"),
        ("nie chce mi si\u0119 \u017cy\u0107", "116 123"),
        ("non voglio pi\u00f9 vivere", "02 2327 2327"),
        ("m\u0105\u017c mnie bije i zabiera mi pieni\u0105dze", "800 120 002"),
        ("mijn man slaat me", "0800 2000"),
    ],
)
async def test_plain_words_of_despair_and_violence_get_help_in_languages_without_help_texts(
    offline: Finassist, message: str, line: str
) -> None:
    [reply] = await replies_to(offline, message)
    assert line in reply.content
    assert reply.sources == ()


@pytest.mark.parametrize("message", ["hello", "hallo", "good morning", "who are you"])
async def test_a_greeting_is_greeted(offline: Finassist, message: str) -> None:
    [reply] = await replies_to(offline, message)
    assert reply.content.startswith("Hello!")


@pytest.mark.parametrize("reaction", ["that sucks", "not sure", "i'll think about it", "bye"])
async def test_a_comment_on_an_answer_triggers_no_search(offline: Finassist, reaction: str) -> None:
    _, reply = await replies_to(offline, "What is an index fund?", reaction)
    assert reply.sources == ()
    assert len(reply.content) < 100


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (
            "kredit 15000 euro 6,9 % 5 jahre monatliche rate",
            "**Monatliche Rate: 296,31 €**; Zinsen insgesamt",
        ),
        ("mutuo 150000 euro 25 anni 3,2% rata", "Calcolato con: Importo 150.000,00 €, Anni 25"),
        ("préstamo de 12000 al 7% a 4 años cuota", "**Cuota mensual: 287,35**"),
    ],
)
async def test_the_figures_of_a_result_are_named_in_the_language_of_the_question(
    offline: Finassist, message: str, says: str
) -> None:
    [reply] = await replies_to(offline, message)
    assert says in reply.content


async def test_hindi_in_latin_letters_is_answered_in_latin_letters(offline: Finassist) -> None:
    [reply] = await replies_to(offline, "ppf kya hai")
    assert "Bharat mein PPF" in reply.content
    assert not any("\u0900" <= letter <= "\u0963" for letter in reply.content)


async def test_a_question_that_an_entry_asks_gets_the_entry_and_no_help(offline: Finassist) -> None:
    [reply] = await replies_to(offline, "can my employer sack me while im off sick")
    assert reply.sources


@pytest.mark.parametrize(
    ("reaction", "word"),
    [
        ("ugh this is so unfair", "I am sorry, that is hard."),
        ("wow that's so much money", "Yes, that surprises many people."),
        ("phew what a relief", "I am glad to hear that."),
        ("i'll phone them in the morning", "That sounds like a plan"),
        ("that sounds so complicated", "It is a lot at once"),
        ("this did not help me at all", "I am sorry that this was no help."),
        ("thanks, that was clear", "You are welcome!"),
    ],
)
async def test_a_feeling_gets_a_word_that_fits_it_and_no_article(
    offline: Finassist, reaction: str, word: str
) -> None:
    _, reply = await replies_to(
        offline, "What is the difference between a debit and a credit card?", reaction
    )
    assert reply.content.startswith(word)
    assert (reply.sources, reply.finish_reason) == ((), FinishReason.STOP)


async def test_a_worry_gets_a_step_that_the_last_replies_name(offline: Finassist) -> None:
    first, reply = await replies_to(
        offline, "Is my money safe in one of those app banks?", "hm ok, that really worries me"
    )
    step = "Look the firm up in your regulator's register"
    assert step in first.content
    assert reply.content.startswith("I understand that this worries you.")
    assert step in reply.content


async def test_who_is_ashamed_of_having_been_deceived_hears_who_is_to_blame(offline: Finassist) -> None:
    told = "I got scammed and sent the money by bank transfer"
    _, reply = await replies_to(offline, told, "i feel so stupid")
    assert "a crime against you" in reply.content
    _, reply = await replies_to(offline, "What is an index fund?", "i feel so stupid")
    assert "crime" not in reply.content


async def test_a_word_of_comfort_is_not_said_twice(offline: Finassist) -> None:
    _, first, second = await replies_to(
        offline, "What is an index fund?", "ugh how awful", "this is so unfair"
    )
    assert first.content != second.content


@pytest.mark.parametrize(
    "message",
    ["so whats the catch", "whats the downside then", "the bank put me off again", "hmrc never rang back"],
)
async def test_first_words_that_find_nothing_are_asked_what_they_are_about(
    offline: Finassist, message: str
) -> None:
    [reply] = await replies_to(offline, message)
    assert "?" in reply.content
    assert "I have nothing" not in reply.content


async def test_a_term_that_is_asked_for_beside_a_story_is_defined(offline: Finassist) -> None:
    [reply] = await replies_to(offline, "what is a TFSA, i just moved to canada")
    assert [source.title for source in reply.sources if source.cited] == [
        "What is a TFSA and how does it work in Canada?"
    ]


async def test_a_term_is_not_defined_by_another_country_than_the_one_that_an_office_tells(
    offline: Finassist,
) -> None:
    [reply] = await replies_to(offline, "wat is noa?? got it from cra after i filed")
    cited_titles = [source.title for source in reply.sources if source.cited]
    assert cited_titles[0] == "What does my Canadian notice of assessment (NOA) show, line by line?"
    assert "Singapore" not in reply.content
