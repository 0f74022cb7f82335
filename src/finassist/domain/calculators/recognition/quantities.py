"""The numbers of a text, as people write them: 20k, $20,000, 1.5 lakh, 7.5% p.a., 30 yrs, 28/hr, 3 ways.

Reading is strict: a text with a number of no such kind, or that can be read in two ways, is not
read at all.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import Final

from finassist.domain.calculators.recognition.wording import CURRENCIES, RATE_CUES, RATE_LINKS, worded

_NUMBER: Final = r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_EUROPEAN: Final = (
    r"(?:\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:[ ]\d{3})+(?![\d%])|\d+,\d{2}(?![\d,]))"
)
_SCALES: Final = {
    "k|thousand|grand": 3,
    "l|lakhs?|lacs?": 5,
    "m|mn|mln|millions?": 6,
    "cr|crores?": 7,
    "b|bn|billions?": 9,
    r"p(?!\.[a-z])|pence|cents?|ct|paise": -2,
}
_SPELLED: Final = sorted(CURRENCIES, key=len, reverse=True)
_CURRENCY: Final = "|".join(
    rf"{re.escape(name)}(?![a-z])" + (r"\.?" if name.isalpha() else "") for name in _SPELLED if name != "/-"
)
_NOUN: Final = "|".join(rf"{re.escape(name)}(?!\w)" for name in _SPELLED)
_PERIODS: Final = {
    "month": r"calendar month|months?|mo|mth|pcm|pm",
    "year": r"years?|yr|annum|pa",
    "hour": r"hours?|hr|h",
    "week": r"weeks?|wk",
    "fortnight": r"fortnights?|(?:two|2|other) weeks?",
    "day": r"days?",
    "quarter": r"quarters?",
}
_ADVERBS: Final = {
    "month": r"monthly|p\.?m\.?\b|sip\b|rd\b|emis?\b|per month",
    "year": r"yearly|annually|annual|p\.?a\.?\b|(?:gross )?salary a year",
    "hour": r"hourly",
    "week": r"weekly",
    "fortnight": r"bi-?weekly|fortnightly",
    "day": r"daily",
    "quarter": r"quarterly",
}
UNITS: Final = {
    "mpg": r"mpg|miles? (?:per|to the|a) gal(?:lon)?",
    "l/100km": r"(?:l|litres?|liters?|liter)\s?(?:/|per|auf|aux|por|pour|p\.?)?\s?100\s?km",
    "km/l": r"kmpl|kms?\s?(?:/|per|a|to the)\s?(?:l|litre|liter)",
    "kwh": r"kwh|kilowatt[- ]?hours?",
    "mile": r"miles?|mi",
    "km": r"kms?|kilomet(?:er|re)s?",
    "kw": r"kw|kilowatts?",
    "w": r"w|watts?",
    "kg": r"kgs?|kilos?|kilograms?",
    "g": r"g|gm|grams?|gramm|gr",
    "litre": r"litres?|liters?|ltr|litros?",
    "ml": r"ml|millilitres?",
    "oz": r"oz|ounces?",
    "lb": r"lbs?",
}
"""Units of measurement by the name that a quantity has them under."""
_UNIT: Final = "|".join(f"(?:{spelled})" for spelled in UNITS.values())
_PRICED: Final = {
    "gallon": r"gal(?:lon)?s?",
    "litre": r"l|litres?|liters?|ltr|litro",
    "kwh": r"kwh|kilowatt[- ]?hour|unit",
    "kg": r"kg|kilo",
    "share": r"shares?|stock|aktie|action|acción",
}
_PER_UNIT: Final = re.compile(
    r"\s*(?:/|a |an |per |each |le |la |der |die |pro |por |par |al |el |o |il )\s*(?:"
    + "|".join(f"(?P<{name}>(?:{said})\\b)" for name, said in _PRICED.items())
    + ")"
)
_PEOPLE: Final = (
    r"ways?|people|persons?|friends|of\s+us|adults|guests|mates|roommates|flatmates"
    "|personen|personas|personnes"
)

_THINGS: Final = (
    r"(?:(?:equal|monthly|weekly) )?(?:shares?|stocks?|payments|instal?lments|installments|parcelas|cuotas"
    r"|raten|mensualit\w+|rate(?=\s+d[ai])"
    r"|packs?|packets?|items?|bottles?|boxes|tins|cans|aktien|actions|acciones|ações|azioni)"
)
_NOT_COUNTED: Final = (
    rf"{_CURRENCY}|(?:{'|'.join(_SCALES)})\b|hours?|hrs?|percent|years?|months?|weeks?|mpg|miles?|kms?|kwh|watts?"
    r"|gallons?|more|extra|each|every|per|of"
)

QUANTITY: Final = re.compile(
    rf"""
    (?<![\w.,]) (?:
        (?P<rate> \d{{1,3}},\d{{1,2}} | {_NUMBER} )
            (?: \s*% | \s*per\s?cent\b | \s*pct\b | (?=\s(?:apr|apy|aer)\b(?!\s\d))
              | (?P<bps> \s*bps\b | \s*basis\s+points\b ) )
      | (?P<age> \d{{1,3}} ) [-\s]* (?: years?|yrs? ) [-\s]* (?: old|of\s+age ) \b
      | (?P<years> {_NUMBER} ) [-\s]* (?: years?|yrs?|y ) \b
        (?: ,?\s+ (?: and\s+ )? (?P<rest> \d{{1,2}} ) [-\s]* (?: months?|mos?|mths? ) \b )?
      | (?P<months> {_NUMBER} ) [-\s]* (?: months?|mos?|mths? ) \b
      | (?P<times> \d{{1,3}} ) \s* (?!{_NOT_COUNTED}) (?: x | [^\W\d_]{{3,}} ) (?: \s+ of \s+ [^\W\d_]+ )?
            (?: \s*/\s* | \s+ (?:a|per|each|every) \s+ )
            (?P<times_per> day|week|wk|month|year ) s? \b
      | (?P<days> \d{{1,4}} ) [-\s]* days? \b
      | (?P<hours> \d{{1,3}}(?:\.\d+)? ) [-\s]* (?: hours?|hrs?|h ) \b
            (?: (?: \s*/\s* | \s+ (?:a|per|each|every|this|last|in\s+a|in\s+the|in\s+one) \s+ )
                (?P<hours_per> week|wk|day ) \b )?
      | (?P<weeks> \d{{1,3}} ) [-\s]* (?: weeks?|wks? ) \b
      | (?P<measure> {_EUROPEAN} | \d{{1,3}},\d(?!\d) | {_NUMBER} ) [-\s]* (?P<unit> {_UNIT} ) (?!\w)
      | (?P<count> \d{{1,3}}(?:,\d{{3}})+ | \d{{1,6}} ) \s* (?: x | {_THINGS} ) \b
      | (?P<people> \d{{1,2}} ) [-\s]* (?: {_PEOPLE} ) \b
      | (?: (?P<currency> {_CURRENCY} ) \s* )? (?P<money> {_EUROPEAN} | {_NUMBER} )
        (?: \s? (?P<scale> {"|".join(_SCALES)} ) (?![\w&]) )? (?: \s* (?P<noun> {_NOUN} ) )?
    ) (?! \w | [.,:-]\d | /\d )
    """,
    re.VERBOSE,
)
"""A number with what makes it an amount, a rate, a term, a count or an age, in small letters."""

_WRITTEN_EUROPEAN: Final = re.compile(rf"{_EUROPEAN}|\d{{1,3}},\d")
_THREE_DECIMALS: Final = re.compile(r"\d+\.\d{3}")
_WHOLE_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}\.000")
_CALENDAR_YEAR: Final = re.compile(r"\b(?:in|since|from|by|until|till|during|year|between) $")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_PERSONAL: Final = re.compile(
    r"[-\s]*(?:(?:small|young|little|grown|school) )?(?:kids?|children|child|sons?|daughters?"
    r"|beds?\b|bedrooms?|bed(?:room)? |dogs?|cats?|(?:credit )?cards|loans|debts|dependents?|dependants?"
    r"|siblings|brothers|sisters|kinder|enfants|hijos|filhos|figli|bacche)\b"
)
_SIGNED: Final = re.compile(r"[-+\u00b1~<>*^]\s?$")
_EACH: Final = r"(?:(?:per|a|an|each|every|/|al|par)[-\s/]*)"
_AFTER_PERIOD: Final = re.compile(
    r"[-\s]*(?:(?:net|gross|netto|brutto|brut|nets|neto|bruto|netos|líquidos?|netti|lordi|take[- ]home"
    r"|after tax|before tax) )?(?:(?:goes|go|going|paid|put|added|saved) )?"
    r"(?:(?:in|on|into|to|for|towards?)(?: \w+){0,3} )?(?:"
    + "|".join(rf"(?P<{name}>{_EACH}(?:{_PERIODS[name]})\b|(?:{_ADVERBS[name]})\b)" for name in _PERIODS)
    + r"|(?P<start>at the (?:beginning|start|end) of (?:each|every|the) month\b))"
)
_MONTHLY_BEFORE: Final = re.compile(
    r"(?:(?<!compounded )(?<!compounding )\bmonthly(?: (?:\w+ )?(?:payments?|repayments?|emis?"
    r"|instal?lments?|sips?|investments?|contributions?|deposits?|savings?|budget|amounts?|expenses|spending|costs?"
    r"|expenditure|bills|outgoings|debts?|income|rent|salary))?"
    r"|\b(?:emi|sip|rd|instal?lment)|(?:each|every|per|a) month,? (?:i |we |i'll |and )?"
    r"(?:save|invest|put|pay|deposit|contribute|spend|add))"
    r"(?: (?:of|is|are|at|in|with|about|around|around about))*[:=]? $|\b(?:each|every) month,? $"
)
_OFTEN: Final = {"daily": "day", "weekly": "week"}
_OFTEN_BEFORE: Final = re.compile(
    r"(?<!compounded )(?<!compounding )\b(?P<often>daily|weekly) (?:\w+ )?(?:(?:of|is|at|for|costs?) )?$"
)
_NO_YEARLY_RATE: Final = re.compile(
    r"\s*(?:(?:interest |return )?(?:per|a|each|every|/) ?(?:month|mo|day|week|quarter)\b|p\.?m\b"
    r"|(?:daily|weekly)(?! compound))"
)
_RATE_BEFORE: Final = re.compile(rf"(?:@|\b(?:{RATE_CUES})(?: (?:{RATE_LINKS}))*) ?$")
_NUMBERED: Final = re.compile(
    r"\b(?:score|fico|cibil|page|form|line|section|version|number|no\.|code|top|route|day|week|step|chapter)"
    r"(?: (?:of|is))? $"
)
_CONTINENTAL: Final = frozenset(("€", "R$", "CHF"))
_COUNTED: Final = re.compile(
    r"\s*(?:units?|points?|employees|times|x|quarters?|decades?|score"
    r"|sq|sqft|credits|bonds?|options?|contracts?|transactions?|coins?|funds?|tips|jobs?|banks?|accounts?)\b"
)
_SHARED: Final = re.compile(r"\b(?:between|among|amongst|divided by|entre|for) (?:the )?$")
_SMALL_MAX: Final = 100
_BARE_RATE_MAX: Final = 40


class Kind(Enum):
    """What a number in a text is."""

    AMOUNT = "amount"
    MONTHLY_AMOUNT = "amount a month"
    PAY = "amount a year, week, day or hour"
    RATE = "rate"
    TERM = "term"
    DAYS = "days"
    PEOPLE = "people"
    HOURS = "hours a week"
    HOURS_A_DAY = "hours a day"
    HOURS_IN_ALL = "hours"
    WEEKS = "weeks"
    TIMES = "how often in a period"
    COUNT = "number of things"
    MEASURE = "distance, weight, power or consumption"
    PRICE = "price of a unit"
    ASIDE = "number that no calculation takes"
    SMALL = "small whole number, perhaps an age"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and the text around it, as far as the quantities beside it. ``value`` is money, percent a
    year, months, days, or years of age; ``written`` is how it stood there, ``is_bare`` a number without a
    unit, ``per`` the period of an amount that is paid again and again."""

    kind: Kind
    value: Decimal
    before: str
    after: str
    written: str = ""
    is_bare: bool = False
    per: str | None = None
    symbol: str = ""
    unit: str = ""
    """Of a measure or of the price of one."""


