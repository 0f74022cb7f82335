"""Stems exactly as the search index makes them."""

import sqlite3
import threading
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from finassist.domain.retrieval.words import STOP_WORDS

TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
"""The tokenizer of the migrations in ``migrations/knowledge``."""

_KEPT_MAX: Final = 50_000


class Stemmer:
    """Asks FTS5's own tokenizer, in memory, so that a stem here is a term there. Any thread may use it."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = '{TOKENIZER}')")
        self._connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (texts, instance)")

    def stems_of(self, words: Iterable[str]) -> dict[str, str]:
        """The stem of each word; a word that is no single term stands for itself."""
        wanted = list(words)
        with self._lock:
            if unknown := [word for word in set(wanted) if word not in self._known]:
                if len(self._known) + len(unknown) > _KEPT_MAX:
                    self._known.clear()
                    unknown = list(set(wanted))
                self._learn(unknown)
            return {word: self._known[word] for word in wanted}

    @cached_property
    def stop_stems(self) -> frozenset[str]:
        """The stems of the words that say nothing."""
        return frozenset(self.stems_of(STOP_WORDS).values())

    def _learn(self, words: list[str]) -> None:
        self._known.update(zip(words, words, strict=True))
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(words))
        for number, stem in self._connection.execute("SELECT doc, min(term) FROM terms GROUP BY doc"):
            self._known[words[number]] = stem
        self._connection.execute("ROLLBACK")
