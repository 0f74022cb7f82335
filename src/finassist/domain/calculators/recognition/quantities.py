"""The numbers of a text, as people write them: 20k, $20,000, 1.5 lakh, 7.5% p.a., 30 yrs, 28/hr, 3 ways.

Reading is strict: a text with a number of no such kind, or that can be read in two ways, is not
read at all.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from itertools import zip_longest
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.spellings import QUANTITY, SCALES, UNITS, decimal_of, scale_of
from finassist.domain.calculators.recognition.times.periods import AFTER_PERIOD, period_of, period_of_several
from finassist.domain.calculators.recognition.wording import (
    CONTINENTAL_WORDS,
    CURRENCIES,
    RATE_CUES,
    RATE_LINKS,
    worded,
)
from finassist.domain.calculators.stories.numbers import is_grouped_by_points
from finassist.patterns import late_pattern

_VALUE_MAX: Final = Decimal(10) ** 20
"""Larger numbers are unclear: beyond every limit of the calculators, and of plain decimal operations."""
_SAID: Final[Mapping[str, Any]] = shipped("calculators/recognition")["quantities"]
_PRICED: Final[Mapping[str, str]] = _SAID["priced"]
_PER_UNIT: Final = late_pattern(
    rf"\s*(?:{_SAID['per']})\s*(?:"
    + "|".join(f"(?P<{name}>(?:{said})\\b)" for name, said in _PRICED.items())
    + ")"
)
_THREE_DECIMALS: Final = late_pattern(r"\d+\.\d{3}")
_WHOLE_THOUSANDS: Final = late_pattern(r"[1-9]\d{0,2}\.000")
_OF_PAY: Final = late_pattern(rf" ?(?:{_SAID['of_pay']})\b")
_OF_A_FORM: Final = late_pattern(r"-([^\W\d_]{1,4})(?!\w)")
"""Letters behind the number of a form: 1099-misc, 1042-s."""
_FORM_DIGITS: Final = re.compile(r"\d{3,4}")
_A_FORM: Final = late_pattern(r"(?<!\w)an? $")
_NO_NOUN: Final = late_pattern(r" (?:and|or|vs\.?|versus) |[?!.,;]|$")
"""What follows "a 1099", of which no word tells what it is a number of."""
_CALENDAR_YEAR: Final = late_pattern(rf"\b(?:{_SAID['before_year']}) $")
_YEAR: Final = late_pattern(r"(?:19|20)\d\d")
_PERSONAL: Final = late_pattern(
    rf"[-\s]*(?:(?:small|young|little|grown|school) )?(?:{_SAID['family']})\b(?! [^\W\d]+ (?:at|@|each|x)\b)"
    r"(?! (?:at|@|x|à|zu|je) [$€£]?$)"
)
_AGES: Final[Mapping[str, str]] = shipped("calculators/asides")
_AGED_BEFORE: Final = late_pattern(rf"(?<!\w)(?:{_AGES['persons']})(?: (?:{_AGES['are_aged']})){{0,2}} $")
_I_AM_AGED: Final = late_pattern(rf"(?<!\w)(?:{_AGES['i_am_aged']}) $")
_AGED_AFTER: Final = late_pattern(rf" (?:{_AGES['aged']})(?!\w)")
_TO_DO: Final = late_pattern(rf" (?:{_AGES['to_do']})(?!\w)")
_SIGNED: Final = late_pattern(r"[-+\u00b1~<>*^]\s?$")
_NO_YEARLY_RATE: Final = late_pattern(
    r"\s*(?:(?:interest |return )?(?:per|a|each|every|/) ?(?:week|quarter)\b|(?:interest |return )?"
    r"(?:each|every) month\b|weekly(?! compound))"
)
_DAILY_RATE: Final = late_pattern(
    r"\s*(?:(?:simple )?(?:interest |return )?(?:per|a|each|every|/) ?day\b|daily(?! compound))"
)
_DAYS: Final = 365
_MONTHLY_RATE: Final = late_pattern(rf"\s*(?:{_SAID['monthly_rate']})")
_RATE_BEFORE: Final = late_pattern(rf"(?:@|\b(?:{RATE_CUES})(?: (?:{RATE_LINKS}))*) ?$")
_NUMBERED: Final = late_pattern(rf"\b(?:{_SAID['numbered']})(?:'s)?(?: (?:of|is|was))? $")
_CONTINENTAL: Final = frozenset(("€", "R$", "CHF"))
_COUNTED: Final = late_pattern(rf"\s*(?:{_SAID['counted']})\b")
_CONTINENTAL_WORDS: Final = late_pattern(rf"\b(?:{CONTINENTAL_WORDS})\b")
"""Words of languages that write a comma before decimals."""
_SHARED_BY: Final = late_pattern(rf"\b(?:{_SAID['shared']})\b[^,.;]{{0,25}}\b(?:{_SAID['among']}) $")
"""Words before the number of those who share something."""
_AND_NUMBER: Final = late_pattern(r" (?:and|to|-|und|et|y|e) ?$| ?%")
_TRADED_AT: Final = late_pattern(rf"\b(?:{_SAID['traded_at']}) $")
"""Words before an exchange rate, which has three decimals and no unit."""
_QUOTE: Final = late_pattern(r"\(([^\s():]+):([^\s():]+)\)")
_EXCHANGED: Final = late_pattern(rf"\([^\s():]+:[^\s():]+\)|\b(?:{_SAID['there_and_back']})\b")
_PESOS: Final = frozenset(("₱", "MXN"))
_TO: Final = late_pattern(r" ?(?:to|and|auf|bis|à|a|para|-|se) ?")
_OUT_OF: Final = late_pattern(r" (?:(?:out )?of|von|de|di|sur)(?: (?:the|my))? ")
_SCALED: Final = late_pattern(rf"\d ?(?P<scale>{'|'.join(SCALES)})$")
_ONE_DECIMAL: Final = late_pattern(r"\d{1,3}[.,]\d")
_HAVE: Final = late_pattern(rf"\b(?:{_SAID['have']}) $")
_HELD: Final = late_pattern(rf"^ (?:{_SAID['held']})\b")
_TIMES_MOST: Final = 100
_ALIKE: Final = 10
"""At most so many times larger or smaller is a number in the same scale."""
_NAMED_LIKE_DOLLARS: Final = frozenset("₱")
"""Pesos are written with the sign of the dollar in many countries."""
_SMALL_MAX: Final = 100
_SMALL_RATE: Final = 10
_BARE_RATE_MAX: Final = 40


class Kind(Enum):
    """What a number in a text is."""

    AMOUNT = "amount"
    MONTHLY_AMOUNT = "amount a month"
    PAY = "amount a year, week, day or hour"
    RATE = "rate"
    TERM = "term"
    DAYS = "days"
    PEOPLE = "people"
    HOURS = "hours a week"
    HOURS_A_DAY = "hours a day"
    HOURS_IN_ALL = "hours"
    WEEKS = "weeks"
    TIMES = "how often in a period"
    COUNT = "number of things"
    MEASURE = "distance, weight, power or consumption"
    PRICE = "price of a unit"
    ASIDE = "number that no calculation takes"
    SMALL = "small whole number, perhaps an age"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and the text around it, as far as the quantities beside it. ``value`` is money, percent a
    year, months, days, or years of age; ``written`` is how it stood there, ``is_bare`` a number without a
    unit, ``per`` the period of an amount that is paid again and again, or that a rate was told for."""

    kind: Kind
    value: Decimal
    before: str
    after: str
    written: str = ""
    is_bare: bool = False
    per: str | None = None
    symbol: str = ""
    unit: str = ""
    """Of a measure or of the price of one."""


