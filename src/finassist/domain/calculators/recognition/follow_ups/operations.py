"""What a later message has done with figures of the results before it: compared, put in percent, converted,
stated for another period, spent, or saved until an amount is reached.

Every operation is a calculation of its own, with the figures as its numbers.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.budgets import NamedAmount
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft, draft
from finassist.domain.calculators.recognition.follow_ups.ledger import (
    FIRST,
    ONCE,
    PERIOD_NAMES,
    Entry,
    Figure,
    alternatives,
    both_named,
    entry_of,
    labels,
    named_by,
    new_numbers,
    offers,
    others_of_amount,
)
from finassist.domain.calculators.recognition.follow_ups.meaning import (
    CONVERT,
    DIFFERENCE,
    LEFT,
    PERIOD,
    SHARE,
    TIME,
)
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.slots import form_of
from finassist.domain.calculators.recognition.sums.roles import is_spent
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import with_unit
from finassist.domain.calculators.recognition.threads.words import ADVICE
from finassist.domain.calculators.recognition.views import DIFFERENCE as DIFFERENCE_WORDS
from finassist.domain.calculators.recognition.views import figures_named, figures_wanted, period_named
from finassist.domain.calculators.recognition.wording import CURRENCIES
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_THAN: Final = late_pattern(rf"\b(?:{_DATA['than']})\b[^,.;?]*$")
_WHICH: Final = late_pattern(rf"\b(?:{_DATA['which']})\b")
_IN_PERCENT: Final = late_pattern(rf"(?:\b(?:{_DATA['in_percent']})\b|%)")
_INCOME: Final = late_pattern(rf"\b(?:{_DATA['incomes']})\b")
_REFERRING: Final = late_pattern(rf"\b(?:{_DATA['referring']})\b")
_COMMON: Final = late_pattern(rf"\d.*|{_DATA['incomes']}|{_DATA['in_percent']}|{_DATA['units_asked']}")
_PARTS: Final = {late_pattern(rf"\b(?:{said})\b"): Decimal(part) for part, said in _DATA["parts"].items()}
_OF_THAT: Final = late_pattern(r"^\W*of (?:that|it|this|those|them)\b")
_IN_ALL: Final[Mapping[str, str]] = _DATA["in_all_figures"]
_WORD: Final = late_pattern(r"[^\W\d_]+|[$€£₹¥]")
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.SMALL)
_A_YEAR: Final = {"day": 365, "week": 52, "fortnight": 26, "month": 12, "quarter": 4, "year": 1}
_IN_PERIODS: Final = frozenset(("pay_conversion", "recurring_cost"))
_LITTLE: Final = Decimal("0.03")
"""A smaller part of a month's income is hardly asked about: the income is that of a year."""
_NEAR: Final = math.log(3)
_RATE_MAX: Final = 1000
_COMPARED_MAX: Final = 5
_NUMBER_WORDS: Final[Mapping[str, int]] = shipped("calculators/words")["numbers"]["en"]
_IS_REFERRED_TO: Final = late_pattern(rf"^\W*(?:(?:so|and|but|ok) )*(?:{_DATA['referring']})\b")
_SPLIT: Final = late_pattern(rf"^\W*(?:{_DATA['split']}) (?:the |us )?(?P<number>\d+|[a-z]+)\b")
_PEOPLE_MAX: Final = 1000
_CUED: Final = 1.0
_PAIR: Final = 2
_COMPARED: Final = late_pattern(r"\bcompare\b|\bvergleich\w*|\bcompar\w+ (?:les|los|las|os|i|le)\b")

Operation = Sequence[Recognised]
"""The calls that carry an operation out, one after the other."""


def operated(ledger: Sequence[Entry], reading: Reading, meaning: str, found: Draft | None) -> Operation:
    """What a message has done with figures of the ``ledger``; empty for nothing, and when in doubt."""
    if not ledger or reading.quantities is None or reading.says(ADVICE):
        return ()
    if reading.quantities and reading.says(DIFFERENCE_WORDS) and not new_numbers(reading, ledger):
        meaning = DIFFERENCE
    is_of_period = ledger[-1].call.name in _IN_PERIODS and period_named(reading.text)
    is_of_both = ledger[-1].call.name == "percentage" or is_of_period or reading.says(_COMPARED)
    if not reading.quantities and reading.says(DIFFERENCE_WORDS) and is_of_both:
        meaning = DIFFERENCE
    if _tells_period(ledger[-1], reading):
        told = replace(ledger[-1], per=PERIOD_NAMES[period_named(reading.text)])
        return _in_period(told.figure("result"))
    if reading.says(_SPLIT):
        return _split(ledger, reading)
    operation = _OPERATIONS.get(meaning)
    if operation is None:
        return ()
    if found is not None and not found.missing and meaning != DIFFERENCE and len(reading.quantities) > _PAIR:
        return ()
    return operation(ledger, reading, found)


