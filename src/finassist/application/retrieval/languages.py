"""Questions in other languages, answered by the entries that are written in them."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from finassist.application.ports.knowledge import EntriesByLanguage
from finassist.application.retrieval.found import Found, kept_of_quoted
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.glossary import HOME
from finassist.domain.retrieval.jurisdictions import ELSEWHERE, countries_meant
from finassist.domain.retrieval.languages.reactions import is_plain_reaction, reaction_of
from finassist.domain.retrieval.languages.stories import asking_sentences
from finassist.domain.retrieval.queries import NEAR_SHARE, NEAREST_SHARE, worth_injecting

_EVERY: Final = 1_000
_LIKELIER: Final = 0.05
_CLEAR_LEAD: Final = 2.5
"""The ratio of the odds of the first entry to those of the next from which on it is shown as the nearest."""
_CLEARLY_ABROAD: Final = 4.5
"""The ratio of the odds of an entry of any country to those of the best at home from which on it answers."""
_SHORT: Final = 3
"""A message of so many words in a conversation is read with the question before it."""
_LEAST_SCORE: Final = 0.0005
_HOMES: Final[Mapping[str, Sequence[str]]] = {
    **{language: (country,) for language, country in HOME.items()},
    "pt": ("BR", "PT"),
}
"""The countries whose rules a question may be about that names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchInLanguage:
    """Find the entries in the language of a question that answer it, of those that hold in the country that
    it names, or else the user's, or else that of its language, or in any country when those do not answer:
    "CETES" is Mexican and "Säule 3a" Swiss without saying so. A short message in a conversation is searched
    for together with the question before it, and so is one that finds nothing; what was quoted last stays
    among the passages then. Thanks and other reactions are not searched for."""

    entries_by_language: EntriesByLanguage
    rag_min_score: float
    passages: int = 4

    async def __call__(
        self,
        text: str,
        language: str,
        country: str | None = None,
        *,
        earlier: Sequence[str] = (),
        quoted: Sequence[str] = (),
    ) -> Found:
        """``earlier`` is what the same user wrote before, oldest first, and ``quoted`` are the ids of the
        entries that the last replies quoted."""
        reaction = reaction_of(text, language)
        if reaction is not None and not reaction.wants_passages:
            return Found(asks_nothing=True)
        countries = countries_meant(text, language) or ([country] if country else ())
        before = _asked_before(earlier, language)
        alone = await self._hits(text, language, countries)
        is_asking = len(text.split()) > _SHORT and not is_plain_reaction(text, language)
        if not before or (is_asking and self._answers(alone)):
            return self._judged(alone)
        asked = await self._hits(before, language, countries)
        if reaction is not None:
            return self._again(asked, quoted)
        together = await self._hits(f"{before} {text}", language, countries, is_whole=True)
        return self._following(alone, asked, together, quoted)

    async def _hits(
        self, query: str, language: str, countries: Collection[str], *, is_whole: bool = False
    ) -> Sequence[Hit]:
        """``is_whole`` says that no part of the query is a story around another."""
        search = partial(self._told, query, None if is_whole else asking_sentences(query), language)
        if countries:
            return await search(countries)
        at_home = await search(_HOMES.get(language, (ELSEWHERE,)))
        if self._answers(at_home):
            return at_home
        anywhere = await search(())
        is_clear = self._answers(anywhere) and _leads((*anywhere[:1], *at_home[:1]), _CLEARLY_ABROAD)
        return anywhere if is_clear else at_home

    async def _told(
        self, query: str, question: str | None, language: str, countries: Collection[str]
    ) -> Sequence[Hit]:
        """What a message finds, and what its question finds without the story around it: an entry counts by
        the likelier of both. That of the question is worth less when the whole message speaks for another."""
        search = partial(
            self.entries_by_language.search, language=language, countries=countries, limit=_EVERY
        )
        hits = await search(query)
        if question is None or not hits:
            return hits
        alone = {hit.article_id: hit.score for hit in await search(question)}
        best = [
            replace(hit, score=max(hit.score, _weighed(alone[hit.article_id], hit.score, hits[0].score)))
            for hit in hits
        ]
        return sorted(best, key=_score, reverse=True)

    def _answers(self, hits: Sequence[Hit]) -> bool:
        return any(hit.score >= self.rag_min_score for hit in hits)

    def _again(self, asked: Sequence[Hit], quoted: Sequence[str]) -> Found:
        """What a wish about the last answer gets: what that quoted, and what is near it."""
        last = kept_of_quoted(asked, quoted, self.rag_min_score)
        near = [hit for hit in asked if hit.article_id not in quoted]
        worth = worth_injecting(near, self.rag_min_score * NEAR_SHARE)[: self.passages - len(last)]
        return Found(answering=last, near=worth, goes_on=bool(last))

    def _following(
        self, alone: Sequence[Hit], asked: Sequence[Hit], together: Sequence[Hit], quoted: Sequence[str]
    ) -> Found:
        """What a follow-up finds: what was quoted last, and entries that it finds both by itself and with the
        question before it, which was ``asked``. When it finds nothing by itself, those count that it makes
        likelier. Without any, what it finds with that question is near. One that clearly leads what it finds
        by itself, and comes first with that question, too, is what it turns to."""
        if self._turns_to_first(alone, together, quoted):
            turned = self._judged(alone)
            return turned if turned.answering else replace(turned, nearest=alone[0])
        last = kept_of_quoted(together, quoted, self.rag_min_score)
        fresh = [hit for hit in together if hit.article_id not in quoted]
        says_much = any(hit.score >= self.rag_min_score * NEAREST_SHARE for hit in alone)
        other = {hit.article_id: hit.score for hit in (alone if says_much else asked)}
        both = []
        for hit in fresh:
            before = other.get(hit.article_id, 0.0)
            likely = (hit.score + before) / 2
            if not says_much:
                likely = hit.score if hit.score > before + _LIKELIER else hit.score / 2
            both.append(replace(hit, score=round(likely, 4)))
        found = self._judged(sorted(both, key=_score, reverse=True))
        if not last:
            return found if found.answering else self._judged(together)
        answering = (*last, *found.answering)[: self.passages]
        others = [hit for hit in fresh if hit.score < self.rag_min_score or not found.answering]
        near = worth_injecting(others, self.rag_min_score * NEAR_SHARE)[: self.passages - len(answering)]
        return Found(answering=answering, near=near, goes_on=True)

    def _turns_to_first(self, alone: Sequence[Hit], together: Sequence[Hit], quoted: Sequence[str]) -> bool:
        firsts = {hit.article_id for hit in (*alone[:1], *together[:1])}
        is_near = bool(alone) and _leads(alone) and alone[0].score >= self.rag_min_score * NEAR_SHARE
        return is_near and len(firsts) == 1 and firsts.isdisjoint(quoted)

    def _judged(self, hits: Sequence[Hit]) -> Found:
        """What answers, or else what is near: the first is shown as the nearest when it is likely enough
        together with the next, which often answers the same, or clearly likelier than that."""
        least = self.rag_min_score
        likely = worth_injecting(hits, least * NEAR_SHARE)[: self.passages]
        answering = [hit for hit in likely if hit.score >= least]
        near = [hit for hit in likely if hit.score < least]
        together = sum(hit.score for hit in near[:2])
        is_shown = near and not answering and (together >= least * NEAREST_SHARE or _leads(hits))
        return Found(answering=answering, near=near, nearest=near[0] if is_shown else None)


def _score(hit: Hit) -> float:
    return hit.score


def _weighed(alone: float, whole: float, best: float) -> float:
    """How likely an entry is by the question alone, less for each time that the message as a whole finds
    another one likelier: a question such as "what do I pay" says little without its story."""
    odds = _odds(alone) * math.sqrt(_odds(whole) / _odds(best))
    return round(odds / (1 + odds), 4)


def _odds(score: float) -> float:
    kept = min(max(score, _LEAST_SCORE), 1 - _LEAST_SCORE)
    return kept / (1 - kept)


def _leads(hits: Sequence[Hit], ratio: float = _CLEAR_LEAD) -> bool:
    """Whether the first is clearly likelier than the next: the ratio of their odds."""
    first, second = (*(hit.score for hit in hits[:2]), 0.0, 0.0)[:2]
    return first * (1 - second) >= ratio * second * (1 - first)


def _asked_before(earlier: Sequence[str], language: str) -> str:
    """The last question before a message that is no reaction and no short follow-up, or else the first."""
    asked = [text for text in earlier if reaction_of(text, language) is None]
    return next((text for text in reversed(asked) if len(text.split()) > _SHORT), next(iter(asked), ""))
