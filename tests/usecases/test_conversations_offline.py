"""How the offline model goes on in a conversation: follow-ups, reactions, and whose rules are meant."""

import pytest

from finassist import ChatMessage
from finassist.adapters.llm.offline.phrases import phrases_in
from finassist.composition.application import Finassist
from finassist.domain.chat.events import Done
from finassist.domain.conversations.message import FinishReason, Message
from usecases.conftest import in_shared_service, new_guest

pytestmark = in_shared_service


async def replies_to(service: Finassist, *messages: str) -> list[Message]:
    """The replies to the messages of one conversation."""
    caller = await new_guest(service)
    conversation_id, replies = None, []
    for text in messages:
        turn = await service.send_message(caller, ChatMessage(message=text, conversation_id=conversation_id))
        ending = await turn.ending()
        assert isinstance(ending, Done)
        replies.append(ending.message)
        conversation_id = ending.message.conversation_id
    return replies


def cited(reply: Message) -> list[str]:
    return [source.title for source in reply.sources if source.cited]


@pytest.mark.parametrize(
    "reaction", ["ok i'll try that", "Thank you, that was really helpful", "👍", "lol ok"]
)
async def test_a_reaction_gets_a_friendly_word_and_no_article(offline: Finassist, reaction: str) -> None:
    _, reply = await replies_to(offline, "What is an index fund?", reaction)
    assert (reply.sources, reply.finish_reason) == ((), FinishReason.STOP)
    assert "knowledge base" not in reply.content


@pytest.mark.parametrize("text", ["ok and what does it cost", "thanks, is it safe?", "hmm why"])
async def test_a_follow_up_with_a_reaction_is_answered(offline: Finassist, text: str) -> None:
    _, reply = await replies_to(offline, "What is an index fund?", text)
    assert cited(reply)


async def test_who_asks_for_the_same_again_gets_it_in_short_and_what_to_ask_next(
    offline: Finassist,
) -> None:
    first, reply = await replies_to(offline, "What is an ETF?", "dumb it down for me")
    assert cited(reply) == cited(first)
    assert reply.content.startswith("In short: ")
    assert len(reply.content.partition("\n\n")[0]) < len(first.content.partition("\n\n")[0])
    assert 1 <= len(reply.suggestions) <= 3
    for suggestion in reply.suggestions:
        assert f"- {suggestion.title}" in reply.content.splitlines()
        [answer] = await replies_to(offline, suggestion.message)
        assert suggestion.title in cited(answer)


async def test_a_message_that_is_clear_only_with_the_question_before_it_is_a_follow_up(
    offline: Finassist,
) -> None:
    [alone] = await replies_to(offline, "how much can i put in each yr")
    _, after = await replies_to(offline, "What is a Roth IRA?", "how much can i put in each yr")
    assert "IRA" not in " ".join(cited(alone))
    assert "IRA" in " ".join(cited(after))


async def test_a_first_message_that_sounds_like_a_follow_up_is_what_others_follow(offline: Finassist) -> None:
    first, second = await replies_to(offline, "fix my mortgage for 2 or 5 years?", "why")
    assert cited(first)
    assert cited(second)


@pytest.mark.parametrize(
    ("first", "country"),
    [
        ("Hi, I moved to Manchester for work. What is an emergency fund?", "UK"),
        ("I have £500 left. What is an emergency fund?", "UK"),
        ("What is an emergency fund? I live in Canada", "Canad"),
    ],
)
async def test_a_country_that_was_spoken_of_chooses_the_rules_of_later_answers(
    offline: Finassist, first: str, country: str
) -> None:
    _, reply = await replies_to(offline, first, "how are dividends taxed")
    assert country in " ".join(cited(reply))


@pytest.mark.parametrize("text", ["hey are you a real person or a bot", "tell me a joke"])
async def test_small_talk_is_told_what_the_assistant_is_for(offline: Finassist, text: str) -> None:
    [reply] = await replies_to(offline, text)
    assert "I answer questions about personal finance" in reply.content
    assert reply.finish_reason is FinishReason.STOP


