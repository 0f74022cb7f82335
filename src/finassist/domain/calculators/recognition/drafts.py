"""A calculation as far as a question gives it: which one, and the numbers for its slots."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Final

from finassist.domain.calculators.calculation import MAX_MONTHS
from finassist.domain.calculators.recognition.bands import band_quantities, read_bands
from finassist.domain.calculators.recognition.filling import Filled, fill
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import Form, form_of

_MAX_RATE: Final = 100
_RATE_OF_DEBT: Final = "the yearly rate in percent"
_BALANCE_OF_DEBT: Final = "the balance that is owed"
_YEARLY_PAY: Final = 12_000
_AGE_NOW: Final = re.compile(r"\b(?:i am|i'm|im|aged?|age is|age now|currently|now),? (?:aged? )?$|^$")
_AGE_RETIRED: Final = re.compile(
    r"\b(?:retir(?:e|ing|ement)|stop(?:ping)?(?: work(?:ing)?)?) (?:at|age)(?: the)?(?: age)?(?: of)? $"
)
_AGE_LAST: Final = re.compile(
    r"\b(?:live|living|lasts?|till|until|to|up to|planning to|life expectancy)(?: the)?(?: age)?(?: of)? $"
)
_AGE_NOW_OF: Final = re.compile(
    r"(?:\b(?:is|am|are|im|aged?|now|currently|just|only|turned)|\w'(?:s|m|re))"
    r"(?: (?:now|just|only|currently))? $|^$"
)
_AGE_UNTIL: Final = re.compile(
    r"\b(?:until|till|til|by|when|before|turns?)"
    r"(?: (?:he|she|they|i|we|it|is|am|are|turns?|the|age|of|my|his|her|\w+'(?:s|m|re)))* $"
)
_AGE_AT: Final = re.compile(r"\bat(?: age)?(?: of)? $")
_OF_A_PERSON: Final = re.compile(
    r"(?:\b(?:i am|i'm|im|we are|we're|aged?|i are|he is|she is|he's|she's|my \w+ is|turn(?:s|ed|ing)?"
    r"|until(?: age)?|till|until (?:i'm|i am|he is|he's|she is|she's|they are)"
    r"|retir(?:e|ing) at(?: age)?|ich bin|j'ai|tengo|tenho|ho)"
    r"(?: (?:now|just|only|nearly|almost|about))?) $"
)
_ONE: Final = re.compile(r"1 (?:year|month)")
_AND: Final = re.compile(r",? and |, ")
_IN: Final = re.compile(r"\bin $")
_YEARS_OLD: Final = re.compile(r"\bold\b|\bage\b")
_A_WEEK: Final = re.compile(r"\b(?:(?:a|per|each|every) (?:week|fortnight)|weekly|fortnightly)\b")
_ADULT: Final = 18
_BOTH: Final = 2
_YEARS_LEFT: Final = re.compile(
    r"\b(?:retir\w+|retirement is|need|pot|egg|corpus)(?: \w+){0,3} (?:in|after)(?: another)? $"
)
_YEARS_RETIRED: Final = re.compile(r"\b(?:lasts?|lasting|for|live|living)(?: for)?(?: another)? $")


@dataclass(frozen=True, slots=True)
class Draft:
    """A calculation with the numbers that are known. ``said`` are the texts that gave them; ``unclear`` are
    slots whose numbers could be each other's."""

    name: str
    """The calculator, and after a slash what of it is asked."""
    filled: Filled
    said: str
    unclear: frozenset[str] = frozenset()

    @property
    def form(self) -> Form:
        """The slots of the calculator."""
        return form_of(self.name)

    @property
    def calculator(self) -> str:
        """The calculator's name."""
        return self.name.partition("/")[0]

    @property
    def missing(self) -> Sequence[str]:
        """The slots that still need a number, of the alternative that lacks fewest."""
        needs = ([name for name in names if name not in self.known] for names in self.form.needs)
        return [*min(needs, key=len), *_hours_needed(self)]

    @property
    def known(self) -> frozenset[str]:
        """The slots that need nothing more."""
        told = {"compounding"} if Reading(self.said, (), "", frozenset()).compoundings() else set()
        unclear = self.unclear
        if self.name == "pay_conversion":
            unclear = unclear | _without_period(self.filled)
        if self.name == "recurring_cost" and not _is_regular(self.filled):
            unclear = unclear | {"amount"}
        if len(self.filled.get("debts", ())) % 2:
            unclear = unclear | {"debts"}
        return frozenset(self.filled) - unclear | told | _without_budget(self.filled)

    @property
    def needed(self) -> Sequence[str]:
        """What is missing, in words."""
        debts = self.filled.get("debts", ())
        other = _RATE_OF_DEBT if debts and debts[0].kind is Kind.AMOUNT else _BALANCE_OF_DEBT
        return [other if name == "debts" and debts else self.form.slots[name].says for name in self.missing]

    def with_numbers(self, numbers: Mapping[str, tuple[Quantity, ...]], said: str) -> "Draft":
        """The same calculation with some numbers added or replaced."""
        return replace(
            self,
            filled={**self.filled, **numbers},
            said=f"{self.said} | {said}",
            unclear=self.unclear - frozenset(numbers),
        )