def read_quantities(question: str) -> list[Quantity] | None:
    """Every number of a text, or None when one of them is no clear quantity."""
    text = worded(question)
    matches = list(QUANTITY.finditer(text))
    if any(letter.isdigit() for letter in QUANTITY.sub(" ", text)):
        return None
    symbols = {symbol_of(match) for match in matches} - {""}
    if len(symbols) > 1:
        return None
    is_continental = bool(symbols & _CONTINENTAL)
    edges = [0, *(edge for match in matches for edge in match.span()), len(text)]
    quantities = []
    for position, match in enumerate(matches):
        before = text[edges[2 * position] : match.start()]
        after = text[match.end() : edges[2 * position + 3]]
        quantity = _quantity(match, before, after, is_continental)
        if quantity is None:
            return None
        quantities.append(quantity)
    return quantities


def symbol_of(match: re.Match[str]) -> str:
    """One symbol for all spellings of an amount's currency; empty when it has none."""
    written = (match["currency"] or match["noun"] or "").strip()
    return CURRENCIES.get(written) or CURRENCIES.get(written.rstrip("."), "")


def _quantity(match: re.Match[str], before: str, after: str, is_continental: bool) -> Quantity | None:
    if _SIGNED.search(before) or _NUMBERED.search(before) or _is_counted(match, after):
        return None
    if _is_aside(match, before, after):
        return _made(match, Kind.ASIDE, Decimal(0), before, after)
    return (
        _rate(match, before, after)
        or _term(match, before, after)
        or _count(match, before, after)
        or _measure(match, before, after)
        or _money(match, before, after, is_continental)
    )