async def test_a_follow_up_is_not_answered_by_the_rules_of_a_country_that_nobody_named(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(offline, "how much emergency fund do i need", "i spend about 1900 a month")
    assert "India" not in " ".join(cited(reply))


async def test_several_debts_with_rates_and_one_budget_are_planned_and_what_follows_stays_with_them(
    offline: Finassist,
) -> None:
    plan, why, more = await replies_to(
        offline,
        "i have 3 credit cards, 900 at 27%, 2500 at 21% and 4000 at 17%. got 400 a month. which one first",
        "why not the biggest one first though?",
        "and if i could do 500 a month?",
    )
    assert [call.name for reply in (plan, more) for call in reply.tool_calls] == ["debt_payoff"] * 2
    assert "Which credit card should I pay off first?" in [source.title for source in why.sources]


async def test_figures_of_an_earlier_message_are_calculated_with_after_an_article(offline: Finassist) -> None:
    article, share = await replies_to(
        offline, "my rent is 900 and i take home 2500. is that ok", "what percent is it exactly"
    )
    assert cited(article)
    assert share.content.startswith("900.00 is 36% of 2,500.00")


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("how does HECS debt work", "do i have to pay it if i move overseas", "HECS"),
        ("what is a 529 plan", "what if my kid doesnt go to college", "529"),
        ("what is nps", "can i withdraw before 60", "NPS"),
        ("how does a lifetime isa work", "and which one is better for me then, that or a pension", "ISA"),
    ],
)
async def test_what_names_its_subject_by_a_pronoun_is_answered_about_the_subject(
    offline: Finassist, first: str, second: str, title: str
) -> None:
    _, reply = await replies_to(offline, first, second)
    assert title in " ".join(cited(reply))


async def test_what_tells_of_the_writer_does_not_become_the_subject(offline: Finassist) -> None:
    _, _, reply = await replies_to(
        offline,
        "do i need life insurance",
        "i have two kids and a mortgage of 160k",
        "and for my wife? she stays home",
    )
    assert "life insurance" in " ".join(cited(reply)).casefold()


