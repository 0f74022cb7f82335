"""The days that a question is about, as it names them."""

import calendar
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from typing import Final

from finassist.data import shipped
from finassist.domain.statements.dates import month_named, without_accents
from finassist.domain.statements.ledger import Ledger
from finassist.domain.statements.wording import month_of

_LONG: Final = 4
_MAY: Final = "may"
_WORDS_AS_MONTHS: Final = frozenset((_MAY, "mar", "march", "marca"))
"""Months that are other words, too: only after a preposition or a day, before a year, or beside a month."""
_WORD: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2})?|[^\W_]+")
_NO_YEAR: Final = 0
"""The only one of four digits that no date has."""
_YEAR: Final = re.compile(r"(?:19|20)\d{2}")
_ISO: Final = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_DAY: Final = re.compile(r"([12]?\d|3[01]|0[1-9])(?:st|nd|rd|th|er)?")
_QUARTER: Final = re.compile(r"q([1-4])")
_BETWEEN: Final = frozenset(("of", "de"))
"""What may stand between a day and its month."""
_ORDINALS: Final = ("first", "second", "third", "fourth")
_YEAR_MONTHS: Final = 12
_QUARTER_MONTHS: Final = 3


@dataclass(frozen=True, slots=True)
class Period:
    """The days that a question is about, and its words without them. ``months`` are the whole ones that it
    names."""

    rest: str
    start: date | None = None
    end: date | None = None
    months: Sequence[str] = ()


@dataclass(slots=True)
class _Found:
    """Spans of days, and the places of the words that name them."""

    spans: list[tuple[date, date]] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def add(self, span: tuple[date, date], places: Iterable[int]) -> None:
        self.spans.append(span)
        self.used.update(places)


def period_in(question: str, ledger: Ledger) -> Period:
    """The days that a question names. A month without a year is the latest of that name in the statements,
    and the last month their latest."""
    days = sorted({entry.transaction.day for entry in ledger.entries})
    if not days:
        return Period(question)
    words = [word[0] for word in _WORD.finditer(question)]
    texts = [without_accents(word.casefold()) for word in words]
    found = _Found()
    _find_quarters(texts, days, found)
    _find_dates(texts, days, found)
    if not found.spans:
        _find_relative(texts, days, found)
    if not found.spans:
        for place in (place for place in range(len(texts)) if _is_year(texts, place)):
            year = int(texts[place])
            found.add((date(year, 1, 1), date(year, _YEAR_MONTHS, 31)), (place,))
    return _period(words, texts, found) if found.spans else Period(question)


def _period(words: Sequence[str], texts: Sequence[str], found: _Found) -> Period:
    before = _words("before")
    joining = set()
    for place in found.used:
        while place > 0 and place - 1 not in found.used and texts[place - 1] in before:
            place -= 1
            joining.add(place)
    rest = " ".join(word for place, word in enumerate(words) if place not in found.used | joining)
    first, last = min(start for start, _ in found.spans), max(end for _, end in found.spans)
    named = {texts[place] for place in joining} if len(found.spans) == 1 else set()
    whole = [start for start, end in found.spans if (start, end) == _whole(start.year, start.month)]
    return Period(
        rest,
        None if named & _words("open_end") else first,
        None if named & _words("open_start") else last,
        tuple(sorted(set(map(month_of, whole)))),
    )


def _find_dates(texts: Sequence[str], days: Sequence[date], found: _Found) -> None:
    """Days and months by their names or numbers."""
    for place, text in enumerate(texts):
        if place in found.used:
            continue
        if iso := _ISO.fullmatch(text):
            if int(iso[1]) != _NO_YEAR:
                found.add(_of_iso(iso), (place,))
        elif number := _month_at(texts, place):
            places = [place]
            if _is_year(texts, place + 1):
                places.append(place + 1)
            year = int(texts[places[-1]]) if len(places) > 1 else _year_of(number, days)
            day, around = _day_beside(texts, place, found.used)
            places += around
            if len(places) > 1 and not _is_year(texts, place + 1) and _is_year(texts, max(places) + 1):
                places.append(max(places) + 1)  # February 3, 2025
                year = int(texts[max(places)])
            found.add(_on(year, number, day) if day else _whole(year, number), places)
            if day:
                first, earlier = _first_of_two(texts, min(around), place)
                found.spans += [_on(year, number, first)] if first else []
                found.used.update(earlier)


def _day_beside(texts: Sequence[str], place: int, used: set[int]) -> tuple[int, Sequence[int]]:
    """The day before or after a month, and the places of its words; 0 for none."""
    before = [place - 1]
    if place > 1 and texts[place - 1] in _BETWEEN:
        before = [place - 1, place - 2]
    for places in (before, [place + 1]):
        at = places[-1]
        if 0 <= at < len(texts) and at not in used and (found := _DAY.fullmatch(texts[at])):
            return int(found[1]), places
    return 0, ()


