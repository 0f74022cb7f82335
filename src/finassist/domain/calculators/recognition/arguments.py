"""The arguments that a calculation is called with, from the numbers and words that a question gives."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.recognition import everyday, household
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised, Value, split_term
from finassist.domain.calculators.recognition.wording import CURRENCIES
from finassist.patterns import late_pattern

_EXAMPLE: Final = Decimal(100)
_CENT: Final = Decimal("0.01")
_YEARLY: Final = {"year": 1, "quarter": 4, "month": 12, "fortnight": 26, "week": 52, "day": 260, "hour": 2080}
_SAID: Final[Mapping[str, Any]] = shipped("calculators/recognition")["arguments"]
_TIMES: Final = {
    re.compile(r"\btripl\w*|\b(?:three|3) ?(?:x|times|fold)|\bverdreifach\w*"): 3,
    re.compile(r"\bquadrupl\w*|\b(?:four|4) ?(?:x|times|fold)"): 4,
}
_PAID_ABROAD: Final = re.compile(rf"\b(?:{_SAID['paid_abroad']})\b")
_EFFECTIVE: Final = re.compile(r"\b(?:effective|ear|apy|aer|annual percentage yield)\b")
_DEPOSITS: Final = late_pattern(rf"\b(?:{_SAID['deposits']})\b")
_COMPOUNDED: Final = late_pattern(rf"\b(?:{_SAID['compounded']})\b")
_AT_START: Final = re.compile(r"\b(?:beginning|start) of (?:each|every|the) (?:month|year)")
_AT_END: Final = re.compile(r"\bend of (?:each|every|the) (?:month|year)")
_SIP: Final = re.compile(r"\bsips?\b")
_NAMED: Final = re.compile(rf"\b({_SAID['debts']})\b")
_BY_WORTH: Final = ("GBP", "EUR", "USD", "INR", "JPY")
"""Currencies, the one of which a unit is worth most first."""
_NEAR_ONE: Final = Decimal("0.05")
"""So near to one a rate may be told either way."""
_CURRENCY_CODES: Final = {
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "₹": "INR",
    "¥": "JPY",
    "CHF": "CHF",
    "R$": "BRL",
}
_CODES: Final = tuple(_SAID["currencies"])
_CURRENCY: Final = re.compile(rf"\b(?:{'|'.join(f'({said})' for said in _SAID['currencies'].values())})\b")
_QUOTED: Final = re.compile(r"\(([^\s():]+):([^\s():]+)\)")
_WANTED: Final = re.compile(rf"\b(?:{_SAID['before_wanted']}) (?P<name>[^\W\d_]+)")
_RATE_DIGITS: Final = Decimal("1e-12")

Arguments = dict[str, Value]


def recognised(draft: Draft) -> Recognised:
    """The call for a calculation that lacks nothing."""
    arguments: Arguments = {}
    for name, quantities in draft.filled.items():
        if name != "debts":
            arguments |= _argument(name, draft.form.slots[name].kind, quantities)
    reading = Reading(draft.said, (), "", frozenset())
    variant = draft.name.partition("/")[2]
    finish = _FINISHED.get(draft.name) or _FINISHED.get(draft.calculator)
    if finish is not None:
        return finish(draft, arguments, reading)
    fixed: Arguments = {"operation": variant} if draft.calculator == "percentage" else {}
    return Recognised(draft.calculator, {**fixed, **arguments})


def _argument(name: str, kind: str, quantities: tuple[Quantity, ...]) -> Arguments:
    quantity = quantities[0]
    if kind == "term" and name == "term":
        return {**split_term(quantity.value)}
    if kind in {"years", "during", "until"}:
        return {name: int(quantity.value) // 12}
    if name in {"months_paid", "months_before"} or kind in {"months", "days", "people"}:
        return {name: int(quantity.value)}
    if kind == "count":
        return {name: int(quantity.value) if quantity.value % 1 == 0 else quantity.value}
    if kind in {"hourly", "any_amount", "unit_price", "number_of", "bands", "packs", "multiple", "per_share"}:
        return {name: sum((each.value for each in quantities), Decimal(0))}
    if kind == "pay":
        return {name: quantity.value, "per": quantity.per or "year"}
    return {name: sum((_amount(kind, each) for each in quantities), Decimal(0))}


def _amount(kind: str, quantity: Quantity) -> Decimal:
    """An amount for the period that its slot is about."""
    period = {
        "monthly": "month",
        "costs": "month",
        "monthly_only": "month",
        "income": "month",
        "yearly": "year",
        "income_a_year": "year",
        "regular_yearly": "year",
        "paid_yearly": "year",
        "regular_costs": "year",
    }.get(kind)
    if period is None or quantity.per in (None, period):
        return quantity.value
    exact = quantity.value * _YEARLY[quantity.per or period] / _YEARLY[period]
    return exact if exact == exact.quantize(_CENT) else exact.quantize(_CENT)


def _compound_interest(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    contributed = "contribution" in arguments
    usual = "monthly"
    if contributed:
        amount, interval = _contribution(draft.filled["contribution"][0])
        usual = interval
        arguments |= {"contribution": amount, "contribution_timing": _timing(reading)}
        if interval != "monthly":
            arguments["contribution_interval"] = interval
    is_monthly = any(each.per for each in draft.filled.get("yearly_rate", ()))
    usual = usual if contributed else "monthly" if is_monthly else "yearly"
    frequency = _compounding(reading)
    if not (frequency or contributed or is_monthly) and _is_part_of_year(arguments, reading):
        return Recognised("simple_interest", arguments)
    arguments["compounding"] = frequency or usual
    return Recognised("compound_interest", arguments)


def _is_part_of_year(arguments: Arguments, reading: Reading) -> bool:
    """Whether interest of a deposit is asked for that ends before a year of it is added."""
    is_short = not arguments.get("years") and bool(arguments.get("months"))
    return is_short and reading.says(_DEPOSITS) and not reading.says(_COMPOUNDED)


def _contribution(paid: Quantity) -> tuple[Decimal, str]:
    """An amount that is paid regularly and its interval; that of a week or less is put together to months."""
    interval = {None: "monthly", "month": "monthly", "year": "yearly", "quarter": "quarterly"}.get(paid.per)
    if interval is not None:
        return paid.value, interval
    return (paid.value * _YEARLY[paid.per or "month"] / 12).quantize(_CENT), "monthly"


def _fixed_deposit(_: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    frequency = _compounding(reading) or ("maturity" if _is_part_of_year(arguments, reading) else None)
    return Recognised("fixed_deposit", {**arguments, **({"compounding": frequency} if frequency else {})})


def _regular_investment(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    paid, interval = _contribution(draft.filled["monthly_amount"][0])
    frequency = _compounding(reading) or interval
    arguments["monthly_amount"] = paid
    if interval == "monthly" and (frequency == "monthly" or "yearly_step_up" in arguments):
        return Recognised("regular_investment", {**arguments, "timing": _timing(reading)})
    contribution, rate = arguments.pop("monthly_amount"), arguments.pop("yearly_return")
    return Recognised(
        "compound_interest",
        {
            "principal": Decimal(0),
            "yearly_rate": rate,
            **arguments,
            "compounding": frequency,
            "contribution": contribution,
            **({} if interval == "monthly" else {"contribution_interval": interval}),
            "contribution_timing": _timing(reading),
        },
    )


def _saving_time(_: Draft, arguments: Arguments, __: Reading) -> Recognised:
    if "monthly_amount" not in arguments:
        arguments |= {"monthly_amount": Decimal(0), "compounding": "yearly"}
    return Recognised("savings_goal", arguments)


def _deposit_time(_: Draft, arguments: Arguments, __: Reading) -> Recognised:
    """The goal is a part of the price."""
    price, percent = cast(Decimal, arguments.pop("price")), cast(Decimal, arguments.pop("percent"))
    return Recognised("savings_goal", {"goal": price * percent / 100, **arguments})


def _doubling_time(_: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    saved = arguments.get("saved", _EXAMPLE)
    assert isinstance(saved, Decimal)
    goal = saved * _times(reading)
    told: Arguments = {"goal": goal, "saved": saved, "monthly_amount": Decimal(0), "compounding": "yearly"}
    return Recognised("savings_goal", {**arguments, **told})


def _doubling_rate(_: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    start = arguments.get("start_value", _EXAMPLE)
    assert isinstance(start, Decimal)
    told: Arguments = {"start_value": start, "end_value": start * _times(reading)}
    return Recognised("compound_annual_growth_rate", {**arguments, **told})


def _nominal(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    frequencies = reading.compoundings() or ["monthly"]
    told: Arguments = {"compounding": frequencies[0], "given": draft.name.partition("/")[2]}
    return Recognised("effective_annual_rate", {**arguments, **told})


def _sales_tax(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    return Recognised("sales_tax", {**arguments, "included": draft.name.endswith("/included")})


def _currency(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    if "fee_percent" in arguments and reading.says(_PAID_ABROAD):
        arguments["fee_on_top"] = True
    quoted = _QUOTED.search(reading.text)
    if quoted is not None:
        return _by_quote(draft, arguments, *quoted.groups())
    found = _codes_in(reading.text)
    symbols = [
        code for symbol, code in _CURRENCY_CODES.items() if symbol in reading.text.upper() and symbol != "R$"
    ]
    codes = list(dict.fromkeys([*(code for code in symbols if code not in found), *found]))
    own = _codes_in(draft.filled["amount"][0].written)
    codes.sort(key=lambda code: code not in own)  # "how many euros is 500 dollars" gives dollars
    if len(codes) > 1:
        rate = _between(codes[0], codes[1], Decimal(str(arguments["rate"])))
        arguments |= {"from_currency": codes[0], "to_currency": codes[1], "rate": rate}
    return Recognised("currency_conversion", arguments)


def _codes_in(text: str) -> list[str]:
    """The currencies that a text names, in their order."""
    return [
        code
        for match in _CURRENCY.finditer(text)
        for code, said in zip(_CODES, match.groups(), strict=True)
        if said
    ]


def _between(from_code: str, to_code: str, rate: Decimal) -> Decimal:
    """The rate from one currency to another, which may have been told the other way round: an euro is worth
    more than a dollar, so that 1.08 is what a euro costs in dollars."""
    if not {from_code, to_code} <= set(_BY_WORTH) or not rate or abs(rate - 1) < _NEAR_ONE:
        return rate
    is_dearer = _BY_WORTH.index(from_code) < _BY_WORTH.index(to_code)
    return rate if is_dearer == (rate > 1) else (1 / rate).quantize(_RATE_DIGITS)


def _by_quote(draft: Draft, arguments: Arguments, quoted_name: str, base_name: str) -> Recognised:
    """By a rate told as so much of one currency for one of another, in the direction that the amount has."""
    [amount], [rate] = draft.filled["amount"], draft.filled["rate"]
    quoted, base = CURRENCIES[quoted_name], CURRENCIES[base_name]
    if quoted == base:  # two kinds of dollars are told apart by their names
        return _between_dollars(arguments, amount, rate.value, quoted_name, base_name)
    wanted = {CURRENCIES.get(match["name"]) for match in _WANTED.finditer(draft.said)}
    is_inverse = (
        amount.symbol == quoted
        or {amount.symbol, quoted} == {"₱", "MXN"}
        or (not amount.symbol and base in wanted)
    )
    codes = [_CURRENCY_CODES.get(symbol, symbol) for symbol in (base, quoted)]
    from_currency, to_currency = reversed(codes) if is_inverse else codes
    exact = (1 / rate.value).quantize(_RATE_DIGITS) if is_inverse else rate.value
    told: Arguments = {"rate": exact, "from_currency": from_currency, "to_currency": to_currency}
    return Recognised("currency_conversion", {**arguments, **told})


def _between_dollars(
    arguments: Arguments, amount: Quantity, rate: Decimal, quoted: str, base: str
) -> Recognised:
    is_inverse = amount.written.endswith(quoted)
    codes = [quoted.upper(), base.upper()] if is_inverse else [base.upper(), quoted.upper()]
    exact = (1 / rate).quantize(_RATE_DIGITS) if is_inverse else rate
    told: Arguments = {"rate": exact, "from_currency": codes[0], "to_currency": codes[1]}
    return Recognised("currency_conversion", {**arguments, **told})


def _debts(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    return Recognised("debt_payoff", {"debts": _named_debts(draft), **arguments})


def _interest_now(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    return Recognised("interest_per_period", {"debts": _named_debts(draft)})


def _named_debts(draft: Draft) -> tuple[Debt, ...]:
    pairs = draft.filled["debts"]
    first, second = pairs[::2], pairs[1::2]
    amounts, rates = (first, second) if first[0].kind is Kind.AMOUNT else (second, first)
    return tuple(
        Debt(name=_debt_name(amount, rate), balance=amount.value, yearly_rate=rate.value)
        for amount, rate in zip(amounts, rates, strict=True)
    )


def _debt_name(amount: Quantity, rate: Quantity) -> str:
    """What the debt is called beside its amount, with the figures; or the figures alone."""
    figures = f"{amount.value:,f} at {rate.value:f}%"
    behind = _NAMED.match(amount.after.removeprefix(" "))
    before = _NAMED.findall(re.split(r"[,;:.]|\b(?:and|or|first)\b", amount.before)[-1])
    if behind is None and len(before) != 1:
        return figures
    return f"{behind[0] if behind else before[0]} ({figures})"


def _compounding(reading: Reading) -> str | None:
    """An annual percentage yield has its compounding in it already: it is added yearly."""
    return "yearly" if reading.says(_EFFECTIVE) else next(iter(reading.compoundings()), None)


def _without_interest(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """What regular amounts add up to: those of a week are added over a whole period, which is exact."""
    [paid], [term] = draft.filled["contribution"], draft.filled["term"]
    months = 1 if paid.per in (None, "month") else next(each for each in _INTERVALS if not term.value % each)
    amount = (paid.value * _YEARLY[paid.per or "month"] * months / 12).quantize(_CENT)
    told: Arguments = {"principal": Decimal(0), "yearly_rate": Decimal(0), "contribution": amount}
    return Recognised("compound_interest", {**arguments, **told, "contribution_interval": _INTERVALS[months]})


def _interest_a_year(_: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    return _compound_interest(_, {**arguments, "years": 1}, reading)


def _discounts(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    """One discount after another, as the one that they make together."""
    left = Decimal(100)
    for quantity in draft.filled["percent"]:
        left *= 1 - quantity.value / 100
    [amount] = draft.filled["amount"]
    return Recognised(
        "percentage", {"operation": "subtract", "amount": amount.value, "percent": Decimal(100) - left}
    )


def _timing(reading: Reading) -> str:
    if reading.says(_AT_START):
        return "start"
    return "start" if reading.says(_SIP) and not reading.says(_AT_END) else "end"


def _times(reading: Reading) -> int:
    return next((times for pattern, times in _TIMES.items() if reading.says(pattern)), 2)


_INTERVALS: Final = {12: "yearly", 6: "half-yearly", 3: "quarterly", 1: "monthly"}
_FINISHED: Final[Mapping[str, Callable[[Draft, Arguments, Reading], Recognised]]] = {
    "loan_instalment": household.compounded_loan,
    "mortgage": household.compounded_loan,
    "compound_interest": _compound_interest,
    "compound_interest/year": _interest_a_year,
    "compound_interest/without_interest": _without_interest,
    "percentage/discounts": _discounts,
    "percentage/share": everyday.share_of,
    "percentage/of_income": everyday.share_of,
    "pay_conversion": everyday.pay_conversion,
    "recurring_cost": everyday.recurring_cost,
    "fuel_cost": everyday.fuel_cost,
    "energy_cost": everyday.energy_cost,
    "unit_price": everyday.unit_price,
    "multi_buy": everyday.multi_buy,
    "instalment_purchase": everyday.instalment_purchase,
    "payment_count": everyday.payment_count,
    "tax_in_bands": everyday.tax_in_bands,
    "arithmetic": everyday.arithmetic,
    "share_trade": everyday.share_trade,
    "pension_contribution": everyday.pension_contribution,
    "overtime_pay": everyday.overtime_pay,
    "interest_after_tax": everyday.interest_after_tax,
    "income_rule": household.income_rule,
    "split_by_income": household.split_by_income,
    "settle_up": household.settle_up,
    "withdrawal_rule": household.withdrawal_rule,
    "cost_comparison": household.cost_comparison,
    "short_loan_cost": household.short_loan_cost,
    "uneven_split/more": household.larger_share,
    "capital_gain/shares": household.shares_sold,
    "loan_comparison": household.loan_comparison,
    "loan_comparison/fix_ends": household.fix_ends,
    "split_by_parts": household.split_by_parts,
    "bill_yield": household.bill_yield,
    "yearly_change": household.yearly_change,
    "payback_time": household.payback_time,
    "percentage/recovery": household.recovery,
    "percentage/of": everyday.percent_of,
    "percentage/add": everyday.raised_by_percent,
    "regular_investment/salary_share": household.salary_share,
    "loan_extra_payment/payments": household.higher_payment,
    "simple_interest/daily": household.daily_interest,
    "interest_per_period": _interest_now,
    "dividend_income": household.dividend_income,
    "income_yield": household.income_yield,
    "frequent_instalment": household.frequent_instalment,
    "fixed_deposit": _fixed_deposit,
    "regular_investment": _regular_investment,
    "savings_goal/time": _saving_time,
    "savings_goal/deposit": _deposit_time,
    "savings_goal/double": _doubling_time,
    "compound_annual_growth_rate/double": _doubling_rate,
    "effective_annual_rate": _nominal,
    "sales_tax": _sales_tax,
    "currency_conversion": _currency,
    "debt_payoff": _debts,
}
"""Calculators that take more than the numbers in their slots."""
