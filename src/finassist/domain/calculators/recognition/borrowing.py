"""Questions about loans and debts."""

import re

from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.recognition.quantities import Kind
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
    r"|\bpayments? (?:be|for|on|of)\b|\b(?:my|the) payments?\b|\b(?:total|how much) interest\b"
    r"|\bpay (?:back )?(?:monthly|(?:per|each|every|a) month)\b|\bamorti[sz]ation\b"
    r"|\bcosts? (?:me )?(?:monthly|(?:per|each|every|a) month)\b"
)
_EMI_OF_LOAN = re.compile(
    r"^(?:(?:what(?:'s| is| will be)|calculate|compute|find|tell me|give me) )?(?:the |my )?emi of\b"
)
_AFFORD = words(
    "afford|borrow",
    r"(?:how|what) (?:big|large|much|size)(?: of)?(?: an?)?(?: \w+)? (?:loan|mortgage)",
    r"(?:max(?:imum)?|largest|biggest)(?: \w+)? (?:loan|mortgage|principal)|loan amount",
    "(?:what|which) (?:loan|mortgage) (?:can|could)",
)
_LEFT_OUT = words(
    r"lease|down ?payment|down|income|salary|wages?|take[- ]home|earn|make(?! (?:a )?(?:monthly )?payments?)",
    r"offset|or|vs|rent|bonds?|retire\w*|annuit\w+|pension|to principal|lower|reduce|ris\w+|increas\w+",
    r"chang\w+|go(?:es)? up|rejected|denied|late|miss(?:ed)?|default\w*|co-?sign\w*",
    "lend(?:ing)? (?:my|to|him|her)",
)
_OTHER_PURPOSES = words(r"inflation|tax(?:es)?|retire\w*|invest\w*|sav(?:e|ing|ings)|goal|reach|lease")
_STRATEGY = words("avalanche|snowball|(?:how much|total|less|more) interest|debt[- ]free")


def loan_instalment(reading: Reading) -> Recognised | None:
    """An amount, a rate and a term, asked for the payment."""
    kind = Kind.MONTHLY_AMOUNT if reading.says(_EMI_OF_LOAN) else Kind.AMOUNT
    if not reading.says(_PAYMENT) or len(reading.quantities) != 3:
        return None
    if not all(len(reading.all(needed)) == 1 for needed in (kind, Kind.RATE, Kind.TERM)):
        return None
    is_loan = reading.says(LOAN) or "monthly payment" in reading.text or "instal" in reading.text
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
    if not pairs or not reading.counts(amounts=count, rates=count, monthly=1) or not reading.says(PAYING_OFF):
        return None
    if reading.says(_OTHER_PURPOSES) or not reading.says(_STRATEGY, HOW_LONG):
        return None
    first, second = pairs[::2], pairs[1::2]
    if len({quantity.kind for quantity in first}) > 1:
        return None
    amounts, rates = (first, second) if first[0].kind is Kind.AMOUNT else (second, first)
    debts = tuple(
        Debt(name=f"{amount.value:,f} at {rate.value:f}%", balance=amount.value, yearly_rate=rate.value)
        for amount, rate in zip(amounts, rates, strict=True)
    )
    [budget] = reading.values(Kind.MONTHLY_AMOUNT)
    return Recognised("debt_payoff", {"debts": debts, "monthly_budget": budget})


def _loan(name: str, parameter: str, reading: Reading, kind: Kind) -> Recognised:
    [money], [rate], [months] = map(reading.values, (kind, Kind.RATE, Kind.TERM))
    return Recognised(name, {parameter: money, "yearly_rate": rate, **split_term(months)})
