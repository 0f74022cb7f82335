"""Inputs of a calculation that a later message adjusts: a loan less a down payment, pay after a raise, what a
debt needs to be paid off in time, a part or a multiple: "if I pay double", "my wife puts in the same"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.ledger import entry_of
from finassist.domain.calculators.recognition.follow_ups.relative import with_value
from finassist.domain.calculators.recognition.quantities import Kind, Quantity, without_quantities
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.messages import portion
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
PAID_DOWN: Final = late_pattern(rf"^\W*(?:{_DATA['reduced']['after']})")
_BEFORE: Final = late_pattern(rf"(?:{_DATA['reduced']['before']})")
_RAISED: Final = {
    sign: late_pattern(rf"\b(?:{said})\b")
    for sign, said in (("up", _DATA["raised"]["up"]), ("down", _DATA["raised"]["down"]))
}
_LUMP_SUM: Final = late_pattern(rf"\b(?:{_DATA['switches']['loan_instalment'][0]['cue']})\b")
LATER: Final = late_pattern(rf"\b(?:{_DATA['later']['said']})\b")
_AROUND: Final = late_pattern(rf"\b(?:{_DATA['later']['around']})\b")
_STARTING: Final = late_pattern(rf"\b(?:{_DATA['starting']['said']})\b")
_STARTS: Final = {
    sign: (late_pattern(rf"\b(?:{before}) $"), late_pattern(rf"^ ?(?:{behind})\b"))
    for sign, before, behind in (
        (1, _DATA["starting"]["before"], _DATA["starting"]["after"]),
        (-1, "(?!)", _DATA["starting"]["sooner"]),
    )
}
_LATER_BY: Final = {sign: frozenset(_DATA["later"][sign]) for sign in ("longer", "shorter")}
_SAME_PAY: Final = late_pattern(rf"\b(?:{_DATA['same_pay']})\b")
_PAY: Final = "pay_conversion"
_LOAN: Final = "loan_instalment"
_DEBT: Final = "debt_payoff"
_OWED: Final = {_LOAN: "principal", _DEBT: "debts"}
_UNTELLING: Final = frozenset(topic_words(_DATA["untelling"]))
"""Words of so many numbers that they name none."""
_BESIDE: Final = 2
RATE_WORD: Final = late_pattern(rf"\b(?:{_DATA['rate_words']}|returns?|yields?)\b")
PAID: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY)
_CENT: Final = Decimal("0.01")
_ONE_DEBT: Final = 2

_ALSO: Final = _DATA["also"]
_PERSON: Final = late_pattern(rf"\b(?:{_ALSO['persons']})\b")
_AS_WELL: Final = late_pattern(rf"\b(?:{_ALSO['as_well']})\b")
_SCALING: Final = frozenset(_ALSO["calculators"])
"""Calculators whose result is twice as much for twice the amounts."""
_REGULAR: Final = frozenset(("monthly", "monthly_only", "saving", "recurring", "payment"))
_TWICE: Final = Decimal(2)
_Number = tuple[str, Quantity]


def adjusted_input(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation with an input that the numbers of a message adjust; None when they adjust none."""
    if draft.missing:
        return None
    numbers = [each for each in reading.quantities or () if not _is_told(draft, each)]
    if len(numbers) != 1:
        return None
    return (
        paid_down(draft, reading, numbers[0])
        or _raised(draft, reading, numbers[0])
        or _paid_off_in_time(draft, reading, numbers[0])
    )


def put_off(draft: Draft, reading: Reading) -> Draft | None:
    """What begins or ends later by the only time of a message: a goal that is put off has more of it, what
    grows until a fixed end less, and so has all that is only begun later; None for a calculation of which
    neither is plain."""
    numbers, [*term] = reading.quantities or (), draft.filled.get("term", ())
    if draft.missing or len(numbers) != 1 or numbers[0].kind is not Kind.TERM or len(term) != 1:
        return None
    [time] = numbers
    begun = _begun(time, reading)
    signs = [sign for sign, names in _LATER_BY.items() if draft.calculator in names]
    if not signs or (not begun and not reading.says(LATER)):
        return None
    delay = begun * time.value if begun else time.value if signs == ["shorter"] else -time.value
    months = term[0].value - delay
    if months <= 0:
        return None
    later = _with(draft, "term", term[0], months, reading)
    return _grown(later, delay) if begun else later