def read_quantities(question: str) -> list[Quantity] | None:
    """Every number of a text, or None when one of them is no clear quantity."""
    text = worded(question)
    matches = list(QUANTITY.finditer(text))
    if any(letter.isdigit() for letter in QUANTITY.sub(" ", text)):
        return None
    symbols = {symbol_of(match) for match in matches} - {""}
    is_mixed = len(symbols - _NAMED_LIKE_DOLLARS) > 1 and _EXCHANGED.search(text) is None
    if is_mixed or not _is_quoted(text, symbols):
        return None
    is_continental = (
        bool(symbols & _CONTINENTAL)
        or is_grouped_by_points(text)
        or len(set(_CONTINENTAL_WORDS.findall(text))) > 1
    )
    edges = [0, *(edge for match in matches for edge in match.span()), len(text)]
    quantities = []
    for position, match in enumerate(matches):
        before = text[edges[2 * position] : match.start()]
        after = text[match.end() : edges[2 * position + 3]]
        quantity = _quantity(match, before, after, is_continental)
        if quantity is None or abs(quantity.value) > _VALUE_MAX:
            return None
        quantities.append(quantity)
    quantities = [_like_the_next(*pair) for pair in zip_longest(quantities, quantities[1:])]
    return _with_shared_periods([_in_scale(each, quantities) for each in quantities])