def _is_counted(match: re.Match[str], after: str) -> bool:
    """Whether a bare number counts things of which no calculation is made."""
    return match["money"] is not None and not _has_unit(match) and _COUNTED.match(after) is not None


def _is_aside(match: re.Match[str], before: str, after: str) -> bool:
    """Whether a number tells of the person, a date or a thing, and of no sum."""
    if match["money"] is None or _has_unit(match):
        return False
    if _PERSONAL.match(after):
        return True
    return bool(_YEAR.fullmatch(match["money"]) and _CALENDAR_YEAR.search(before))


def _rate(match: re.Match[str], before: str, after: str) -> Quantity | None:
    written = match["rate"]
    if written is None:
        is_rate = match["money"] and not _has_unit(match) and _RATE_BEFORE.search(before)
        if (
            not is_rate
            or _decimal(match["money"]) >= _BARE_RATE_MAX
            or _period(before, after) not in (None, "year")
        ):
            return None
        written = match["money"]
    if _NO_YEARLY_RATE.match(after):
        return None
    value = _decimal(written)
    return _made(match, Kind.RATE, value / 100 if match["bps"] else value, before, after)


def _term(match: re.Match[str], before: str, after: str) -> Quantity | None:
    if match["days"]:
        return _made(match, Kind.DAYS, Decimal(match["days"]), before, after)
    written, unit = (match["years"], 12) if match["years"] else (match["months"], 1)
    if written is None:
        return None
    months = unit * _decimal(written) + Decimal(match["rest"] or 0)
    return _made(match, Kind.TERM, months, before, after) if months == months.to_integral_value() else None


