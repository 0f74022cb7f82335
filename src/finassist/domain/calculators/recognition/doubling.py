"""Questions about money that doubles, triples or grows to an amount: how long at a rate, or at which rate."""

import re
from decimal import Decimal

from finassist.domain.calculators.recognition.quantities import Kind
from finassist.domain.calculators.recognition.reading import (
    COMPARES,
    DRAWING,
    HOW_LONG,
    INFLATION,
    LOAN,
    TAXES,
    Reading,
    Recognised,
    split_term,
    words,
)

_TIMES = {
    words("doubl(?:e|es|ed|ing)", "(?:two|2) ?(?:x|times|fold)", "twice"): 2,
    words("tripl(?:e|es|ed|ing)", "(?:three|3) ?(?:x|times|fold)"): 3,
    words("quadrupl(?:e|es|ed|ing)", "(?:four|4) ?(?:x|times|fold)"): 4,
}
_EXAMPLE = Decimal(100)
_TIME_ASKED = words(r"(?:time|years|months) (?:\w+ ){0,3}(?:to|for|until)", "doubling time")
_RATE_ASKED = words(
    r"(?:what|which|at what)(?: \w+){0,4} (?:rate|returns?|growth|interest|cagr|yield)",
    r"(?:rate|returns?|growth|cagr) (?:\w+ ){0,4}(?:need|needed|required|to)",
)
_BECOMES = re.compile(
    r"\b(?:becom(?:e|es|ing)|turns? into|grows? (?:in)?to|reach(?:es)?|hits?|gets? to|to|into)(?: an?)? $"
)
_OTHER = words(
    r"salary|income|rent|price|population|house|property|stock|card|pay(?:ment|ing)?|bitcoin|crypto|why|realistic",
    r"\w*sav(?:e|ing) \w+ (?:a|per|each|every)",
)


def doubling(reading: Reading) -> Recognised | None:
    """A multiple, or two amounts, with a rate, asked for the time, or with a term, asked for the rate."""
    if reading.says(LOAN, TAXES, INFLATION, DRAWING, COMPARES, _OTHER):
        return None
    values = _from_and_to(reading)
    if values is None:
        return None
    start, end = values
    rates, terms = reading.values(Kind.RATE), reading.values(Kind.TERM)
    if len(rates) == 1 and not terms and reading.says(HOW_LONG, _TIME_ASKED):
        return Recognised(
            "savings_goal",
            {
                "goal": end,
                "saved": start,
                "yearly_rate": rates[0],
                "monthly_amount": Decimal(0),
                "compounding": "yearly",
            },
        )
    if len(terms) == 1 and not rates and reading.says(_RATE_ASKED):
        return Recognised(
            "compound_annual_growth_rate", {"start_value": start, "end_value": end, **split_term(terms[0])}
        )
    return None


def _from_and_to(reading: Reading) -> tuple[Decimal, Decimal] | None:
    """What the money is and what it becomes; a hundred when nobody said how much it is."""
    amounts = reading.all(Kind.AMOUNT)
    if reading.all(Kind.MONTHLY_AMOUNT, Kind.SMALL):
        return None
    times = [factor for pattern, factor in _TIMES.items() if pattern.search(reading.text)]
    if len(times) == 1 and len(amounts) <= 1:
        start = amounts[0].value if amounts else _EXAMPLE
        return start, start * times[0]
    if not times and len(amounts) == 2 and _BECOMES.search(amounts[1].before):
        start, end = amounts[0].value, amounts[1].value
        # With a term alone, two amounts are the growth rate's own question.
        return (start, end) if start < end and reading.all(Kind.RATE) else None
    return None
