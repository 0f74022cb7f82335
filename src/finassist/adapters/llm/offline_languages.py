"""What the offline model says to a question in another language: its articles are in English, and so is
what it says of a calculation."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from finassist.data import shipped

_FILE: Final = "languages/replies"


@dataclass(frozen=True, slots=True)
class ReplyTexts:
    """Texts in one language: above a quotation, above a result or a question for numbers, above the titles
    that are near, and when there are none."""

    quoted: str
    calculated: str
    near: str
    nothing: str


def texts_in(language: str) -> ReplyTexts | None:
    """The texts in a language; None for English, and for languages without texts."""
    return _texts().get(language)


@cache
def _texts() -> Mapping[str, ReplyTexts]:
    return {language: ReplyTexts(**texts) for language, texts in shipped(_FILE).items()}
