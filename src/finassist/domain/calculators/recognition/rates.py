"""Questions about rates: effective, of growth, before and after tax."""

import re

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import (
    COMPARES,
    EFFECTIVE,
    INFLATION,
    LOAN,
    TAXES,
    Reading,
    Recognised,
    Value,
    split_term,
    words,
)

_EFFECTIVE_RATE = words(
    "effective (?:annual |yearly )?(?:interest )?(?:rate|yield|return)|effective annual|ear|apy",
    "annual percentage yield|aer",
)
_NOMINAL = words("nominal|apr|stated")
_RESULT = words("gives?|yields|produces?|corresponds?|results? in|equals?|equivalent|to (?:get|have|reach)")
_CALLED = re.compile(
    r"\b(?:nominal|apr|stated|effective|ear|apy)(?: (?:annual|yearly|interest|percentage|rate|yield|return))*"
    r"(?: (?:of|is|at|for|on))?(?: an?)? $"
)


def effective_annual_rate(reading: Reading) -> Recognised | None:
    """A rate and how often it is compounded, asked for the effective or the nominal one."""
    frequencies = reading.compoundings()
    if not reading.counts(rates=1) or len(frequencies) != 1 or not reading.says(_EFFECTIVE_RATE):
        return None
    [rate] = reading.all(Kind.RATE)
    given = _given(reading, rate)
    if given is None or reading.says(TAXES, INFLATION):
        return None
    arguments: dict[str, Value] = {"yearly_rate": rate.value, "compounding": frequencies[0], "given": given}
    return Recognised("effective_annual_rate", arguments)


def _given(reading: Reading, rate: Quantity) -> str | None:
    """Which of the two the rate is: what it is called, or nominal when only the effective one is named."""
    after = rate.after.lstrip()
    if not reading.says(_NOMINAL):
        return None if EFFECTIVE.match(after) or reading.says(_RESULT) else "nominal"
    if _NOMINAL.match(after) or EFFECTIVE.match(after):
        return "nominal" if _NOMINAL.match(after) else "effective"
    called = _CALLED.search(rate.before)
    if called is None:
        return None
    return "nominal" if _NOMINAL.match(called[0]) else "effective"


_GROWTH_RATE = words(
    "cagr|compound(?:ed)? annual growth(?: rate)?",
    "annuali[sz]ed (?:rate of )?(?:return|growth)(?: rate)?",
    "(?:annual|yearly|annually|per year) (?:rate of )?(?:returns?|growth)(?: rate)?",
    "(?:return|growth)(?: rate)? (?:per|a|each) (?:year|annum)",
)
_BECAME = words("to|into|became|becomes|worth|now|sold")


def compound_annual_growth_rate(reading: Reading) -> Recognised | None:
    """Two values and the time between them, asked for the growth a year."""
    if not reading.counts(amounts=2, terms=1) or not reading.says(_GROWTH_RATE):
        return None
    if reading.says(TAXES, INFLATION, LOAN, COMPARES):
        return None
    first, second = reading.all(Kind.AMOUNT)
    if re.search(r"\bfrom\b", second.before) and not _BECAME.search(second.before):
        first, second = second, first
    elif not _BECAME.search(second.before):
        return None
    [months] = reading.values(Kind.TERM)
    arguments: dict[str, Value] = {
        "start_value": first.value,
        "end_value": second.value,
        **split_term(months),
    }
    return Recognised("compound_annual_growth_rate", arguments)


_TAX_EQUIVALENT = words("tax(?:able)?[- ]equivalent|tax[- ]free|tax[- ]exempt|muni(?:cipal)?s?")
_TAX_RATE = words(
    "(?:tax |income )?bracket|tax rate|marginal(?: tax)?(?: rate)?|slab|taxed at|tax of",
    "tax(?![- ](?:free|equivalent|exempt))",
)
_EQUALS = words(r"equivalent|equals?|match(?:es)?|same as|correspond\w*")
_TAX_FREE = words("tax[- ]free|tax[- ]exempt|muni(?:cipal)?s?|exempt")
_TAXED = words("taxable(?![- ]equivalent)|taxed(?! at)|corporate|fd|cd|fixed deposit|savings account")


def taxable_equivalent_yield(reading: Reading) -> Recognised | None:
    """A tax-free yield and a tax rate, perhaps with a taxed yield, asked which equals or beats which."""
    rates = reading.all(Kind.RATE)
    if not reading.counts(rates=len(rates)) or len(rates) not in (2, 3) or not reading.says(_TAX_EQUIVALENT):
        return None
    tax = reading.one(rates, _TAX_RATE)
    yields = [quantity for quantity in rates if quantity is not tax]
    if tax is None or tax.value <= max(quantity.value for quantity in yields):
        return None
    if len(yields) == 1 and not reading.says(_EQUALS):
        return None
    free = yields[0] if len(yields) == 1 else reading.one(yields, _TAX_FREE)
    if free is None or _TAXED.search(free.after[:12]):
        return None
    arguments: dict[str, Value] = {"tax_free_yield": free.value, "tax_rate": tax.value}
    taxed = [quantity for quantity in yields if quantity is not free]
    if any(not reading.beside(quantity, _TAXED) for quantity in taxed):
        return None
    arguments |= {"taxed_yield": taxed[0].value} if taxed else {}
    return Recognised("taxable_equivalent_yield", arguments)