def _with_shared_periods(quantities: list[Quantity]) -> list[Quantity]:
    """Amounts of a list with the period that is told for several of them: "13.99, 10.99 (both monthly)"."""
    made = list(quantities)
    for place, quantity in enumerate(quantities):
        count, period = period_of_several(quantity.after)
        kind = Kind.MONTHLY_AMOUNT if period == "month" else Kind.PAY
        for at in range(place, max(-1, place - count), -1):
            is_told = at == place and made[at].per == period
            if not is_told and (made[at].kind not in (Kind.AMOUNT, Kind.SMALL) or made[at].per):
                break
            made[at] = replace(made[at], kind=kind, per=period)
    return made


def is_told_as_age(before: str, after: str) -> bool:
    """Whether words say that years are those of a person: "mi hija tiene 12 años", "12 Jahre alt"."""
    if _AGED_BEFORE.search(before) or _AGED_AFTER.match(after):
        return True
    return _I_AM_AGED.search(before) is not None and not _TO_DO.match(after)


def without_quantities(text: str) -> str:
    """A worded text without its numbers and the periods that they are told for."""
    left, edge = "", 0
    for match in QUANTITY.finditer(text):
        left += text[edge : match.start()]
        period = AFTER_PERIOD.match(text, match.end())
        edge = period.end() if period else match.end()
    return left + text[edge:]


def _is_quoted(text: str, symbols: set[str]) -> bool:
    """Whether the amounts are in one of the currencies of an exchange rate that the text tells."""
    quote = _QUOTE.search(text)
    if quote is None:
        return True
    told = {CURRENCIES.get(name, "") for name in quote.groups()}
    return symbols <= told or bool(symbols <= _PESOS and told & _PESOS)


def _like_the_next(quantity: Quantity, following: Quantity | None) -> Quantity:
    """A bare number that runs to one with a scale has it, too: "from 28 to 34 cents". One that is a part of a
    time has its unit: "24 of 48 months"."""
    if following is None or not quantity.is_bare:
        return quantity
    if following.kind is Kind.TERM and _OUT_OF.fullmatch(quantity.after):
        months = quantity.value * (12 if "y" in following.written else 1)
        is_part = months < following.value
        return replace(quantity, kind=Kind.TERM, value=months, is_bare=False) if is_part else quantity
    if not _TO.fullmatch(quantity.after):
        return quantity
    found = _SCALED.search(following.written)
    scale = scale_of(found["scale"]) if found else Decimal(1)
    value = quantity.value * scale
    if found is None or not following.value / _ALIKE <= value <= following.value * _ALIKE:
        return quantity
    return replace(quantity, kind=following.kind, value=value, is_bare=False)


