"""The numbers of a message, each where it stands."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.stories import units
from finassist.domain.calculators.stories.clock import (
    CLOCK,
    DAYS_OF_MONTHS,
    MONTH,
    is_of_day,
    is_time,
    time_of,
)
from finassist.domain.calculators.stories.number_words import (
    FRACTIONS,
    IN_WORDS,
    ORDINAL_WORDS,
    TIMES,
    any_of,
    of_words,
)

_WORDS: Final[Mapping[str, Any]] = shipped("calculators/numbers")
_VULGAR: Final[Mapping[str, str]] = _WORDS["vulgar"]
_BOTH_WAYS: Final[str] = _WORDS["both_ways"]
_MARKS: Final = "['\u2019\u202f\u00a0\u066c]"
_DIGITS: Final = (
    rf"\d{{1,3}}(?:{_MARKS}\d{{3}})+(?:[.,]\d{{1,2}})?(?!\d)"
    r"|(?<=[Rr$\u20ac\u00a3\u20b9])\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?(?!\d)"
    r"|(?<![\d.,] )(?<![\d.,])\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?(?= ?(?:"
    rf"{_WORDS['signs_behind']})(?![^\W_]))"
    r"|\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?(?!\d)"
    r"|\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
    r"|\d+(?:\.\d+|(?<!\d,\d)(?<!\d,\d\d),\d{1,2}(?!,?\d))?|(?<![^\W_])\.\d+"
)
"""Groups by marks, by spaces behind a currency or before one, by commas (also those of lakhs) and by points;
else decimals behind a point or a comma."""
_SIGN: Final = r"[$\u00a3\u20ac\u20b9]"
_WORD_BEFORE: Final = r"(?<![^\W_])"
_WORD_BEHIND: Final = r"(?![^\W_])"
_NO_NUMBER: Final = (
    rf"401\(?k|403\(?b|{_WORD_BEFORE}\d+e\d+{_WORD_BEHIND}|{_WORD_BEFORE}(?a:{ORDINAL_WORDS}){_WORD_BEHIND}"
)
_ORDINAL: Final = r"\d+(?=(?:st|nd|rd|th)\b)"
_FRACTION: Final = r"(?<![\d/.,])(?P<fraction>[1-9]/(?:[2-9]|1[02]))(?![\d/])"
_MIXED: Final = (
    rf"(?:(?P<whole>\d{{1,3}}) ?)?(?P<part>{any_of(_VULGAR)})"
    r"|(?P<units>\d{1,3}) (?P<over>[1-9]/[248])(?![\d/])"
)
_MILLION: Final = "m"
_MEASURED: Final = "of|x|by|long|wide|high|tall|deep"
_MANY: Final = (
    rf"{any_of(TIMES.keys() - {_MILLION})}|(?(by)(?!)|(?<=\d){_MILLION}(?! (?:{_MEASURED}){_WORD_BEHIND}))"
    rf"|(?(sign){_MILLION}|(?!))"
)
"""Behind a space ``m`` is a metre, except for an amount with its currency; and so it is in ``5m by 4m``."""
_NUMBER: Final = re.compile(
    rf"(?P<none>{_NO_NUMBER})|(?P<ordinal>{_ORDINAL})"
    rf"|{_WORD_BEFORE}(?<![.,:])(?<!{_SIGN})(?a:{CLOCK}){_WORD_BEHIND}|{_MIXED}"
    rf"|(?P<sign>(?<={_SIGN}))?(?>(?P<by>(?<=by )|(?<=x ))?)(?>(?P<digits>{_DIGITS}))"
    rf" ?(?P<times>(?a:{_MANY}))(?!['\u2019]?[^\W_])"
    rf"|{_FRACTION}|(?>(?P<alone>{_DIGITS}))"
    rf"|{_WORD_BEFORE}(?a:(?P<name>{any_of(FRACTIONS)})|(?P<words>{IN_WORDS})"
    rf"|(?P<ways>{_BOTH_WAYS})|(?P<month>{MONTH})){_WORD_BEHIND}",
    re.IGNORECASE,
)
"""``none`` is what is no number that a sum takes: 401(k), 1e5, twenty-third."""
_GROUPED_BY_POINTS: Final = re.compile(_WORDS["grouped_by_points"], re.IGNORECASE)
"""A number that tells how others beside it are written: ``38,5``, ``20.000``, ``2.340 euros``, but not
``1.789 euros a litre``."""
_GROUPED_BY_COMMAS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d)")
_SPACES: Final = re.compile(r"[ '\u2019\u202f\u00a0\u066c]")
_DIGITS_ALONE: Final = re.compile(r"[\d.,]+")
_POINTS: Final = re.compile(r"[.,]")
_WAYS: Final = 2
_GROUP: Final = 3
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_HUNDREDTH: Final = Decimal("0.01")
_SMALL: Final = 10
_LARGE: Final = 100


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, its value, its place among the characters, and its unit where words beside
    it tell one. ``fraction`` is one that has no end as a decimal, as a division; ``has_points`` is whether
    points part thousands where it is written."""

    written: str
    value: Decimal
    start: int
    fraction: str = ""
    unit: str = ""
    has_points: bool = False

    @property
    def shown(self) -> str:
        """The number as it is written, with commas between thousands and a point before decimals."""
        return (
            f"{self.value:,f}" if self.has_points and _DIGITS_ALONE.fullmatch(self.written) else self.written
        )

    @property
    def told(self) -> str:
        """The number as an expression has it."""
        return self.fraction or f"{self.value:f}"

    def in_unit(self, wanted: str) -> "Number | None":
        """The same number in another unit; None where it cannot be told in that one."""
        times = units.factor(self.unit, wanted)
        if times is None or times == 1:
            return None if times is None else self
        value = self.value * times.numerator / times.denominator
        is_exact = Fraction(value) == Fraction(self.value) * times
        fraction = "" if is_exact else f"({self.told} * {times.numerator} / {times.denominator})"
        return replace(self, value=value, fraction=fraction, unit=wanted)


