"""Questions for a definition: "what is a bond?" names one thing, and BM25 finds texts that name it often."""

import re
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.words import words_of

_ASKED: Final = re.compile(
    rf"(?:{shipped('retrieval/questions')['defining']}) "
    r"(?:an? |the )?(?P<term>[\w\- ]{2,40}?)(?: means?)?[\s?.!]*",
    re.IGNORECASE,
)
_WORDS_MAX: Final = 3


def term_to_define(text: str) -> list[str]:
    """The words of the thing that is asked for, one to three, or none when no definition is."""
    asked = _ASKED.fullmatch(text.strip())
    words = words_of(asked["term"]) if asked else []
    return words if len(words) <= _WORDS_MAX else []