async def test_a_follow_up_whose_answer_was_quoted_gets_the_part_that_it_asks_about(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(
        offline, "how much emergency fund do i need", "would that be different if i was self employed?"
    )
    assert "| Self-employed or commission | 6 to 12 |" in reply.content
    assert "Student or living with parents" not in reply.content


async def test_a_part_of_what_was_quoted_does_not_keep_an_entry_back_that_surely_answers(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(offline, "what happens to my debt when i die", "what about the house")
    assert cited(reply)[-1].startswith(("What happens to my house", "What happens to the mortgage and home"))


async def test_who_doubts_an_answer_gets_its_date_and_its_source(offline: Finassist) -> None:
    first, reply = await replies_to(offline, "how big should my emergency fund be", "are u sure about that")
    assert "as of " in reply.content
    [url] = [source.url for source in first.sources if source.cited]
    assert url
    assert url in reply.content


async def test_who_doubts_a_calculation_is_told_what_it_rests_on(offline: Finassist) -> None:
    _, reply = await replies_to(offline, "15 % of 480", "are you sure?")
    assert "numbers that you gave" in reply.content


async def test_who_asks_for_an_example_gets_the_figures_of_the_answer(offline: Finassist) -> None:
    _, reply = await replies_to(offline, "how big should my emergency fund be", "can you give me an example")
    assert reply.content.startswith("For example:")
    assert "1,800" in reply.content


async def test_who_corrects_the_question_gets_what_was_meant(offline: Finassist) -> None:
    _, reply = await replies_to(
        offline, "how big should my emergency fund be", "no, I meant where should I keep it"
    )
    assert "Where should I keep my emergency fund?" in cited(reply)


async def test_a_remark_that_ends_with_thanks_gets_a_friendly_word(offline: Finassist) -> None:
    _, reply = await replies_to(
        offline, "How should a couple split the bills?", "hmm ok the first one seems fairer. thx"
    )
    assert reply.content.startswith("You are welcome!")


async def test_who_moved_from_one_country_to_another_gets_the_rules_of_the_new_one(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(
        offline, "I moved to Germany from Brazil. Do I have to file a tax return?", "what can i deduct"
    )
    assert "What can employees deduct in Germany?" in cited(reply)


async def test_an_objection_to_an_answer_about_a_scam_is_not_taken_for_a_loss(offline: Finassist) -> None:
    _, reply = await replies_to(
        offline,
        "someone on telegram is offering me 3% daily on usdt",
        "but my friend already withdrew money from it so it cant be fake",
    )
    assert reply.content.startswith("Still the same answer: send nothing")


async def test_who_writes_on_after_a_fraud_is_told_how_money_comes_back(offline: Finassist) -> None:
    first, second = await replies_to(
        offline,
        "someone from the bank rang and i moved my money to a safe account",
        "ive already sent it all to them",
    )
    assert first.content != second.content
    assert "Bank transfer" in second.content


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("whats an etf", "does it matter which broker", "How do I choose a broker?"),
        ("how do SIPPs work", "what happens to it if i die", "when I die"),
        (
            "does hecs affect getting a home loan",
            "should I pay it off first",
            "Should I pay off my HECS early?",
        ),
    ],
)
async def test_a_follow_up_that_moves_on_is_answered_by_the_entry_on_what_it_asks(
    offline: Finassist, first: str, second: str, title: str
) -> None:
    _, reply = await replies_to(offline, first, second)
    assert title in " ".join(cited(reply))


@pytest.mark.parametrize(
    ("first", "second", "part"),
    [
        ("how long should i fix my mortgage for", "we might move in 3 yrs though", "If a move or divorce is"),
    ],
)
async def test_a_follow_up_on_a_part_of_the_answer_gets_that_part_by_its_meaning(
    offline: Finassist, first: str, second: str, part: str
) -> None:
    _, reply = await replies_to(offline, first, second)
    assert reply.content.startswith("On that, my article ")
    assert part in reply.content


async def test_the_results_of_a_conversation_are_compared_from_what_is_stored(offline: Finassist) -> None:
    *_, changed, aside, compared = await replies_to(
        offline,
        "car loan of $24,000 at 6.9% for 6 years, monthly payment?",
        "and at 60 months",
        "ok thanks",
        "which one costs less in the end and by how much",
    )
    assert changed.tool_calls[0].name == "loan_instalment"
    assert aside.tool_calls == ()
    assert compared.content.startswith("Total interest: $5,377.78 - $4,445.84 = $931.94 less")
    assert {call.name for call in compared.tool_calls} == {"difference"}
    assert compared.tool_calls[0].result["figures"]["difference"] == "-931.94"


async def test_a_result_that_is_doubted_is_calculated_again(offline: Finassist) -> None:
    _, reply = await replies_to(
        offline, "car loan of $24,000 at 6.9% for 6 years, monthly payment?", "are you sure?"
    )
    assert reply.tool_calls[0].name == "loan_instalment"
    assert reply.content.startswith("I calculated it again")


async def test_an_amount_that_is_only_told_sets_no_calculation_off(offline: Finassist) -> None:
    replies = await replies_to(
        offline,
        "My employer offers an HDHP with an HSA or a PPO. Which should I choose?",
        "company puts in 750 a year",
    )
    assert [reply.tool_calls for reply in replies] == [(), ()]


async def test_who_asks_for_a_letter_is_told_that_none_is_written_and_gets_words_of_the_entry(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(offline, "How do I ask for a pay rise?", "draft me a message to my boss")
    assert reply.content.startswith("I cannot write a text for you")
    assert "Similar roles pay" in reply.content


async def test_who_asks_why_gets_the_reasons_of_the_answer_with_its_date(offline: Finassist) -> None:
    first, reply = await replies_to(offline, "should i use a tfsa or rrsp", "but why though")
    assert reply.content.startswith("The reason, from my article ")
    assert "as of " in reply.content
    assert cited(reply) == cited(first)


async def test_who_asks_why_something_happened_gets_what_says_so(offline: Finassist) -> None:
    _, reply = await replies_to(offline, "whats an escrow account on my mortgage", "why did it go up")
    assert "If taxes or premiums rise there is a shortage" in reply.content


async def test_an_answer_in_short_begins_like_the_whole_and_has_no_figures_out_of_place(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(offline, "whats compound interest", "explain it to my son, hes 9")
    short, _, _ = reply.content.partition("\n\n")
    assert short.startswith("In short: Compound interest is interest on your money")
    assert "2,500" not in short


async def test_an_answer_is_given_as_a_list_to_who_asks_for_one(offline: Finassist) -> None:
    first, reply = await replies_to(offline, "whats compound interest", "put that in bullet points")
    assert reply.content.count("\n- ") >= 3
    assert cited(reply) == cited(first)


async def test_what_the_writer_does_not_have_is_no_part_of_the_answer(offline: Finassist) -> None:
    _, reply = await replies_to(
        offline, "How do I start investing as a complete beginner?", "got about 3 grand saved and no debts"
    )
    assert "Clear debts" not in reply.content


async def test_an_english_question_about_a_foreign_word_is_answered_in_the_conversation(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(
        offline, "I moved to Germany. Which insurance do I really need?", "what is haftpflicht"
    )
    assert "Privathaftpflicht" in " ".join(cited(reply))


async def test_a_follow_up_without_an_answer_gets_what_is_nearest_and_not_the_same_once_more(
    offline: Finassist,
) -> None:
    first, reply = await replies_to(
        offline, "Which is better for saving tax, PPF or ELSS?", "who invented it"
    )
    assert reply.content.startswith(phrases_in("en").nearest)
    assert cited(reply)
    assert cited(reply)[0] not in cited(first)


async def test_a_choice_without_a_subject_stays_with_what_was_quoted(offline: Finassist) -> None:
    first, second, reply = await replies_to(
        offline,
        "Which is better for saving tax, PPF or ELSS?",
        "i am 30 and can keep the money for 10 years",
        "so which one for me then",
    )
    assert {*cited(reply)} <= {*cited(first), *cited(second)}


async def test_a_follow_up_that_the_quoted_title_asks_gets_the_part_of_that_entry(
    offline: Finassist,
) -> None:
    first, reply = await replies_to(offline, "what is a lifetime isa", "ok and who can open one")
    assert cited(reply)[0] == cited(first)[0]
    assert "18" in reply.content


async def test_a_short_follow_up_moves_on_within_the_subject_that_was_quoted(offline: Finassist) -> None:
    *_, reply = await replies_to(
        offline, "does my HECS debt matter for a home loan", "how does that first home super saver thing work"
    )
    assert "First Home Super Saver" in cited(reply)[0]


@pytest.mark.parametrize(
    ("question", "told", "title"),
    [
        (
            "should I hand in my notice in January, how long is it",
            "I'm in Austria, does that change it?",
            "Austria",
        ),
        ("how much deposit can a landlord ask for", "we live in Utrecht", "Netherlands"),
        ("my flight was cancelled and I got a voucher", "it was from Vienna to Athens", "EU"),
    ],
)
async def test_who_tells_the_country_of_a_question_gets_its_rules_on_that(
    offline: Finassist, question: str, told: str, title: str
) -> None:
    _, reply = await replies_to(offline, question, told)
    assert {title in each for each in cited(reply)} == {True}


async def test_who_tells_a_country_that_has_nothing_on_the_question_is_told_so(offline: Finassist) -> None:
    _, reply = await replies_to(offline, "What is an index fund?", "I'm in Norway btw, does that matter?")
    assert "I have nothing on just that for Norway alone." in reply.content
    assert cited(reply) == []


async def test_rules_of_another_country_are_not_quoted_once_a_country_was_told(offline: Finassist) -> None:
    replies = await replies_to(
        offline, "what is the minimum wage", "I work in a cafe in Cork", "can they keep my tips"
    )
    assert all("Ireland" in title for reply in replies[1:] for title in cited(reply))
