"""What a user counts payments as, where the words and the meaning of their texts say something else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Final

from finassist.domain.statements.categories import category_of, plain_words
from finassist.domain.statements.ledger import Entry, wanted_by
from finassist.domain.statements.phrases import Phrases

CORRECTIONS_MAX: Final = 200
"""Limit for the payees that a user counts as something else."""

WORDS_MAX: Final = 6
"""Limit for the words that name a payee."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrections:
    """The corrections of one owner: categories by the words that name a payee. ``revision`` counts every
    change."""

    owner_id: str
    categories: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    revision: int = 0
    updated_at: datetime | None = None

    def corrected(self, payee: str, category: str | None, now: datetime) -> "Corrections | None":
        """With a correction more, or without the one of a payee where ``category`` is None. None when there
        would be too many."""
        if self.categories.get(payee) == category:
            return self
        left = {name: each for name, each in self.categories.items() if name != payee}
        if category is not None and len(left) >= CORRECTIONS_MAX:
            return None
        added = left if category is None else {**left, payee: category}
        return replace(
            self, categories=dict(sorted(added.items())), revision=self.revision + 1, updated_at=now
        )


def payee_words(text: str) -> str:
    """The words that name a payee, as a correction is kept by them."""
    return " ".join(plain_words(text)[:WORDS_MAX])


@dataclass(frozen=True)
class Categories:
    """What payments are counted as: what the user says first, then the words of their texts, then their
    meaning. ``corrected`` is by the words of payees, ``by_meaning`` by whole texts."""

    by_meaning: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    corrected: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, entry: Entry) -> str:
        """The category of an entry."""
        payee = self.correction_of(entry)
        return self.corrected[payee] if payee else category_of(entry.transaction, self.by_meaning)

    def correction_of(self, entry: Entry) -> str:
        """The payee by whom an entry is corrected, the one of most words; empty for none."""
        if not self.corrected:
            return ""
        had = {wanted for word in entry.words for wanted in wanted_by(word)}
        fitting = [
            words for wanted in had for words in self._by_first.get(wanted, ()) if had.issuperset(words)
        ]
        longest = max(fitting, key=lambda words: (len(words), -self._order[" ".join(words)]), default=())
        return " ".join(longest)

    @cached_property
    def _order(self) -> Mapping[str, int]:
        return {payee: place for place, payee in enumerate(self.corrected)}

    @cached_property
    def _by_first(self) -> Mapping[str, Sequence[Sequence[str]]]:
        """The words of payees, by the first: most payments have the first word of no payee."""
        found: dict[str, list[Sequence[str]]] = {}
        for payee in self.corrected:
            words = tuple(payee.split())
            found.setdefault(payee.partition(" ")[0], []).append(words)
        return found

    def said(self, entries: Sequence[Entry], say: Phrases) -> Sequence[str]:
        """The corrections that concern these entries, in words."""
        if not self.corrected:
            return ()
        payees = sorted({payee for entry in entries if (payee := self.correction_of(entry))})
        return [
            say("you_count", payee=payee.title(), category=say.category(self.corrected[payee]))
            for payee in payees
        ]