def _in_scale(quantity: Quantity, others: Sequence[Quantity]) -> Quantity:
    """What somebody has of a sum in thousands, told without its scale, with it: "need 45k, got 11.5"."""
    is_short = quantity.is_bare and _ONE_DECIMAL.fullmatch(quantity.written) is not None
    if not is_short or not (_HAVE.search(quantity.before) or _HELD.match(quantity.after)):
        return quantity
    for other in others:
        found = _SCALED.search(other.written)
        value = quantity.value * (scale_of(found["scale"]) if found else 1)
        if found and value < other.value < quantity.value * scale_of(found["scale"]) * _TIMES_MOST:
            return replace(quantity, value=value, is_bare=False, written=f"{value:,f}")
    return quantity


def symbol_of(match: re.Match[str]) -> str:
    """One symbol for all spellings of an amount's currency; empty when it has none."""
    written = (match["currency"] or match["noun"] or "").strip()
    return CURRENCIES.get(written) or CURRENCIES.get(written.rstrip("."), "")


def _quantity(match: re.Match[str], before: str, after: str, is_continental: bool) -> Quantity | None:
    if _SIGNED.search(before) or _is_counted(match, after) or _is_numbered(match, before):
        return None
    if _is_aside(match, before, after):
        return _made(match, Kind.ASIDE, Decimal(0), before, after)
    return (
        _rate(match, before, after)
        or _term(match, before, after)
        or _count(match, before, after)
        or _measure(match, before, after, is_continental)
        or _money(match, before, after, is_continental)
    )


def _is_counted(match: re.Match[str], after: str) -> bool:
    """Whether a bare number counts things of which no calculation is made."""
    is_bare = match["money"] is not None and not _has_unit(match) and "." not in match["money"]
    return is_bare and _COUNTED.match(after) is not None


def _is_numbered(match: re.Match[str], before: str) -> bool:
    return match["measure"] is None and _NUMBERED.search(before) is not None


def _is_aside(match: re.Match[str], before: str, after: str) -> bool:
    """Whether a number tells of the person, a date or a thing, and of no sum."""
    if match["money"] is None or _has_unit(match):
        return False
    is_few = decimal_of(match["money"]) < _SMALL_MAX  # "14,000 debts" are an amount
    if is_few and _PERSONAL.match(after):
        return True
    if _FORM_DIGITS.fullmatch(match["money"]) and _is_form(before, after):
        return True
    return bool(_YEAR.fullmatch(match["money"]) and _CALENDAR_YEAR.search(before))


def _is_form(before: str, after: str) -> bool:
    """Whether three or four digits are the number of a form: "a 1099-misc", "a 1099 or a 1040"."""
    lettered = _OF_A_FORM.match(after)
    if lettered is not None:
        return lettered[1] not in CURRENCIES
    return _A_FORM.search(before) is not None and _NO_NOUN.match(after) is not None


def _rate(match: re.Match[str], before: str, after: str) -> Quantity | None:
    written = match["rate"]
    if written is None:
        is_rate = match["money"] and not _has_unit(match) and _RATE_BEFORE.search(before)
        if (
            not is_rate
            or decimal_of(match["money"]) >= _BARE_RATE_MAX
            or period_of(before, after) not in (None, "year")
        ):
            return None
        written = match["money"]
    if _NO_YEARLY_RATE.match(after):
        return None
    value = decimal_of(written) / (100 if match["bps"] else 1)
    if _DAILY_RATE.match(after):
        return _made(match, Kind.RATE, _DAYS * value, before, after, per="day")
    if _MONTHLY_RATE.match(after):
        return _made(match, Kind.RATE, 12 * value, before, after, per="month")
    return _made(match, Kind.RATE, value, before, after)


def _term(match: re.Match[str], before: str, after: str) -> Quantity | None:
    if match["days"]:
        return _made(match, Kind.DAYS, Decimal(match["days"]), before, after)
    written, unit = (match["years"], 12) if match["years"] else (match["months"], 1)
    if written is None:
        return None
    if unit > 1 and not match["rest"] and is_told_as_age(before, after):
        return _made(match, Kind.SMALL, decimal_of(written), before, after)
    months = unit * decimal_of(written) + Decimal(match["rest"] or 0)
    return _made(match, Kind.TERM, months, before, after) if months == months.to_integral_value() else None


