"""What the pages of the service are made of: files that are served as they are, and the pages' own words."""

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Annotated, Final

from litestar.params import CookieParameter, HeaderParameter

WEB_FILES: Final = Path(__file__).parent / "files"
"""What the chat page is made of; pages of shares have its styles."""

LANGUAGE_FILES: Final = Path(__file__).parent / "languages"
"""A JSON file for each language, with all words of the pages."""

AcceptLanguage = Annotated[
    str,
    HeaderParameter(
        name="Accept-Language", description="The languages of the reader, as browsers send them."
    ),
]

LANGUAGE_COOKIE: Final = "finassist_language"
"""Where the chat page keeps the language that its reader has chosen; it says nothing else."""

ChosenLanguage = Annotated[
    str,
    CookieParameter(
        name=LANGUAGE_COOKIE, description="The language that the reader has chosen on the chat page."
    ),
]

STYLES: Final = (WEB_FILES / "style.css").read_text()
BEGINNING: Final = (WEB_FILES / "theme.js").read_text()
"""The script that runs before the first paint of the chat page. It is in the page, as the styles are: a
request for either would delay that paint."""
ENGLISH: Final = "en"
_PREFERENCE: Final = re.compile(
    r"\s*([a-z]{1,8})(?:-[a-z\d-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?", re.IGNORECASE
)
_PLACE: Final = re.compile(r"\{\{(\w+)\}\}")
_VALUE: Final = re.compile(r"\{(\w+)\}")


class Words:
    """The pages' own words in one language."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        self.texts = texts

    def __call__(self, key: str, **values: str | int) -> str:
        """The text of a key with its values, escaped for HTML. ``n`` chooses between one and more."""
        number = "one" if values.get("n") == 1 else "other"
        text = self.texts.get(key) or self.texts[f"{key}.{number}"]
        return escape(_VALUE.sub(lambda found: str(values[found[1]]), text))

    def put_into(self, page: str) -> str:
        """The page with the words in their places, ``{{key}}``; ``lang`` is the language of the words, and
        ``languages`` are all that there are; ``styles`` and ``beginning`` are not words."""
        known = {
            "lang": self.language,
            "languages": " ".join(WORDS),
            "styles": STYLES,
            "beginning": BEGINNING,
        }
        return _PLACE.sub(lambda found: known.get(found[1]) or self(found[1]), page)


WORDS: Final[Mapping[str, Words]] = {
    path.stem: Words(path.stem, json.loads(path.read_text()))
    for path in sorted(LANGUAGE_FILES.glob("*.json"))
}


def words_for(accept_language: str, chosen: str = "") -> Words:
    """The words in the language that a reader has chosen, else in the one that they like best of those that
    there are; English without any."""
    if chosen in WORDS:
        return WORDS[chosen]
    liked: dict[str, float] = {}
    for part in accept_language[:500].split(","):
        if (found := _PREFERENCE.fullmatch(part)) and (language := found[1].lower()) in WORDS:
            liked.setdefault(language, float(found[2] or 1))
    best = max(liked, key=lambda language: liked[language], default=ENGLISH)
    return WORDS[best if liked.get(best) else ENGLISH]
