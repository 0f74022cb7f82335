"""The sentences of a result in the languages that it is told in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.retrieval.languages import ENGLISH

_FILE: Final = "statements/phrases"
_FEW: Final = (2, 3, 4)


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
        """``payment`` of one, ``payments`` of several; Polish has another word for two, three and four."""
        one, *few, many = str(self.texts[noun]).split()
        if number == 1:
            return one
        is_few = number % 10 in _FEW and number % 100 // 10 != 1
        return few[0] if few and is_few else many

    def day(self, day: date) -> str:
        """``3 January 2025``."""
        months = self._names("months_of_days" if "months_of_days" in self.texts else "months")
        return self("day", day=day.day, month=months[day.month - 1], year=day.year)

    def month(self, month: str) -> str:
        """``2025-01`` as ``January 2025``."""
        year, number = month.split("-")
        return f"{self._names('months')[int(number) - 1]} {year}"

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

    def _names(self, key: str) -> Sequence[str]:
        return str(self.texts[key]).split()


def languages() -> Sequence[str]:
    """The languages that results are told in."""
    return tuple(shipped(_FILE))


@cache
def phrases_in(language: str) -> Phrases:
    """The sentences of a language; those of English for one that has none."""
    texts = shipped(_FILE)
    return Phrases(texts.get(language, texts[ENGLISH]))
