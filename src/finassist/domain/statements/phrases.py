"""The sentences of a result in the languages that it is told in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.retrieval.languages import ENGLISH

_FILE: Final = "statements/phrases"


@dataclass(frozen=True, slots=True)
class Phrases:
    """The sentences of one language, by their keys in the data."""

    texts: Mapping[str, Any]

    def __call__(self, key: str, **values: object) -> str:
        """A sentence with its values."""
        return str(self.texts[key]).format(**values)

    def counted(self, number: int, noun: str) -> str:
        """``1 payment``, ``2 payments``."""
        return f"{number:,} {self.noun(number, noun)}"

    def noun(self, number: int, noun: str) -> str:
        """``payment`` of one, ``payments`` of several."""
        one, many = self.texts[noun].split()
        return str(one if number == 1 else many)

    def day(self, day: date) -> str:
        """``3 January 2025``."""
        return self("day", day=day.day, month=self._months[day.month - 1], year=day.year)

    def month(self, month: str) -> str:
        """``2025-01`` as ``January 2025``."""
        year, number = month.split("-")
        return f"{self._months[int(number) - 1]} {year}"

    def period(self, period: str) -> str:
        """How often a payment comes."""
        return str(self.texts["periods"][period])

    def heads(self, *names: str) -> Sequence[str]:
        """The heads of the columns of a table."""
        return [str(self.texts["heads"][name]) for name in names]

    def category(self, category: str) -> str:
        """The name of a category."""
        return str(self.texts["categories"].get(category, category))

    def listed(self, names: Sequence[str]) -> str:
        """``a, b and c``."""
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}{self.texts['and']}{names[-1]}"

    @property
    def _months(self) -> Sequence[str]:
        return str(self.texts["months"]).split()


def languages() -> Sequence[str]:
    """The languages that results are told in."""
    return tuple(shipped(_FILE))


@cache
def phrases_in(language: str) -> Phrases:
    """The sentences of a language; those of English for one that has none."""
    texts = shipped(_FILE)
    return Phrases(texts.get(language, texts[ENGLISH]))