def _count(match: re.Match[str], before: str, after: str) -> Quantity | None:
    if match["hours"]:
        kind = {None: Kind.HOURS_IN_ALL, "day": Kind.HOURS_A_DAY}.get(match["hours_per"], Kind.HOURS)
        return _made(match, kind, Decimal(match["hours"]), before, after)
    if match["times"]:
        per = "week" if match["times_per"] == "wk" else match["times_per"]
        return _made(match, Kind.TIMES, Decimal(match["times"]), before, after, per=per)
    counts = {Kind.PEOPLE: "people", Kind.WEEKS: "weeks", Kind.COUNT: "count"}
    return next(
        (
            _made(match, kind, _decimal(match[name]), before, after)
            for kind, name in counts.items()
            if match[name]
        ),
        None,
    )


def _measure(match: re.Match[str], before: str, after: str) -> Quantity | None:
    if match["measure"] is None:
        return None
    unit = next(name for name, said in UNITS.items() if re.fullmatch(said, match["unit"]))
    made = _made(match, Kind.MEASURE, _decimal(match["measure"]), before, after, per=_period(before, after))
    return replace(made, unit=unit)


def _money(match: re.Match[str], before: str, after: str, is_continental: bool) -> Quantity | None:
    written = match["age"] or match["money"]
    if written is None:
        return None
    if _THREE_DECIMALS.fullmatch(written) and is_continental and not match["scale"]:
        written = written.replace(".", "")
    if _WHOLE_THOUSANDS.fullmatch(written) and not _has_unit(match):
        written = written.replace(".", "")
    value, period = _decimal(written), _period(before, after)
    is_bare = not _has_unit(match)
    is_small = value < _SMALL_MAX and value == value.to_integral_value()
    if is_small and (match["age"] or (is_bare and not period)):
        return _made(match, Kind.SMALL, value, before, after)
    if _THREE_DECIMALS.fullmatch(written) and not match["scale"] and not is_bare:
        return None
    value = Decimal(f"{(value * _scale(match['scale'])).normalize():f}")
    priced = _PER_UNIT.match(after)
    if priced is not None and priced.lastgroup:
        return replace(_made(match, Kind.PRICE, value, before, after), unit=priced.lastgroup)
    kind = {None: Kind.AMOUNT, "month": Kind.MONTHLY_AMOUNT}.get(period, Kind.PAY)
    return _made(match, kind, value, before, after, per=period)


