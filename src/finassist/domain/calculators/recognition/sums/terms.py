"""The numbers of a question as the terms of a sum: money, counts of something, prices of one, percentages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from finassist.domain.calculators.recognition.asides import is_age
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.values import A_YEAR, MONEY, Value, with_unit
from finassist.domain.calculators.recognition.sums.words import (
    NO_NOUNS,
    after,
    before,
    is_for_each,
    is_plural,
    is_unit,
    noun_of,
    said,
    told_for,
    words,
)
from finassist.domain.calculators.recognition.times.periods import AFTER_PERIOD
from finassist.patterns import late_pattern

_FEW: Final = 2
_HUNDRED: Final = Decimal(100)
_THOUSAND: Final = Decimal(1000)
_WORD: Final = r"[^\W\d_][^\W\d_'-]*"
_COUNTED: Final = late_pattern(rf"^[-\s]*(?:more |other |of the |of my )?(?P<noun>{_WORD})")
_SECOND: Final = late_pattern(rf"^ {_WORD} (?P<noun>{_WORD})")
_OFF_OR_FEE: Final = late_pattern(f"{said('subtracted_after').pattern}|{said('fee_after').pattern}")
_FEE_NOUN: Final = after("fee_nouns")
_NO_LENGTH: Final = before("no_length")
_OF_MONTH: Final = after("whole_month")
_LISTED_BY: Final = said("listed_by")
_PAID_OFTEN: Final = after("paid_often")
_TIMES: Final = before("times")
_TIMES_AFTER: Final = after("times_after")
_PART_OF: Final = said("share_of_it")
_FURTHER: Final = after("further")
_GROUP: Final = before("we_are", "group_before")
WITH_ME: Final = before("with_me")
_NAME: Final = late_pattern(rf"(?P<word>{_WORD})(?: (?:is|are|was|of|costs?|for|:|=))*[:=]? ?$")
_LISTED: Final = late_pattern(
    rf"^,? ?(?:and |plus |y |und |et |e |en )?(?:(?!(?:{NO_NOUNS}) |costs? )(?:{_WORD}) ?){{1,2}}$"
    rf"|^,? (?:and|y|und|et|e|ed|en) (?:the |my |el |la |le |der |die |das |il |o |a )?"
    rf"(?!(?:{NO_NOUNS}) ){_WORD}(?: (?:at|is|are|was|were|costs?|a|à|zu|for|für|di))? $"
    rf"|^[,;] (?!(?:{NO_NOUNS}) ){_WORD} (?:{words('lists')}|&) (?!(?:{NO_NOUNS}) ){_WORD} $"
    rf"|^ {_WORD}, $"
)
"""A name of an amount, and nothing else since the amount before."""
_DESCRIBED: Final = late_pattern(
    rf"^ (?:{words('describing')}) (?:{_WORD} ){{0,2}}{_WORD}(?=, |,? (?:and|plus|und|et|y|e) )"
)
"""What an amount is for, right behind it: "540 for the weekend, fuel 76"."""
_PERIOD_AFTER: Final = late_pattern(rf"^ (?:a|per|each|every|/) (?P<period>{_WORD})")
_MEASURES: Final[Mapping[str, tuple[dict[str, int], Decimal]]] = {
    "l/100km": ({"litre": 1, "km": -1}, _HUNDRED),
    "kwh/100km": ({"kwh": 1, "km": -1}, _HUNDRED),
    "km/l": ({"km": 1, "litre": -1}, Decimal(1)),
    "mpg": ({"mile": 1, "gallon": -1}, Decimal(1)),
    "kw": ({"kwh": 1, "hour": -1}, Decimal(1)),
    "w": ({"kwh": 1, "hour": -1}, _THOUSAND),
}
_PLAIN_KINDS: Final = (Kind.SMALL, Kind.AMOUNT)


@dataclass(frozen=True, slots=True)
class Term:
    """A number with its unit; ``percent`` marks a percentage, whose number is the percentage itself."""

    value: Value
    quantity: Quantity
    place: int
    percent: bool = False

    @property
    def is_money(self) -> bool:
        """Whether it is an amount, once or for something."""
        return self.value.unit.get(MONEY) == 1

    @property
    def is_plain_money(self) -> bool:
        """Whether it is an amount that is told for nothing, or for a period."""
        return self.is_money and all(name == MONEY or name in A_YEAR for name in self.value.unit)


def is_listed(term: Term) -> bool:
    """Whether only a name stands between an amount and the one before it."""
    between = term.quantity.before
    period = AFTER_PERIOD.match(between)
    told = next((found for found, _ in told_for(between)), None)
    if period is not None:
        between = between[period.end() :]
    elif told is not None and not between[: told.start()].strip():
        between = between[told.end() :]
    if between.strip() == ",":
        return _OFF_OR_FEE.match(term.quantity.after.strip()) is not None
    return _LISTED.match(_DESCRIBED.sub("", between)) is not None


def read_each(quantities: Sequence[Quantity]) -> list[Term] | None:
    """The terms, each by itself; None when a number is neither clearly an amount nor clearly a count."""
    terms: list[Term] = []
    for place, quantity in enumerate(quantities):
        value = _value(place, quantities)
        if value is None:
            return None
        terms.append(Term(value, quantity, place, percent=not value.unit))
    return terms


def _value(place: int, quantities: Sequence[Quantity]) -> Value | None:
    quantity = quantities[place]
    number = quantity.value
    if quantity.kind is Kind.RATE and not _is_price_by_at(quantity):
        return with_unit(number) if quantity.per is None else None
    if _PAID_OFTEN.match(quantity.after):
        return with_unit(number, pay=1, year=-1)
    if quantity.kind in (Kind.PRICE, Kind.MEASURE):
        return _measure(quantity)
    if quantity.kind in _PLAIN_KINDS and quantity.is_bare:
        return _bare(place, quantities)
    return _count(quantity) if quantity.kind in _COUNTS else _money(quantity)


def _bare(place: int, quantities: Sequence[Quantity]) -> Value | None:
    """A number without a unit: a count of what stands beside it, or an amount."""
    quantity = quantities[place]
    noun = "" if _FEE_NOUN.match(quantity.after) else _counted_noun(place, quantities)
    if not noun and quantity.kind is Kind.SMALL and _GROUP.search(quantity.before):
        noun = "person"
    if noun:
        more = 1 if noun == "person" and WITH_ME.search(quantity.before) else 0
        return _for_period(with_unit(quantity.value + more, **{noun: 1}), quantity)
    is_amount = quantity.kind is not Kind.SMALL or _is_amount(place, quantities)
    return _money(quantity) if is_amount else None


def _is_price_by_at(quantity: Quantity) -> bool:
    """Whether what may be a rate is the price of one: "100 @ 22"."""
    return quantity.kind is Kind.RATE and quantity.before.endswith("@ ") and quantity.written[-1].isdigit()


_COUNTS: Final = frozenset((Kind.TERM, Kind.DAYS, Kind.WEEKS, Kind.PEOPLE, Kind.TIMES, Kind.COUNT)) | {
    Kind.HOURS,
    Kind.HOURS_A_DAY,
    Kind.HOURS_IN_ALL,
}
_MONEYS: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.SMALL))


def _money(quantity: Quantity) -> Value:
    unit = {MONEY: 1}
    if quantity.per is not None:
        unit[quantity.per] = -1
    else:
        for noun in _told_for(quantity):
            unit[noun] = -1
    return with_unit(quantity.value, **unit)


def _told_for(quantity: Quantity) -> list[str]:
    """What an amount is for: "3.50 city tax per night", "14 per person per day"."""
    nouns: list[str] = []
    edge = 0
    for found, noun in told_for(quantity.after):
        between = quantity.after[edge : found.start()]
        is_near = not re.search(r"[,.;?!]", between) and len(between.split()) <= _FEW
        if between.strip() and (nouns or not found["per"] or not is_near):
            break
        nouns.append(noun)
        edge = found.end()
    return nouns


def _measure(quantity: Quantity) -> Value:
    if quantity.kind is Kind.PRICE:
        return with_unit(quantity.value, **{MONEY: 1, noun_of(quantity.unit): -1})
    unit, divisor = _MEASURES.get(quantity.unit, ({noun_of(quantity.unit): 1}, Decimal(1)))
    value = with_unit(quantity.value, **unit)
    if divisor != 1:
        value = replace(value / with_unit(divisor), unit=unit)
    return value if quantity.per is None else value.for_each(quantity.per)


def _count(quantity: Quantity) -> Value | None:
    number = quantity.value
    if quantity.kind in (Kind.TERM, Kind.DAYS, Kind.WEEKS) and _NO_LENGTH.search(quantity.before):
        return None
    if quantity.kind is Kind.DAYS and _OF_MONTH.match(quantity.after):
        return None  # how many days a month has
    if quantity.kind is Kind.TERM:
        is_yearly = not number % 12 and "month" not in quantity.written and "mo" not in quantity.written
        return with_unit(number / 12, year=1) if is_yearly else with_unit(number, month=1)
    if quantity.kind in (Kind.DAYS, Kind.WEEKS):
        value = with_unit(number, **{"day" if quantity.kind is Kind.DAYS else "week": 1})
        return _for_period(value, quantity)
    if quantity.kind in _HOURS:
        per = _HOURS[quantity.kind] or _period_of_hours(quantity)
        value = with_unit(number, hour=1)
        return value.for_each(per) if per else _for_period(value, quantity)
    if quantity.kind is Kind.PEOPLE:
        return with_unit(number + (1 if WITH_ME.search(quantity.before) else 0), person=1)
    if quantity.kind in (Kind.TIMES, Kind.COUNT):
        return _things(quantity)
    return None


def _period_of_hours(quantity: Quantity) -> str:
    """The week of "a 38 hour week"; empty for none."""
    found = re.match(r"[- ](?P<period>week|day)\b", quantity.after)
    return found["period"] if found else ""


_HOURS: Final = {Kind.HOURS: "week", Kind.HOURS_A_DAY: "day", Kind.HOURS_IN_ALL: ""}
_WRITTEN_NOUN: Final = late_pattern(rf"^[\d.,]+ ?(?P<noun>{_WORD})")


def _things(quantity: Quantity) -> Value:
    found = _WRITTEN_NOUN.match(quantity.written)
    word = found["noun"] if found else ""
    noun = "time" if word in {"x", "times", "time", ""} else noun_of(word) or "time"
    value = with_unit(quantity.value, **{noun: 1})
    if quantity.per:
        return value.for_each(quantity.per)
    return _for_period(value, quantity)


def _for_period(value: Value, quantity: Quantity) -> Value:
    """A count that is told for a period: "48 weeks a year", "620 orders a month"."""
    found = _AFTER_NOUN.match(quantity.after) if quantity.is_bare else _PERIOD_AFTER.match(quantity.after)
    period = noun_of(found["period"]) if found else ""
    return value.for_each(period) if period in A_YEAR and period not in value.unit else value


_AFTER_NOUN: Final = late_pattern(rf"^(?: {_WORD}){{1,2}} (?:a|per|each|every|/) (?P<period>{_WORD})")


def _counted_noun(place: int, quantities: Sequence[Quantity]) -> str:
    """What a bare number counts; empty for an amount."""
    quantity = quantities[place]
    if quantity.per is not None:
        return ""
    if _TIMES_AFTER.match(quantity.after) and place + 1 < len(quantities):
        return "time"
    found = _COUNTED.match(quantity.after)
    second = _SECOND.match(quantity.after)
    if (
        second is not None
        and is_unit(second["noun"])
        and found is not None
        and noun_of(found["noun"])
        and not is_plural(found["noun"])
    ):
        found = second
    if found is None or (noun := noun_of(found["noun"])) in ("", *A_YEAR):
        words = _FEW if _FURTHER.match(quantity.after) else 1
        return "time" if _is_multiplier(place, quantities, words=words) else ""
    is_last = place + 1 == len(quantities)
    rest = quantity.after[found.end() :]
    is_name_of_next = not is_last and not rest.strip(" :=") and _NAME.search(quantity.before) is not None
    if is_name_of_next and not is_last and _is_money_written(quantities[place + 1]):
        return ""
    is_whole = quantity.value == quantity.value.to_integral_value()
    if _is_priced(quantity) or not is_plural(found["noun"]):
        return ""
    return (
        noun if is_whole and (quantity.kind is Kind.SMALL or _is_noun_used(noun, place, quantities)) else ""
    )


def _is_noun_used(noun: str, place: int, quantities: Sequence[Quantity]) -> bool:
    """Whether something else is told for the same thing: "1,400 orders", "3 per order"."""
    words = [
        word
        for number, each in enumerate(quantities)
        for text in ((each.before, each.after) if number != place else (each.before,))
        for word in re.findall(_WORD, text)
    ]
    return any(noun_of(word) == noun for word in words[:-1]) or _is_multiplier(place, quantities)


def _is_multiplier(place: int, quantities: Sequence[Quantity], words: int = 3) -> bool:
    """Whether the price of one follows after a few words: "3 tickets at 45", "100 @ 22"."""
    if place + 1 == len(quantities):
        return False
    following = quantities[place + 1]
    between = following.before
    if _PART_OF.fullmatch(between.strip()) and quantities[place].kind is Kind.AMOUNT:
        return False  # a part of an amount
    return (
        is_times(between)
        and not re.search(r"[,;.]| and ", between)
        and len(between.split()) <= words
        and (following.kind in {*_MONEYS, Kind.PRICE} or _is_price_by_at(following))
    )


def is_times(between: str) -> bool:
    """Whether words lead from a count to the price of one; "a" does only right behind what is counted."""
    return _TIMES.search(between) is not None and (
        not between.endswith(" a ") or len(between.split()) <= _FEW
    )


def _is_priced(quantity: Quantity) -> bool:
    return _PRICED.search(quantity.before) is not None


_PRICED: Final = late_pattern(r"(?<!\w)(?:at|@|costs?|priced at|charges?) $")


def _is_money_written(quantity: Quantity) -> bool:
    return quantity.kind in _MONEYS


_AMOUNT_BEFORE: Final = late_pattern(
    rf"(?<!\w)(?:(?:{said('spent').pattern}|{said('received').pattern}|{said('subtracted_before').pattern}"
    r"|at|@|costs?|is|are|was|for|plus|minus|and|of|tips?|tipped|voucher|shipping|delivery|postage|parking|price|preis|prix"
    r"|precio|preço|prezzo|à|a|zu|je|por|von|charges?|paid|sell|each|bill)"
    rf"(?: (?:me|us|about|around|is|are|was|of|for|on|at|a|an|the|in|auf|für|de|en))*) ?$"
)


def _is_amount(place: int, quantities: Sequence[Quantity]) -> bool:
    """Whether a small number without a currency is an amount, by its words or in a list of amounts."""
    quantity = quantities[place]
    if is_age(quantity):
        return False
    if _AMOUNT_BEFORE.search(quantity.before) or is_for_each(quantity.after):
        return True
    if _told_for(quantity) or _OFF_OR_FEE.match(quantity.after.strip()):
        return True
    if _LISTED_BY.fullmatch(quantity.before.strip()):
        return any(each.kind in _MONEYS and each.kind is not Kind.SMALL for each in quantities)
    beside = [*quantities[max(0, place - 1) : place], *quantities[place + 1 : place + 2]]
    is_listed = any(each.kind in _MONEYS for each in beside)
    return is_listed and _NAME.search(quantity.before) is not None
