"""The parts of a question in words: the days that it is about, and the payments."""

import calendar
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.words import topic_words
from finassist.domain.statements.categories import by_words, names, plain_words
from finassist.domain.statements.dates import month_named, without_accents
from finassist.domain.statements.ledger import Ledger
from finassist.domain.statements.matching import matches
from finassist.domain.statements.wording import month_of

_SHORT: Final = frozenset("jan feb mar apr jun jul aug sep oct nov dec".split())
_LONG: Final = 4
COMPARES: Final = re.compile(
    r"\b(?:vs|versus|than|differ\w*|unterschied|als|que|che|dan|vergleich\w*|confront\w*|compar\w*|vergelijk\w*)\b",
    re.IGNORECASE,
)
"""What tells that two months are compared."""
_MAY: Final = "may"
_WORDS_AS_MONTHS: Final = frozenset((_MAY, "mar", "march"))
"""Months that are other words, too: only after a preposition or before a year."""
_BEFORE_MONTH: Final = frozenset(
    "in of for during since until till from to through and vs versus than with im en between by".split()
)
_WORD: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2})?|[^\W_]+")
_YEAR: Final = re.compile(r"(?:19|20)\d{2}")
_ISO: Final = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_RELATIVE: Final = re.compile(r"\b(?P<which>last|latest|this|current|previous|past)\s+(?P<unit>month|year)\b")
_ARTICLES: Final = frozenset("a an the my our der die das le la les".split())
_BEFORE_OBJECT: Final = frozenset(
    "on at to for from by with pay paid paying bei fur an von chez pour en".split()
)
_OPEN_START: Final = frozenset(("since", "seit", "depuis", "from", "after"))


@dataclass(frozen=True, slots=True)
class Period:
    """The days that a question is about, and its words without them. ``months`` are those that it names."""

    rest: str
    start: date | None = None
    end: date | None = None
    months: Sequence[str] = ()


def period_in(question: str, ledger: Ledger) -> Period:
    """The days that a question names. A month without a year is the latest of that name in the statements,
    and the last month their latest."""
    days = [entry.transaction.day for entry in ledger.entries]
    if not days:
        return Period(question)
    relative = _RELATIVE.search(question.casefold())
    if relative is not None:
        first, last = _relative(relative["unit"], relative["which"], days)
        rest = question[: relative.start()] + question[relative.end() :]
        return Period(rest, first, last)
    return _named(question, days)


def _relative(unit: str, which: str, days: Sequence[date]) -> tuple[date, date]:
    """A month or year by its distance from the end of the statements."""
    latest = max(days)
    if unit == "year":
        year = latest.year
        return date(year, 1, 1), date(year, 12, 31)
    months = sorted({month_of(day) for day in days})
    month = months[-2] if which == "previous" and len(months) > 1 else months[-1]
    return _whole(int(month[:4]), int(month[5:]))


def _named(question: str, days: Sequence[date]) -> Period:
    words = list(_WORD.finditer(question))
    texts = [without_accents(word[0].casefold()) for word in words]
    spans: list[tuple[date, date]] = []
    used: set[int] = set()
    for place, text in enumerate(texts):
        if place in used:
            continue
        if found := _ISO.fullmatch(text):
            spans.append(_of_iso(found))
            used.add(place)
        elif number := _month_at(texts, place):
            year = int(texts[place + 1]) if _is_year(texts, place + 1) else 0
            spans.append(_whole(year or _year_of(number, days), number))
            used |= {place, place + 1} if year else {place}
    if not spans:
        years = [place for place, text in enumerate(texts) if _is_year(texts, place)]
        spans = [(date(int(texts[place]), 1, 1), date(int(texts[place]), 12, 31)) for place in years]
        used |= set(years)
    rest = " ".join(word[0] for place, word in enumerate(words) if place not in used)
    if not spans:
        return Period(question)
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    is_open = len(spans) == 1 and bool(used) and min(used) > 0 and texts[min(used) - 1] in _OPEN_START
    months = tuple(sorted({month_of(start) for start, end in spans if month_of(start) == month_of(end)}))
    return Period(rest, first, None if is_open else last, months)


def _of_iso(found: re.Match[str]) -> tuple[date, date]:
    year, month = int(found[1]), min(max(int(found[2]), 1), 12)
    if found[3] is None:
        return _whole(year, month)
    day = date(year, month, min(max(int(found[3]), 1), calendar.monthrange(year, month)[1]))
    return day, day


def _month_at(texts: Sequence[str], place: int) -> int | None:
    text = texts[place]
    number = month_named(text) if _is_month(text) else None
    if number is None or text not in _WORDS_AS_MONTHS:
        return number
    if text != _MAY and any(each not in _WORDS_AS_MONTHS and _is_month(each) for each in texts):
        return number
    before = place > 0 and texts[place - 1] in _BEFORE_MONTH
    return number if before or _is_year(texts, place + 1) else None


def _is_month(text: str) -> bool:
    return (len(text) >= _LONG or text in _SHORT or text == _MAY) and month_named(text) is not None


def _is_year(texts: Sequence[str], place: int) -> bool:
    return place < len(texts) and _YEAR.fullmatch(texts[place]) is not None


def _year_of(month: int, days: Iterable[date]) -> int:
    known = list(days)
    return max((day.year for day in known if day.month == month), default=max(known).year)


def _whole(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def subject_in(question: str, asking: frozenset[str]) -> str:
    """What payments a question names: its telling words besides those of asking."""
    aside = asking | _ARTICLES | _BEFORE_OBJECT
    return " ".join(
        word for word in topic_words(question) if not set(plain_words(word)) <= aside and not word.isdigit()
    )


def is_object(subject: str, question: str) -> bool:
    """Whether a question is about payments for or to its subject, by the word before it."""
    first = subject.partition(" ")[0]
    words = [word for word in plain_words(question) if word not in _ARTICLES]
    return any(word == first and before in _BEFORE_OBJECT for before, word in pairwise(words))


def in_ledger(subject: str, ledger: Ledger) -> str:
    """The words of a subject that transactions have: all of them, or the most that some have together."""
    wanted = plain_words(subject)
    for length in range(len(wanted), 0, -1):
        for start in range(len(wanted) - length + 1):
            chosen = wanted[start : start + length]
            if any(matches(entry, chosen) for entry in ledger.entries):
                return " ".join(chosen)
    return ""


def category_named(subject: str) -> str:
    """The category that a subject names by its own name, or by a word for it that no shop has."""
    words = plain_words(subject)
    own = {_singular(word): name for name in names() for word in plain_words(name) if len(word) >= _LONG}
    for word in words:
        if _singular(word) in own:
            return own[_singular(word)]
    return next((category for word in words for category in _generic(word)), "")


def _generic(word: str) -> Sequence[str]:
    """The categories of a word that names things, not a company."""
    return (
        by_words(word)
        if word in things()
        else by_words(_singular(word))
        if _singular(word) in things()
        else ()
    )


@cache
def things() -> frozenset[str]:
    """Words for what is paid for, which are no names, in all languages."""
    languages = (shipped("statements/questions"), *shipped("statements/questions_by_language").values())
    return frozenset(word for language in languages for word in language["things"].split())


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and len(word) > _LONG else word