def _first_of_two(texts: Sequence[str], at: int, month: int) -> tuple[int, Sequence[int]]:
    """The day before another one of the same month, "1 to 15 January", and the places of its words."""
    for places in ((at - 1,), (at - 1, at - 2)):
        joined = len(places) == 1 or (places[0] >= 0 and texts[places[0]] in _words("between_days"))
        if at < month and joined and places[-1] >= 0 and (found := _DAY.fullmatch(texts[places[-1]])):
            return int(found[1]), places
    return 0, ()


def _find_quarters(texts: Sequence[str], days: Sequence[date], found: _Found) -> None:
    for place, text in enumerate(texts):
        number, places = 0, [place]
        if short := _QUARTER.fullmatch(text):
            number = int(short[1])
        elif text in _units()["quarter"] and place > 0 and (which := _which(texts[place - 1])) in _ORDINALS:
            number, places = _ORDINALS.index(which) + 1, [place - 1, place]
        if not number:
            continue
        later = next((at for at in (place + 1, place + 2) if _is_year(texts, at)), 0)
        if later:
            places += range(place + 1, later + 1)
        last = number * _QUARTER_MONTHS
        year = int(texts[later]) if later else _year_of(last, days)
        found.add((date(year, last - 2, 1), _whole(year, last)[1]), places)


def _find_relative(texts: Sequence[str], days: Sequence[date], found: _Found) -> None:
    """Days by their distance from the end or the beginning of the statements: "last month", "last 3 months",
    "mois dernier"."""
    for place, text in enumerate(texts):
        unit = next((unit for unit, words in _units().items() if text in words), "")
        if not unit:
            continue
        count, before = 1, place - 1
        if before >= 0 and (count := _number(texts[before])):
            before -= 1
        count = count or 1
        for at in (before, place + 1):
            which = _which(texts[at]) if 0 <= at < len(texts) else ""
            if which and which not in _ORDINALS[1:]:
                places = range(min(at, place), max(at, place) + 1)
                for span in _relative(unit, which, count, days):
                    found.add(span, places)
                return


def _relative(unit: str, which: str, count: int, days: Sequence[date]) -> Iterator[tuple[date, date]]:
    """Spans of days; of months each."""
    first, latest = days[0], days[-1]
    if unit in ("day", "week"):
        length = timedelta(days=count * (7 if unit == "week" else 1) - 1)
        yield (first, first + length) if which == "first" else (latest - length, latest)
    elif unit == "year":
        year = first.year if which == "first" else latest.year
        yield date(year, 1, 1), date(year, _YEAR_MONTHS, 31)
    elif unit == "quarter":
        last = -(-latest.month // _QUARTER_MONTHS) * _QUARTER_MONTHS
        yield date(latest.year, last - 2, 1), _whole(latest.year, last)[1]
    elif which == "first":
        yield _whole(first.year, first.month)
    else:
        for number in range(count):
            month = _months_before(latest, number + (which == "previous"))
            yield _whole(month.year, month.month)


def _months_before(day: date, count: int) -> date:
    """The first day of the month so many months before."""
    number = day.year * _YEAR_MONTHS + day.month - 1 - count
    return date(number // _YEAR_MONTHS, number % _YEAR_MONTHS + 1, 1)


def _number(text: str) -> int:
    numbers: Sequence[str] = shipped("statements/time_words")["numbers"].split()
    if text in numbers:
        return numbers.index(text) + 1
    return min(int(text), 366) if text.isdecimal() and len(text) <= _QUARTER_MONTHS else 0


def _which(text: str) -> str:
    words: Mapping[str, str] = shipped("statements/time_words")["which"]
    return next((which for which, known in words.items() if text in known.split()), "")


@cache
def _units() -> Mapping[str, frozenset[str]]:
    units: Mapping[str, str] = shipped("statements/time_words")["units"]
    return {unit: frozenset(words.split()) for unit, words in units.items()}


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(shipped("statements/time_words")[name].split())


def _of_iso(found: re.Match[str]) -> tuple[date, date]:
    year, month = int(found[1]), min(max(int(found[2]), 1), _YEAR_MONTHS)
    return _whole(year, month) if found[3] is None else _on(year, month, int(found[3]))


def _on(year: int, month: int, day: int) -> tuple[date, date]:
    """A day, the last of the month where it has fewer."""
    found = date(year, month, min(max(day, 1), calendar.monthrange(year, month)[1]))
    return found, found


def _month_at(texts: Sequence[str], place: int) -> int | None:
    text = texts[place]
    number = month_named(text) if _is_month(text) else None
    if number is None or text not in _WORDS_AS_MONTHS:
        return number
    if text != _MAY and any(each not in _WORDS_AS_MONTHS and _is_month(each) for each in texts):
        return number
    beside = place > 0 and (texts[place - 1] in _words("before") or _DAY.fullmatch(texts[place - 1]))
    return number if beside or _is_year(texts, place + 1) else None


def _is_month(text: str) -> bool:
    return (len(text) >= _LONG or text in _words("short_months") or text == _MAY) and month_named(
        text
    ) is not None


def _is_year(texts: Sequence[str], place: int) -> bool:
    return place < len(texts) and _YEAR.fullmatch(texts[place]) is not None


def _year_of(month: int, days: Iterable[date]) -> int:
    known = list(days)
    return max((day.year for day in known if day.month == month), default=max(known).year)


def _whole(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
