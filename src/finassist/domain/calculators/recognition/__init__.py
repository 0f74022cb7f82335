"""Which calculation a question asks for, with its numbers, for a model that cannot tell by itself.

A calculation is recognised only when one rule alone fits, every number of the text has a part in it, and
nothing is asked that the calculators leave out. In doubt a question is no calculation.
"""

import re
from collections.abc import Callable

from finassist.domain.calculators.calculation import MAX_MONTHS
from finassist.domain.calculators.recognition.borrowing import (
    debt_payoff,
    loan_affordability,
    loan_instalment,
)
from finassist.domain.calculators.recognition.doubling import doubling
from finassist.domain.calculators.recognition.investing import (
    compound_interest,
    inflation_adjustment,
    regular_investment,
)
from finassist.domain.calculators.recognition.missing import missing_number as _missing_number
from finassist.domain.calculators.recognition.percentages import plain_percentage
from finassist.domain.calculators.recognition.planning import emergency_fund, retirement_corpus, savings_goal
from finassist.domain.calculators.recognition.quantities import Kind, Quantity, read_quantities
from finassist.domain.calculators.recognition.rates import (
    compound_annual_growth_rate,
    effective_annual_rate,
    taxable_equivalent_yield,
)
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.variations import whole_calculation

__all__ = ["Recognised", "missing_number", "recognise", "whole_calculation"]

_MAX_LENGTH = 400
_MAX_RATE = 100

_ASKS = re.compile(
    r"\?|=$|\b(?:how (?:much|many|long|big|large|soon)|what(?:'?s)?|which|when|calculate|compute|find"
    r"|work out|figure out|determine|estimate|tell me|show me|give me|convert|emi|sip|cagr|apy"
    r"|compound interest|future value|maturity (?:amount|value)|value after|monthly (?:re)?payments?"
    r"|max\w* (?:loan|mortgage)|emergency fund (?:for|with|of)|retirement corpus|purchasing power"
    r"|avalanche|snowball|annual(?:i[sz]ed)? (?:return|growth)|total interest|time to)\b"
    r"|^(?:the )?(?:instal?lments?|(?:re)?payments?|amorti[sz]ation|ear|aer|value"
    r"|(?:monthly )?savings? needed"
    r"|effective (?:annual )?(?:rate|yield)|tax(?:able)?[- ]equivalent(?: yield)?) (?:on|for|of)\b"
)
_TERSE = re.compile(
    r"(?:(?:rs\.? ?|[$\u20ac\u00a3\u20b9] ?)?\d|(?:investing|invest|saving|doubling time|pay which)\b"
    r"|(?:(?:home|car|auto|personal|student|education) )?(?:loan|mortgage)s?\b)"
)
_HOW_MUCH_SHOULD = re.compile(
    r"\b(how (?:much|big|large|long|many)(?: \w+)?|what size|what(?= should (?:my|our|an) emergency fund))"
    r" should\b"
)
_TO_PAY = r"should (?:i|we) (?:pay(?: off| down)?|clear|tackle)"
_FIRST_TO_PAY = re.compile(rf"\b(?:(?:debt|one|card|loan) {_TO_PAY} first|{_TO_PAY}(?= .*\bfirst\b))\b")
_SPELLED = {
    re.compile(rf"\b(?:{wrong})\b"): right
    for wrong, right in {
        "(?:become|be) a millionaire": "reach 1 million",
        "(?:become|be) a crorepati": "reach 1 crore",
        "morgages?|mortages?|mortguages?|morgtages?": "mortgage",
        "comp(?:und|oud|unded|ounds?)|componud|coumpound": "compound",
        "compunded|compoundded": "compounded",
        "intrest|interst|intrests|intersest": "interest",
        "montly|monthy|mothly|monthley": "monthly",
        "pecent|percant|precent|persent|percet|prcent": "percent",
        "emergancy|emergeny|emergncy": "emergency",
        "inflaton|inflatoin|infaltion": "inflation",
        "retirment|retirememt": "retirement",
        "invesment|investmant|investement": "investment",
        "instalement|installement|instalmant": "instalment",
        "repaymant|repayement": "repayment",
        "yeras|yaers|yeasr": "years",
    }.items()
}
_UNMODELLED = re.compile(
    r"\b(?:should|best|instead|why|who|where|what happens|advice|advise|recommend\w*|worth it|good idea"
    r"|enough|make sense|smart|wise|sensible|negotiate|fair|difference|never|not|don't|except|ago"
    r"|simple interest|how (?:do|can|could) i (?:get|make|earn|avoid|improve|lower|reduce|start|invest)"
    r"|interest[- ]only|flat|variable|adjustable|balloon|refinanc\w+|prepay\w*|extra|minimum|fees?|charges?"
    r"|commission|penalt\w+|insurance|protection|bonus|match(?:ed|ing)?|(?:employer|company) match\w*"
    r"|discount\w*|cash ?back|dividends?|split|drop\w*|fell|falls?|declin\w*|die"
    r"|bi-?weekly|bi-?monthly|fortnight\w*)\b|% (?:down|off)\b"
)
_RULES: tuple[Callable[[Reading], Recognised | None], ...] = (
    loan_instalment,
    loan_affordability,
    compound_interest,
    regular_investment,
    savings_goal,
    retirement_corpus,
    inflation_adjustment,
    debt_payoff,
    emergency_fund,
    effective_annual_rate,
    compound_annual_growth_rate,
    taxable_equivalent_yield,
    doubling,
)


def recognise(question: str) -> Recognised | None:
    """The calculation that a question asks for, or None when it asks for none with certainty."""
    if len(question) > _MAX_LENGTH or not any(letter.isdigit() for letter in question):
        return None
    text = _spelled(" ".join(question.casefold().replace("\u2019", "'").split()))
    if (percentage := plain_percentage(text)) is not None:
        return percentage
    text = _FIRST_TO_PAY.sub("which debt to pay off first", _HOW_MUCH_SHOULD.sub(r"\1 do", text))
    if not (_ASKS.search(text) or _TERSE.match(text)) or _UNMODELLED.search(text):
        return None
    quantities = read_quantities(text)
    if not quantities or not all(map(_is_plausible, quantities)):
        return None
    reading = Reading(text, quantities)
    found = [recognised for rule in _RULES if (recognised := rule(reading))]
    return found[0] if len(found) == 1 else None


def _spelled(text: str) -> str:
    """The text without the usual slips of the fingers, and amounts that have a name by their number."""
    for wrong, right in _SPELLED.items():
        text = wrong.sub(right, text)
    return text


def missing_number(question: str) -> str | None:
    """The one number that a question lacks to be a calculation, in words; None when it lacks none or more."""
    return _missing_number(question, recognise)


def _is_plausible(quantity: Quantity) -> bool:
    if quantity.kind is Kind.RATE:
        return quantity.value <= _MAX_RATE
    return quantity.kind is not Kind.TERM or 1 <= quantity.value <= MAX_MONTHS
