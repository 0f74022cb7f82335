"""Questions about what has to be saved: for a goal, for emergencies, for retirement."""

import re
from collections.abc import Sequence

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import (
    COMPARES,
    DRAWING,
    EFFECTIVE,
    HAVING,
    HOW_LONG,
    INFLATION,
    LOAN,
    PAYING_OFF,
    SAVING,
    SPENDING,
    STEP_UP,
    TAXES,
    Reading,
    Recognised,
    Value,
    split_term,
    words,
)

_AIM = re.compile(
    r"\b(?:sav(?:e|ing)(?: up)?(?: for)?|reach|hit|accumulate|have|to|buy|(?:goal|target)(?: of| is)?"
    r"|want|need|sip (?:do i need )?for|savings? (?:needed|required|necessary) for|needed for)"
    r"(?: (?:an?|my|the|about|around))*:? $"
)
_MONTHLY_ASKED = re.compile(
    r"\bhow much\b.{0,60}\b(?:months?|monthly)\b|\bwhat monthly\b"
    r"|\bsav(?:e|ing)s? (?:every|each|per|a) month\b"
    r"|\bwhat do (?:i|we) (?:need|have) to (?:put|set|save|invest)\b"
    r"|\bmonthly (?:amount|savings?|deposit|contribution|investment|sip)\b|\bhow much (?:monthly )?sip\b"
)
_REACHED = re.compile(r"\bhow much (?:a|per|each|every) month (?:do i need )?to (?:reach|have|accumulate)\b")
_OWNED = re.compile(
    r"\b(?<!until )(?<!till )(?<!before )(?:i|we) (?:already |currently )?(?:have(?! to)|got|own"
    r"|put(?! (?:aside|away)))\b"
    r"|\b(?:already|invested)\b|'ve\b"
)
_OTHER_GOALS = words(r"double[sd]?|triples?|compound\w*|bonds?|rent|salary|interest rate|invested")
_MAX_FUND_MONTHS = 36


def savings_goal(reading: Reading) -> Recognised | None:
    """A goal, perhaps with savings and a rate: with a term asked for the amount a month, or with an amount
    a month asked for the time."""
    amounts, rates = reading.all(Kind.AMOUNT), reading.values(Kind.RATE)
    saved = reading.one(amounts, HAVING) if len(amounts) == 2 else None
    goals = [quantity for quantity in amounts if quantity is not saved]
    if len(goals) != 1 or len(rates) > 1 or reading.beside(goals[0], _OWNED):
        return None
    if not reading.says(SAVING, _REACHED):
        return None
    if reading.says(
        LOAN, TAXES, INFLATION, COMPARES, SPENDING, PAYING_OFF, STEP_UP, DRAWING, EFFECTIVE, _OTHER_GOALS
    ):
        return None
    arguments: dict[str, Value] = {"goal": goals[0].value}
    arguments |= {"saved": saved.value} if saved else {}
    arguments |= {"yearly_rate": rates[0]} if rates else {}
    if _AIM.search(goals[0].before) is None:
        return None
    if reading.counts(amounts=len(amounts), rates=len(rates), monthly=1) and reading.says(HOW_LONG):
        [monthly] = reading.values(Kind.MONTHLY_AMOUNT)
        return Recognised("savings_goal", arguments | {"monthly_amount": monthly})
    if reading.counts(amounts=len(amounts), rates=len(rates), terms=1) and reading.says(_MONTHLY_ASKED):
        [months] = reading.values(Kind.TERM)
        return Recognised("savings_goal", arguments | split_term(months))
    return None


_EMERGENCY = words("emergency (?:funds?|savings|corpus|cushion)|rainy[- ]day (?:fund|savings)")
_SIZE_ASKED = words(
    "how (?:much|big|large|long)|what|calculate|size|when|work out|emergency fund (?:for|with|of)"
)
_OTHER_MONTHS = re.compile(r"\b(?:in|within|over|next|last|past|after|every) $")