def _tells_period(last: Entry, reading: Reading) -> bool:
    """Whether a message tells what a percentage of an amount is paid for: "that's my rent rise per month"."""
    is_without = last.call.name == "percentage" and "result" in last.figures and not last.per_of("result")
    is_told = period_named(reading.text) in PERIOD_NAMES and not reading.quantities
    return is_without and is_told and reading.says(_IS_REFERRED_TO)


def _split(ledger: Sequence[Entry], reading: Reading) -> Operation:
    """A result split equally: "split that by four"."""
    match = _SPLIT.search(reading.text)
    figure = _meant(ledger, reading).wanted(reading.text)
    if match is None or figure is None or figure.value <= 0 or new_numbers(reading, ledger)[1:]:
        return ()
    if ledger[-1].draft is not None and "people" in ledger[-1].draft.filled:
        return ()  # other people share the same bill
    said = match["number"]
    people = int(said) if said.isdigit() else _NUMBER_WORDS.get(said, 0)
    if not 1 < people <= _PEOPLE_MAX:
        return ()
    return [Recognised("arithmetic", {"expression": f"{figure.value:f} / {people}", "per": "person"})]


def _difference(ledger: Sequence[Entry], reading: Reading, found: Draft | None) -> Operation:
    numbers = new_numbers(reading, ledger)
    if reading.says(_IN_PERCENT) and not numbers:
        return _change_in_percent(ledger)
    if not numbers and not (reading.says(DIFFERENCE_WORDS) or reading.says(_WHICH)):
        return ()
    last = alternatives(ledger)[-1:]
    if numbers and last and (found is None or found.missing) and last[0].draft is not None:
        found = draft(last[0].draft.name, reading)  # another case of the last calculation
    if numbers and found is not None and not found.missing and last and found.calculator == last[0].call.name:
        other = entry_of(recognised(found), found)
        return () if other is None else _compared((*last, other), reading)
    if numbers:
        return _compared_with(ledger[-1], numbers)
    if not reading.quantities and period_named(reading.text) and ledger[-1].call.name == "percentage":
        return _in_period(ledger[-1].figure("part"))
    return _compared(_chosen(ledger, reading), reading)


def _chosen(ledger: Sequence[Entry], reading: Reading) -> Sequence[Entry]:
    """The results that a message compares, the one to compare with first: that which it names and the last
    other one, the last two, or all when it asks which of them is the lowest."""
    known = offers(ledger, reading)
    if len(known) == 1 and reading.says(_WHICH):
        known = [*others_of_amount(ledger, known[0]), *known]
    if (pair := both_named(reading, known)) is not None:
        return pair
    named = named_by(reading, known) if known else None
    others = [entry for entry in known if entry is not named]
    if named is not None and reading.says(FIRST):
        return (named, *others[-1:])
    if named is not None and reading.quantities:
        return (*others[-1:], named)
    return known[-_COMPARED_MAX:] if reading.says(_WHICH) else known[-_PAIR:]


def _compared(entries: Sequence[Entry], reading: Reading) -> Operation:
    """The differences between results in the figure that the message names; otherwise in the main one and in
    what they cost in all."""
    if len(entries) < _PAIR:
        return ()
    wanted = [*figures_wanted(reading.text), *figures_named(reading.text)]
    names = [name for name in wanted if all(name in each.figures for each in entries)]
    if names and "months" in names[0]:
        return ()
    figures = names[:1] or _usual(entries, reading)
    named = labels(entries)
    calls = []
    for name in dict.fromkeys(figures):
        found = [entry.figure(name) for entry in entries]
        amounts = tuple(
            NamedAmount(name=label, amount=figure.value)
            for label, figure in zip(named, found, strict=True)
            if figure is not None and figure.value >= 0
        )
        if len(amounts) == len(entries) and found[0] is not None:
            calls.append(_difference_call(found[0], amounts))
    return calls


def _usual(entries: Sequence[Entry], reading: Reading) -> Sequence[str]:
    period = period_named(reading.text)
    main, in_all = entries[0].main(), _IN_ALL.get(entries[0].call.name)
    names = [each.name for each in (main,) if each is not None]
    if period and entries[0].call.name in _IN_PERIODS:
        return [period]
    if in_all is not None:
        names = [in_all, *names] if reading.says(_WHICH) else [*names, in_all]
    return [name for name in names if all(name in each.figures for each in entries)]


