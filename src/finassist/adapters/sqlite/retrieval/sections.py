"""The search index over articles' sections: writing it when articles are stored or removed.

The index holds stems, not text. So text is analysed in one place (spelling, ``401(k)``, stems), and a search
counts a term in a section by counting in a string.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Final

from finassist.adapters.sqlite.engine.codec import strings
from finassist.adapters.sqlite.retrieval.stems import Stemmer
from finassist.domain.retrieval.passages import split_passages, split_sections
from finassist.domain.retrieval.vocabulary import Vocabulary

ANALYSIS: Final = "3"
"""Version of the section format. Raise it with every change to how sections are made: the next
start then makes all of them again."""

PASSAGE_END: Final = "|"
WORDING_END: Final = "~"
"""Ends each of the other wordings of the title, which follow the passages."""

_INSERT: Final = "INSERT INTO sections (article, first, title, body) VALUES (?, ?, ?, ?)"
_STORED: Final = "SELECT title, body FROM sections WHERE article = ?"
_DELETE: Final = "DELETE FROM sections WHERE article = ?"
_ANALYSED: Final = "UPDATE articles SET analysis = ? WHERE number = ?"
_COUNT: Final = """INSERT INTO stems (stem, sections) VALUES (?, ?)
    ON CONFLICT (stem) DO UPDATE SET sections = sections + excluded.sections"""
_STALE: Final = """SELECT number, title, body, variants FROM articles
    WHERE analysis < ?1 OR analysis > ?1 OR analysis IS NULL LIMIT ?2"""

IndexedArticle = tuple[int, str, str, str]
"""Number, title, body, and the other wordings of the title as a JSON array."""


@dataclass(frozen=True, slots=True)
class SectionIndex:
    """Keeps sections and the frequencies of their stems in step with the articles."""

    vocabulary: Vocabulary
    stemmer: Stemmer

    def put(self, connection: Connection, articles: Iterable[IndexedArticle]) -> None:
        """Index these articles, in place of what was indexed of them."""
        counts: Counter[str] = Counter()
        for number, title, body, variants in articles:
            _forget(connection, number, counts)
            title_stems = self.stems(title)
            for first, section in self.sections(body, strings(variants)):
                connection.execute(_INSERT, (number, first, title_stems, section))
                counts.update(_counted(title_stems, section))
            connection.execute(_ANALYSED, (ANALYSIS, number))
        connection.executemany(_COUNT, counts.items())

    def remove(self, connection: Connection, numbers: Iterable[int]) -> None:
        """Forget these articles."""
        counts: Counter[str] = Counter()
        for number in numbers:
            _forget(connection, number, counts)
        connection.executemany(_COUNT, counts.items())

    def stale(self, connection: Connection, limit: int) -> Sequence[IndexedArticle]:
        """Articles that an earlier version of the program indexed, or did not."""
        return connection.execute(_STALE, (ANALYSIS, limit)).fetchall()

    def sections(self, body: str, variants: Sequence[str] = ()) -> Iterator[tuple[int, str]]:
        """Each section as stems, with the number of passages before it. The last one ends with the other
        wordings of the title, which are searched and not shown."""
        first = 0
        groups = split_sections(split_passages(body))
        for number, passages in enumerate(groups, start=1):
            stems = [f"{self.stems(passage)}{PASSAGE_END}" for passage in passages]
            if number == len(groups):
                stems += [f"{self.stems(wording)}{WORDING_END}" for wording in variants]
            yield first, "".join(stems)
            first += len(passages)

    def stems(self, text: str) -> str:
        """A text's stems in order, between spaces."""
        words = self.vocabulary.words(text)
        stems = self.stemmer.stems_of(words)
        return " ".join(["", *(stems[word] for word in words), ""])


def _forget(connection: Connection, number: int, counts: Counter[str]) -> None:
    stored = connection.execute(_STORED, (number,)).fetchall()
    if stored:
        connection.execute(_DELETE, (number,))
        for title, body in stored:
            counts.subtract(_counted(title, body))


def _counted(title: str, body: str) -> set[str]:
    """The stems of a section, and the empty one that counts the sections."""
    stems = {*title.split(), *body.split(), ""}
    return stems - {PASSAGE_END, WORDING_END}
