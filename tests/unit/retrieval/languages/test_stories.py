"""The question of a message that tells a story around it, in other languages than English."""

import pytest

from finassist.adapters.languages.entries import ShippedEntriesByLanguage
from finassist.application.retrieval.languages import SearchInLanguage
from finassist.domain.retrieval.languages.stories import asking_sentences


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("Meine Heizung spinnt. Wer zahlt die Reparatur?", "Wer zahlt die Reparatur?"),
        ("Mi hermano no para de hablar de eso, ¿qué es un bono?", "qué es un bono?"),
        ("Endlich Urlaub!! wie viele tage bekomme ich", "wie viele tage bekomme ich"),
        ("बहुत परेशान हूँ। पीएफ़ कब निकाल सकते हैं", "पीएफ़ कब निकाल सकते हैं"),
        ("Wer zahlt die Reparatur? Der Vermieter stellt sich stur.", "Wer zahlt die Reparatur?"),
    ],
)
def test_the_question_is_what_its_punctuation_sets_apart(message: str, question: str) -> None:
    assert asking_sentences(message) == question


@pytest.mark.parametrize(
    "message",
    [
        "¿Qué es un bono?",
        "was ist ein fonds",
        "Ich habe zwei Fragen zum Geld. Und nun?",  # leans on what stands before it
        "Was ist ein Fonds? Was ist ein ETF?",
    ],
)
def test_a_message_that_is_all_question_is_searched_as_a_whole(message: str) -> None:
    assert asking_sentences(message) is None


@pytest.mark.whole_base
async def test_a_story_does_not_hide_the_entry_that_its_question_asks_for() -> None:
    search = SearchInLanguage(entries_by_language=ShippedEntriesByLanguage(), rag_min_score=0.5)
    found = await search(
        "Meine Nachbarin schwärmt seit Wochen von ihrem Garten und den Rosen. Wie hoch ist der Mindestlohn?",
        "de",
    )
    assert found.answering[0].title == "Wie hoch ist der Mindestlohn?"
