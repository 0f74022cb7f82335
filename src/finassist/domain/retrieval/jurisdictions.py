"""Whose rules an entry tells, and whose rules hold for a user (``Article.jurisdiction``)."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.words import words_of
from finassist.patterns import late_pattern

ELSEWHERE: Final = "elsewhere"
"""The country of a user whose answer names none that is known: every country's rules are another's."""

GENERAL: Final = "general"
UNION: Final = "EU"
_DATA: Final = shipped("countries")
_COUNTRIES: Final[Mapping[str, Any]] = _DATA["countries"]
_MEMBERS: Final = frozenset(_DATA["euMembers"])
_CODES: Final = {
    **dict.fromkeys(_DATA["elsewhere"], ELSEWHERE),
    **{name: code for code, country in _COUNTRIES.items() for name in country["names"]},
}
_PLACES, _ALSO_WORDS = (
    {place: code for code, places in shipped("places")[key].items() for place in places}
    for key in ("places", "alsoWords")
)
"""Cities, regions and airports; the second are ordinary words or names as well, such as Nice and Cork."""
_PLACE_WORDS_MAX: Final = max(len(place.split()) for place in _PLACES)
_WHERE: Final = frozenset(("around", "at", "from", "in", "near", "to"))
_WORD: Final = late_pattern(r"[^\W\d_]+")
_WRITTEN: Final = late_pattern(r"[^\W_]+(?:\([a-z]\))?")
_PLACE_BEGINS: Final = frozenset(_WORD.findall(place)[0] for place in (*_PLACES, *_ALSO_WORDS))
"""The first words of places: most words of a text begin none."""
_TOKENS: Final = {token: code for code, country in _COUNTRIES.items() for token in country.get("tokens", ())}
"""Money and offices, that tell of a country where none is named."""
_SPOKEN_IN: Final[Mapping[str, Sequence[str]]] = _DATA["spokenIn"]
"""The countries whose offices a question in a language may mean: IRS is another one in Portugal."""


def _any_of(names: Iterable[str]) -> str:
    """The pattern of names in any case, a longer one before one that it begins with. Names that begin alike
    are one branch, so that most words of a text are compared with few."""
    ordered = sorted(sorted(names, key=len, reverse=True), key=itemgetter(0))
    branches = (
        f"{re.escape(first)}(?:{'|'.join(re.escape(name[1:]) for name in alike)})"
        for first, alike in groupby(ordered, key=itemgetter(0))
    )
    return f"(?i:{'|'.join(branches)})"


_WHOLE: Final = r"(?<!\w)(?:{})(?!\w)"
_NAMED: Final = late_pattern(
    _WHOLE.format(f"US|EU|{_any_of(('uk', 'nz', 'sg', *(n for n in _CODES if len(n) > len(UNION))))}")
)
"""Of names with two letters those that are no word: small "us" is no country."""
_TOKEN: Final = late_pattern(
    f"{_WHOLE.format(_any_of(token for token in _TOKENS if token[-1].isalnum()))}"
    f"|{_any_of(token for token in _TOKENS if not token[-1].isalnum())}"
)
"""What ends in a sign ("R$") stands beside its number."""
_LEADS_TO: Final = late_pattern(r"(?:\b(?:in|of|from|for|to|at|the)\s+)+$", re.IGNORECASE)
_SPACE: Final = late_pattern(r"\s+")

_CLOSE_TO_FOREIGN: Final = 0.85
"""The share of the score of another country's entry from which one that fits better goes before it."""
_CLOSE_TO_SOME: Final = 0.93
"""The same for an entry of some country, when nobody knows the user's: often a word of the question is of
that country alone (docs/retrieval.md)."""
_CLOSE_TO_GENERAL: Final = 0.91
"""The same for an entry that holds everywhere: less close, one of the own country is about something else."""


def is_known(jurisdiction: str | None) -> bool:
    """Whether an entry may say that it holds there: everywhere, in the EU, or in a country that is known."""
    return jurisdiction == GENERAL or jurisdiction in _COUNTRIES


def country_of(answer: str) -> str | None:
    """The country (ISO 3166-1) that somebody names: "UK", "Deutschland", "Lyon, France". ``ELSEWHERE`` for
    one that is not known, None for no answer."""
    folded = _SPACE.sub(" ", answer.casefold()).strip(" !")
    if not folded:
        return None
    parts = [folded, folded.rstrip("."), *(part.strip() for part in reversed(folded.split(",")))]
    return next((_CODES[part] for part in parts if part in _CODES), ELSEWHERE)


def country_of_language(tag: str) -> str | None:
    """The country of a language tag (BCP 47), ``GB`` of ``en-GB``; None for one without."""
    regions = [part for part in re.split("[-_]", tag)[1:] if len(part) == len(UNION) and part.isalpha()]
    return regions[0].upper() if regions else None


def name_of(country: str) -> str:
    """The name of a country, for use inside a sentence."""
    known = _COUNTRIES.get(country)
    return country if known is None else str(known["name"])


def is_foreign(jurisdiction: str | None, country: str | None) -> bool:
    """Whether an entry tells the rules of another country than the user's; never when that is not known."""
    return country is not None and _distance(jurisdiction, country) > 1


