"""What a conversation has come to: each calculation with its figures, and which one a message is about."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final, cast, get_type_hints

from finassist.data import shipped
from finassist.domain.calculators.calculation import CalculationError
from finassist.domain.calculators.money import show_rate, show_term
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.times.periods import YEARLY_PAY
from finassist.domain.calculators.recognition.views import DIFFERENCE, figures_wanted
from finassist.domain.calculators.registry import CALCULATORS

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_MAIN: Final[Mapping[str, str]] = {**_DATA["amount_figures"], **_DATA["main_figures"]}
_PERIOD_OF: Final[Mapping[str, str]] = _DATA["period_of_figures"]
_MONTHLY_THINGS: Final = re.compile(rf"\b(?:{_DATA['monthly_things']})\b")
FIRST: Final = re.compile(rf"\b(?:{_DATA['first']})\b")
"""How a message names the first calculation."""
FIRST_WAY: Final = re.compile(rf"\b(?:{_DATA['first_way']})\b")
"""How it names the first of several ways, to compare the last one with."""
_EXCHANGE: Final = "currency_conversion"
_ONE: Final = re.compile(rf"^\W*{_DATA['ones']}\b")
_MONEY: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.SMALL)
_YEAR: Final = 12
_PAIR: Final = 2
_INTEREST: Final = "total_interest"
_TAX: Final = "tax_in_bands"
_EACH: Final = {
    **{period: f"a {period}" for period in ("day", "week", "fortnight", "month", "quarter", "year")},
    "hour": "an hour",
}
ONCE: Final = "once"
PERIOD_NAMES: Final[Mapping[str, str]] = {
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "daily": "day",
    "yearly": "year",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """An amount of a result. ``per`` is what it is paid for, ``once``, or empty when nothing tells."""

    name: str
    value: Decimal
    per: str

    @property
    def says(self) -> str:
        """Its name as it is read."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Entry:
    """A calculation of the conversation; ``draft`` is None when it was made from figures of others. ``per``
    is the period that a later message told of the result: "that's my rent increase per month"."""

    call: Recognised
    figures: Mapping[str, Decimal]
    draft: Draft | None = None
    per: str = ""

    def figure(self, name: str) -> Figure | None:
        """A figure by its name."""
        value = self.figures.get(name)
        return None if value is None else Figure(name, value, self.per_of(name))

    def main(self) -> Figure | None:
        """The amount that the calculation is for."""
        return self.figure(_MAIN.get(self.call.name, ""))

    def wanted(self, text: str) -> Figure | None:
        """The amount that a message names, or else the main one."""
        named = (self.figure(name) for name in figures_wanted(text))
        return next((figure for figure in named if figure is not None), None) or self.main()

    def per_of(self, name: str) -> str:
        """What a figure is paid for, ``once``, or empty when nothing tells."""
        if self.call.name == "difference":
            return (
                name.removesuffix("ly") if name in _PERIOD_OF else str(self.call.arguments.get("per", ONCE))
            )
        if self.call.name == "percentage":
            return self.per or self._per_of_input()
        if self.call.name == _TAX:
            return self._per_of_input() or ("year" if self.figures["left"] >= YEARLY_PAY else ONCE)
        return _PERIOD_OF.get(name, ONCE)

    def _per_of_input(self) -> str:
        """What the amount is paid for that a percentage was taken of."""
        if self.draft is None:
            return ""
        periods = {each.per for filled in self.draft.filled.values() for each in filled if each.per}
        if len(periods) == 1:
            return str(*periods)
        return "month" if not periods and _MONTHLY_THINGS.search(self.draft.said) else ""

    def has(self, quantity: Quantity) -> bool:
        """Whether the calculation was made with a number."""
        if self.draft is None:
            return False
        return any(_is_same(quantity, each) for filled in self.draft.filled.values() for each in filled)


def entry_of(call: Recognised, draft: Draft | None = None) -> Entry | None:
    """A calculation with its figures; None when its numbers have no answer."""
    function = CALCULATORS[call.name].function
    try:
        figures = asdict(function(**_typed(function, call.arguments)).figures)
    except CalculationError:
        return None
    figures |= figures.get("avalanche") or {}
    numbers = {
        name: Decimal(value)
        for name, value in figures.items()
        if isinstance(value, Decimal | int) and not isinstance(value, bool)
    }
    return Entry(call, numbers, draft)


def entries_of(calls: Sequence[Recognised], made: Entry | None) -> list[Entry]:
    """The calculations that an operation comes to; ``made`` is known with its numbers."""
    found = (made if made is not None and made.call == call else entry_of(call) for call in calls)
    return [each for each in found if each is not None]