def numbers_in(text: str) -> Sequence[Number]:
    """The numbers of a text in their order: digits with or without separators, ``2.5 lakh``, words, times of
    the clock in hours, two for ``each way``, and the name of a month beside a day as its days."""
    found = [each for each in _NUMBER.finditer(text) if not each["none"]]
    has_points = is_grouped_by_points(text)
    return [
        _number(each, text, has_points)
        for place, each in enumerate(found)
        if not each["month"] or is_of_day(found, place, text)
    ]


def _number(found: re.Match[str], text: str, has_points: bool) -> Number:
    unit = _unit(found, text)
    value = _value(found, has_points and unit != units.PERCENT and not found["times"])
    return Number(found[0], value, found.start(), _fraction(found), unit, has_points)


def is_grouped_by_points(text: str) -> bool:
    """Whether a text writes ``1.234,50`` for 1,234.50, and no ``1,234``."""
    return _GROUPED_BY_POINTS.search(text) is not None and _GROUPED_BY_COMMAS.search(text) is None


def _unit(found: re.Match[str], text: str) -> str:
    if is_time(found):
        return units.CLOCK
    if found["ordinal"]:
        return units.ORDINAL
    return units.DAYS if found["month"] else units.unit_of(text, found.start(), found.end())


def _fraction(found: re.Match[str]) -> str:
    """``1 / 3`` for a third, and hours with their minutes; empty for any other number."""
    if is_time(found):
        hour, minute = time_of(found)
        return f"({hour} + {minute} / 60)" if minute else ""
    parts = found["fraction"] or FRACTIONS.get((found["name"] or "").lower(), "")
    return f"({parts.replace('/', ' / ')})" if parts else ""


def _value(found: re.Match[str], has_points: bool) -> Decimal:
    """What a number is; with ``has_points`` a point before three digits parts thousands."""
    if is_time(found):
        hour, minute = time_of(found)
        return hour + Decimal(minute) / 60
    if fraction := _fraction(found) or found["over"]:
        one, other = fraction.strip("()").split("/")
        return Decimal(found["units"] or 0) + Decimal(one) / Decimal(other)
    if found["part"]:
        return Decimal(found["whole"] or 0) + Decimal(_VULGAR[found["part"]])
    if found["words"]:
        return of_words(found["words"])
    if found["month"]:
        return Decimal(DAYS_OF_MONTHS[found["month"].lower()])
    if found["ways"]:
        return Decimal(_WAYS)
    value = _of_digits(found["digits"] or found["alone"] or found["ordinal"], has_points)
    return value * TIMES[found["times"].lower()] if found["times"] else value


def _of_digits(digits: str, has_points: bool) -> Decimal:
    """``1,395.50``, ``1.395,50``, ``1,00,000``, ``12,50``: the last separator is that of the decimals when it
    is another than before it, or a group of three does not follow it. ``1.395`` has decimals, unless points
    part thousands in the message; ``0.395`` always has."""
    digits = _SPACES.sub("", digits)
    signs = _POINTS.findall(digits)
    if not signs:
        return Decimal(digits)
    head, _, tail = digits.rpartition(signs[-1])
    is_mixed = len(set(signs)) > 1
    is_parted = signs[-1] == "," or len(signs) > 1 or (has_points and head.lstrip("0") != "")
    is_group = len(tail) == _GROUP and not is_mixed and is_parted
    whole = _POINTS.sub("", head)
    return Decimal(f"{whole}{tail}") if is_group else Decimal(f"{whole or 0}.{tail}")


def plain(text: str, numbers: Sequence[Number]) -> tuple[str, Sequence[int]]:
    """The text as the network reads it, with each number as few digits as tell how large it is (``48,213.50``
    is ``48000``), and where each begins: long numbers are many tokens, and their last digits say nothing."""
    parts: list[str] = []
    starts: list[int] = []
    end = length = 0
    for number in numbers:
        parts += (text[end : number.start], _short(number))
        starts.append(length + len(parts[-2]))
        length = starts[-1] + len(parts[-1])
        end = number.start + len(number.written)
    return "".join((*parts, text[end:])), starts


def _short(number: Number) -> str:
    value, first = number.value, number.written[0]
    if not (first.isdigit() or first == ".") or number.unit == units.CLOCK or _YEAR.fullmatch(number.written):
        return number.written
    if value < _SMALL:
        return f"{value.quantize(_HUNDREDTH).normalize():f}"
    return f"{Decimal(f'{value:.1e}'):f}" if value >= _LARGE else f"{value:.0f}"
