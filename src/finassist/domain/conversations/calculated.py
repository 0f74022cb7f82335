"""What a calculation was about, in words that articles use: the subject of what follows it."""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.retrieval.words import topic_words

_DATA: Final = cast("dict[str, Any]", shipped("retrieval/calculated"))
_SUBJECTS: Final[Mapping[str, str]] = _DATA["subjects"]
_LONG_LOANS: Final[Mapping[str, str]] = _DATA["long_loans"]
_LONG_FROM: Final[int] = _DATA["long_from_years"]
_QUANTITIES: Final = frozenset(_DATA["quantities"].split())
_NUMBER: Final = re.compile(r"\d[\d.,]*")
_NUMBERS_MIN: Final = 2


def subject_of_calculation(name: str, arguments: Mapping[str, Any]) -> str:
    """What a calculation is about; empty for one that may be about anything, such as a percentage. A loan
    that runs as long as a mortgage is taken for one."""
    subject = _SUBJECTS.get(name, "")
    return _LONG_LOANS.get(name, subject) if _years(arguments.get("years")) >= _LONG_FROM else subject


def subject_words(text: str) -> str:
    """What a question to calculate is about beside its quantities: "car" in "9,500 for a car over 4 yrs"."""
    words = [word for word in topic_words(text) if word.isalpha() and word not in _QUANTITIES]
    return " ".join(dict.fromkeys(words))


def has_quantities(text: str) -> bool:
    """Whether a question is one to calculate by its numbers: those would hide what it is about."""
    return len(_NUMBER.findall(text)) >= _NUMBERS_MIN


def _years(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return 0.0
