"""Which country a message of a conversation is about: where the user lives, or another that is asked about.

"I live in Berlin" tells of the user's home, "how are dividends taxed in India" asks about a country, and "my
brother in Sydney" or "our flight to Rome" only touches one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.jurisdictions import (
    ELSEWHERE,
    UNION,
    Mention,
    countries_meant,
    is_member,
    mentions_in,
)
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.questions import (
    asks,
    asks_of_nothing,
    leans_on_earlier,
    refers_back,
    tells_situation,
)
from finassist.domain.retrieval.words import topic_words, words_of
from finassist.patterns import late_pattern

_DATA: Final = shipped("retrieval/whereabouts")
_OTHERS, _TRIPS, _LIVING, _BEING, _OWN, _MOVING, _TELLING = (
    frozenset(_DATA[key].split())
    for key in ("others", "trips", "living", "being", "own", "moving", "telling_place")
)
_PAST: Final = frozenset(("was",))
_CLAUSE: Final = late_pattern(r"[^,;.:!?\n]+[,;.:!?\n]*")
_END: Final = late_pattern(r"[,;.:!?\n]+|\b(?:and|but|while|because)\b")
_TOLD_BESIDE: Final = 3
"""A message with more topic words than this tells more than a country: "my suitcase got lost on a flight"."""


class _Role(Enum):
    HOME = "home"
    ASKED = "asked"
    TRIP = "trip"
    OTHERS = "others"
    ORIGIN = "origin"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class Told:
    """What one message tells: where its writer lives, which country it asks about, and which one it only
    touches, each None when nothing tells it."""

    home: str | None = None
    asked: str | None = None
    touched: str | None = None
    heads_for: str | None = None


def country_about(text: str, earlier: Sequence[str], home: str | None, language: str = ENGLISH) -> str | None:
    """The country whose rules a message asks for. ``earlier`` is what the same user wrote before it, oldest
    first, ``home`` the country of the profile, which gives way to one that the conversation tells. Who goes
    from one member of the union to another is asking about the union."""
    about = asked = touched = None
    for message in (*earlier, text):
        told = told_in(message, language)
        before, now = asked or home, told.asked
        if told.heads_for and before and told.heads_for != before and _in_union(told.heads_for, before):
            now = UNION
        goes_on = refers_back(message) or leans_on_earlier(message)
        home, touched = told.home or home, told.touched or touched
        if told.home is not None:
            asked = None
        elif now is not None or not (goes_on or home is None):
            asked = now
        about = told.home or asked or home or touched
    return about


def told_in(text: str, language: str = ENGLISH) -> Told:
    """What a message tells of countries."""
    found = mentions_in(text)
    if language != ENGLISH or not found:
        meant = [country for country in countries_meant(text, language) if country != ELSEWHERE]
        return Told(touched=meant[0]) if len(meant) == 1 else Told()
    before = [_clause_before(text, mention) for mention in found]
    roles = [_role(text, words) for words in before]
    if _is_journey(text, found, before):
        roles = [_Role.TRIP for _ in roles]
    plain = {_Role.HOME, _Role.ASKED, _Role.TRIP}.isdisjoint(roles)
    by_role = {
        role: [each.country for each, own in zip(found, roles, strict=True) if own is role] for role in _Role
    }
    homes = by_role[_Role.ORIGIN] if plain else by_role[_Role.HOME]
    journey = _between([each.country for each in found]) if by_role[_Role.TRIP] else None
    heads = [each.country for each, words in zip(found, before, strict=True) if _heads_for(words)]
    return Told(
        home=next(reversed(homes), None),
        asked=journey or _one_of(by_role[_Role.ASKED]),
        touched=_one_of(by_role[_Role.OTHERS]),
        heads_for=next(iter(heads), None),
    )


def only_tells_country(text: str) -> bool:
    """Whether a message tells which country the question before it is about, and asks nothing else: "I'm in
    Ireland btw, does that change anything?"."""
    found = mentions_in(text)
    told = told_in(text)
    if not (told.home or told.asked):
        return False
    rest = text
    for mention in reversed(found):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    clauses = [(asks(clause), _topics(clause)) for clause in _CLAUSE.findall(rest)]
    told_beside = sum(len(topics) for does_ask, topics in clauses if not does_ask)
    return told_beside <= _TOLD_BESIDE and not any(topics for does_ask, topics in clauses if does_ask)


def _topics(clause: str) -> list[str]:
    """The words of a clause that say more than which country is meant."""
    return [word for word in topic_words(clause) if word not in _TELLING and not asks_of_nothing([word])]


def _clause_before(text: str, mention: Mention) -> list[str]:
    before = text[: mention.start]
    ends = [each.end() for each in _END.finditer(before)]
    return words_of(before[ends[-1] if ends else 0 :])


def _role(text: str, before: Sequence[str]) -> _Role:
    """What a country is to the writer, by the words ``before`` it in its clause."""
    own = max((place for place, word in enumerate(before) if word in _OWN), default=-1)
    others = max((place for place, word in enumerate(before) if word in _OTHERS), default=-1)
    if not _TRIPS.isdisjoint(before):
        return _Role.TRIP
    if "from" in before[-1:] or list(before[-2:]) == ["from", "the"]:
        return _Role.ORIGIN
    if others > own:
        return _Role.OTHERS
    after = before[own + 1 :]
    if own >= 0 and _PAST.issuperset(after[:1]) and after and _LIVING.isdisjoint(after):
        return _Role.PAST
    lives = not _LIVING.isdisjoint(after) or bool(_BEING.intersection(after[:1]))
    if (
        (own >= 0 and lives)
        or not _LIVING.isdisjoint(before[:1])
        or "here" in before
        or tells_situation(text)
    ):
        return _Role.HOME
    return _Role.ASKED


def _heads_for(before: Sequence[str]) -> bool:
    """Whether somebody goes to a country, who is not there yet."""
    to = [word for word in before[-2:] if word != "the"]
    return to[-1:] == ["to"] and not _MOVING.isdisjoint(before)


def _one_of(countries: Sequence[str]) -> str | None:
    """The country, if there is one alone."""
    each = set(countries)
    return each.pop() if len(each) == 1 else None


def _between(countries: Sequence[str]) -> str:
    """Whose rules hold for a journey: the union's within it and from it, else those of where it begins."""
    return UNION if len(set(countries)) > 1 and is_member(countries[0]) else countries[0]


def _is_journey(text: str, found: Sequence[Mention], before: Sequence[Sequence[str]]) -> bool:
    """Whether a message tells of a way from one country to another, and not of somebody who moved."""
    if len(found) != 2 or not {"from", "between"}.intersection(before[0][-2:]):
        return False
    first, second = found
    way = words_of(text[first.end : second.start])
    return way in (["to"], ["and"]) and _LIVING.union(_MOVING).isdisjoint(before[0])


def _in_union(*countries: str) -> bool:
    return all(map(is_member, countries))
