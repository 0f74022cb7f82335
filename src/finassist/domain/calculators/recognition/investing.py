"""Questions about what money grows to: an amount, a regular investment, a price."""

import re
from decimal import Decimal

from finassist.domain.calculators.annuities import Compounding
from finassist.domain.calculators.recognition.quantities import Kind
from finassist.domain.calculators.recognition.reading import (
    COMPARES,
    COMPOUND,
    DRAWING,
    EFFECTIVE,
    INFLATION,
    LOAN,
    SAVING,
    SIP,
    STEP_UP,
    TAXES,
    Reading,
    Recognised,
    Value,
    split_term,
    words,
)

_VALUED = words(
    r"worth|grow\w*|becomes?|turns? into|(?:future|final|maturity) value|value (?:of|after|in)",
    "account|balance|return|bank|maturity|how much interest",
)
_GROWS = words(
    r"grow\w*|becomes?|worth|turns? into|(?:future|final|maturity) value|value of|pot|maturity",
    "(?:end|final) (?:amount|sum|value|balance)|invested (?:for|at|over)",
    r"earn(?:ed)?|matur\w+|end up with|have|get|amount to|balance|in the end",
    "how much|total|give|be|accumulate to",
)
_OTHER_QUESTIONS = words(
    "goal|target|reach|need(?:ed|s)?",
    "to (?:have|get|become|make|end up|be worth|grow|earn|achieve)|present value|how long",
    r"how many|how much (?:(?!if\b)\w+ ){0,4}(?:invest|deposit|put|save|set aside)",
    "(?:what|which) (?:interest )?rate|double[sd]?|triples?|retir(?:ed|ing) on|expenses|required?",
    "how much sip|what sip|sip (?:amount )?(?:needed|required)|population|withdraw\\w*",
    "sell|rent(?:al)?|price|so that|bonds?|coupons?|salary|property|house|annuity|premiums?",
    r"insurance|pension|options?|treasur\w+|wins?|lost|loss|margin",
)


def compound_interest(reading: Reading) -> Recognised | None:
    """An amount, a rate and a term, perhaps with an amount a month, asked for the outcome."""
    contributed = reading.counts(amounts=1, monthly=1, rates=1, terms=1)
    if not contributed and not reading.counts(amounts=1, rates=1, terms=1):
        return None
    if not reading.says(COMPOUND) and (reading.says(LOAN) or not reading.says(SAVING, _VALUED)):
        return None
    if not _asks_for_outcome(reading) or reading.says(STEP_UP) or (not contributed and _is_regular(reading)):
        return None
    [principal], [rate], [months] = map(reading.values, (Kind.AMOUNT, Kind.RATE, Kind.TERM))
    arguments: dict[str, Value] = {
        "principal": principal,
        "yearly_rate": rate,
        **split_term(months),
        "compounding": _compounding(reading) or ("monthly" if contributed else "yearly"),
    }
    if contributed:
        [contribution] = reading.values(Kind.MONTHLY_AMOUNT)
        arguments |= {"contribution": contribution, "contribution_timing": _timing(reading)}
    return Recognised("compound_interest", arguments)


def regular_investment(reading: Reading) -> Recognised | None:
    """An amount a month, a rate and a term, perhaps with a step-up, asked for the outcome."""
    stepped = reading.says(STEP_UP)
    if not reading.counts(monthly=1, rates=2 if stepped else 1, terms=1):
        return None
    if not (reading.says(SAVING) or not reading.says(_SPENT)):
        return None
    if reading.says(LOAN) or not _asks_for_outcome(reading):
        return None
    rates = reading.all(Kind.RATE)
    step_up = reading.one(rates, STEP_UP)
    if stepped and step_up is None:
        return None
    [rate] = [quantity.value for quantity in rates if quantity is not step_up]
    [monthly], [months] = reading.values(Kind.MONTHLY_AMOUNT), reading.values(Kind.TERM)
    compounding = _compounding(reading) or "monthly"
    if compounding != "monthly":
        return None if stepped else _contributions_alone(reading, compounding)
    arguments: dict[str, Value] = {"monthly_amount": monthly, "yearly_return": rate, **split_term(months)}
    arguments["timing"] = _timing(reading)
    if step_up:
        arguments["yearly_step_up"] = step_up.value
    return Recognised("regular_investment", arguments)