def _count(match: re.Match[str], before: str, after: str) -> Quantity | None:
    if match["hours"]:
        kinds = {None: Kind.HOURS_IN_ALL, "week": Kind.HOURS, "wk": Kind.HOURS}
        kind = kinds.get(match["hours_per"], Kind.HOURS_A_DAY)
        return _made(match, kind, Decimal(match["hours"]), before, after)
    if match["times"]:
        per = "week" if match["times_per"] == "wk" else match["times_per"]
        return _made(match, Kind.TIMES, Decimal(match["times"]), before, after, per=per)
    counts = {Kind.PEOPLE: "people", Kind.WEEKS: "weeks", Kind.COUNT: "count"}
    return next(
        (
            _made(match, kind, decimal_of(match[name]), before, after)
            for kind, name in counts.items()
            if match[name]
        ),
        None,
    )


def _measure(match: re.Match[str], before: str, after: str, is_continental: bool) -> Quantity | None:
    if match["measure"] is None:
        return None
    unit = next(name for name, said in UNITS.items() if re.fullmatch(said, match["unit"]))
    written = match["measure"]
    if _THREE_DECIMALS.fullmatch(written) and is_continental:
        written = written.replace(".", "")
    value = decimal_of(written) * (1000 if match["thousands"] else 1)
    made = _made(match, Kind.MEASURE, value, before, after, per=period_of(before, after))
    return replace(made, unit=unit)


def _money(match: re.Match[str], before: str, after: str, is_continental: bool) -> Quantity | None:
    written = match["age"] or match["money"]
    if written is None:
        return None
    is_traded = not _has_unit(match) and _TRADED_AT.search(before) is not None
    if _THREE_DECIMALS.fullmatch(written) and is_continental and not match["scale"] and not is_traded:
        written = written.replace(".", "")
    is_pay = _THREE_DECIMALS.fullmatch(written) and _OF_PAY.match(after)
    if (is_pay or _WHOLE_THOUSANDS.fullmatch(written)) and not _has_unit(match):
        written = written.replace(".", "")
    value, period = decimal_of(written), period_of(before, after)
    is_bare = not _has_unit(match)
    is_small = value < _SMALL_MAX and value == value.to_integral_value()
    if is_small and (match["age"] or (is_bare and not period)):
        is_people = _SHARED_BY.search(before) is not None and _AND_NUMBER.match(after) is None
        return _made(match, Kind.PEOPLE if is_people else Kind.SMALL, value, before, after)
    if _THREE_DECIMALS.fullmatch(written) and not match["scale"] and not (is_bare and value < _SMALL_RATE):
        return None
    value = Decimal(f"{(value * scale_of(match['scale'])).normalize():f}")
    priced = _PER_UNIT.match(after)
    if priced is not None and priced.lastgroup:
        return replace(_made(match, Kind.PRICE, value, before, after), unit=priced.lastgroup)
    kind = {None: Kind.AMOUNT, "month": Kind.MONTHLY_AMOUNT}.get(period, Kind.PAY)
    return _made(match, kind, value, before, after, per=period)


def _made(
    match: re.Match[str], kind: Kind, value: Decimal, before: str, after: str, per: str | None = None
) -> Quantity:
    return Quantity(
        kind=kind,
        value=value,
        before=before,
        after=after,
        written=match[0].strip(),
        is_bare=not _has_unit(match) and kind in {Kind.AMOUNT, Kind.SMALL},
        per=per,
        symbol=symbol_of(match) if match["money"] else "",
    )


def _has_unit(match: re.Match[str]) -> bool:
    return bool(match["money"] is None or match["currency"] or match["scale"] or match["noun"])