def _made(
    match: re.Match[str], kind: Kind, value: Decimal, before: str, after: str, per: str | None = None
) -> Quantity:
    return Quantity(
        kind=kind,
        value=value,
        before=before,
        after=after,
        written=match[0].strip(),
        is_bare=not _has_unit(match) and kind in {Kind.AMOUNT, Kind.SMALL},
        per=per,
        symbol=symbol_of(match) if match["money"] else "",
    )


def _has_unit(match: re.Match[str]) -> bool:
    return bool(match["money"] is None or match["currency"] or match["scale"] or match["noun"])


def _period(before: str, after: str) -> str | None:
    """How often an amount is paid, as its words say; None for once."""
    found = _AFTER_PERIOD.match(after)
    if found is not None:
        return "month" if found["start"] else next(name for name in _PERIODS if found[name])
    often = _OFTEN_BEFORE.search(before)
    if often is not None:
        return _OFTEN[often["often"]]
    return "month" if _MONTHLY_BEFORE.search(before) else None


def _decimal(written: str) -> Decimal:
    written = written.replace(" ", "")
    if _WRITTEN_EUROPEAN.fullmatch(written):
        return Decimal(written.replace(".", "").replace(",", "."))
    return Decimal(written.replace(",", ""))


def _scale(written: str | None) -> Decimal:
    if written is None:
        return Decimal(1)
    return Decimal(10) ** next(power for words, power in _SCALES.items() if re.fullmatch(words, written))
