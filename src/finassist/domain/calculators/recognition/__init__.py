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
from finassist.domain.calculators.recognition.investing import (
    compound_interest,
    inflation_adjustment,
    regular_investment,
)
from finassist.domain.calculators.recognition.planning import emergency_fund, retirement_corpus, savings_goal
from finassist.domain.calculators.recognition.quantities import Kind, Quantity, read_quantities
from finassist.domain.calculators.recognition.rates import (
    compound_annual_growth_rate,
    effective_annual_rate,
    taxable_equivalent_yield,
)
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.variations import whole_calculation

__all__ = ["Recognised", "recognise", "whole_calculation"]

_MAX_LENGTH = 400
_MAX_RATE = 100

_ASKS = re.compile(
    r"\?|\b(?:how (?:much|many|long|big|large|soon)|what(?:'?s)?|which|when|calculate|compute|find|work out"
    r"|figure out|determine|estimate|tell me|show me|give me|convert|emi|sip|cagr|apy)\b"
    r"|^(?:the )?(?:monthly payments?|instal?lments?|compound interest|amorti[sz]ation|ear"
    r"|effective (?:annual )?rate|taxable[- ]equivalent yield) (?:on|for|of)\b"
)
_HOW_MUCH_SHOULD = re.compile(r"\b(how (?:much|big|large|long|many)(?: \w+)?|what size) should\b")
_UNMODELLED = re.compile(
    r"\b(?:should|best|instead|why|who|where|what happens|advice|advise|recommend\w*|worth it|good idea"
    r"|make sense|how (?:do|can|could) i (?:get|make|earn|avoid|improve|lower|reduce|start|invest)|difference"
    r"|never|not|don't|except|ago|simple interest|interest[- ]only|flat|variable|adjustable|balloon"
    r"|refinanc\w+|prepay\w*|extra|minimum|fees?|charges?|commission|penalt\w+|insurance|protection|bonus"
    r"|match\w*|discount\w*|cash ?back|dividends?|split|drop\w*|fell|falls?|declin\w*|die|bi-?weekly"
    r"|bi-?monthly|fortnight\w*)\b|% (?:down|off)\b"
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
)


def recognise(question: str) -> Recognised | None:
    """The calculation that a question asks for, or None when it asks for none with certainty."""
    if len(question) > _MAX_LENGTH or not any(letter.isdigit() for letter in question):
        return None
    text = " ".join(question.casefold().replace("\u2019", "'").split())
    text = _HOW_MUCH_SHOULD.sub(r"\1 do", text)
    if not _ASKS.search(text) or _UNMODELLED.search(text):
        return None
    quantities = read_quantities(text)
    if not quantities or not all(map(_is_plausible, quantities)):
        return None
    reading = Reading(text, quantities)
    found = [recognised for rule in _RULES if (recognised := rule(reading))]
    return found[0] if len(found) == 1 else None


def _is_plausible(quantity: Quantity) -> bool:
    if quantity.kind is Kind.RATE:
        return quantity.value <= _MAX_RATE
    return quantity.kind is not Kind.TERM or 1 <= quantity.value <= MAX_MONTHS
