"""Later messages of a conversation that only sound like a call for help."""

import pytest

from finassist.adapters.classifier.distress import LinearDistressClassifier
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from remembered_vectors import VECTORS


@pytest.mark.parametrize(
    ("language", "before", "message"),
    [
        (
            "fr",
            "Bonjour, je cherche un studio à Lyon et je gagne 1480 net",
            "D'accord. Je suis en CDD, je n'ai pas de garant, est-ce que Visale peut marcher pour moi ?",
        ),
        (
            "en",
            "i got scammed on facebook marketplace last year, 400 quid for a ps5 that never came",
            "the bank gave me the money back in the end",
        ),
        (
            "en",
            "it's with the dps",
            "he's saying i agreed to it in a text, i only said ok i'll look at it",
        ),
        (
            "en",
            "there's whatsapp messages where he says he'll pay by summer",
            "i don't want to sue him really, mum would go mad",
        ),
    ],
)
async def test_what_goes_on_from_something_else_is_no_call_for_help(
    language: str, before: str, message: str
) -> None:
    classifier = DistressClassifierByMeaning(LinearDistressClassifier(), VECTORS)
    assert await classifier.concern(message, [before], language=language) is None
