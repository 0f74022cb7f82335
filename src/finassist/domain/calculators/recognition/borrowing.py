"""Questions about loans and debts."""

import re

from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import (
    COMPOUND,
    HOW_LONG,
    INFLATION,
    LOAN,
    PAYING_OFF,
    SAVING,
    TAXES,
    Reading,
    Recognised,
    split_term,
    words,
)

_PAYMENT = re.compile(
    r"\bemis?\b|\binstal?lments?\b|\b(?:monthly|mortgage|loan|car) (?:loan |mortgage )?(?:re)?payments?\b"
    r"|\b(?:re)?payments? (?:be|for|on|of|to)\b|\b(?:my|the) (?:re)?payments?\b|\b(?:re)?payments?\W*$"
    r"|\b(?:total|how much) interest\b|\bmonthly (?:rate|cost|costs|amount|outgo|instal?lments?)\b"
    r"|\bpay (?:back )?(?:monthly|(?:per|each|every|a) month)\b|\bamorti[sz]ation\b"
    r"|\bcosts? (?:me )?(?:monthly|(?:per|each|every|a) month)\b|\bhow much (?:per|a|each|every) month\b"
    r"|\b(?:loan|mortgage|emi) calculator\b"
    r"|\bhow much (?:is|for|are) .{0,40}\b(?:per|a|each|every) month\b"
)
_EMI_OF_LOAN = re.compile(
    r"^(?:(?:what(?:'?s| is| will be)|calculate|compute|find|tell me|give me) )?(?:the |my )?emis?\b"
    r"(?!.*\b(?:afford|borrow|eligib\w+|loan amount|(?:how much|what|which|max\w*|largest) loan)\b)"
)
_AFFORD = words(
    "afford|borrow",
    r"(?:how|what) (?:big|large|much|size)(?: of)?(?: an?)?(?: \w+)? (?:loan|mortgage)",
    r"(?:max(?:imum)?|largest|biggest)(?: \w+)? (?:loan|mortgage|principal)|loan amount",
    r"(?:what|which) (?:\w+ )?(?:loan|mortgage) (?:can|could|does|would|will|do|is (?:that|this))",
    r"(?:how much|how big|what) (?:\w+ )?(?:can|could|do) (?:i|we) (?:borrow|finance|get)",
    "loan (?:eligibility|size)",
)
_LEFT_OUT = words(
    r"lease|down ?payment|down|income|salary|wages?|take[- ]home|earn|make(?! (?:a )?(?:monthly )?payments?)",
    r"offset|or|vs|rent|bonds?|retire\w*|annuit\w+|pension|to principal|lower|reduce|ris\w+|increas\w+",
    r"chang\w+|go(?:es)? up|rejected|denied|late|miss(?:ed)?|default\w*|co-?sign\w*",
    "lend(?:ing)? (?:my|to|him|her)",
)
_OTHER_PURPOSES = words(r"inflation|tax(?:es)?|retire\w*|invest\w*|sav(?:e|ed|ing|ings)|own|goal|reach|lease")
_STRATEGY = words(
    "avalanche|snowball|(?:how much|total|less|more) interest|debt[- ]free",
    "quickest|fastest|cheapest|first|order|when|priorit\\w+|smartest",
)
_PAID = words("pay(?:ing)?|cards?|overdraft|balances?")
_ORDER_ASKED = words("first|avalanche|snowball|order|priorit\\w+|before the other")
_NAMED = re.compile(
    r"\b((?:(?:credit|store|visa|student|car|auto|personal|home|gold|education|payday|bank|bike) )?"
    r"(?:cards?|loans?|mortgage|overdraft|bill)|visa|mastercard|amex|car|auto|bike|student|medical debt)\b"
)


def loan_instalment(reading: Reading) -> Recognised | None:
    """An amount, a rate and a term, asked for the payment."""
    monthly = reading.says(_EMI_OF_LOAN) and reading.all(Kind.MONTHLY_AMOUNT)
    kind = Kind.MONTHLY_AMOUNT if monthly else Kind.AMOUNT
    if not reading.says(_PAYMENT) or len(reading.quantities) != 3:
        return None
    if not all(len(reading.all(needed)) == 1 for needed in (kind, Kind.RATE, Kind.TERM)):
        return None
    is_loan = reading.says(LOAN) or any(word in reading.text for word in ("payment", "instal"))
    if not is_loan or reading.says(SAVING, COMPOUND, TAXES, INFLATION, _LEFT_OUT):
        return None
    return _loan("loan_instalment", "principal", reading, kind)


def loan_affordability(reading: Reading) -> Recognised | None:
    """A monthly payment, a rate and a term, asked for the loan."""
    if not reading.counts(monthly=1, rates=1, terms=1) or not reading.says(_AFFORD) or not reading.says(LOAN):
        return None
    if reading.says(SAVING, COMPOUND, TAXES, INFLATION, _LEFT_OUT):
        return None
    return _loan("loan_affordability", "monthly_payment", reading, Kind.MONTHLY_AMOUNT)


def debt_payoff(reading: Reading) -> Recognised | None:
    """Amounts owed, each with its rate beside it, and a budget a month."""
    pairs = reading.all(Kind.AMOUNT, Kind.RATE)
    count = len(pairs) // 2
    budgets = reading.values(Kind.MONTHLY_AMOUNT)
    if not pairs or not reading.counts(amounts=count, rates=count, monthly=len(budgets)):
        return None
    if len(budgets) != 1 and not (not budgets and count > 1 and reading.says(_ORDER_ASKED)):
        return None
    is_owed = reading.says(PAYING_OFF) or (reading.says(LOAN, _PAID) and reading.says(_ORDER_ASKED, HOW_LONG))
    if not is_owed or reading.says(_OTHER_PURPOSES) or not reading.says(_STRATEGY, HOW_LONG):
        return None
    first, second = pairs[::2], pairs[1::2]
    if len({quantity.kind for quantity in first}) > 1:
        return None
    amounts, rates = (first, second) if first[0].kind is Kind.AMOUNT else (second, first)
    debts = tuple(
        Debt(name=_debt_name(amount, rate), balance=amount.value, yearly_rate=rate.value)
        for amount, rate in zip(amounts, rates, strict=True)
    )
    return Recognised("debt_payoff", {"debts": debts, **({"monthly_budget": budgets[0]} if budgets else {})})


def _debt_name(amount: Quantity, rate: Quantity) -> str:
    """What the debt is called beside its amount, with the figures; or the figures alone."""
    figures = f"{amount.value:,f} at {rate.value:f}%"
    behind = _NAMED.match(amount.after.removeprefix(" "))
    before = _NAMED.findall(re.split(r"[,;:.]|\b(?:and|or|first)\b", amount.before)[-1])
    if behind is None and len(before) != 1:
        return figures
    return f"{behind[0] if behind else before[0]} ({figures})"


def _loan(name: str, parameter: str, reading: Reading, kind: Kind) -> Recognised:
    [money], [rate], [months] = map(reading.values, (kind, Kind.RATE, Kind.TERM))
    return Recognised(name, {parameter: money, "yearly_rate": rate, **split_term(months)})