def in_order_for(hits: Sequence[Hit], country: str | None, question: str) -> Sequence[Hit]:
    """The hits with those first that hold where the user lives, among those that score about as high as the
    best; with those that hold everywhere when nobody knows where that is. A question that names a country is
    about that one."""
    named = countries_named(question)
    if not hits or len(named) > 1:
        return hits
    country = next(iter(named), country or ELSEWHERE)
    share = _CLOSE_TO_GENERAL
    if is_foreign(hits[0].jurisdiction, country):
        share = _CLOSE_TO_SOME if country == ELSEWHERE else _CLOSE_TO_FOREIGN
    enough = hits[0].score * share
    close = sum(hit.score >= enough for hit in hits)
    return [*sorted(hits[:close], key=lambda hit: _distance(hit.jurisdiction, country)), *hits[close:]]


def countries_named(question: str) -> frozenset[str]:
    """The countries that a question names, ``EU`` among them; ``ELSEWHERE`` for those without entries."""
    found = {name.casefold() for name in _NAMED.findall(question)}
    return frozenset(_CODES.get(name, name.upper()) for name in found)


def countries_meant(text: str, language: str = ENGLISH) -> Sequence[str]:
    """The countries that a text names or, when it names none, those of the money, offices, cities and states
    that it names, in the order of their codes."""
    spoken_in = _SPOKEN_IN.get(language, _COUNTRIES)
    offices = {country for country in _told_by_tokens(text) if country in spoken_in}
    return sorted(countries_named(text) or offices.union(each.country for each in _places_in(text)))


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a text names a country, or a place in one."""

    country: str
    start: int
    end: int


def mentions_in(text: str) -> Sequence[Mention]:
    """The countries and places that a text names, in its order; of two that overlap the longer one."""
    names = [
        Mention(_CODES.get(found[0].casefold(), found[0].upper()), *found.span())
        for found in _NAMED.finditer(text)
    ]
    found = sorted([*names, *_places_in(text)], key=lambda each: (each.start, -each.end))
    ends = [0, *accumulate((each.end for each in found), max)]
    return [each for each, end in zip(found, ends, strict=False) if each.start >= end]


def without_countries(text: str) -> str:
    """A text without the countries and places that it names, and without the words that lead to them."""
    for each in reversed(mentions_in(text)):
        text = f"{_LEADS_TO.sub('', text[: each.start])} {text[each.end :]}"
    return " ".join(text.split())


def is_member(country: str) -> bool:
    """Whether a country is a member of the European Union."""
    return country in _MEMBERS


def _told_by_tokens(text: str) -> Iterator[str]:
    return (_TOKENS[token.casefold()] for token in _TOKEN.findall(text))


def _places_in(text: str) -> Iterator[Mention]:
    words = list(_WORD.finditer(text))
    before = ""
    for start, first in enumerate(words):
        word = first[0].casefold()
        for last in words[start : start + _PLACE_WORDS_MAX] if word in _PLACE_BEGINS else ():
            phrase = " ".join(text[first.start() : last.end()].casefold().split())
            country = _PLACES.get(phrase)
            if country is None and first[0][0].isupper() and before in _WHERE:
                country = _ALSO_WORDS.get(phrase)
            if country is not None:
                yield Mention(country, first.start(), last.end())
        before = word


def holds_in(jurisdiction: str | None, named: Collection[str]) -> bool:
    """Whether an entry may hold in one of the countries that a question names; in any when it names none."""
    return not named or any(
        not is_foreign(jurisdiction, country) or (country == UNION and jurisdiction in _MEMBERS)
        for country in named
    )


def holding_beside_help(hits: Iterable[Hit], countries: Collection[str], language: str) -> Iterator[Hit]:
    """Those of the entries that may be quoted beside help: none tells the rules of a country that is not
    among these. Those in other languages than English were searched for at home."""
    places = (None, GENERAL, *countries)
    return (hit for hit in hits if hit.quotable and (language != ENGLISH or hit.jurisdiction in places))


def answering_for(hits: Sequence[Hit], question: str, country: str | None) -> Sequence[Hit]:
    """Those of the entries that may be quoted as the answer. The rules of a country hold for a question that
    means that one, by its name, money, offices or places; when it means none, for users of that country, and
    for anyone who asks about something that only this country has by that name: "what is a 401(k)"."""
    meant = set(countries_meant(question))
    if meant:
        meant.update(each.country for each in mentions_in(question) if each.country == country)
        return [hit for hit in hits if holds_in(hit.jurisdiction, meant)]
    return [
        hit for hit in hits if not is_foreign(hit.jurisdiction, country) or _names_own(hit, question, hits)
    ]


def _names_own(hit: Hit, question: str, others: Sequence[Hit]) -> bool:
    """Whether a question names what the title of an entry has as a name or an abbreviation, and no entry
    of another country among the ``others``."""
    _, *later = _WRITTEN.findall(hit.title) or [""]
    names = {part for word in later if not word.islower() for part in words_of(word)}
    names &= set(words_of(question))
    elsewhere = (each for each in others if each.jurisdiction != hit.jurisdiction)
    return bool(names and names.difference(*(words_of(f"{each.title} {each.snippet}") for each in elsewhere)))


def _distance(jurisdiction: str | None, country: str) -> int:
    """0 for the user's own country, 1 for what holds there, too, 2 for another country."""
    if jurisdiction == country:
        return 0
    holds = jurisdiction in (None, GENERAL) or (jurisdiction == UNION and country in _MEMBERS)
    return 1 if holds else 2