def emergency_fund(reading: Reading) -> Recognised | None:
    """Expenses a month, perhaps with what is saved and what can be, asked for the size or the time."""
    monthly, amounts, terms = map(reading.all, (Kind.MONTHLY_AMOUNT, Kind.AMOUNT, Kind.TERM))
    shape = reading.counts(amounts=len(amounts), monthly=len(monthly), terms=len(terms))
    if not shape or not reading.says(_EMERGENCY) or not reading.says(_SIZE_ASKED) or reading.says(LOAN):
        return None
    expenses, saved = reading.one(monthly, SPENDING), reading.one(amounts, HAVING)
    if expenses is None and len(monthly) == 1 and not reading.beside(monthly[0], SAVING):
        expenses = monthly[0] if reading.says(SPENDING) else None
    savings = [quantity for quantity in monthly if quantity is not expenses]
    if expenses is None or len(savings) > 1 or any(not reading.beside(saving, SAVING) for saving in savings):
        return None
    if len(amounts) > 1 or (amounts and saved is None) or len(terms) > 1:
        return None
    if reading.says(DRAWING) or (reading.says(HOW_LONG) and not savings):
        return None
    if terms and (terms[0].value > _MAX_FUND_MONTHS or _OTHER_MONTHS.search(terms[0].before)):
        return None
    arguments: dict[str, Value] = {"monthly_expenses": expenses.value}
    arguments |= {"months_covered": int(terms[0].value)} if terms else {}
    arguments |= {"saved": saved.value} if saved else {}
    arguments |= {"monthly_saving": savings[0].value} if savings else {}
    return Recognised("emergency_fund", arguments)


_RETIRE = words(r"retir\w+|corpus|nest egg")
_RETURN = words(r"returns?|earn(?:s|ing|ed)?|growth|grows?|yields?|interest|invest\w*")
_AGE_NOW = re.compile(r"\b(?:i am|i'm|im|aged?|age is|age now|currently|now),? (?:aged? )?$")
_AGE_RETIRED = re.compile(r"\bretir(?:e|ing|ement) (?:at|age)(?: the)?(?: age)?(?: of)? $")
_AGE_LAST = re.compile(
    r"\b(?:live|living|lasts?|till|until|to|up to|life expectancy)(?: the)?(?: age)?(?: of)? $"
)
_YEARS_LEFT = re.compile(r"\b(?:retir\w+|retirement is|need) (?:in|after)(?: another)? $")
_YEARS_RETIRED = re.compile(r"\b(?:lasts?|lasting|for|live|living)(?: for)?(?: another)? $")


def retirement_corpus(reading: Reading) -> Recognised | None:
    """Expenses a month, inflation, return and the years until and in retirement (or three ages)."""
    amounts, rates = reading.all(Kind.AMOUNT), reading.all(Kind.RATE)
    monthly, saved = reading.all(Kind.MONTHLY_AMOUNT), reading.one(amounts, HAVING)
    if len(monthly) != 1 or len(rates) != 2 or (amounts and (len(amounts) > 1 or saved is None)):
        return None
    if not reading.says(_RETIRE) or not reading.says(SPENDING) or reading.says(TAXES, LOAN):
        return None
    spans, inflation, returned = _years(reading), reading.one(rates, INFLATION), reading.one(rates, _RETURN)
    if spans is None or inflation is None or returned is None or inflation is returned:
        return None
    arguments: dict[str, Value] = {
        "monthly_expenses": monthly[0].value,
        "years_to_retirement": spans[0],
        "years_in_retirement": spans[1],
        "yearly_inflation": inflation.value,
        "yearly_return": returned.value,
    }
    return Recognised("retirement_corpus", arguments | ({"saved": saved.value} if saved else {}))


def _years(reading: Reading) -> tuple[int, int] | None:
    """Years until and in retirement, said as such or by three ages."""
    spans = [quantity for quantity in reading.all(Kind.TERM) if not quantity.value % 12]
    ages = reading.all(Kind.SMALL)
    if len(spans) == 2 and not ages:
        until, during = _before(spans, _YEARS_LEFT), _before(spans, _YEARS_RETIRED)
        return (int(until.value) // 12, int(during.value) // 12) if until and during else None
    if len(ages) == 3 and not reading.all(Kind.TERM):
        now, retired, last = (_before(ages, cue) for cue in (_AGE_NOW, _AGE_RETIRED, _AGE_LAST))
        if now and retired and last and now.value < retired.value < last.value:
            return int(retired.value - now.value), int(last.value - retired.value)
    return None


def _before(quantities: Sequence[Quantity], pattern: re.Pattern[str]) -> Quantity | None:
    found = [quantity for quantity in quantities if pattern.search(quantity.before)]
    return found[0] if len(found) == 1 else None
