"""The amounts, rates and terms in a text, as people write them: 20k, $20,000, 1.5 lakh, 7.5% p.a., 30 yrs.

Reading is strict: a text with a number of no such kind, or that can be read in two ways, is not
read at all.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

_MASKED = re.compile(r"\b40[13]\s?\(?[kb]\)?|\b529\b(?= plan)|\bs&p ?500\b")
_NUMBER = r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_EUROPEAN = r"(?:\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}|\d+,\d{2}(?![\d,]))"
_CURRENCY = r"(?:us\$|\$|€|£|₹|¥|(?:rs|inr|usd|eur|gbp)\b\.?)"
_SCALES = {
    "k|thousand|grand": 3,
    "l|lakhs?|lacs?": 5,
    "m|mn|mln|millions?": 6,
    "cr|crores?": 7,
    "b|bn|billions?": 9,
}
_SCALE = "|".join(_SCALES)
_NOUN = r"dollars?|bucks|rupees|euros?|pounds?|usd|inr|eur|gbp|rs\b\.?|/-|€|\$|£|₹"
_SYMBOLS = {
    "$": ("$", "usd", "dollar", "buck"),
    "€": ("€", "eur"),
    "£": ("£", "gbp", "pound"),
    "₹": ("₹", "rs", "inr", "rupee", "/-"),
}
_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "fifteen": 15,
    "eighteen": 18,
    "twenty": 20,
    "twenty-five": 25,
    "thirty": 30,
    "forty": 40,
}

QUANTITY = re.compile(
    rf"""
    (?<![\w.,]) (?:
        (?P<rate> \d{{1,3}},\d{{1,2}} | {_NUMBER} ) \s* (?: % | per\s?cent\b | pct\b )
      | (?P<age> \d{{1,3}} ) [-\s]* (?: years?|yrs? ) [-\s]* (?: old|of\s+age ) \b
      | (?P<years> {_NUMBER} | \b(?:{"|".join(_WORDS)})\b ) [-\s]* (?: years?|yrs?|y ) \b
        (?: ,?\s+ (?: and\s+ )? (?P<rest> \d{{1,2}} ) [-\s]* (?: months?|mos?|mths? ) \b )?
      | (?P<months> {_NUMBER} | \b(?:{"|".join(_WORDS)})\b ) [-\s]* (?: months?|mos?|mths? ) \b
      | (?: (?P<currency> {_CURRENCY} ) \s* )? (?P<money> {_EUROPEAN} | {_NUMBER} )
        (?: \s? (?P<scale> {_SCALE} ) (?![\w&]) )? (?: \s* (?P<noun> {_NOUN} ) )?
    ) (?! \w | [.,/:-]\d )
    """,
    re.VERBOSE,
)
"""A number with what makes it an amount, a rate, a term or an age, in lower case."""

_WRITTEN_EUROPEAN = re.compile(rf"{_EUROPEAN}|\d{{1,3}},\d")
_THREE_DECIMALS = re.compile(r"\d+\.\d{3}")
_CALENDAR_YEAR = re.compile(r"\b(?:in|since|from|by|until|till|during|year|between) $")
_SIGNED = re.compile(r"[-+±~<>*^]\s?$")
_MONTHLY_AFTER = re.compile(
    r"[-\s]*(?:(?:in|on|into|to|for|towards?)(?: \w+){0,3} )?"
    r"(?:(?:per|a|an|each|every|/)[-\s]*(?:calendar )?(?:month|mo|mth)\b|(?:monthly|p\.?m)\b|sip\b|emis?\b"
    r"|at the (?:beginning|start|end) of (?:each|every|the) month\b)"
)
_MONTHLY_BEFORE = re.compile(
    r"(?:(?<!compounded )(?<!compounding )\bmonthly(?: (?:\w+ )?(?:payments?|repayments?|emis?"
    r"|instal?lments?|sips?|investments?|contributions?|deposits?|savings?|budget|amounts?|expenses|spending|costs?"
    r"|expenditure|bills|outgoings))?"
    r"|\b(?:emi|sip|instal?lment)|(?:each|every|per|a) month,? (?:i |we |i'll |and )?"
    r"(?:save|invest|put|pay|deposit|contribute|spend|add))"
    r"(?: (?:of|is|are|at|in|with|about|around|around about))*[:=]? $"
)
_OTHER_PERIOD = re.compile(
    r"[-\s]*(?:(?:per|an?|each|every|/)[-\s]*(?:year|yr|annum|week|fortnight|quarter|day|hour|share|head|person)\b"
    r"|(?:yearly|annually|weekly|biweekly|quarterly|daily|hourly|p\.a)\b)"
)
_NO_YEARLY_RATE = re.compile(
    r"\s*(?:(?:interest |return )?(?:per|a|each|every|/) ?(?:month|mo|day|week|quarter)\b|p\.?m\b"
    r"|monthly(?! compounding)|of\b)"
)
_RATE_GOES_ON = re.compile(
    r"\s*(?:$|[-,.;:?!()&/@+]|(?:p\.?a|per|an?|the|annual\w*|yearly|each|every|half|semi\w*|quarterly|monthly|weekly"
    r"|daily|continuous\w*|interest|apr|apy|ear|nominal|effective|rates?|roi|returns?|growth|yields?|compound\w*"
    r"|expected|inflation|tax\w*|income|bracket|slab|marginal|muni\w*|bonds?|fixed|loans?|mortgages?|home|personal"
    r"|car|credit|emis?|sips?|fd|cd|rd|step|increase|hike|rise|for|over|in|on|and|or|with|how|what|which|if|when|after"
    r"|before|from|until|by|to|then|first|costs?|gives?|becomes?|worth|do|does|(?:re)?payments?"
    r"|while|at|as|during|through|using|paying|paid|earning|would|will|is|i|my|we)\b)"
)
_NUMBERED = re.compile(
    r"\b(?:score|fico|cibil|page|form|section|version|number|no\.|code|top|route|day|week|step)"
    r"(?: (?:of|is))? $"
)
_COUNTED = re.compile(
    r"\s*(?:shares?|units?|stocks?|points?|people|employees|bps|basis|times|x|days?|weeks?|quarters?|hours?|decades?"
    r"|sq|sqft|miles|credits|persons?|bonds?|options?|contracts?|transactions?|coins?)\b"
)


class Kind(Enum):
    """What a number in a text is."""

    AMOUNT = "amount"
    MONTHLY_AMOUNT = "amount a month"
    RATE = "rate"
    TERM = "term"
    SMALL = "small whole number, perhaps an age"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and the text around it, as far as the quantities beside it. ``value`` is money, percent a
    year, months or years of age."""

    kind: Kind
    value: Decimal
    before: str
    after: str