def _difference_call(figure: Figure, amounts: tuple[NamedAmount, ...]) -> Recognised:
    per = figure.per if figure.per in _A_YEAR and figure.per != "day" else ONCE
    return Recognised("difference", {"amounts": amounts, "per": per, "what": figure.says})


def _compared_with(entry: Entry, numbers: Sequence[Quantity]) -> Operation:
    """The result and an amount that the message compares it with: "is that more than a salary of 66,000"."""
    if len(numbers) != 1 or numbers[0].kind not in _AMOUNTS or not _THAN.search(numbers[0].before):
        return ()
    [number] = numbers
    figure = _nearest(entry, number)
    if figure is None or figure.value < 0:
        return ()
    amounts = (
        NamedAmount(name=f"the {number.value:,f}", amount=number.value),
        NamedAmount(name="the result before", amount=figure.value),
    )
    return [_difference_call(figure, amounts)]


def _nearest(entry: Entry, number: Quantity) -> Figure | None:
    """The figure that an amount is comparable with: of the same period, or else of about the same size."""
    main = entry.main()
    every = [entry.figure(name) for name in PERIOD_NAMES] if entry.call.name in _IN_PERIODS else [main]
    figures = [figure for figure in every if figure is not None and figure.value > 0]
    if number.per is not None:
        return next((figure for figure in figures if figure.per == number.per), None)
    ranked = sorted(figures, key=lambda each: abs(math.log(each.value / number.value)))
    is_near = ranked and abs(math.log(ranked[0].value / number.value)) < _NEAR
    return ranked[0] if is_near else None


def _change_in_percent(ledger: Sequence[Entry]) -> Operation:
    """The last difference, in percent."""
    amounts: Sequence[Any] = ()
    for entry in reversed(ledger):
        if entry.call.name == "difference":
            amounts = cast("Sequence[NamedAmount]", entry.call.arguments["amounts"])
            break
    else:
        mains = [entry.main() for entry in alternatives(ledger)[-_PAIR:]]
        amounts = [NamedAmount(name="", amount=each.value) for each in mains if each is not None]
    if len(amounts) != _PAIR or amounts[0].amount <= 0 or amounts[1].amount < 0:
        return ()
    first, last = (each.amount for each in amounts)
    return [Recognised("percentage", {"operation": "change", "amount": first, "other_amount": last})]


def _share(ledger: Sequence[Entry], reading: Reading, found: Draft | None) -> Operation:
    """A result as a part of an amount that the message tells."""
    numbers = new_numbers(reading, ledger)
    if len(numbers) != 1 or numbers[0].kind not in _AMOUNTS or numbers[0].kind is Kind.SMALL:
        return ()
    if not (reading.says(_REFERRING) or reading.says(_IN_PERCENT) or named_by(reading, ledger)):
        return ()
    part = _meant(ledger, reading).wanted(reading.text)
    if part is None or part.value <= 0:
        return ()
    is_income = reading.says(_INCOME)
    whole, share = _whole(part, numbers[0], is_income=is_income), part.value
    if whole is None or whole <= 0 or (is_income and whole < share):
        return ()
    is_cost = is_spent(Term(with_unit(numbers[0].value), numbers[0], 0))
    if whole < share and reading.says(_IN_PERCENT) and is_cost:  # it is hardly the whole
        return ()
    if whole < share and not reading.says(_IN_PERCENT):  # "is that enough for a rent of 1350"
        whole, share = share, whole
    return [Recognised("percentage", {"operation": "share", "amount": whole, "other_amount": share})]


def _meant(ledger: Sequence[Entry], reading: Reading) -> Entry:
    """The result that a message is about: that which it names by a number or, after an operation, by what it
    was calculated for ("the new rent"); or else the last one."""
    named = named_by(reading, ledger)
    if named is not None or ledger[-1].draft is not None:
        return named or ledger[-1]
    things = {word for word in topic_words(reading.text) if not _COMMON.fullmatch(word)}
    return next(
        (each for each in reversed(ledger) if each.draft and things & set(topic_words(each.draft.said))),
        ledger[-1],
    )


def _whole(part: Figure, number: Quantity, *, is_income: bool) -> Decimal | None:
    """The amount that something is a part of, for the period of the part; None when it has another one."""
    is_regular = part.per in _A_YEAR
    if number.per is None:
        is_yearly = is_income and part.per == "month" and part.value < _LITTLE * number.value
        return (number.value / 12).quantize(Decimal("0.01")) if is_yearly else number.value
    if part.per == "" or part.per == number.per:
        return number.value
    if not is_regular or number.per not in _A_YEAR:
        return None
    return _scaled(number.value, number.per, part.per)


def _scaled(value: Decimal, told_for: str, wanted_for: str) -> Decimal:
    return (value * _A_YEAR[told_for] / _A_YEAR[wanted_for]).quantize(Decimal("0.01"))