def _begun(time: Quantity, reading: Reading) -> int:
    """One when something is begun so much later, minus one for earlier, and nothing for neither."""
    if not reading.says(_STARTING):
        return 0
    said = (
        sign
        for sign, (before, behind) in _STARTS.items()
        if before.search(time.before) or behind.match(time.after)
    )
    return next(said, 0)


def _grown(draft: Draft, months: Decimal) -> Draft:
    """A goal with what is saved already as it is when the saving begins."""
    [*saved], [*rate] = draft.filled.get("saved", ()), draft.filled.get("yearly_rate", ())
    if not saved or not rate or months <= 0:
        return draft
    value = saved[0].value * (1 + rate[0].value / 1200) ** int(months)
    grown = replace(saved[0], value=value.quantize(_CENT), written=f"{value:,.2f}", is_bare=False)
    return draft.with_numbers({"saved": (grown,)}, "")


def without_later(reading: Reading) -> Reading:
    """A message without the words that say that something begins later."""
    return replace(reading, text=_AROUND.sub(" ", LATER.sub(" ", reading.text)))


def _is_told(draft: Draft, quantity: Quantity) -> bool:
    """Whether a number only repeats one of the calculation."""
    return any(
        each.value == quantity.value
        and (each.kind is quantity.kind or {each.kind, quantity.kind} <= set(PAID))
        for filled in draft.filled.values()
        for each in filled
    )


def for_same_pay(draft: Draft, reading: Reading) -> Draft | None:
    """What other hours have to be paid for the same pay of a year."""
    is_asked = draft.name == _PAY and not draft.missing and reading.says(_SAME_PAY)
    paid = entry_of(recognised(draft)) if is_asked else None
    [*hours] = reading.all(Kind.HOURS, Kind.HOURS_IN_ALL)
    if paid is None or len(hours) != 1 or len(reading.quantities or ()) != 1:
        return None
    value = paid.figures["yearly"]
    yearly = Quantity(kind=Kind.PAY, value=value, before="", after="", written=f"{value:,}", per="year")
    a_week = replace(hours[0], kind=Kind.HOURS)
    return draft.with_numbers({"amount": (yearly,), "hours_per_week": (a_week,)}, reading.text)


def paid_down(draft: Draft, reading: Reading, paid: Quantity) -> Draft | None:
    """What is owed less what is paid down first."""
    owed = [each for each in draft.filled.get(_OWED.get(draft.name, ""), ()) if each.kind is not Kind.RATE]
    is_down = PAID_DOWN.search(paid.after) or _BEFORE.search(paid.before)
    if len(owed) != 1 or paid.kind is not Kind.AMOUNT or not is_down or reading.says(_LUMP_SUM):
        return None
    if not 0 < paid.value < owed[0].value:
        return None
    return _with(draft, _OWED[draft.name], owed[0], owed[0].value - paid.value, reading)


def _raised(draft: Draft, reading: Reading, share: Quantity) -> Draft | None:
    """An amount that is raised or cut by a percentage: the one that the message names, or the only one of a
    calculation without rates."""
    signs = [sign for sign, pattern in _RAISED.items() if reading.says(pattern)]
    if share.kind is not Kind.RATE or len(signs) != 1 or share.per is not None or reading.says(RATE_WORD):
        return None
    amounts = [(name, each) for name, filled in draft.filled.items() for each in filled if each.kind in PAID]
    words = telling(reading.text)
    named = [(name, each) for name, each in amounts if words & names_of(draft, name, each)]
    if any(slot.kind in {"rate", "number"} for slot in draft.form.slots.values()):
        amounts = named
    if len(amounts) > 1:
        amounts = named
    if len(amounts) != 1:
        return None
    [(name, amount)] = amounts
    factor = 1 + (share.value if signs == ["up"] else -share.value) / 100
    return _with(draft, name, amount, amount.value * factor, reading) if factor > 0 else None


