"""Messages that tell another offer with its own fee, another one who shares a cost, or claim a percentage."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.relative import is_told_as_more
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/threads"))
_FEE_AFTER: Final = late_pattern(rf"^ (?:[^\W\d_]+ )?(?:{_DATA['fee_words']})(?!\w)")
_FEE_BEFORE: Final = late_pattern(rf"(?<!\w)(?:{_DATA['fee_words']}) (?:of |is |von |de |di )?$")
_FEES: Final = late_pattern(rf"(?<!\w)(?:{_DATA['fee_words']})(?!\w)")
_ELSEWHERE: Final = late_pattern(rf"(?<!\w)(?:{_DATA['elsewhere']})(?!\w)")
_NO_PERCENT: Final = late_pattern(rf"(?<!\w)(?:{_DATA['no_percent']})(?!\w)")
_JOINS: Final = late_pattern(rf"(?<!\w)(?:{_DATA['joins']})(?!\w)")
_OTHERS: Final = late_pattern(rf"(?<!\w)(?:{_DATA['others']}) (?:[^\W\d_]+ ){{0,2}}$")
_MINE: Final = late_pattern(rf"(?<!\w)(?:{_DATA['own']})(?: [^\W\d_]+)?[ :]*$")
_CLAIM: Final = late_pattern(rf"(?<!\w)(?:{_DATA['claims']})(?!\w)")
_OFF: Final = re.compile(r"^ ?(?:off|discount|rabatt|de remise|de descuento|de desconto|di sconto)\b")
_INCOMES: Final = ("first_income", "second_income", "third_income", "fourth_income")
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY)
_AT_THE_END: Final = re.compile(r"\W*(?:\w+\W*)?")
_PAIR: Final = 2
_CHANGE: Final = "percentage/change"


def is_fee_rate(quantity: Quantity) -> bool:
    """Whether a percentage is told as a fee, and no rate of a year."""
    is_fee = _FEE_AFTER.match(quantity.after) or _FEE_BEFORE.search(quantity.before)
    return quantity.kind is Kind.RATE and bool(is_fee)


def tells_strange_fee(draft: Draft, reading: Reading) -> bool:
    """Whether a message tells a fee for which the last calculation has no place."""
    has_place = any("fee" in name or name == "percent" for name in draft.form.slots)
    if has_place or reading.all(Kind.TERM):
        return False  # with the months without interest it is a calculation of its own
    numbers = reading.quantities or ()
    is_amount = len(numbers) == 1 and numbers[0].kind in (*_AMOUNTS, Kind.SMALL)
    is_strange = is_amount and not _FEES.search(draft.said) and bool(_FEE_AFTER.match(numbers[0].after))
    return is_strange or any(map(is_fee_rate, numbers))


def offered(draft: Draft, reading: Reading) -> Draft | None:
    """The last calculation with what another place takes, and nothing of what the one before took."""
    numbers = reading.quantities or ()
    if draft.missing or not numbers:
        return None
    if draft.name == "debt_payoff":
        return _moved(draft, numbers, reading)
    if draft.name != "currency_conversion" or len(numbers) != 1:
        return None
    if not (reading.says(_ELSEWHERE) or reading.says(_NO_PERCENT)):
        return None
    [fee] = numbers
    is_percent = fee.kind is Kind.RATE and "%" in fee.written
    if not is_percent and (fee.kind not in (Kind.AMOUNT, Kind.SMALL) or not _is_flat(fee, reading)):
        return None
    kept = {name: each for name, each in draft.filled.items() if not name.startswith("fee_")}
    told = {"fee_percent" if is_percent else "fee_amount": (fee,)}
    return Draft(draft.name, {**kept, **told}, f"{draft.said} | {reading.text}")


def _is_flat(fee: Quantity, reading: Reading) -> bool:
    """Whether an amount is told as a fee: with its currency, or by a word."""
    is_worded = _FEE_AFTER.match(fee.after) or _FEE_BEFORE.search(fee.before)
    return bool(fee.symbol or is_worded or reading.says(_NO_PERCENT))


def _moved(draft: Draft, numbers: Sequence[Quantity], reading: Reading) -> Draft | None:
    """One debt with the rate of the card that it is moved to, and the fee for that on top of it."""
    debts = draft.filled.get("debts", ())
    fees = [each for each in numbers if is_fee_rate(each)]
    rates = [each for each in numbers if each.kind is Kind.RATE and each not in fees]
    paid = [each for each in numbers if each.kind in _AMOUNTS]
    if len(debts) != _PAIR or len(fees) != 1 or len(rates) != 1 or len(paid) > 1:
        return None
    if len(numbers) != len(fees) + len(rates) + len(paid):
        return None
    moved = []
    for each in debts:
        value = (each.value * (1 + fees[0].value / 100)).quantize(Decimal("0.01"))
        is_rate = each.kind is Kind.RATE
        moved.append(rates[0] if is_rate else replace(each, value=value, written=f"{value:,}"))
    budget = {"monthly_budget": tuple(paid)} if paid else {}
    return draft.with_numbers({"debts": tuple(moved), **budget}, reading.text)


def with_sharer(draft: Draft, reading: Reading) -> Draft | None:
    """A cost split by income with one more who shares it, or with what another of them than the one who
    writes really earns."""
    numbers = reading.quantities or ()
    if draft.name != "split_by_income" or draft.missing or len(numbers) != 1:
        return None
    [income] = numbers
    taken = [name for name in _INCOMES if name in draft.filled]
    if income.kind not in _AMOUNTS or is_told_as_more(income):
        return None
    if reading.says(_JOINS):
        free = _INCOMES[len(taken) : len(taken) + 1]
        return draft.with_numbers(dict.fromkeys(free, (income,)), reading.text) if free else None
    if not _OTHERS.search(income.before):
        return None
    if len(taken) > _PAIR:
        return draft.with_numbers({taken[-1]: (income,)}, reading.text)
    others = [name for name in taken if not _MINE.search(draft.filled[name][0].before)]
    return draft.with_numbers({others[0]: (income,)}, reading.text) if len(others) == 1 else None


def is_own_income(income: Quantity) -> bool:
    """Whether an income is told as that of the one who writes."""
    return _MINE.search(income.before) is not None


def is_doubtful_sharer(draft: Draft, reading: Reading) -> bool:
    """Whether a message tells what another one earns, and it is not plain who of several that is."""
    is_split = draft.name == "split_by_income" and len(reading.quantities or ()) == 1
    return is_split and any(_OTHERS.search(each.before) for each in reading.quantities or ())


def claim_checked(draft: Draft, reading: Reading) -> Recognised | None:
    """What discounts in a row are together, for a message that claims a percentage: "so that's 40% off?", and
    what a change of an amount is in percent."""
    numbers = reading.quantities or ()
    if draft.name == _CHANGE and not draft.missing:
        is_rate = len(numbers) == 1 and numbers[0].kind is Kind.RATE
        is_claimed = is_rate and _CLAIM.search(numbers[0].before) and _AT_THE_END.fullmatch(numbers[0].after)
        return recognised(draft) if is_claimed else None
    rates = draft.filled.get("percent", ()) if draft.name == "percentage/discounts" else ()
    numbers_off = [each for each in draft.filled.get("numbers", ()) if each.kind is Kind.RATE]
    rates = rates or (tuple(numbers_off) if draft.calculator == "arithmetic" else ())
    if len(rates) < _PAIR or len(numbers) != 1 or numbers[0].kind is not Kind.RATE:
        return None
    if not _CLAIM.search(numbers[0].before) or not _OFF.match(numbers[0].after):
        return None
    if not all(_OFF.match(each.after) for each in rates):
        return None
    left = " * ".join(f"(1 - {each.value:f} / 100)" for each in rates)
    return Recognised("arithmetic", {"expression": f"(1 - {left}) * 100", "unit": "percent"})