_SPENT = words(
    r"pay(?:s|ing|ments?)?|spend(?:ing)?|earn(?:s|ing)?|income|salary|car|home|house|bills?|costs?",
    r"lasts?|get a|finance|tax(?:es)?|fees?|interest only|subscription|charges?",
)
_PRICED = words(
    r"be in|today'?s (?:money|terms|value|prices)|in real terms|worth|costs?|value|purchasing power",
    "buy|need|equivalent|price|adjust(?:ed)?",
)
_NOT_PRICED = words(r"retire\w*|returns?|invest\w*|salary|raise|bonds?|real rate|corpus")


def inflation_adjustment(reading: Reading) -> Recognised | None:
    """An amount, the inflation and a term, asked for a cost or a value."""
    monthly = len(reading.all(Kind.MONTHLY_AMOUNT))
    if not reading.counts(amounts=1 - monthly, monthly=monthly, rates=1, terms=1):
        return None
    if not reading.says(INFLATION) or not reading.says(_PRICED):
        return None
    if reading.says(_NOT_PRICED, SAVING, LOAN, TAXES):
        return None
    [money] = reading.all(Kind.AMOUNT, Kind.MONTHLY_AMOUNT)
    [rate], [months] = reading.values(Kind.RATE), reading.values(Kind.TERM)
    arguments: dict[str, Value] = {
        "amount_today": money.value,
        "yearly_inflation": rate,
        **split_term(months),
    }
    return Recognised("inflation_adjustment", arguments)


_REGULAR = words(
    "(?:each|every|per|a|an|the) (?:month|year|week|quarter|day|annum)",
    "(?:month|year|annual|week|quarter|dai|half-year)ly",
)
_RATE_OF_A_YEAR = re.compile(
    r"(?:%|percent|per cent|interest|rate|return)(?: (?:interest|return))?"
    r" (?:(?:per|an?|each|every) (?:year|annum)|yearly|annually)\b"
)
_EQUALS = re.compile(r"= ?\?*$|\btotal\b")
_OTHER_COMPOUNDING = re.compile(r"\bcompound(?:ed|ing|s) (?:every|each|per|\w+ly\b|\w+ times)")


def _asks_for_outcome(reading: Reading) -> bool:
    frequencies = reading.compoundings()
    if len(frequencies) > 1 or (not frequencies and reading.says(_OTHER_COMPOUNDING)):
        return False
    if not reading.says(_GROWS, COMPOUND, SIP) and not _EQUALS.search(reading.text):
        return False
    return not reading.says(_OTHER_QUESTIONS, DRAWING, TAXES, INFLATION, COMPARES)


def _compounding(reading: Reading) -> Compounding | None:
    """An annual percentage yield has its compounding in it already: it is added yearly."""
    return "yearly" if reading.says(EFFECTIVE) else next(iter(reading.compoundings()), None)


def _is_regular(reading: Reading) -> bool:
    """Whether something besides the interest happens every month or year."""
    return _REGULAR.search(_RATE_OF_A_YEAR.sub(" ", reading.without_compounding())) is not None


def _contributions_alone(reading: Reading, compounding: Compounding) -> Recognised:
    [monthly], [rate], [months] = map(reading.values, (Kind.MONTHLY_AMOUNT, Kind.RATE, Kind.TERM))
    arguments: dict[str, Value] = {
        "principal": Decimal(0),
        "yearly_rate": rate,
        **split_term(months),
        "compounding": compounding,
        "contribution": monthly,
        "contribution_timing": _timing(reading),
    }
    return Recognised("compound_interest", arguments)


def _timing(reading: Reading) -> str:
    if re.search(r"\b(?:beginning|start) of (?:each|every|the) month", reading.text):
        return "start"
    at_end = re.search(r"\bend of (?:each|every|the) month", reading.text)
    return "start" if reading.says(SIP) and not at_end else "end"