def telling(text: str) -> set[str]:
    """The words of a message that may name a number."""
    return set(topic_words(without_quantities(text))) - _UNTELLING


def names_of(draft: Draft, name: str, amount: Quantity) -> set[str]:
    """The words that an amount of a calculation is known by."""
    said = (*draft.form.slots[name].says_of, *topic_words(amount.before)[-_BESIDE:])
    return {word for each in said for word in topic_words(each)} - _UNTELLING


def _paid_off_in_time(draft: Draft, reading: Reading, term: Quantity) -> Draft | None:
    """The instalment that pays a debt off in a time, after the time that an amount takes."""
    debts: Sequence[Quantity] = draft.filled.get("debts", ())
    if draft.name != _DEBT or len(debts) != _ONE_DEBT or term.kind is not Kind.TERM:
        return None
    rates = tuple(each for each in debts if each.kind is Kind.RATE)
    owed = tuple(each for each in debts if each.kind is not Kind.RATE)
    if len(rates) != 1 or len(owed) != 1:
        return None
    return Draft(
        _LOAN, {"principal": owed, "yearly_rate": rates, "term": (term,)}, f"{draft.said} | {reading.text}"
    )


def _with(draft: Draft, name: str, old: Quantity, value: Decimal, reading: Reading) -> Draft:
    new = with_value(old, value)
    numbers = tuple(new if each is old else each for each in draft.filled[name])
    return draft.with_numbers({name: numbers}, reading.text)


def scaled(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation with a part or a multiple of one of its numbers; None when it is not plain of which."""
    step = portion(reading.text)
    if draft.missing or reading.quantities or step is None or reading.says(say.REFERRING):
        return None
    numbers = list(_scalable(draft, reading))
    return _multiplied(draft, numbers, step.operand.number, reading) if len(numbers) == 1 else None


def doubled(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation for another person as well, who pays or saves the same."""
    if draft.missing or reading.quantities or draft.calculator not in _SCALING:
        return None
    if not (reading.says(_PERSON) and reading.says(_AS_WELL)):
        return None
    amounts = [(name, each) for name, each in _numbers(draft) if each.kind in PAID]
    return _multiplied(draft, amounts, _TWICE, reading) if amounts else None


def _scalable(draft: Draft, reading: Reading) -> Iterator[_Number]:
    """The numbers that a message may mean: those that it names, or else what is paid regularly."""
    numbers = list(_numbers(draft))
    if reading.says(RATE_WORD):
        yield from ((name, each) for name, each in numbers if each.kind is Kind.RATE)
        return
    words = telling(reading.text)
    amounts = [(name, each) for name, each in numbers if each.kind in PAID]
    named = [(name, each) for name, each in amounts if words & names_of(draft, name, each)]
    regular = [(name, each) for name, each in amounts if draft.form.slots[name].kind in _REGULAR]
    yield from named or regular or amounts


def _numbers(draft: Draft) -> Iterator[_Number]:
    for name, filled in draft.filled.items():
        for each in filled:
            yield name, each


def _multiplied(draft: Draft, numbers: list[_Number], factor: Decimal, reading: Reading) -> Draft:
    times = {id(each): _times(each, factor) for _, each in numbers}
    changed = {
        name: tuple(times.get(id(each), each) for each in filled) for name, filled in draft.filled.items()
    }
    return draft.with_numbers(changed, reading.text)


def _times(number: Quantity, factor: Decimal) -> Quantity:
    return with_value(number, number.value * factor)
