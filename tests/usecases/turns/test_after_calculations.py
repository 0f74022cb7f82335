"""What the offline model says to questions that follow a calculation, and to how a conversation ends."""

import pytest

from finassist.adapters.llm.offline.phrases import phrases_in
from finassist.composition.application import Finassist
from usecases.conftest import in_shared_service
from usecases.test_conversations_offline import cited, replies_to

pytestmark = in_shared_service


@pytest.mark.parametrize(
    ("calculated", "question", "title"),
    [
        (
            "i owe 4,200 at 22% and pay 150 a month, how long",
            "what if they just lowered the rate, can you ask for that?",
            "How can I lower the interest rate on my credit card?",
        ),
        (
            "250k mortgage at 5% over 25 years, paying 200 extra a month, how fast is it gone",
            "ok. any catch with paying extra like that?",
            "Should I overpay my mortgage?",
        ),
    ],
)
async def test_a_question_after_a_calculation_is_about_what_was_calculated(
    offline: Finassist, calculated: str, question: str, title: str
) -> None:
    first, reply = await replies_to(offline, calculated, question)
    assert first.tool_calls
    assert title in cited(reply)


async def test_a_difference_is_about_what_it_is_of(offline: Finassist) -> None:
    *_, reply = await replies_to(
        offline,
        "i owe 4,200 at 22% and pay 150 a month, how long",
        "and with 200?",
        "how much interest do i save doing that",
        "can i ask them to lower the rate",
    )
    assert "credit card" in " ".join(cited(reply))


async def test_a_part_of_it_is_one_of_the_amount_when_the_result_is_a_time(offline: Finassist) -> None:
    *_, reply = await replies_to(
        offline,
        "We've got 480,000. If we take 2,000 a month and it grows 3% a year, how long will it last?",
        "what would 4% of it be per year",
    )
    assert "19,200" in reply.content


@pytest.mark.parametrize("thanks", ["oh ok so shes wrong lol thanks", "perfect, cheers"])
async def test_who_ends_with_thanks_does_not_complain(offline: Finassist, thanks: str) -> None:
    _, reply = await replies_to(offline, "do i have to carry a balance on my credit card?", thanks)
    assert reply.content == phrases_in("en").thanks


async def test_thanks_in_another_language_that_praise_are_thanks(offline: Finassist) -> None:
    _, reply = await replies_to(offline, "LEP c'est quoi ?", "merci, très clair")
    assert reply.content == phrases_in("fr").thanks


async def test_a_supposition_is_a_question(offline: Finassist) -> None:
    _, reply = await replies_to(
        offline, "What happens to my student loan if I move abroad?", "and if i just dont tell them lol"
    )
    assert cited(reply)
