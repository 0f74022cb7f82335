"""Times of the clock and names of months, as the numbers that sums take them for."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.stories.number_words import any_of

_WORDS: Final[Mapping[str, Any]] = shipped("calculators/numbers")
DAYS_OF_MONTHS: Final[Mapping[str, str]] = _WORDS["days_of_months"]
CLOCK: Final = (
    r"(?P<hour>0?[1-9]|1[0-2])(?:[:.](?P<minute>[0-5]\d))?(?(minute)(?:(?<=:..) | (?=a))?)(?P<half>[ap])\.?m"
    r"|(?P<hour_of_day>[01]?\d|2[0-3]):(?P<minute_of_hour>[0-5]\d)"
)
"""The pattern of a time: 7:45am, 4:20 pm, 9am, 16:20. A space keeps ``14 pm`` what it is: 14 a month."""
MONTH: Final = any_of(DAYS_OF_MONTHS)
_BETWEEN: Final = re.compile("(?:st|nd|rd|th)? (?:of )?")
_DAYS_MAX: Final = 31
_NOON: Final = 12


def is_time(found: re.Match[str]) -> bool:
    """Whether what was found is a time of the clock."""
    return bool(found["hour"] or found["hour_of_day"])


def time_of(found: re.Match[str]) -> tuple[int, int]:
    """The hour of the day and the minute."""
    if found["hour_of_day"]:
        return int(found["hour_of_day"]), int(found["minute_of_hour"])
    after_noon = _NOON if found["half"].lower() == "p" else 0
    return int(found["hour"]) % _NOON + after_noon, int(found["minute"] or 0)


def is_of_day(found: Sequence[re.Match[str]], place: int, text: str) -> bool:
    """Whether the name of a month stands beside its day: the 19th of June, 19 June, June 19th."""
    month = found[place]
    for before in found[max(0, place - 1) : place]:
        day = before["ordinal"] or before["alone"] or ""
        is_day = day.isdecimal() and int(day) <= _DAYS_MAX
        if is_day and _BETWEEN.fullmatch(text, before.end(), month.start()):
            return True
    after = found[place + 1 : place + 2]
    return any(each["ordinal"] and _BETWEEN.fullmatch(text, month.end(), each.start()) for each in after)