def draft(name: str, reading: Reading) -> Draft | None:
    """The calculation that a question makes when every number of it has a place; None when one has none."""
    quantities = reading.quantities
    form = form_of(name)
    if quantities is None or not all(map(is_plausible, quantities)) or not _suits(form, reading):
        return None
    preset = _PRESETS[name](quantities) if name in _PRESETS else {}
    if preset is None:
        return None
    taken = {id(quantity) for each in preset.values() for quantity in each} | _set_aside(name, reading)
    ages = {id(quantity) for quantity in quantities if preset and quantity.kind is Kind.SMALL}
    left = [quantity for quantity in quantities if id(quantity) not in taken | ages]
    free = Form({slot: form.slots[slot] for slot in form.slots if slot not in preset}, form.needs)
    filling = fill(free, left) or fill(free, _without_asides(left))
    if filling is None:
        return None
    return Draft(name, {**preset, **filling.filled}, reading.text, filling.unclear)


def _without_asides(quantities: Sequence[Quantity]) -> list[Quantity]:
    left: list[Quantity] = []
    was_aside = False
    for quantity in quantities:
        is_next = was_aside and quantity.kind is Kind.SMALL and _AND.fullmatch(quantity.before) is not None
        was_aside = is_next or _is_aside(quantity)
        if not was_aside:
            left.append(quantity)
    return left


def _is_aside(quantity: Quantity) -> bool:
    """Whether a number is an age, or the time for which something is asked: "what goes in a month"."""
    if quantity.kind is Kind.TERM:
        return _ONE.fullmatch(quantity.written) is not None and _IN.search(quantity.before) is not None
    return quantity.kind is Kind.SMALL and bool(
        _OF_A_PERSON.search(quantity.before) or _YEARS_OLD.search(quantity.written)
    )


def _set_aside(name: str, reading: Reading) -> frozenset[int]:
    """Numbers that say what is asked or how, and fill no slot."""
    quantities = reading.quantities or ()
    if name == "multi_buy":
        pairs = [
            (one, other)
            for one, other in pairwise(quantities)
            if one.kind is other.kind is Kind.SMALL and _OFFER.match(one.after)
        ]
        free = [each for each in quantities if _FREE_OFFER.match(each.after)]
        return frozenset(id(each) for pair in (*pairs[:1], free) for each in pair)
    if name == "unit_price":
        return frozenset(id(each) for each in quantities if _PER.search(each.before))
    if name == "tax_in_bands":
        return band_quantities(quantities) if read_bands(quantities) else frozenset()
    return frozenset()


def _suits(form: Form, reading: Reading) -> bool:
    """Whether the words of a question allow the calculator."""
    is_barred = form.never is not None and reading.says(form.never)
    return not is_barred and (form.required is None or reading.says(form.required))


def is_plausible(quantity: Quantity) -> bool:
    """Whether a rate or a term is one that somebody may mean."""
    if quantity.kind is Kind.RATE:
        return quantity.value <= _MAX_RATE
    return quantity.kind is not Kind.TERM or 1 <= quantity.value <= MAX_MONTHS


def _without_budget(filled: Filled) -> frozenset[str]:
    """Of several debts the order can be told without a budget."""
    return frozenset(("monthly_budget",)) if len(filled.get("debts", ())) > 2 else frozenset()


def _without_period(filled: Filled) -> frozenset[str]:
    """Pay of which nothing says for how long it is, unless it is plainly for a year."""
    return frozenset(
        name
        for name, quantities in filled.items()
        if quantities[0].kind is Kind.AMOUNT and quantities[0].value < _YEARLY_PAY
    )


def _debts(quantities: Sequence[Quantity]) -> Filled | None:
    """Amounts owed, each with its rate before or after it."""
    pairs = [
        quantity
        for quantity in quantities
        if quantity.kind in (Kind.AMOUNT, Kind.RATE) and not _PAID.search(quantity.before)
    ]
    kinds = [quantity.kind for quantity in pairs]
    if len(pairs) <= 1:
        return {"debts": tuple(pairs)} if pairs else {}
    if len(pairs) % 2:
        return None
    first = kinds[0]
    alternate = all((kind is first) == (place % 2 == 0) for place, kind in enumerate(kinds))
    return {"debts": tuple(pairs)} if alternate else None


_PAID: Final = re.compile(
    r"\b(?:min(?:imum)?|paying(?! off)|payments?|can pay(?! off)|i pay(?! off)|afford|budget)\b[^,;.]{0,12}$"
)