def offers(ledger: Sequence[Entry], reading: Reading) -> Sequence[Entry]:
    """The calculations of one kind up to the last of them; of several exchanges with a fee, only these; the
    first and the last when a message compares with the first way."""
    known = alternatives(ledger)
    if len(known) > 1 and reading.says(FIRST_WAY):
        return (known[0], known[-1])
    taking = [each for each in known if each.draft and any("fee" in name for name in each.draft.filled)]
    return taking if len(taking) > 1 and known[0].call.name == _EXCHANGE else known


def named_by(reading: Reading, ledger: Sequence[Entry], *, as_one: bool = False) -> Entry | None:
    """The calculation that a message means by one of its numbers ("with 15 years") or as the first;
    ``as_one``: only when it says that the number stands for it ("on the 25 year one")."""
    drafted = [entry for entry in ledger if entry.draft is not None]
    if reading.says(FIRST) and drafted:
        return drafted[0]
    for entry in reversed(drafted):
        for quantity in reading.quantities or ():
            is_told = not as_one or _ONE.match(quantity.after)
            if is_told and entry.has(quantity) and not all(each.has(quantity) for each in drafted):
                return entry
    return None


def new_numbers(reading: Reading, ledger: Sequence[Entry]) -> Sequence[Quantity]:
    """The numbers of a message that no calculation was made with."""
    return [each for each in reading.quantities or () if not any(entry.has(each) for entry in ledger)]


def alternatives(ledger: Sequence[Entry]) -> Sequence[Entry]:
    """The calculations of one kind up to the last of them, oldest first, each once."""
    drafted = [entry for entry in ledger if entry.draft is not None]
    found: list[Entry] = []
    for entry in reversed(drafted):
        is_same_kind = entry.call.name == drafted[-1].call.name
        if is_same_kind and all(entry.call != each.call for each in found):
            found.insert(0, entry)
    return found


def both_named(reading: Reading, known: Sequence[Entry]) -> Sequence[Entry] | None:
    """The two results that a message names by a number of each, in its order: "from 200 to 300"."""
    named = [[each for each in known if each.has(number)] for number in reading.quantities or ()]
    pair = [entries[0] for entries in named if len(entries) == 1]
    return pair if len(pair) == len(named) == _PAIR and pair[0] is not pair[1] else None


def compares_known(ledger: Sequence[Entry], reading: Reading) -> bool:
    """Whether a message asks how two results differ that it names by their numbers."""
    return reading.says(DIFFERENCE) and both_named(reading, alternatives(ledger)) is not None


def others_of_amount(ledger: Sequence[Entry], last: Entry) -> Sequence[Entry]:
    """The results of another kind that tell the interest on an amount of the last one: a card and a loan that
    pays it off."""
    owed = _amounts_of(last)
    before = [each for each in ledger if each.draft is not None and each.call.name != last.call.name]
    alike = [each for each in before if _INTEREST in each.figures and owed & _amounts_of(each)]
    return alternatives(alike) if _INTEREST in last.figures else ()


def _amounts_of(entry: Entry) -> set[Decimal]:
    filled = entry.draft.filled.values() if entry.draft is not None else ()
    return {each.value for numbers in filled for each in numbers if each.kind is Kind.AMOUNT}


def labels(entries: Sequence[Entry]) -> Sequence[str]:
    """What tells calculations of one kind apart: the numbers that are not the same in all."""
    filled = [entry.draft.filled if entry.draft else {} for entry in entries]
    names = dict.fromkeys(name for each in filled for name in each)
    differing = [
        name for name in names if len({tuple(q.value for q in each.get(name, ())) for each in filled}) > 1
    ]
    written = [", ".join(shown(q) for name in differing for q in each.get(name, ())) for each in filled]
    if len(set(written)) == len(entries):
        return [text or "as before" for text in written]
    return [f"result {number}" for number in range(1, len(entries) + 1)]


def shown(quantity: Quantity) -> str:
    """A number as it is read back."""
    if quantity.kind is Kind.TERM:
        return show_term(int(quantity.value))
    if quantity.kind is Kind.RATE:
        return show_rate(quantity.value) if quantity.per is None else quantity.written
    amount = quantity.written if quantity.written and not quantity.is_bare else f"{quantity.value:,f}"
    return f"{amount} {_EACH[quantity.per]}" if quantity.per in _EACH else amount


def _is_same(one: Quantity, other: Quantity) -> bool:
    """Whether two numbers are the same; a bare one may be of years."""
    if one.kind is other.kind or {one.kind, other.kind} <= set(_MONEY):
        return one.value == other.value
    return one.is_bare and other.kind is Kind.TERM and other.value in (one.value, one.value * _YEAR)


def _typed(function: Callable[..., object], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as a calculator takes them: whole numbers where it counts."""
    hints = get_type_hints(function)
    return {
        name: int(value) if isinstance(value, Decimal) and hints[name] in (int, int | None) else value
        for name, value in arguments.items()
    }
