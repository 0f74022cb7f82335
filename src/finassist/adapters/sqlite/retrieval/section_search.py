"""Searching sections: the rare terms choose the candidates, all terms rank them.

Scoring every section that has any of a query's words costs 100 ms in a base of 200,000. So the rarest
terms alone choose the sections that the index scores, by all terms; the best of those are read, and put
in order by ``domain/retrieval/relevance.py``.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from sqlite3 import Connection
from typing import Final, NamedTuple

import msgspec

from finassist.adapters.sqlite.engine.codec import to_json
from finassist.adapters.sqlite.retrieval.sections import PASSAGE_END, WORDING_END
from finassist.adapters.sqlite.retrieval.stems import Stemmer
from finassist.domain.retrieval.answerability import Signs, is_plain_number
from finassist.domain.retrieval.definition_questions import term_to_define
from finassist.domain.retrieval.passages import shown_passage
from finassist.domain.retrieval.relevance import TITLE_WEIGHT, Matches, Relevance, worded
from finassist.domain.retrieval.vocabulary import ABBREVIATION_WEIGHT, Vocabulary

_TERMS_MAX: Final = 48
_READ: Final = 24
"""How many sections beyond the limit are read and put in order."""
_ALL_UP_TO: Final = 4_000
"""In a base of so many sections every term chooses."""
_LOOK_AT: Final = 5.0
_LOOK_AT_POWER: Final = 0.6
"""Five times this power of the number of sections: how many are scored by the index. 1,256 of 10,000."""
_COMMON: Final = 0.3
"""A term in a larger share of all sections says little, and counting it costs the index most of its time."""
_SCORED_BY: Final = 3
"""So many of the rarest terms score however common they are."""
_EARLY_WORDS: Final = 20
_COMPARED: Final = 3
"""So many of the best finds are compared with the query wording by wording."""

_IS: Final = ("is", "ar", "mean")
"""Stems between a thing and its definition."""

# Each answers with one row: sqlite3 gives up the interpreter lock at every row, and while a question is
# embedded beside the search it takes long to win it back.
_FREQUENCIES: Final = """SELECT json_group_object(stem, sections) FROM stems
    WHERE stem IN (SELECT value FROM json_each(?))"""
_FIND: Final = f"""SELECT json_group_array(json_array(article, first, title, body))
    FROM (SELECT rowid AS number FROM sections_index
        WHERE sections_index MATCH ? AND rank MATCH 'bm25({TITLE_WEIGHT}, 1)' ORDER BY rank LIMIT ?)
    JOIN sections USING (number)"""

Row = tuple[int, int, str, str]
"""A section: its article's number, how many passages come before it, title and body as stems."""

_rows: Final = msgspec.json.Decoder(list[Row]).decode
_numbers: Final = msgspec.json.Decoder(dict[str, int]).decode


@dataclass(frozen=True, slots=True)
class Term:
    """What a word of the query is searched by, between spaces. ``phrase`` counts for half."""

    stem: str
    phrase: str
    weight: float

    @property
    def stems(self) -> Sequence[str]:
        return [self.stem.strip(), *self.phrase.split()]


class FoundSection(NamedTuple):
    """A section that a search found: its article's number, which of its passages fits best (found out when
    it is asked for), and how much of one of its wordings the query has. ``asked_so`` says that one is the
    query in so many words."""

    article: int
    passage: Callable[[], int]
    score: float
    worded: float = 0.0
    asked_so: bool = False

    def shown(self, body: str, *, quotable: bool) -> str:
        """What a hit shows of the article's body; a quotable one is shown as a whole."""
        return shown_passage(body, 0 if quotable else self.passage(), quotable=quotable)