def _period(ledger: Sequence[Entry], reading: Reading, found: Draft | None) -> Operation:
    """A result for another period; that of a whole calculation is read out by itself."""
    last = ledger[-1]
    if reading.quantities or not period_named(reading.text):
        return ()
    if last.call.name == "percentage":
        is_of_change = last.call.arguments.get("operation") == "change" or reading.says(DIFFERENCE_WORDS)
        return _in_period(last.figure("part" if is_of_change else "result"))
    is_read_out = last.call.name not in _DATA["saved_results"] or period_named(reading.text) in last.figures
    return () if last.draft is not None and is_read_out else _in_period(last.main())


def _in_period(figure: Figure | None) -> Operation:
    if figure is None or figure.per not in _A_YEAR or figure.value <= 0:
        return ()
    return [Recognised("recurring_cost", {"amount": figure.value, "per": figure.per})]


def _convert(ledger: Sequence[Entry], reading: Reading, found: Draft | None) -> Operation:
    """A result in another currency, at the rate that the message tells."""
    rates = [each for each in new_numbers(reading, ledger) if each.is_bare or each.kind is Kind.SMALL]
    names = [word for word in _WORD.findall(reading.text) if word in CURRENCIES and word.isalpha()]
    if len(rates) != 1 or len(reading.quantities or ()) != 1 or not names:
        return ()
    if not 0 < rates[0].value < _RATE_MAX:
        return ()
    figure = _meant(ledger, reading).wanted(reading.text)
    if figure is None or figure.value <= 0:
        return ()
    arguments = {"amount": figure.value, "rate": rates[0].value, "to_currency": names[-1]}
    return [Recognised("currency_conversion", arguments)]


def _left(ledger: Sequence[Entry], reading: Reading, found: Draft | None) -> Operation:
    """What is left of a result after costs, or of an income after a result."""
    numbers = new_numbers(reading, ledger)
    if not reading.quantities and ledger[-1].call.name == "percentage":
        return _period(ledger, reading, found)
    figure = _a_month(ledger[-1])
    if not numbers or figure is None or not all(each.kind in _AMOUNTS for each in numbers):
        return ()
    amounts = [_scaled(each.value, each.per or "month", "month") for each in numbers if each.per != "hour"]
    is_income = len(numbers) == 1 and _INCOME.search(f"{numbers[0].before} {numbers[0].after}")
    has_income = ledger[-1].call.name in _DATA["income_results"]
    if len(amounts) != len(numbers) or bool(is_income) == has_income:
        return ()
    income, expenses = (sum(amounts), figure.value) if is_income else (figure.value, sum(amounts))
    return [Recognised("money_left", {"income": Decimal(income), "expenses": Decimal(expenses)})]


def _a_month(entry: Entry) -> Figure | None:
    """What a result comes to in a month."""
    monthly = entry.figure("monthly") if entry.call.name in {*_IN_PERIODS, "difference"} else None
    figure = monthly or entry.main()
    return figure if figure is not None and figure.value > 0 and figure.per == "month" else None


def _time(ledger: Sequence[Entry], reading: Reading, found: Draft | None) -> Operation:
    """When an amount is reached with a result, or a part of it, saved every month."""
    saved = _a_month(ledger[-1])
    numbers = new_numbers(reading, ledger)
    part, goals = _part(reading), [each for each in numbers if each.kind is Kind.AMOUNT]
    others = [each for each in numbers if each.kind is not Kind.AMOUNT and not _OF_THAT.match(each.after)]
    if saved is None or others or len(goals) > 1 or not goals:
        return ()
    if ledger[-1].call.name not in _DATA["saved_results"]:
        return ()
    reached = form_of("savings_goal/time").slots["goal"].favour(goals[0], is_first=True, is_last=True)
    if reached is None or reached < _CUED:
        return ()
    arguments = {"goal": goals[0].value, "monthly_amount": (saved.value * part).quantize(Decimal("0.01"))}
    return [Recognised("savings_goal", arguments)]


def _part(reading: Reading) -> Decimal:
    """The part of a result that a message speaks of: half of that, 30% of it."""
    for rate in reading.all(Kind.RATE):
        if _OF_THAT.match(rate.after):
            return rate.value / 100
    return next((part for said, part in _PARTS.items() if reading.says(said)), Decimal(1))


_OPERATIONS: Final[Mapping[str, Callable[[Sequence[Entry], Reading, Draft | None], Operation]]] = {
    DIFFERENCE: _difference,
    SHARE: _share,
    PERIOD: _period,
    CONVERT: _convert,
    LEFT: _left,
    TIME: _time,
}