def _retirement(quantities: Sequence[Quantity]) -> Filled | None:
    """Years until and in retirement, said as such or by three ages."""
    spans = [quantity for quantity in quantities if quantity.kind is Kind.TERM and not quantity.value % 12]
    ages = [quantity for quantity in quantities if quantity.kind is Kind.SMALL]
    if len(ages) == 3 and not spans:
        now, retired, last = (_before(ages, cue) for cue in (_AGE_NOW, _AGE_RETIRED, _AGE_LAST))
        if now and retired and last and now.value < retired.value < last.value:
            return {
                "years_to_retirement": (_span(now, retired.value - now.value),),
                "years_in_retirement": (_span(retired, last.value - retired.value),),
            }
        return None
    until, during = _before(spans, _YEARS_LEFT), _before(spans, _YEARS_RETIRED)
    if ages or len(spans) != sum(each is not None for each in (until, during)):
        return None
    found = {"years_to_retirement": until, "years_in_retirement": during}
    return {name: (quantity,) for name, quantity in found.items() if quantity}


def _by_age(quantities: Sequence[Quantity]) -> Filled | None:
    """The term between two ages: "until she is 18 (is 2)"."""
    ages = [quantity for quantity in quantities if quantity.kind is Kind.SMALL]
    later = [
        age
        for age in ages
        if _AGE_UNTIL.search(age.before) or (_AGE_AT.search(age.before) and age.value >= _ADULT)
    ]
    if len(ages) != _BOTH or len(later) != 1:
        return {}
    [then] = later
    [now] = [age for age in ages if age is not then]
    if not _AGE_NOW_OF.search(now.before) or now.value >= then.value:
        return {}
    return {"term": (_span(then, then.value - now.value),)}


def _span(age: Quantity, years: Decimal) -> Quantity:
    """The years until an age, which is its unit: a later message may begin at another one."""
    until = f"{age.value:f}"
    return replace(age, kind=Kind.TERM, value=12 * years, written=f"{years} years", is_bare=False, unit=until)


def _before(quantities: Sequence[Quantity], pattern: re.Pattern[str]) -> Quantity | None:
    found = [quantity for quantity in quantities if pattern.search(quantity.before)]
    return found[0] if len(found) == 1 else None


def _hours_needed(draft: Draft) -> Sequence[str]:
    """What an hour brings in a week hangs on the hours alone; for a year full time is the convention."""
    if draft.name != "pay_conversion" or "hours_per_week" in draft.filled:
        return ()
    is_hourly = any(pay.per == "hour" for pay in draft.filled.get("amount", ()))
    return ("hours_per_week",) if is_hourly and _A_WEEK.search(draft.said) else ()


def _is_regular(filled: Filled) -> bool:
    """Whether something tells how often an amount is paid."""
    return "times" in filled or any(quantity.per for quantity in filled.get("amount", ()))


def _packs(quantities: Sequence[Quantity]) -> Filled | None:
    """Sizes with their prices, one or two of them; "per 100 g" is what the price is asked for."""
    sizes = [
        each
        for each in quantities
        if each.kind in (Kind.MEASURE, Kind.COUNT) and not _PER.search(each.before)
    ]
    prices = [
        each
        for each in quantities
        if each.kind in (Kind.AMOUNT, Kind.SMALL, Kind.PRICE) and each not in sizes
    ]
    if len(sizes) != len(prices) or not 1 <= len(sizes) <= _BOTH:
        return None
    if len({_DIMENSIONS.get(size.unit, size.unit) for size in sizes}) > 1:
        return None
    return {"packs": tuple(each for pair in zip(sizes, prices, strict=True) for each in pair)}


_OFFER: Final = re.compile(r"^ for (?:the price of )?$")
_FREE_OFFER: Final = re.compile(r"^,? (?:and )?(?:get\b|\w* ?free\b)")
_DIMENSIONS: Final = {"g": "weight", "kg": "weight", "ml": "volume", "litre": "volume"}
_PER: Final = re.compile(r"\b(?:per|pro|je|for each|a|pour|por|cost of|price of) $")


def _trade(quantities: Sequence[Quantity]) -> Filled | None:
    """What was paid and what was got, by the verb that each price comes after."""
    found: dict[str, tuple[Quantity, ...]] = {}
    said = ""
    for quantity in quantities:
        said += quantity.before
        verbs = [*_TRADED.finditer(said)]
        if quantity.kind in (Kind.AMOUNT, Kind.SMALL, Kind.PRICE) and verbs and verbs[-1].lastgroup:
            name = verbs[-1].lastgroup
            if name != "fee" and name in found:
                return {}
            found[name] = (quantity,)
    return found if {"buy_price", "sell_price"} <= set(found) and "fee" not in found else {}


_TRADED: Final = re.compile(
    r"\b(?:(?P<buy_price>bought|buy|buying|paid|cost|purchased|gekauft|kaufte|acheté\w*|compré|comprei|comprato|liye|liya)"
    r"|(?P<sell_price>sold|sell|selling|now|verkauft|verkaufe|vendu\w*|vendí|vendi|venduto|beche|becha)"
    r"|(?P<fee>fees?|commissions?|brokerage|charge[sd]?))\b"
)
_PRESETS: Final = {
    "debt_payoff": _debts,
    "tax_in_bands": read_bands,
    "unit_price": _packs,
    "share_trade": _trade,
    "retirement_corpus": _retirement,
    "compound_interest": _by_age,
    "regular_investment": _by_age,
}
"""What has to be read out of the numbers before the rest of them are put into slots."""
