"""A total as the units of its numbers make it: litres times the price of a litre, months times what is paid a
month, hours times the pay of an hour; what is told for a person divides it.

A number multiplies the amount whose unit it counts, or beside which it stands. Nothing is calculated when a
number is left over, or when the parts are not of one unit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.views import period_told, period_wanted

_WORDS: Final[Mapping[str, str]] = shipped("calculators/totals")
_MONEY: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.PRICE))
_A_YEAR: Final[Mapping[str, Decimal]] = {
    "year": Decimal(1),
    "quarter": Decimal(4),
    "month": Decimal(12),
    "fortnight": Decimal(26),
    "week": Decimal(52),
    "day": Decimal(365),
}
_WANTED: Final = {"yearly": "year", "monthly": "month", "weekly": "week", "daily": "day"}
_SOME: Final = 2
_DIGITS: Final = Decimal("1e-9")
_KM_PER_MILE: Final = Decimal("1.609344")
_GALLON: Final = {"gallon": Decimal("3.785411784"), "litre": Decimal("4.54609")}
"""Litres of a gallon by what fuel is priced in: who pays by the litre has the larger gallon."""


def _cue(name: str) -> str:
    return rf"(?<!\w)(?:{_WORDS[name]})(?!\w)"


_SUBTRACTED_BEFORE: Final = re.compile(rf"(?<!\w)(?:{_WORDS['subtracted_before']}) ?$")
_SUBTRACTED_AFTER: Final = re.compile(rf"^ ?(?:in )?{_cue('subtracted_after')}")
_SPENT_BEFORE: Final = re.compile(rf"(?<!\w)(?:{_WORDS['spent_before']}) ?$")
_LEFT: Final = re.compile(_cue("left"))
_COMPARED: Final = re.compile(_cue("compared"))
AGAINST: Final = re.compile(rf"\b(?:{_WORDS['against']})\b")
THE_OTHER: Final = re.compile(rf"\b(?:{_WORDS['other_offer']})\b")
"""Words that set one offer against another, and words for the other one."""
_EACH: Final = re.compile(_cue("each"))
_PER_DISTANCE: Final = re.compile(_cue("per_distance"))
_SPREAD: Final = re.compile(rf"(?:{_WORDS['spread']})")
_PERCENT: Final = {
    kind: re.compile(_cue(f"{kind}_percent")) for kind in ("withheld", "discount", "added", "share")
}
_PRICED: Final = re.compile(rf"(?<!\w)(?:{_WORDS['priced']}) ?$")
_PRICED_AFTER: Final = re.compile(rf"^,? (?:{_WORDS['priced_after']})")
_NAMED: Final = re.compile(
    rf"^,? ?(?:and |plus |y |und |et |e )?(?!(?:{_WORDS['no_names']}) )[^\W\d]+(?: [^\W\d]+)? $"
)
"""A word or two for what is paid, and nothing else since the number before: "gym 39"."""
_COUNTED: Final = re.compile(rf"^(?: [^\W\d]+){{0,2}} ?(?:{_WORDS['counted_by']})(?!\w)")
_AVERAGE: Final = re.compile(_cue("average"))
_ONCE: Final = re.compile(_cue("once"))
_PAID_OFTEN: Final = re.compile(rf"^ ?(?:{_WORDS['paid_often']})(?!\w)")
"""Behind how many times a year a salary is paid: "1.450 en 14 pagas"."""
_TIMES_NEXT: Final = re.compile(rf"^(?: [^\W\d]+){{0,3}} ?(?:{_WORDS['times_what_follows']}) $")
_PAYMENTS_OF: Final = re.compile(rf"^ ?(?:{_WORDS['payments_of']}) $")
_TIMES_BEFORE: Final = re.compile(rf"^ ?(?:{_WORDS['times_what_is_before']})(?: (?:for|x))? $")
"""What stands between a number and the amount that it counts."""


@dataclass(slots=True)
class _Part:
    """An amount on its way into the total: ``per`` is the period that it still is for."""

    quantity: Quantity
    place: int
    times: Decimal = Decimal(1)
    per: str | None = None
    is_subtracted: bool = False


@dataclass(slots=True)
class _Counts:
    """Numbers that multiply or divide, by their place in the question, until they are used."""

    left: dict[int, Quantity] = field(default_factory=dict)

    def of(self, *kinds: Kind) -> Iterator[tuple[int, Quantity]]:
        """Those of some kinds that are not used."""
        return iter([(place, each) for place, each in self.left.items() if each.kind in kinds])

    def take(self, place: int) -> Quantity:
        """Use one."""
        return self.left.pop(place)


def read_total(quantities: Sequence[Quantity], text: str) -> Mapping[str, tuple[Quantity, ...]] | None:
    """The items of a total as pairs of an amount and its number, with percentages and what divides it; None
    when the units do not fit together. ``text`` is the question."""
    parts = [_part(place, each) for place, each in enumerate(quantities) if _is_money(place, quantities)]
    paid = {part.place for part in parts}
    counts = _Counts({place: each for place, each in enumerate(quantities) if place not in paid})
    rates = [counts.take(place) for place, _ in counts.of(Kind.RATE)]
    if not parts or any(each.is_bare and each.kind is Kind.SMALL for each in rates):
        return None
    _multiply_beside(parts, counts, quantities)
    _multiply_units(parts, counts)
    divisor = _divisor(counts, text, quantities)
    if not _in_one_period(parts, counts, text, is_spread=divisor is not None) or counts.left:
        return None
    if divisor is None and _AVERAGE.search(text) and len(parts) > 1:
        divisor = _all_of(parts)
    percentages = _percentages(rates, quantities, [part.place for part in parts])
    is_plain = len(parts) == 1 and parts[0].times == 1
    if percentages is None or (is_plain and len(percentages) + (divisor is not None) < _SOME):
        return None
    if not _signed(parts, text):
        return None
    found = {
        "items": tuple(_pairs(parts, is_subtracted=False)),
        "subtracted": tuple(_pairs(parts, is_subtracted=True)),
        "divided_by": (divisor,) if divisor else (),
        **percentages,
    }
    return {name: told for name, told in found.items() if told}


def text_of(quantities: Sequence[Quantity]) -> str:
    """The text that all the numbers of a question stand in."""
    before = quantities[0].before if quantities else ""
    return before + "".join(f" {each.written} {each.after}" for each in quantities)


def _is_money(place: int, quantities: Sequence[Quantity]) -> bool:
    """Whether a number is an amount; a small one is by the words beside it, or in a list of amounts."""
    quantity = quantities[place]
    is_counted = _COUNTED.match(quantity.after) or _PAID_OFTEN.match(quantity.after)
    if quantity.kind is not Kind.SMALL or is_counted:
        return quantity.kind in _MONEY
    beside = quantities[max(0, place - 1) : place] or quantities[place + 1 : place + 2]
    is_listed = any(each.kind in _MONEY for each in beside) and _NAMED.match(quantity.before) is not None
    is_priced = _PRICED.search(quantity.before) or _PRICED_AFTER.match(quantity.after)
    return is_listed or is_priced is not None


def _part(place: int, quantity: Quantity) -> _Part:
    is_off = bool(_SUBTRACTED_BEFORE.search(quantity.before) or _SUBTRACTED_AFTER.search(quantity.after))
    return _Part(quantity, place, per=quantity.per, is_subtracted=is_off)


def _multiply_beside(parts: Sequence[_Part], counts: _Counts, quantities: Sequence[Quantity]) -> None:
    """Numbers directly before an amount ("3 tickets at 40") or after it ("42.50 x 24")."""
    of_things = (Kind.MEASURE, Kind.SMALL, Kind.COUNT, Kind.PEOPLE, Kind.TERM, Kind.HOURS_IN_ALL, Kind.HOURS)
    for part in parts:
        for place, link in ((part.place - 1, _TIMES_NEXT), (part.place + 1, _TIMES_BEFORE)):
            count = counts.left.get(place)
            between = part.quantity.before if place < part.place else part.quantity.after
            is_paid_often = count is not None and _PAID_OFTEN.match(count.after) is not None
            if (
                count is None
                or count.kind not in of_things
                or not (is_paid_often or _links(link, between, count))
            ):
                continue
            if count.kind is Kind.TERM and part.per not in (None, "month", "year"):
                continue
            part.times *= _number_of(counts.take(place), part)
            break


def _links(link: re.Pattern[str], between: str, count: Quantity) -> bool:
    """Whether the words between a number and an amount multiply them: "24 payments of 42.50"."""
    return bool(link.search(between) or (count.kind is Kind.COUNT and _PAYMENTS_OF.search(between)))


def _number_of(count: Quantity, part: _Part) -> Decimal:
    """How many times an amount counts; months of what is paid a year are a part of it."""
    if count.kind is Kind.TERM:
        is_yearly = part.per == "year" or "year" in count.written
        part.per = None
        return count.value / 12 if is_yearly else count.value
    if count.kind is Kind.HOURS:
        part.per = "week"
    elif part.per == "hour":
        part.per = None
    return count.value


def _multiply_units(parts: Sequence[_Part], counts: _Counts) -> None:
    """Measures times the price of their unit: fuel for a distance, energy for a power, hours of work."""
    fuel = _fuel(parts, counts)
    if fuel is not None:
        part, litres, per = fuel
        part.times, part.per = part.times * litres, per
    for part in parts:
        unit = part.quantity.unit
        for place, count in counts.of(Kind.MEASURE):
            if unit and count.unit == unit:
                part.times, part.per = part.times * counts.take(place).value, count.per
                break
        if part.per == "hour":
            _multiply_hours(part, counts)


def _multiply_hours(part: _Part, counts: _Counts) -> None:
    for place, count in counts.of(Kind.HOURS, Kind.HOURS_A_DAY, Kind.HOURS_IN_ALL):
        part.per = {Kind.HOURS: "week", Kind.HOURS_A_DAY: "day"}.get(count.kind)
        part.times *= counts.take(place).value
        return


def _fuel(parts: Sequence[_Part], counts: _Counts) -> tuple[_Part, Decimal, str | None] | None:
    """The litres or gallons that a distance takes, and the amount that is the price of one."""
    uses = [
        (place, each) for place, each in counts.of(Kind.MEASURE) if each.unit in {"l/100km", "km/l", "mpg"}
    ]
    ways = [(place, each) for place, each in counts.of(Kind.MEASURE) if each.unit in {"km", "mile"}]
    priced = [part for part in parts if part.quantity.unit in _GALLON] or parts[:1]
    if len(uses) != 1 or len(ways) != 1 or len(priced) != 1:
        return None
    use, way = counts.take(uses[0][0]), counts.take(ways[0][0])
    km = way.value * (_KM_PER_MILE if way.unit == "mile" else 1)
    gallon = _GALLON[priced[0].quantity.unit or "litre"]
    litres = {
        "l/100km": km * use.value / 100,
        "km/l": km / use.value,
        "mpg": km / _KM_PER_MILE / use.value * gallon,
    }[use.unit]
    amount = litres / gallon if priced[0].quantity.unit == "gallon" else litres
    return priced[0], amount.quantize(_DIGITS).normalize(), way.per


def _divisor(counts: _Counts, text: str, quantities: Sequence[Quantity]) -> Quantity | None:
    """The people who share, the distance, or the payments that it is spread over."""
    if _PER_DISTANCE.search(text):
        for place, each in counts.of(Kind.MEASURE):
            if each.unit in {"km", "mile"}:
                return _over_term(counts.take(place), counts)
    for place, each in counts.of(Kind.PEOPLE, Kind.SMALL, Kind.COUNT):
        is_shared = each.kind is not Kind.COUNT and _EACH.search(text)
        if each.value > 1 and (is_shared or _SPREAD.search(each.before)):
            return counts.take(place)
    return None


def _all_of(parts: Sequence[_Part]) -> Quantity:
    """How many there are of all the parts."""
    number = sum((part.times for part in parts), Decimal(0))
    return Quantity(kind=Kind.COUNT, value=number, before="", after="")


def _over_term(measure: Quantity, counts: _Counts) -> Quantity:
    """What is driven a year, over the years that the question tells."""
    terms = list(counts.of(Kind.TERM))
    if measure.per is None or len(terms) != 1:
        return measure
    years = terms[0][1].value / 12
    return replace(measure, value=measure.value * _A_YEAR[measure.per] * years, per=None)


def _in_one_period(parts: Sequence[_Part], counts: _Counts, text: str, *, is_spread: bool) -> bool:
    """Whether the parts are made amounts of one period, or of the whole term."""
    is_once = all(part.per is None for part in parts)
    wanted = None if is_spread and is_once else _WANTED.get(period_wanted(text))
    _share_period(parts, counts, text)
    for place, count in counts.of(Kind.TIMES):
        once = [part for part in parts if part.per is None]
        if len(once) != 1:
            return False
        once[0].times, once[0].per = once[0].times * counts.take(place).value, count.per
    regular = [part for part in parts if part.per is not None]
    if any(part.per not in _A_YEAR for part in regular):
        return False
    terms = list(counts.of(Kind.TERM, Kind.DAYS, Kind.WEEKS))
    if len(terms) > 1 or (terms and (not regular or wanted)):
        return False
    if terms:
        years = _in_years(counts.take(terms[0][0]))
    elif len(regular) == len(parts) or wanted:
        target = wanted or (regular[0].per if regular else None)
        years = 1 / _A_YEAR[target] if target else Decimal(1)
        if len(regular) < len(parts) and (not regular or wanted != "year"):
            return not regular and wanted is None
    else:
        return not regular
    for part in regular:
        part.times, part.per = part.times * _A_YEAR[part.per or "year"] * years, None
    return True


def _share_period(parts: Sequence[_Part], counts: _Counts, text: str) -> None:
    """A period told behind the last amount of a list, or for all of them, is that of the others, too."""
    if len(parts) < _SOME or any(
        _ONCE.search(f"{part.quantity.before}{part.quantity.after}") for part in parts
    ):
        return
    if all(part.per is None for part in parts) and not list(counts.of(Kind.TIMES)):
        told = _WANTED.get(period_told(text))
        for part in parts:
            part.per = told
    for part, following in zip(reversed(parts[:-1]), reversed(parts[1:]), strict=True):
        is_listed = following.place == part.place + 1 and _NAMED.match(following.quantity.before) is not None
        if part.per is None and following.per in _A_YEAR and is_listed:
            part.per = following.per


def _in_years(term: Quantity) -> Decimal:
    return term.value / {Kind.TERM: Decimal(12), Kind.DAYS: Decimal(365)}.get(term.kind, Decimal(52))


def _percentages(
    rates: Sequence[Quantity], quantities: Sequence[Quantity], places: Sequence[int]
) -> Mapping[str, tuple[Quantity, ...]] | None:
    """What each percentage does to the sum; None when one of them does not say, or stands within the sum."""
    found: dict[str, tuple[Quantity, ...]] = {}
    kinds = set()
    for rate in rates:
        place = next(number for number, each in enumerate(quantities) if each is rate)
        kind = next((name for name, cue in _PERCENT.items() if _beside(cue, rate)), None)
        slot = _SLOTS.get(kind or "")
        if slot is None or slot in found or places[0] < place < places[-1]:
            return None
        found[slot] = (rate,)
        kinds.add(kind)
    return None if {"discount", "added"} <= kinds else found


_SLOTS: Final = {
    "added": "percent_added",
    "withheld": "percent_subtracted",
    "discount": "percent_subtracted",
    "share": "percent_taken",
}


_CLAUSE_END: Final = re.compile(rf"[,;.]| (?:{_WORDS['clause_end']}) ")


def _beside(cue: re.Pattern[str], rate: Quantity) -> bool:
    after, before = _CLAUSE_END.split(rate.after)[0][:30], _CLAUSE_END.split(rate.before)[-1][-25:]
    return cue.search(after) is not None or cue.search(before) is not None


def _signed(parts: Sequence[_Part], text: str) -> bool:
    """Whether the signs are clear: who asks what is left has told what goes, and not all goes."""
    second = next((part.place for part in parts[1:] if THE_OTHER.search(part.quantity.before)), None)
    if second is not None and _COMPARED.search(text):
        return _set_off(parts, second)
    if _LEFT.search(text) and not any(part.is_subtracted for part in parts):
        spent = [part for part in parts if _SPENT_BEFORE.search(part.quantity.before)]
        for part in spent:
            part.is_subtracted = True
        if not spent:
            return False
    return _worth(parts) > 0


def _set_off(parts: Sequence[_Part], second: int) -> bool:
    """The second offer less the first one, or the other way round: what is spent for one takes from it."""
    for part in parts:
        is_spent = part.is_subtracted or bool(_SPENT_BEFORE.search(part.quantity.before))
        part.is_subtracted = is_spent is not (part.place < second)
    if _worth(parts) < 0:
        for part in parts:
            part.is_subtracted = not part.is_subtracted
    return _worth(parts) > 0


def _worth(parts: Sequence[_Part]) -> Decimal:
    signed = ((-1 if part.is_subtracted else 1) * part.quantity.value * part.times for part in parts)
    return sum(signed, Decimal(0))


def _pairs(parts: Sequence[_Part], *, is_subtracted: bool) -> Iterator[Quantity]:
    for part in parts:
        if part.is_subtracted is is_subtracted:
            times = part.times.quantize(_DIGITS).normalize()
            yield part.quantity
            yield Quantity(kind=Kind.COUNT, value=times, before="", after="")