class SectionQuery:
    """A query, ready to be looked for in any base."""

    def __init__(self, text: str, vocabulary: Vocabulary, stemmer: Stemmer) -> None:
        asked_for = term_to_define(text)
        every = vocabulary.query(text)
        words = [word for word in every if not is_plain_number(word.word)][:_TERMS_MAX]
        self._has_number = len(words) < len(every)
        stems = stemmer.stems_of(
            [*asked_for, *(part for word in words for part in (word.word, *word.phrase))],
        )
        defined = " ".join(stems[word] for word in asked_for)
        self._stop_stems = stemmer.stop_stems
        self._openings = tuple(
            f" {article}{defined} {verb} " for article in ("", "a ", "an ", "the ") for verb in _IS if defined
        )
        terms: dict[str, Term] = {}
        for word in words:
            phrase = " ".join(stems[part] for part in word.phrase)
            terms.setdefault(
                stems[word.word],
                Term(f" {stems[word.word]} ", f" {phrase} " if phrase else "", word.weight),
            )
        self._terms: Mapping[str, Term] = terms
        self._words = [(stem, term.stem) for stem, term in terms.items()]
        self._phrases = [(stem, term.phrase) for stem, term in terms.items() if term.phrase]
        self._pairs = [f" {one} {other} " for one, other in pairwise(terms)]
        self.stems: Sequence[str] = list(
            dict.fromkeys(part for each in terms.values() for part in each.stems)
        )
        """All stems that are looked for."""

    def __bool__(self) -> bool:
        return bool(self._terms)

    def find(self, connection: Connection, limit: int) -> list[FoundSection]:
        """The best section of each article, best first."""
        size, frequencies = self._frequencies(connection, self.stems)
        rows = self._read(connection, size, frequencies, limit)
        found = self.rank(rows, size, frequencies, limit)
        compared = [*self._compared(connection, found[:_COMPARED], rows), *found[_COMPARED:]]
        meant = self._asked_in_so_many_words(rows)
        return [each._replace(asked_so=True) if each.article in meant else each for each in compared]

    def _asked_in_so_many_words(self, rows: Sequence[Row]) -> Collection[int]:
        """The articles that name what is asked for in their titles, and of which the query is the title or
        another wording, except for words that say nothing: "lien" for "What is a lien?"."""
        asked = [stem for stem, term in self._terms.items() if term.weight == 1]
        telling = set(asked) - self._stop_stems
        if self._has_number or not telling:
            return ()
        words = [self._terms[stem].stem for stem in telling]
        naming = [row for row in rows if all(word in row[2] for word in words)]
        worded_so = {row[0] for row in naming if self._is_wording(telling, row[2], row[3])}
        return worded_so or {row[0] for row in naming if self._defines(row[2].split(), asked)}

    def _is_wording(self, telling: Collection[str], title: str, body: str) -> bool:
        """Whether a section's title or another wording of it says this and nothing else."""
        return any(set(each.split()) - self._stop_stems == telling for each in (title, *_wordings(body)))

    def _defines(self, title: Sequence[str], asked: Sequence[str]) -> bool:
        """Whether a title asks what this is, and maybe more: "What is an EIN and do I need one?"."""
        start = next((place for place, stem in enumerate(title) if stem not in self._stop_stems), 0)
        end = start + len(asked)
        return (
            not set(_IS).isdisjoint(title[:start])
            and title[start:end] == asked
            and self._stop_stems.issuperset(title[end : end + 1])
        )

    def _compared(
        self, connection: Connection, found: Sequence[FoundSection], rows: Sequence[Row]
    ) -> Sequence[FoundSection]:
        """These finds with how much of one of their wordings the query has."""
        asked = frozenset(self.stems)
        wordings: dict[int, list[set[str]]] = {section.article: [] for section in found}
        for article, _, title, body in rows:
            if article in wordings:
                stems = (set(each.split()) for each in (title, *_wordings(body)))
                wordings[article] += [each for each in stems if not asked.isdisjoint(each)]
        size, stored = self._frequencies(
            connection, {stem for each in wordings.values() for wording in each for stem in wording}
        )
        return [
            section._replace(worded=round(worded(wordings[section.article], asked, stored, size), 4))
            for section in found
        ]

    def signs(self, connection: Connection) -> Signs | None:
        """What speaks for and against the best find as an answer; None without any."""
        size, frequencies = self._frequencies(connection, self.stems)
        rows = self._read(connection, size, frequencies, 1)
        found = [self._matches(title, body) for _, _, title, body in rows]
        return self._relevance(size, frequencies).signs_of_best(found)

    def _read(
        self, connection: Connection, size: int, frequencies: Mapping[str, int], limit: int
    ) -> Sequence[Row]:
        expression = self._expression(size, frequencies)
        if not expression:
            return ()
        (found,) = connection.execute(_FIND, (expression, limit + _READ)).fetchone()
        return _rows(found)

    def rank(
        self, rows: Sequence[Row], size: int, stored: Mapping[str, int], limit: int
    ) -> list[FoundSection]:
        """The best of these sections of each article, best first. ``stored`` says in how many of all ``size``
        sections each of the ``stems`` stands."""
        relevance = self._relevance(size, stored)
        scores = relevance.scores([self._matches(title, body) for _, _, title, body in rows])
        best: dict[int, FoundSection] = {}
        ranked = sorted(zip(scores, rows, strict=True), key=lambda scored: scored[0], reverse=True)
        for score, (article, first, _, body) in ranked:
            if article not in best:
                passage = partial(self._passage, first, body, relevance)
                best[article] = FoundSection(article, passage, round(score, 4))
                if len(best) == limit:
                    break
        return list(best.values())

    def _relevance(self, size: int, stored: Mapping[str, int]) -> Relevance:
        weights = {stem: term.weight for stem, term in self._terms.items()}
        return Relevance(self._in_sections(stored), size, weights)

    def _frequencies(self, connection: Connection, stems: Iterable[str]) -> tuple[int, Mapping[str, int]]:
        """How many sections there are, and how many have each of these stems."""
        (found,) = connection.execute(_FREQUENCIES, (to_json(["", *stems]),)).fetchone()
        stored = _numbers(found)
        return stored.get("", 0), stored

    def _in_sections(self, stored: Mapping[str, int]) -> Mapping[str, int]:
        """In how many sections each term stands."""
        frequencies = {}
        for stem, term in self._terms.items():
            found = stored.get(stem, 0)
            frequencies[stem] = found or (_together(term.phrase, stored) if term.phrase else 0)
        return frequencies

    def _expression(self, size: int, stored: Mapping[str, int]) -> str:
        """The index's query: any of what chooses, and what else there is and tells. A term and its phrase
        choose apart: the phrase for a rare word may be a common one."""
        known = sorted(self._alternatives(stored))
        budget = math.inf if size <= _ALL_UP_TO else _LOOK_AT * size**_LOOK_AT_POWER
        chosen = 0
        for found, _ in known:
            budget -= found
            if chosen and budget < 0:
                break
            chosen += 1
        least = max(chosen, _SCORED_BY)
        # Quoted: nothing in a question is search syntax.
        quoted = [
            f'"{each}"'
            for place, (found, each) in enumerate(known)
            if place < least or found <= _COMMON * size
        ]
        choosing = " OR ".join(quoted[:chosen])
        if chosen == len(quoted):
            return choosing
        return f"({choosing}) AND ({' OR '.join(quoted)})"

    def _alternatives(self, stored: Mapping[str, int]) -> Iterator[tuple[int, str]]:
        """What is in the index of the terms and their phrases, with the number of sections at most."""
        for stem, term in self._terms.items():
            if found := stored.get(stem, 0):
                yield found, stem
            if term.phrase and (found := _together(term.phrase, stored)):
                yield found, term.phrase.strip()

    def _matches(self, title: str, body: str) -> Matches:
        titled = len(title) > 2
        counts = self._counts(body)
        return Matches(
            title=self._counts(title) if titled else {},
            body=counts,
            length=body.count(" ") - body.count(PASSAGE_END) - body.count(WORDING_END),
            wordings=lambda: list(map(self._counts, _wordings(body))),
            early=_early(body, counts),
            pairs=sum([pair in title for pair in self._pairs]) if titled else 0,
            defines=body.startswith(self._openings),
        )

    def _counts(self, text: str) -> dict[str, float]:
        """How often each term occurs in stems separated by spaces."""
        count = text.count
        counts: dict[str, float] = {stem: found for stem, word in self._words if (found := count(word))}
        for stem, phrase in self._phrases:
            if found := count(phrase):
                counts[stem] = counts.get(stem, 0.0) + ABBREVIATION_WEIGHT * found
        return counts

    def _passage(self, first: int, body: str, relevance: Relevance) -> int:
        """The number of the passage that fits best, of a section that begins with the ``first``."""
        passages = body.split(PASSAGE_END)[:-1]
        if len(passages) < 2:
            return first
        weights = []
        for number, passage in enumerate(passages):
            counts = self._counts(passage)
            early = () if number else _early(passage, counts)
            weights.append(relevance.weight(counts, passage.count(" "), early))
        return first + weights.index(max(weights))


def _early(text: str, terms: Iterable[str]) -> Sequence[str]:
    """Those of the terms that are among the first of stems between spaces."""
    early = text.split(" ", _EARLY_WORDS + 1)[: _EARLY_WORDS + 1]
    return [stem for stem in terms if stem in early]


def _wordings(body: str) -> Sequence[str]:
    """The other wordings of the title in the stems of a section."""
    return body[body.rfind(PASSAGE_END) + 1 :].split(WORDING_END)[:-1]


def _together(phrase: str, stored: Mapping[str, int]) -> int:
    """In how many sections a phrase stands at most."""
    return min(stored.get(part, 0) for part in phrase.split())