def read_quantities(text: str) -> list[Quantity] | None:
    """Every number of a text in lower case, or None when one of them is no clear quantity."""
    text = _MASKED.sub("fund", text)
    matches = list(QUANTITY.finditer(text))
    if any(letter.isdigit() for letter in QUANTITY.sub(" ", text)):
        return None
    if len({_symbol(match) for match in matches} - {""}) > 1:
        return None
    edges = [0, *(edge for match in matches for edge in match.span()), len(text)]
    quantities = []
    for position, match in enumerate(matches):
        before = text[edges[2 * position] : match.start()]
        after = text[match.end() : edges[2 * position + 3]]
        quantity = _quantity(match, before, after)
        if quantity is None:
            return None
        quantities.append(quantity)
    return quantities


def outline(text: str) -> tuple[str, list[Decimal], list[Decimal]] | None:
    """A text in lower case with ``<p>`` for every percentage and ``<a>`` for every other number, and their
    values; None when it has terms or ages, or a number that is unclear."""
    rates: list[Decimal] = []
    amounts: list[Decimal] = []
    shape, edge = "", 0
    for match in QUANTITY.finditer(text):
        written = match["rate"] or match["money"]
        if written is None:
            return None
        if match["money"] and _symbol(match) == "€" and _THREE_DECIMALS.fullmatch(written):
            written = written.replace(".", "")
        value = _decimal(written) * _scale(match["scale"])
        (rates if match["rate"] else amounts).append(Decimal(f"{value.normalize():f}"))
        shape += text[edge : match.start()] + ("<p>" if match["rate"] else "<a>")
        edge = match.end()
    shape += text[edge:]
    return None if any(letter.isdigit() for letter in shape) else (shape, rates, amounts)


def _quantity(match: re.Match[str], before: str, after: str) -> Quantity | None:
    if _SIGNED.search(before) or _NUMBERED.search(before) or _COUNTED.match(after):
        return None
    found = _rate(match, after) or _term(match) or _money(match, before, after)
    return found and Quantity(kind=found[0], value=found[1], before=before, after=after)


def _rate(match: re.Match[str], after: str) -> tuple[Kind, Decimal] | None:
    if match["rate"] is None or _NO_YEARLY_RATE.match(after) or not _RATE_GOES_ON.match(after):
        return None
    return Kind.RATE, _decimal(match["rate"])


def _term(match: re.Match[str]) -> tuple[Kind, Decimal] | None:
    written, unit = (match["years"], 12) if match["years"] else (match["months"], 1)
    if written is None:
        return None
    months = unit * (Decimal(_WORDS[written]) if written in _WORDS else _decimal(written))
    months += Decimal(match["rest"] or 0)
    return (Kind.TERM, months) if months == months.to_integral_value() else None


def _money(match: re.Match[str], before: str, after: str) -> tuple[Kind, Decimal] | None:
    written = match["age"] or match["money"]
    if written is None:
        return None
    if _THREE_DECIMALS.fullmatch(written) and _symbol(match) == "€" and not match["scale"]:
        written = written.replace(".", "")
    value = _decimal(written)
    is_monthly = _MONTHLY_AFTER.match(after) or _MONTHLY_BEFORE.search(before)
    if match["age"] or not (match["currency"] or match["scale"] or match["noun"]):
        if value < 100 and value == value.to_integral_value() and (match["age"] or not is_monthly):
            return Kind.SMALL, value
        if 1900 <= value <= 2100 and "," not in written and _CALENDAR_YEAR.search(before):
            return None
    if _OTHER_PERIOD.match(after) or (_THREE_DECIMALS.fullmatch(written) and not match["scale"]):
        return None
    value = (value * _scale(match["scale"])).normalize()
    return Kind.MONTHLY_AMOUNT if is_monthly else Kind.AMOUNT, Decimal(f"{value:f}")


def _decimal(written: str) -> Decimal:
    if _WRITTEN_EUROPEAN.fullmatch(written):
        return Decimal(written.replace(".", "").replace(",", "."))
    return Decimal(written.replace(",", ""))


def _scale(written: str | None) -> Decimal:
    if written is None:
        return Decimal(1)
    return Decimal(10) ** next(power for words, power in _SCALES.items() if re.fullmatch(words, written))


def _symbol(match: re.Match[str]) -> str:
    """One symbol for all spellings of an amount's currency; empty for none."""
    written = (match["currency"] or "") + (match["noun"] or "")
    spelled = (symbol for symbol, names in _SYMBOLS.items() if any(name in written for name in names))
    return next(spelled, written)
