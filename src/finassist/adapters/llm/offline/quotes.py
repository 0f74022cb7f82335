"""How the offline model answers from the knowledge base: it quotes an entry or a passage as a whole.

A sentence out of its place loses the premises of its figures, so nothing shorter than an answer is quoted.
One entry answers most questions. A question that compares two things gets an entry for each side when the
best one does not speak of both, and one that two entries fit about as well gets the answers of both, each
under its title.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.adapters.llm.offline.again import in_part, is_quoted, told_in_part
from finassist.adapters.llm.offline.aspects import Aspect
from finassist.adapters.llm.offline.parts import is_sentence, part_asked_for
from finassist.adapters.llm.offline.phrases import phrases_in
from finassist.adapters.llm.offline.words import compared_in, shipped_words, stems_of
from finassist.application.ports.language_model import ModelMessage
from finassist.domain.conversations.message import SUGGESTIONS_MAX, Role
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import (
    ELSEWHERE,
    GENERAL,
    answering_for,
    countries_meant,
    countries_named,
    is_foreign,
)
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.languages.reactions import Reaction, reaction_of

_OPENING: Final = 160
"""In so many characters an answer names its country, if it does."""
_IN_DOUBT: Final = 0.15
"""An entry that is worth so little less than the first may as well be meant: for 879 first messages of
strangers the first find was right in 65 %, and one of two that are so close in 74 % (docs/retrieval.md)."""
_CLOSE: Final = 0.94
"""The share of the best score from which it may where entries have no worth of their own."""
_CLOSE_LATER: Final = 0.85
_LATER_MAX: Final = 2
"""From this share on one of the next two is quoted, too, in a conversation: of 56 such replies strangers
found 55 % useful and 9 % of no use, of 44 with the first entry alone 36 and 23 % (docs/retrieval.md)."""
_SAME_QUESTION: Final = 0.7
_UNSURE: Final = 0.55
"""From the first cosine on an entry asks the same; below the second a third of the answers were no use to the
strangers who graded 260 of them, and from it on none of 24 that were shown as the nearest was for a
stray question (docs/retrieval.md)."""
_VERDICT: Final = re.compile(rf"(?:{'|'.join(shipped_words('verdicts'))})\b", re.IGNORECASE)
_CLOSE_RULES: Final = 0.85
_SAME: Final = 0.6
"""Titles that share so much of the shorter one ask the same, of another country perhaps."""
_AS_GOOD: Final = 0.8
"""The least share of the score of what was quoted just before with which another entry is what a follow-up
asks for; below, three in four of them answer something else (docs/retrieval.md)."""
_LIKELY: Final = 0.45
"""Below this score an entry is hardly ever what a follow-up asks for that the quoted ones say nothing on: of
ten that were shown one was (docs/retrieval.md)."""
_SURE: Final = 0.9
"""From this score on an entry surely answers."""
_LIKELY_ELSEWHERE: Final = 0.1
"""The same for entries in other languages, whose scores are lower."""
_NAME: Final = re.compile(r"\b(?:[A-Z]{3,}|\d{3}(?:\(k\))?)\b")
LAST_REPLIES: Final = 3
"""What these quoted is not quoted once more."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What the references of a message have, best first: entries that were ``quoted`` in the last replies,
    and ``fresh`` ones. ``was_best`` says that the best of all was quoted."""

    quoted: Sequence[Hit]
    fresh: Sequence[Hit]
    was_best: bool

    @property
    def goes_on(self) -> bool:
        """Whether a fresh entry fits about as well as the one that was quoted."""
        best = max((hit.score for hit in self.quoted), default=0.0)
        return bool(self.fresh) and not (self.was_best and self.fresh[0].score < _AS_GOOD * best)


def offered(
    question: str,
    references: Sequence[Hit],
    messages: Sequence[ModelMessage],
    country: str | None = None,
) -> Offered:
    """What the ``references`` have for a question, of which one at least has a text."""
    latest = _said(messages)[-LAST_REPLIES:] if question not in _asked(messages)[:-1] else ()
    told = [hit for hit in references if hit.snippet.strip()]
    fresh = [hit for hit in told if not is_quoted(hit, latest)]
    was_best = told[0] not in fresh
    if was_best:
        quoted = [hit for hit in told if hit not in fresh]
        fitting = [
            hit
            for hit in fresh
            if not _is_namesake(hit, told[0], question)
            and not all(_is_elsewhere(hit, each) for each in quoted)
        ]
        fresh = _after_general(told[0], fitting, question, country)
    last_first = [hit for reply in reversed(latest) for hit in told if is_quoted(hit, [reply])]
    return Offered(list(dict.fromkeys(last_first)), fresh, was_best)


def quote(
    question: str,
    references: Sequence[Hit],
    messages: Sequence[ModelMessage],
    country: str | None = None,
    aspect: Aspect | None = None,
) -> str:
    """The answer to the question from its ``references``, best first; one at least has a text. What tells the
    rules of another country than the user's says so.

    A follow-up is not answered once more by what was quoted just before, but by the part or the entry that is
    its ``aspect``, or an entry that fits about as well, or by both when the entry surely fits. Without one it
    gets the nearest that was not quoted, and what else can be asked.
    """
    found = offered(question, references, messages, country)
    said, fresh = _said(messages), found.fresh
    say = phrases_in(references[0].language)
    more = offer([hit.title for hit in fresh], say.more) if fresh else say.no_more
    asks_more = bool(found.quoted) and reaction_of(question, say.language) is Reaction.MORE
    if asks_more and not _details_left(found.quoted, said):
        return more if aspect is None else _beside(references, found, aspect, said, country, more)
    if aspect is not None and aspect.part:
        return _part_or_other(aspect, references, found, said, country, more)
    is_met = aspect is not None and aspect.hit is not None
    if not is_met and (asks_more or not found.goes_on):
        best = next(hit for hit in references if hit.snippet.strip())
        quoted = next((hit for hit in found.quoted[:1] if part_asked_for(question, hit)), best)
        is_only = aspect is None or not aspect.nearest
        part = in_part(question, quoted, references.index(quoted), said, again=is_only)
        return f"{part}\n\n{more}" if part else _beside(references, found, aspect, said, country, more)
    first = [aspect.hit] if aspect is not None and aspect.hit is not None else []
    hits = list(dict.fromkeys((*first, *fresh)))
    chosen = [references.index(hits[place]) for place in _chosen(question, hits, country, is_first=not said)]
    if len(chosen) == 1:
        text = _alone(question, references, chosen[0], country, is_first=not said)
    else:
        text = "\n\n".join(_below_title(references[place], place, country, question) for place in chosen)
    told = any(say.quoting in content for content in said)
    return text if told else f"{text}\n\n{say.quoting}"


def _part_or_other(
    aspect: Aspect,
    references: Sequence[Hit],
    found: Offered,
    said: Sequence[str],
    country: str | None,
    more: str,
) -> str:
    """The part that a message is about, with the entry beside it, or the one that the search goes on to; or
    another entry when that was just read."""
    part = "" if _just_read(aspect, said) else _part_told(aspect, references, said)
    entry = aspect.beside or (found.fresh[0] if part and found.goes_on else None)
    beside = "" if entry is None else below_title_of(entry, references, country)
    both = "\n\n".join(filter(None, (part, beside or (part and more))))
    return both or _beside(references, found, aspect, said, country, more)


def _just_read(aspect: Aspect, said: Sequence[str]) -> bool:
    """Whether a part was in the last replies, and a message hardly asks for it; or in the very last, and
    another entry has more."""
    part = aspect.part.rpartition("\n")[2]
    told = [part in " ".join(reply.split()) for reply in said[-LAST_REPLIES:]]
    is_last, is_late = any(told[-1:]), any(told)
    has_more = aspect.instead is not None or (aspect.beside is not None and is_sentence(aspect.part))
    return (is_late and not aspect.is_clear) or (is_last and has_more)


def _part_told(aspect: Aspect, references: Sequence[Hit], said: Sequence[str]) -> str:
    hit = aspect.hit
    return "" if hit is None else told_in_part(hit, aspect.part, references.index(hit), said)


def below_title_of(hit: Hit, references: Sequence[Hit], country: str | None) -> str:
    """The answer of one of the references below its title."""
    return _below_title(hit, references.index(hit), country)


def _below_title(hit: Hit, place: int, country: str | None, question: str = "") -> str:
    return f"**{hit.title}**\n\n{_cited(_answer_of(hit), place, country, f'{question} {hit.title}')}"


def _beside(
    references: Sequence[Hit],
    found: Offered,
    aspect: Aspect | None,
    said: Sequence[str],
    country: str | None,
    more: str,
) -> str:
    """The nearest entry that was not quoted, below its title, for a follow-up that the quoted ones say
    nothing on: what was said is not said once more. One that surely answers needs no more words; when all
    are far off, what ``more`` can be asked."""
    if aspect is None:
        least = _LIKELY if references[0].language == ENGLISH else _LIKELY_ELSEWHERE
        near = [hit for hit in found.fresh if hit.score >= least]
    else:
        first = [aspect.instead] if aspect.instead is not None else []
        near = [hit for hit in dict.fromkeys((*first, *aspect.nearest)) if not is_quoted(hit, said)]
    if near:
        nearest, *others = near
        if aspect is not None and (nearest is aspect.instead or nearest.score >= _SURE):
            return below_title_of(nearest, references, country)
        return quote_nearest(nearest, others, country, place=references.index(nearest))
    hit = next(iter(found.quoted), references[0])
    nothing = phrases_in(hit.language).no_part.format(hit.title)
    return f"{nothing} [{references.index(hit) + 1}]\n\n{more}"


def _details_left(quoted: Sequence[Hit], said: Sequence[str]) -> bool:
    return any(hit.details and not any(hit.details in reply for reply in said) for hit in quoted)


def _alone(
    question: str, references: Sequence[Hit], place: int, country: str | None, *, is_first: bool
) -> str:
    """One entry, below its title when its first words could be taken for the answer to another question; the
    first reply names the rules of several countries that it could be followed by."""
    hit = references[place]
    text = _cited(hit, place, country, question)
    if _may_mislead(question, hit):
        text = f"**{hit.title}**\n\n{text}"
    if not is_first:
        return text
    elsewhere = _by_country(question, hit, references) if country is None else ()
    return f"{text}\n\n{offer(elsewhere, phrases_in(hit.language).by_country)}" if elsewhere else text


def _may_mislead(question: str, hit: Hit) -> bool:
    """Whether the answer begins with a verdict on the title's question, and that is not the one asked, or may
    well be another one."""
    if hit.cosine >= _SAME_QUESTION or stems_of(hit.title) <= stems_of(question):
        return False
    return 0.0 < hit.cosine < _UNSURE or _VERDICT.match(hit.answer) is not None


def _by_country(question: str, hit: Hit, references: Sequence[Hit]) -> Sequence[str]:
    """The titles of entries on the rules of other countries that fit about as well, for a question that means
    no country; one is enough beside rules that nobody asked for."""
    is_general = hit.jurisdiction in (None, GENERAL)
    if countries_meant(question) or not (
        is_general or hit not in answering_for((hit, *references), question, ELSEWHERE)
    ):
        return ()
    close = [each for each in references if each.score >= _CLOSE_RULES * hit.score]
    national = {each.jurisdiction or GENERAL: each.title for each in close}
    for told in (GENERAL, hit.jurisdiction or GENERAL):
        national.pop(told, None)
    return list(national.values()) if len(national) > is_general else ()


def offer(near: Sequence[str], heading: str) -> str:
    """What to say when nothing answers the question, but some titles are ``near`` to it."""
    titles = "\n".join(f"- {title}" for title in list(dict.fromkeys(near))[:SUGGESTIONS_MAX])
    return f"{heading}\n\n{titles}"


def quote_nearest(
    nearest: Hit, near: Sequence[Hit], country: str | None, heading: str = "", place: int = 0
) -> str:
    """What to say when nothing surely answers the question, but an entry is so near that it may help: its
    answer below its title, which is not called the nearest where it asks much the same, and the titles of
    others. ``heading`` says so in another language than English."""
    say = phrases_in(nearest.language)
    refusal = "" if nearest.cosine >= _UNSURE else say.nearest
    shown = f"{heading or refusal}\n\n{_below_title(nearest, place, country)}".lstrip()
    others = [hit.title for hit in near if hit.title != nearest.title]
    if not others:
        return shown
    return f"{shown}\n\n{offer(others, '' if heading else say.others).lstrip()}"


def more_like(references: Sequence[Hit], replies: Sequence[str]) -> str:
    """What else can be asked after replies that quoted one of the references; empty after any others."""
    others = [hit.title for hit in references if not is_quoted(hit, replies)]
    return offer(others, phrases_in(references[0].language).more) if 0 < len(others) < len(references) else ""


def _is_elsewhere(hit: Hit, quoted: Hit) -> bool:
    """Whether an entry tells the rules of another country than those that were just quoted. A question that
    names another country finds no other rules."""
    return is_foreign(hit.jurisdiction, None if quoted.jurisdiction == GENERAL else quoted.jurisdiction)


def _is_namesake(hit: Hit, quoted: Hit, question: str) -> bool:
    """Whether an entry is about another thing of such a name as the quoted one has, and the question names
    neither: RDSP sounds like RESP."""
    names, others = (frozenset(_NAME.findall(each.title)) for each in (quoted, hit))
    return bool(names and others) and names.isdisjoint(others) and others.isdisjoint(question.upper().split())


def _said(messages: Sequence[ModelMessage]) -> list[str]:
    return [message.content for message in messages if message.role is Role.ASSISTANT]


def _asked(messages: Sequence[ModelMessage]) -> list[str]:
    return [message.content for message in messages if message.role is Role.USER]


def _after_general(first: Hit, hits: Sequence[Hit], question: str, country: str | None) -> list[Hit]:
    """The hits that hold everywhere, if the ``first`` does and one of them fits about as well as the best:
    what follows such an answer shall not be the rules of a country that nobody named."""
    if country is not None or first.jurisdiction not in (None, GENERAL):
        return list(hits)
    enough = _AS_GOOD * max((hit.score for hit in hits), default=0.0)
    general = [hit for hit in hits if hit.jurisdiction in (None, GENERAL)]
    fits = not countries_named(question) and any(hit.score >= enough for hit in general)
    return general if fits else list(hits)


def _chosen(
    question: str, references: Sequence[Hit], country: str | None, *, is_first: bool
) -> Sequence[int]:
    """The places of the references to quote: the one that asks for the comparison of a question, or the best
    for each side of it; else the first, with the best other that may as well be meant. For a later message
    it is one of the next two."""
    compared = compared_in(question, references)
    if compared and (is_first or len(compared) > 1):
        return compared
    first, *others = references
    fits = _fits_as_well if is_first else _fits_later
    for place, hit in enumerate(others if is_first else others[:_LATER_MAX], start=1):
        if fits(first, hit) and _says_else(question, first, hit, country):
            return (0, place)
    return (0,)


def _fits_as_well(first: Hit, other: Hit) -> bool:
    """Whether an entry fits a first message about as well as the one that was found first."""
    if first.worth and other.worth:
        return first.worth - other.worth < _IN_DOUBT
    return other.score >= _CLOSE * first.score


def _fits_later(first: Hit, other: Hit) -> bool:
    """The same for a later message, which is searched for in more ways than one."""
    return other.score >= _CLOSE_LATER * first.score


def _says_else(question: str, first: Hit, other: Hit, country: str | None) -> bool:
    """Whether an entry says something else than the first, and may be what was meant: not the rules of a
    country that nobody spoke of."""
    holding = (None, GENERAL, first.jurisdiction, country, *countries_meant(question))
    if other.jurisdiction not in holding:
        return False
    if len(_after_general(first, (first, other), question, country)) == 1:
        return False
    one, two = stems_of(first.title), stems_of(other.title)
    return not one <= stems_of(question) and len(one & two) < _SAME * min(len(one), len(two))


def _answer_of(hit: Hit) -> Hit:
    """The entry without its details, which are too much where two are quoted."""
    return replace(hit, snippet=hit.answer) if hit.quotable else hit


def _heading(hit: Hit, country: str | None, said: str) -> str:
    """Whose rules an entry tells, where what is ``said`` around it does not make that plain."""
    if hit.jurisdiction is None or hit.jurisdiction == GENERAL:
        return ""
    say = phrases_in(hit.language)
    name = say.country(hit.jurisdiction)
    if country is not None:
        return say.foreign.format(name) if is_foreign(hit.jurisdiction, country) else ""
    opening = hit.answer if hit.language != ENGLISH else hit.snippet[:_OPENING]
    plain = countries_named(f"{said} {opening}")
    return "" if plain else say.assumed.format(name)


def _cited(hit: Hit, place: int, country: str | None, said: str) -> str:
    """The text with its citation after the first paragraph, which is the answer; the rest are its details."""
    heading, answer = _heading(hit, country, said), hit.answer
    source = phrases_in(hit.language).source_of(hit)
    text = f"{heading}{answer} [{place + 1}]{hit.snippet[len(answer) :]}"
    return f"{text}\n\n{source}" if source else text
