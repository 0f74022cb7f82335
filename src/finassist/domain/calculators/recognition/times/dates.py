"""Two dates of a text as the time between them: "since 3 March 2025 … today is 29 Nov 2026"."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/dates"))
MONTHS: Final[Mapping[str, int]] = {
    name: number + 1 for number, names in enumerate(_DATA["months"]) for name in names.split("|")
}
"""The number of each month by its names."""
MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR: Final = r"(?P<{}>(?:19|20)\d\d)"
_DATE: Final = late_pattern(
    r"(?<![\w.,/-])(?:(?:the )?(?:"
    rf"(?P<d1>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?[ -](?:of |de |di )?"
    rf"(?P<m1>{MONTH})\.?,?[ -](?:of |de |del |di )?"
    + _YEAR.format("y1")
    + rf"|(?P<m2>{MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? "
    + _YEAR.format("y2")
    + "|"
    + _YEAR.format("y3")
    + r"-(?P<n3>\d\d)-(?P<d3>\d\d)|(?P<d4>\d{1,2})\.(?P<n4>\d{1,2})\."
    + _YEAR.format("y4")
    + r"))(?![\w/-]|[.,]\d)"
)
_BETWEEN: Final = late_pattern(rf"(?<!\w)(?:{_DATA['until_now']})\W*$|^\W*(?:{_DATA['is_today']})(?!\w)")
_BETWEEN_BOTH: Final = late_pattern(rf"(?<!\w)(?:{_DATA['between']}) $")
_AND: Final = late_pattern(rf" (?:{_DATA['and']}) ")
_PAIR: Final = 2


def with_time_between(text: str) -> str:
    """A text with two whole dates, of which the later one is today's or an end, with the days between them in
    place of both; every other text as it is."""
    found = list(_DATE.finditer(text))
    days = [_day(match) for match in found]
    if len(found) != _PAIR or None in days:
        return text
    (one, other), (first, second) = found, cast("list[date]", days)
    early, late = (one, other) if first <= second else (other, one)
    gap = abs((second - first).days)
    is_pair = _BETWEEN_BOTH.search(text[: one.start()]) and _AND.fullmatch(text[one.end() : other.start()])
    around = (text[: late.start()], text[late.end() :])
    if not gap or not (is_pair or any(map(_BETWEEN.search, around))):
        return text
    start, end = one.start(), other.end()
    told = {early: _DATA["then"], late: f"{_DATA['now_after']} {gap} days"}
    return f"{text[:start]}{told[one]}{text[one.end() : other.start()]}{told[other]}{text[end:]}"


def _day(match: re.Match[str]) -> date | None:
    """The day that a date names; None when there is none."""
    given = {name[0]: value for name, value in match.groupdict().items() if value}
    month = int(given["n"]) if "n" in given else MONTHS[given["m"]]
    try:
        return date(int(given["y"]), month, int(given["d"]))
    except ValueError:
        return None
