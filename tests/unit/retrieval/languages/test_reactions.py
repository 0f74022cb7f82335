"""Messages in other languages that ask nothing new."""

import pytest

from finassist.data import shipped
from finassist.domain.retrieval.languages.reactions import Reaction, is_plain_reaction, reaction_of


@pytest.mark.parametrize(
    ("text", "language", "reaction"),
    [
        ("Danke dir!", "de", Reaction.THANKS),
        ("bist du dir da sicher?", "de", Reaction.DOUBT),
        ("Bitte kürzer", "de", Reaction.SHORTER),
        ("merci beaucoup !", "fr", Reaction.THANKS),
        ("Tu es sur ?", "fr", Reaction.DOUBT),
        ("muchas gracias", "es", Reaction.THANKS),
        ("¿Estas seguro?", "es", Reaction.DOUBT),
        ("dame mas detalles", "es", Reaction.MORE),
        ("Tem certeza?", "pt", Reaction.DOUBT),
        ("obrigada!", "pt", Reaction.THANKS),
        ("grazie mille", "it", Reaction.THANKS),
        ("ok", "it", Reaction.AGREED),
        ("dankjewel!", "nl", Reaction.THANKS),
        ("weet je dat wel zeker?", "nl", Reaction.DOUBT),
        ("kan het wat korter", "nl", Reaction.SHORTER),
        ("dzieki za pomoc", "pl", Reaction.THANKS),
        ("Czy jesteś pewny?", "pl", Reaction.DOUBT),
        ("Powiedz więcej", "pl", Reaction.MORE),
        ("ciao", "it", Reaction.GREETING),
        ("धन्यवाद", "hi", Reaction.THANKS),
        ("dhanyawaad", "hi-Latn", Reaction.THANKS),
        ("aur bataao", "hi-Latn", Reaction.MORE),
        ("entendi, obrigada!", "pt", Reaction.THANKS),
        ("verstanden, vielen Dank", "de", Reaction.THANKS),
        ("gracias, pero ¿es seguro?", "es", Reaction.DOUBT),
        ("danke, geht das kürzer", "de", Reaction.SHORTER),
    ],
)
def test_a_reaction_is_told_by_what_it_is_like(text: str, language: str, reaction: Reaction) -> None:
    assert reaction_of(text, language) is reaction


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Danke, und wie hoch ist der Freibetrag?", "de"),
        ("Wie sicher ist mein Geld auf der Bank?", "de"),
        ("est-ce que mon argent est sûr à la banque ?", "fr"),
        ("más intereses o más plazo", "es"),
        ("quanto custa mais", "pt"),
        ("e i costi?", "it"),
        ("loan kitna milega", "hi-Latn"),
        ("merci pour le crédit", "fr"),
        ("certo, mas quanto", "pt"),
        ("", "de"),
        ("thanks", "sv"),
        ("en de kosten?", "nl"),
        ("a podatek?", "pl"),
    ],
)
def test_a_question_is_no_reaction(text: str, language: str) -> None:
    assert reaction_of(text, language) is None


@pytest.mark.parametrize(
    ("text", "language", "is_plain"),
    [
        ("Weet je dat zeker?", "nl", True),
        ("skad to wiesz", "pl", True),
        ("kya aapko yakeen hai", "hi-Latn", True),
        ("weet je dat zeker van de bank", "nl", False),
        ("weet je dat zeker", "de", False),
    ],
)
def test_a_reaction_in_its_very_words_asks_nothing_else(text: str, language: str, is_plain: bool) -> None:
    assert is_plain_reaction(text, language) is is_plain


def test_every_language_has_wordings_of_every_reaction() -> None:
    wordings = shipped("languages/reactions")
    for language in wordings.keys() - {"*"}:
        assert set(wordings[language]) == {each.value for each in Reaction}, language
