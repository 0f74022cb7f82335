"""The days of a month that something is paid for, where a text tells the date on which it begins or ends."""

import re
from calendar import monthrange
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.times.dates import MONTH, MONTHS
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/words")["month_days"])
_DATE: Final = (
    rf"(?:(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:(?: of)? (?P<month>{MONTH})\b|(?<=st|nd|rd|th)\b)"
    rf"|(?P<named>{MONTH}) (?:the )?(?P<number>\d{{1,2}})(?:st|nd|rd|th)?\b)"
)
_PART: Final = late_pattern(rf"\b(?:{_DATA['of_part']})\b")
_INCLUDED: Final = late_pattern(rf",? ?\b(?:{_DATA['included']})(?: (?:the )?\d{{1,2}}(?:st|nd|rd|th))?\b")
_EXCLUDED: Final = late_pattern(rf"\b(?:{_DATA['excluded']})\b")
_LAST: Final = late_pattern(rf"\b(?P<lead>(?P<is_last>{_DATA['last_day']})|{_DATA['until']}) (?:on )?{_DATE}")
_FIRST: Final = late_pattern(rf"\b(?P<lead>{_DATA['from']}) (?:on )?{_DATE}")
_LENGTH: Final = late_pattern(rf"\b(?:{_DATA['length']})\b")
_FEBRUARY: Final = 2
_ANY_YEAR: Final = 2001


def with_days_of_month(text: str) -> str:
    """The text with so many days of the month in place of the date on which its pay or rent begins or ends;
    unchanged when it tells no part of a month, or leaves open whether the day itself counts."""
    last, first = list(_LAST.finditer(text)), list(_FIRST.finditer(text))
    told = {int(date["day"] or date["number"]) for date in last + first}
    if bool(last) is bool(first) or len(told) != 1 or not _PART.search(text) or _EXCLUDED.search(text):
        return text
    date = (last or first)[0]
    length = _length(text, date)
    [day] = told
    if not 0 < day <= length:
        return text
    is_whole = _INCLUDED.search(text) is not None or bool(first) or any(each["is_last"] for each in last)
    if not is_whole:
        return text
    days = day if last else length - day + 1
    part = f"{date['lead']} then for {days} days of a {length} day month"
    rest = _INCLUDED.sub("", _LENGTH.sub("that month", text[date.end() :]))
    return f"{_LENGTH.sub('that month', text[: date.start()])}{part}{rest}"


def _length(text: str, date: re.Match[str]) -> int:
    """How many days the month has: as told, or by its name; 0 for February, which has two lengths."""
    told = _LENGTH.search(text)
    if told is not None:
        return int(next(filter(None, told.groups())))
    name = date["month"] or date["named"] or ""
    month = MONTHS.get(name, _FEBRUARY)
    return 0 if month == _FEBRUARY else monthrange(_ANY_YEAR, month)[1]
