"""Dates as exports of banks write them, and the order of day and month in a column."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from finassist.data import shipped

_LENGTH_MAX: Final = 40
_MONTHS_MAX: Final = 12
_TURN: Final = 70
"""Two-digit years from here on are of the last century."""
_YEARS: Final = range(1970, 2100)

_NUMERIC: Final = re.compile(r"(\d{1,4})(?P<mark>[./\- '])(\d{1,2})[./\- '](\d{4}|\d{2})(?!\d)")
_YEAR_FIRST: Final = re.compile(r"(\d{4})[./\- ](\d{1,2})[./\- ](\d{1,2})(?!\d)")
_COMPACT: Final = re.compile(r"(\d{4})(\d{2})(\d{2})(?!\d)")
_DAY_FIRST: Final = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th)?[\s./-]*([^\W\d_]{3,10})\.?[\s,./-]*(\d{4}|\d{2})?(?!\d)"
)
_MONTH_FIRST: Final = re.compile(r"([^\W\d_]{3,10})\.?\s*(\d{1,2})(?:st|nd|rd|th)?,?(?:\s+(\d{4}))?(?!\d)")
_REST: Final = re.compile(r"(?:[T\s,]+\d{1,2}[:.]\d{2}.*|[T\s]*\[.*|Z)?")
_WEEKDAY: Final = re.compile(r"^[^\W\d_]{2,10}[.,]\s+(?=\d)")


class Order(StrEnum):
    """Which of two numbers is the day."""

    DAY_FIRST = "day"
    MONTH_FIRST = "month"


@dataclass(frozen=True, slots=True)
class OrderFound:
    """The order of a column. ``note`` says that it was chosen, and why, when the dates do not tell."""

    order: Order
    note: str = ""


def is_date(text: str) -> bool:
    """Whether a text is a date in some order."""
    return any(date_of(text, order) is not None for order in Order)


@lru_cache(maxsize=4096)
def date_of(text: str, order: Order, year: int | None = None) -> date | None:
    """The date; None for what is no date in this order. ``year`` is for dates without one."""
    bare = _WEEKDAY.sub("", text.strip(), count=1)
    if not bare or len(bare) > _LENGTH_MAX:
        return None
    for pattern, parts in ((_YEAR_FIRST, (1, 2, 3)), (_COMPACT, (1, 2, 3))):
        if (found := pattern.match(bare)) and _REST.fullmatch(bare, found.end()):
            return _date(*(int(found[part]) for part in parts))
    if (found := _NUMERIC.match(bare)) and _REST.fullmatch(bare, found.end()):
        one, other = int(found[1]), int(found[3])
        day, month = (one, other) if order is Order.DAY_FIRST else (other, one)
        return _date(_year(found[4]), month, day)
    return _named(bare, year)


def _named(text: str, year: int | None) -> date | None:
    for pattern, day, month in ((_DAY_FIRST, 1, 2), (_MONTH_FIRST, 2, 1)):
        found = pattern.match(text)
        if found is None or not _REST.fullmatch(text, found.end()):
            continue
        number = month_named(found[month])
        written = _year(found[3]) if found[3] else year
        if number is not None and written is not None:
            return _date(written, number, int(found[day]))
    return None


def _year(digits: str) -> int:
    number = int(digits)
    if len(digits) > 2:
        return number
    return number + (1900 if number >= _TURN else 2000)


def _date(year: int, month: int, day: int) -> date | None:
    if year not in _YEARS:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def month_named(name: str) -> int | None:
    """The number of a month by its name or the beginning of it, in the languages of ``months``."""
    plain = without_accents(name.casefold().rstrip("."))
    return _months().get(plain)


@cache
def _months() -> dict[str, int]:
    return {
        name: number
        for number, names in enumerate(shipped("statements/columns")["months"], 1)
        for name in names.split()
    }


def without_accents(text: str) -> str:
    """A text with plain letters."""
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("ł", "l"))
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def order_of(texts: Sequence[str], currencies: Iterable[str] = ()) -> OrderFound:
    """The order of day and month in a column: what a number above twelve tells, then points between them,
    then the only order in which the rows are sorted, then the currency."""
    pairs = [
        (int(found[1]), int(found[3]), found["mark"])
        for text in texts
        if (found := _NUMERIC.match(text.strip())) and not _YEAR_FIRST.match(text.strip())
    ]
    days = sum(one > _MONTHS_MAX for one, _, _ in pairs)
    months = sum(other > _MONTHS_MAX for _, other, _ in pairs)
    if days or months or not pairs:
        return OrderFound(Order.DAY_FIRST if days >= months else Order.MONTH_FIRST)
    if all(mark == "." for *_, mark in pairs) or all(one == other for one, other, _ in pairs):
        return OrderFound(Order.DAY_FIRST)
    sorted_in = [order for order in Order if _is_sorted([date_of(text, order) for text in texts])]
    if len(sorted_in) == 1:
        return OrderFound(sorted_in[0], _said(texts, sorted_in[0], "the rows are in order that way"))
    american = any(code in shipped("statements/columns")["month_first"] for code in currencies)
    order = Order.MONTH_FIRST if american else Order.DAY_FIRST
    return OrderFound(order, _said(texts, order, "no row tells which it is"))


def _is_sorted(days: Sequence[date | None]) -> bool:
    known = [day for day in days if day is not None]
    pairs = list(pairwise(known))
    return (
        len(known) == len(days)
        and bool(pairs)
        and (all(one <= other for one, other in pairs) or all(one >= other for one, other in pairs))
    )


def _said(texts: Sequence[str], order: Order, why: str) -> str:
    example = next(
        text for text in texts if date_of(text, Order.DAY_FIRST) != date_of(text, Order.MONTH_FIRST)
    )
    day = date_of(example, order)
    shown = f"{day.day} {day:%B %Y}" if day else order.value
    return f"Dates may be day/month or month/day: I read {example.strip()} as {shown}, as {why}."
