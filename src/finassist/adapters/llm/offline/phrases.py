"""What the offline model says around a quotation, in the language of the entry that it quotes, and above an
English one, or the result of a calculation, in the language of the question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Final

from finassist.data import shipped
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import name_of
from finassist.domain.retrieval.languages import ENGLISH

_FILE: Final = "languages/phrases"
_AROUND_ENGLISH: Final = "languages/replies"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The texts of one language; those of English are the defaults."""

    greeting: str = (
        "Hello! I answer questions about personal finance from a small library of articles: saving, debt, "
        "insurance, investing, retirement, tax and property. I also calculate loans, savings and returns, "
        "with every step shown. I run offline: I quote from those articles and write nothing of my own. What "
        "would you like to know?"
    )
    thanks: str = "You are welcome! Ask me whenever another money question comes up."
    agreed: str = "All right. Ask me when you would like to know more; with numbers I can calculate, too."
    quoting: str = "(I run offline: I quote the articles of my knowledge base and write nothing of my own.)"
    no_more: str = "That is all that I have on this. Tell me in other words what you would like to know."
    more: str = (
        "If you would like to know something else about it, these questions are the nearest that I have:"
    )
    by_country: str = "Rules differ by country. Tell me yours, or ask me for example:"
    foreign: str = "These are the rules of {}, which may differ from yours.\n\n"
    assumed: str = "These are the rules of {}. Tell me your country if you live elsewhere.\n\n"
    nearest: str = "I have no article that answers exactly that. This is the nearest that I have:"
    others: str = "You could ask again in other words, or ask me:"
    near: str = (
        "I have no article that answers exactly that. You could ask again in other words, or ask me one of "
        "the nearest questions that I have:"
    )
    in_short: str = "In short: {}"
    no_part: str = "I have nothing on just that beyond what I quoted from my article \u201c{}\u201d."
    part: str = "On that, my article \u201c{title}\u201d says:\n\n{part}"
    source: str = (
        "I quoted my article \u201c{title}\u201d{as_of}{url}.{place} Rules and amounts change, and I cannot "
        "see newer ones: before you decide something that counts, check it there."
    )
    as_of: str = ", as of {}"
    rests_on: str = ", which rests on {}"
    unknown_source: str = (
        "I quoted an article of my knowledge base; its source is listed with the answer. Rules and amounts "
        "change, so check it there before you decide something that counts."
    )
    stated: str = ""
    """The line below an entry that names its source and date; of English entries the client shows them."""
    countries: Mapping[str, str] = field(default_factory=dict)
    language: str = ENGLISH

    def country(self, code: str) -> str:
        """The name of a country."""
        return self.countries.get(code) or name_of(code)

    def day(self, iso: str) -> str:
        """A date as it is written."""
        day = date.fromisoformat(iso)
        return f"{day.day} {day:%B %Y}" if self.language == ENGLISH else f"{day:%d.%m.%Y}"

    def dated(self, hit: Hit) -> str:
        """From when an entry is, to follow its title; empty when nobody says."""
        return "" if hit.as_of is None else self.as_of.format(self.day(hit.as_of))

    def source_of(self, hit: Hit) -> str:
        """The line that names the source and the date of an entry; empty where there is none."""
        if not self.stated or hit.url is None or hit.as_of is None:
            return ""
        return self.stated.format(url=hit.url, as_of=self.day(hit.as_of))


@cache
def phrases_in(language: str) -> Phrases:
    """The texts in a language; the English ones for a language without."""
    every = shipped(_FILE)
    return Phrases(language=language, **every[language]) if language in every else Phrases()


@cache
def all_phrases() -> tuple[Phrases, ...]:
    """The texts of all languages."""
    return (Phrases(), *map(phrases_in, shipped(_FILE)))


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
    return {language: ReplyTexts(**texts) for language, texts in shipped(_AROUND_ENGLISH).items()}
