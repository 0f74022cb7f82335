"""How numbers are spelled, with what makes each an amount, a rate, a term, a count or an age."""

import re
from functools import cache
from typing import Final

from finassist.domain.calculators.recognition.wording import CURRENCIES

_NUMBER: Final = r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
EUROPEAN: Final = (
    r"(?:\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:[ ]\d{3})+(?![\d%])"
    r"|\d+,\d{2}(?!\d|,\d)|\d+,\d(?=\s?(?:cents?|ct|€|eur|euros?|million|thousand|lakh)(?!\w)))"
)
SCALES: Final = {
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
UNITS: Final = {
    "mpg": r"mpg|miles? (?:per|to the|a) gal(?:lon)?",
    "l/100km": r"(?:l|litres?|liters?|liter|litros?|litri)\s?(?:/|per|auf|aux|por|pour"
    r"|p\.?|a\slos|aos|cada|ogni|sur)?\s?"
    r"100(?:\s?(?:kms?|kilomet(?:er|re)s?|kilómetros|quilômetros|quilómetros|chilometri))?",
    "kwh/100km": r"kwh\s?(?:/|per|auf|aux|por|pour|ogni)?\s?100\s?(?:kms?|kilomet(?:er|re)s?)",
    "km/l": r"kmpl|kms?\s?(?:/|per|a|to the|por|pro|par|con\sun|al|com\sum)\s?(?:l|litre|liter|litro)",
    "minute": r"minutes?|mins|minuten|minutos|minuti",
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
    rf"{_CURRENCY}|(?:{'|'.join(SCALES)})\b|hours?|hrs?|percent|years?|months?|weeks?|mpg|miles?|kms?|kwh|watts?"
    r"|gallons?|more|extra|each|every|per|of"
)

_QUANTITY: Final = rf"""
    (?<![\w.,]) (?:
        (?P<rate> \d{{1,3}},\d{{1,2}} | {_NUMBER} )
            (?: \s*% | \s*per\s?cent\b | \s*pct\b | (?=\s(?:apr|apy|aer)\b(?!\s\d))
              | (?P<bps> \s*bps\b | \s*basis\s+points\b ) )
      | (?P<age> \d{{1,3}} ) [-\s]* (?: years?|yrs? ) [-\s]* (?: old|of\s+age ) \b
      | (?P<years> {_NUMBER} ) (?: [-\s]* (?: years?|yrs? ) | y ) \b
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
      | (?P<measure> {EUROPEAN} | \d{{1,3}},\d(?!\d) | {_NUMBER} )
            (?: (?P<thousands> \s?k | \s thousand ) (?=\s) )? [-\s]* (?P<unit> {_UNIT} ) (?!\w)
      | (?P<count> \d{{1,3}}(?:,\d{{3}})+ | \d{{1,6}}(?:\.\d{{1,2}})?(?=\s*(?:x|times)\b) | \d{{1,6}} )
            \s* (?: x | times | {_THINGS} ) \b
      | (?P<people> \d{{1,2}} ) [-\s]* (?: {_PEOPLE} ) \b
      | (?: (?P<currency> {_CURRENCY} ) \s* )? (?P<money> {EUROPEAN} | {_NUMBER} )
        (?: \s? (?P<scale> {"|".join(SCALES)} ) (?![\w&]) )? (?: \s* (?P<noun> {_NOUN} ) )?
    ) (?! \w | [.,:-]\d | /\d )
    """


@cache
def quantity_pattern() -> re.Pattern[str]:
    """A number with what makes it an amount, a rate, a term, a count or an age, in small letters.

    It is compiled with the first question: a start would wait for it."""
    return re.compile(_QUANTITY, re.VERBOSE)
