"""The words of a question as the reader of numbers knows them: usual slips, number words, other languages."""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, cast
from unicodedata import combining, normalize

from finassist.data import shipped
from finassist.domain.calculators.recognition.times.dates import with_time_between
from finassist.patterns import late_pattern

_WORDS: Final = cast("dict[str, Any]", shipped("calculators/words"))
_DIGITS: Final = {word: str(number) for words in _WORDS["numbers"].values() for word, number in words.items()}

NUMBER_WORDS: Final[Mapping[str, int]] = {word: int(digits) for word, digits in _DIGITS.items()}


def _without_accents(word: str) -> str:
    return "".join(letter for letter in normalize("NFD", word) if not combining(letter))


_SPELLED_UNITS: Final = {
    spelled: unit for unit, spellings in _WORDS["units"].items() for spelled in spellings.split("|")
}
_UNITS: Final = {
    **{_without_accents(spelled): unit for spelled, unit in _SPELLED_UNITS.items() if spelled[0].isascii()},
    **_SPELLED_UNITS,
}
"""The English unit of every spelling; many people leave the accents out."""
CURRENCIES: Final[Mapping[str, str]] = {
    spelled: symbol for symbol, spellings in _WORDS["currencies"].items() for spelled in spellings.split("|")
}
"""The symbol of every spelling of a currency."""
CONTINENTAL_WORDS: Final[str] = _WORDS["continental_words"]
RATE_CUES: Final[str] = _WORDS["rate_before"]
RATE_LINKS: Final[str] = _WORDS["rate_linking"]
"""Words before a number that make it a rate, and those that may stand between."""


def _any_of(words: object) -> str:
    return "|".join(map(re.escape, sorted(cast("list[str]", words), key=len, reverse=True)))


_SPELLINGS: Final = {
    late_pattern(rf"(?<!\w)(?:{wrong})(?!\w)"): right for wrong, right in _WORDS["spellings"].items()
}
_COUNTED: Final[str] = _WORDS["counted"]
_NUMBER_WORD: Final = late_pattern(
    rf"(?<!\w)(?P<word>{_any_of(list(_DIGITS))})(?=[-\s]+(?:{_COUNTED}|{_any_of(list(_UNITS))})\b)"
)
_GROUP: Final = late_pattern(
    rf"(?<!\w)(?P<group>{_WORDS['groups']}) (?P<word>{_any_of([*_DIGITS, *_WORDS['group_sizes']])})"
    rf"(?!\w|[ -]\d|[-\s]+(?:{_COUNTED}|{_any_of(list(_UNITS))})\b)"
)
_SO_MANY_PAYMENTS: Final = r"(?!(?<=\d )(?:monthly|weekly|yearly) (?:instal?lments|payments)\b)"
_UNIT: Final = late_pattern(
    rf"(?<=\d)(?P<gap>[-\s]*){_SO_MANY_PAYMENTS}(?P<unit>{_any_of(list(_UNITS))})(?!\w)"
)
_PERIODIC: Final = [word for word, unit in _UNITS.items() if unit.startswith(("a ", "each "))]
_PER: Final = late_pattern(rf"(?<!\w){_SO_MANY_PAYMENTS}(?P<unit>{_any_of(_PERIODIC)})(?!\w)")
_A_YEAR: Final = late_pattern(
    rf"\b({_WORDS['within_a_year']}) an? (year|month|yr)\b(?! (?:with|if|by|at)\b.*\bhow much)"
)
_A_FOREIGN_YEAR: Final = late_pattern(
    rf"\b({_WORDS['before_one']}) (?:{_WORDS['one_of']}) (?=(?:{_WORDS['year_or_month']})\b)"
)
_IN_LAKH: Final = late_pattern(
    rf"(?<![\w.,])(\d+(?:\.\d+)?) ?({_WORDS['large_numbers']}) (?:and |aur )?(\d+(?:\.\d+)?) ?"
    rf"({_WORDS['smaller_numbers']})(?!\w)"
)
_TIMES_TEN: Final = {"c": 7, "l": 5, "t": 3, "h": 3, "k": 3}
_A_NUMBER: Final = late_pattern(rf"\ba (?=(?:{_WORDS['a_number']})\b)")
_MASKED: Final = late_pattern(
    r"\b40[13]\s?\(?[kb]\)?(?!\w|,? (?:not|instead of|rather than) \d)"
    r"|\b457\s?\(?b\)?(?!\w)|\b529(?= plan| account|s\b)|\bs&p ?500\b"
    r"|\b50\s?[-/ ]\s?30\s?[-/ ]\s?20\b|(?<=rule of )(?:69|70|72)\b"
)
_TWO_YEARS: Final = late_pattern(
    rf"^(?P<start>.*?)\b(?:back )?(?:{_WORDS['in_a_year']}) (?P<first>(?:19|20)\d\d)\b(?P<between>.*?)"
    rf"\b(?:{_WORDS['in_a_year']}) (?P<last>(?:19|20)\d\d)\b(?P<rest>.*)$"
)
_TWO_BARE_YEARS: Final = late_pattern(
    rf"^(?P<start>.*?)\b(?P<first>(?:19|20)\d\d)(?= (?:{_WORDS['after_bought_in']})\b)"
    rf"(?P<between>.*?)\b(?P<last>(?:19|20)\d\d)(?= (?:{_WORDS['after_sold_in']})\b)(?P<rest>.*)$"
)
_NAMES: Final = _any_of([name for name in CURRENCIES if name.isalpha()])
_EXCHANGE: Final = late_pattern(
    rf"(?<![\w.,])1 ?(?P<base>{_NAMES}|[$£€₹]) ?(?:{_WORDS['equals']}) ?"
    rf"(?P<rate>\d[\d,]*(?:\.\d+)?) ?(?P<quoted>{_NAMES})(?!\w)"
)
_ONE: Final = late_pattern(rf"\b(?:one|an?|the) (?=(?:{_NAMES}) (?:{_WORDS['equals_one']}) ?\d)")
_FOR_ONE: Final = late_pattern(
    rf"(?:\bat )?(?<![\w.,])(?P<rate>\d[\d,]*(?:\.\d+)?) ?(?P<quoted>{_NAMES}) ?"
    rf"(?:{_WORDS['for_one']}) ?(?P<base>{_NAMES}|[$£€₹](?! ?\d))(?!\w)"
)
_FOR_ONE_OF: Final = late_pattern(
    rf"(?<![\w.,])(?P<rate>\d[\d,]*(?:\.\d+)?) ?(?:{_WORDS['for_one']}) ?(?P<base>{_NAMES})(?!\w)"
)
"""An exchange rate with one of the two currencies."""
_NAMED_CURRENCY: Final = late_pattern(rf"(?<![^\W\d_])(?:{_NAMES})(?!\w)")
_SYMBOL: Final = late_pattern(r"[$£€₹¥₦₱]")
_HALVES: Final = late_pattern(
    rf"(?<![\w.,])(?P<number>\d{{1,2}}|{_any_of(list(_DIGITS))})"
    rf"(?P<unit> (?:{_COUNTED}|{_any_of(list(_UNITS))}))?"
    rf" (?:{_WORDS['and_half']})(?P<later> (?:{_COUNTED}))?(?!\w)"
)
"""Half of one more: "two and a half years", "deux ans et demi"."""
_HALVED: Final = "|".join(f"(?P<{unit}>{spelled})" for unit, spelled in _WORDS["halved_units"].items())
_ONE_AND_HALF: Final = late_pattern(
    rf"(?<![\w.,])(?:(?:{_WORDS['one_words']}) )?(?:{_HALVED})"
    rf" (?:{_WORDS['period_and_half']})(?!\w)"
    rf"|(?<!\w)(?:{_WORDS['one_and_half']}) (?:{_HALVED.replace('?P<', '?P<later_')})(?!\w)"
)
"""One and a half of a period, the one often left out: "año y medio", "anderthalb Jahre"."""
_DATES: Final = late_pattern(
    rf"\b\d{{1,2}}(?:er|\.)? (?:de |di )?(?:{_WORDS['month_names']})\b"
    r"|\b(?:the )?\d{1,2}(?:st|nd|rd|th)\b(?! floor)|\b20\d\d\s?[/-]\s?(?:20)?\d\d\b"
)
_PLUS: Final = late_pattern(r"(?:(?<=\d) ?\+ ?|(?<=\w) \+ )(?=[^\W\d_]{0,2}[$£€₹]? ?\d)")
_MINUS: Final = late_pattern(r"(?<=\s)[-\u2212](?=\d+(?:[.,]\d+)? ?%)")
_REDUCED: Final = late_pattern(rf"\b(?:{_WORDS['reduced']})\b")
_ASKED_BY_THE_HOUR: Final = late_pattern(
    r"\b(?P<pay>\d{4,}|\d{1,3}(?:,\d{3})+|\d{2,3}(?:\.\d+)? ?k) (?=(?:an|per) hour\b)"
)
"""What nobody earns in an hour, and which is asked for one: "what is 46k an hour at 35 hrs"."""
_NO_TERM: Final = late_pattern(
    r"\b(\d{4,}|\d{1,3}(?:,\d{2,3})+|\d+(?:\.\d+)?(?: ?k| lakh| thousand)) months?\b"
)
"""What is a sum by its size, "18000 mahina"."""
_RATE_IN: Final = late_pattern(
    rf"\b(?P<told>(?:{_WORDS['rate_told']}) ?(?P<rate>\d[\d,.]*)) ?(?P<quoted>{_NAMES})"
    r"(?!\w| ?=| (?:is|equals|gets|buys|to|per)\b)"
)
"""An exchange rate with the currency that it leads to, which is not that of the amounts."""
_ARROW: Final = late_pattern(r" ?(?:-+>|=>|\u2192) ?")
_EVERY_OTHER: Final = late_pattern(rf"\b{_WORDS['every_other']}")
_EVERY_FEW: Final = {
    late_pattern(rf"(?P<paid>\d(?: ?(?:{_NAMES}|[$£€₹]))?) (?:{spelled})(?!\w)"): period
    for period, spelled in _WORDS["every_few"].items()
}
"""How often an amount is paid that is paid every two months, half a year or four weeks."""
_EVERY_QUARTER: Final = late_pattern(rf"\b{_WORDS['every_quarter']}")
_GROUPED: Final = {
    late_pattern(r"(?<=\d)'(?=\d{3}(?!\d))"): "",
    late_pattern(r"(?<=\d),(?:[\u2013\u2014]|--?)(?!\w|[.,]\d)"): ",00",
    late_pattern(r"(?<=\d)\.(?:[\u2013\u2014]|--?)(?!\w|[.,]\d)"): ".00",
    late_pattern(rf"(?<=\d) (?=(?:\d{{3}} ){{0,2}}\d{{3}}\.\d{{2}} ?(?:{_NAMES})(?!\w))"): "",
}
"""What stands within a number between its groups, and a dash for no cents: 1'249.\u2013, 499,-."""
_GROUPED_BEHIND: Final = late_pattern(
    rf"(?<![^\W\d_])(?P<currency>{_NAMES}|[$£€₹]) ?(?P<number>\d{{1,3}}(?: \d{{3}})+\.\d{{2}})(?!\d)"
)
"""An amount in groups behind its currency, with a point before its decimals: R 7 850.50."""
_NOTES: Final = {late_pattern(note): left for note, left in _WORDS["notes"].items()}
"""How a rate of a year or the weeks of a month are reckoned, which is what the calculators do."""
_PRICE_TIMES: Final = late_pattern(
    r"(?<![\w.,])(?P<price>[$€£₹]? ?\d[\d,]*[.,]\d\d) ?[x\u00d7] ?(?P<count>\d{1,3})"
    rf"(?:(?P<months> (?:{_WORDS['months_paid']}))\b"
    rf"|(?= ?(?:$|[?!;)\u2014]|[,.](?!\d)|(?:{_WORDS['behind_count']})\b)))"
)
"""A price before how often it is paid, "56.10 x 12", which is read as "12 x 56.10"."""
_METERED: Final = late_pattern(rf"(?<!\w)(?:{_WORDS['power_bills']})(?!\w)")
_POWER_UNITS: Final = late_pattern(r"(?P<number>\d) ?units?\b|(?P<per>\b(?:per|a|each) |/ ?)units?\b")
_FROM_WORD: Final = late_pattern(
    rf"(?<!\w)(?P<from>from) (?P<word>{_any_of(list(_DIGITS))})(?= to (?:just )?\d)"
)
"""A number word before the number that something changes to: "from five to 4 days"."""
_TURNS_TEXTS: Final = 32
"""As many as a turn reads, each several times: its question, the earlier ones, and what is made of them."""
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u00a0": " ", "\u202f": " "})


@lru_cache(maxsize=_TURNS_TEXTS)
def worded(question: str) -> str:
    """The question in small letters, with digits for number words and English units beside them; the names
    of accounts and rules that hold numbers are replaced by words."""
    text = " ".join(question.translate(_APOSTROPHES).casefold().split())
    for grouped, left in _GROUPED.items():
        text = grouped.sub(left, text)
    text = _GROUPED_BEHIND.sub(_ungrouped, text)
    for wrong, right in (*_NOTES.items(), *_SPELLINGS.items()):
        text = wrong.sub(right, text)
    text = _PRICE_TIMES.sub(_counted_price, with_time_between(text))
    if _METERED.search(text):
        text = _POWER_UNITS.sub(
            lambda match: f"{match['number'] or match['per']} kwh".replace("  ", " "), text
        )
    text = _RATE_IN.sub(_rate_of, text)
    text = _PLUS.sub(", ", _ARROW.sub(" to ", text))
    if _REDUCED.search(text):
        text = _MINUS.sub("", text)
    text = _EVERY_OTHER.sub("a fortnight", _DATES.sub("then", text))
    text = _EVERY_QUARTER.sub("a quarter", text)
    for every_few, period in _EVERY_FEW.items():
        text = every_few.sub(rf"\g<paid> a {period}", text)
    text = _TWO_BARE_YEARS.sub(_between, _TWO_YEARS.sub(_between, _MASKED.sub(_named, text)))
    text = _FOR_ONE_OF.sub(_quoted, text)
    text = _FOR_ONE.sub(r"1 \g<base> = \g<rate> \g<quoted>", _HALVES.sub(_with_half, text))
    text = _EXCHANGE.sub(r"at a rate of \g<rate> (\g<quoted>:\g<base>)", _ONE.sub("1 ", text))
    text = _ONE_AND_HALF.sub(lambda match: f"1.5 {(match.lastgroup or '').removeprefix('later_')}", text)
    text = _A_NUMBER.sub("1 ", _A_YEAR.sub(r"\1 1 \2", _A_FOREIGN_YEAR.sub(r"\1 1 ", text)))
    text = _IN_LAKH.sub(_sum, text)
    text = _GROUP.sub(_people, text)
    text = _NUMBER_WORD.sub(lambda match: _DIGITS[match["word"]], text)
    text = _FROM_WORD.sub(lambda match: f"{match['from']} {_DIGITS[match['word']]}", text)
    text = _PER.sub(lambda match: _UNITS[match["unit"]], text)
    text = _UNIT.sub(lambda match: f"{match['gap'] or ' '}{_UNITS[match['unit']]}", text)
    return _ASKED_BY_THE_HOUR.sub(r"\g<pay> a year, ", _NO_TERM.sub(r"\1 a month", text))


def _counted_price(match: re.Match[str]) -> str:
    """How often a price is paid, before the price: "12 x 56.10", "12 monthly payments of 56.10"."""
    return f"{match['count']} {'monthly payments of' if match['months'] else 'x'} {match['price']}"


def _people(match: re.Match[str]) -> str:
    """How many there are of a group: "we are three", "wir sind zu dritt"."""
    return f"{match['group']} {_WORDS['group_sizes'].get(match['word']) or _DIGITS[match['word']]} people"


def _ungrouped(match: re.Match[str]) -> str:
    """An amount without the spaces between its groups."""
    return f"{match['currency']} {match['number'].replace(' ', '')}"


def _beside(match: re.Match[str]) -> str:
    """The text without what matched."""
    return match.string[: match.start()] + match.string[match.end() :]


def _currencies_of(text: str) -> dict[str, str]:
    """The currencies that a text names, each with its name there."""
    return {CURRENCIES[name]: name for name in _NAMED_CURRENCY.findall(text)}


def _quoted(match: re.Match[str]) -> str:
    """A rate "per dollar" with the other one of the two currencies that the text is about."""
    told = _currencies_of(_beside(match))
    is_about_both = told.pop(CURRENCIES[match["base"]], None) is not None and len(told) == 1
    return f"{match['rate']} {next(iter(told.values()))} per {match['base']}" if is_about_both else match[0]


def _rate_of(match: re.Match[str]) -> str:
    """A rate "is 83.40 rupees" with the only other currency that the text is about; else without its own,
    which is not that of the amounts."""
    others = _beside(match)
    told = _currencies_of(others) | {symbol: symbol for symbol in _SYMBOL.findall(others)}
    told.pop(CURRENCIES[match["quoted"]], None)
    base = next(iter(told.values())) if len(told) == 1 else ""
    return f"at a rate of {match['rate']} ({match['quoted']}:{base})" if base else match["told"]


def _with_half(match: re.Match[str]) -> str:
    """A number with a half of one more, before its unit."""
    unit = match["unit"] or match["later"] or ""
    return f"{_DIGITS.get(match['number'], match['number'])}.5{unit}"


def _sum(match: re.Match[str]) -> str:
    """Lakhs and thousands as one number: "1 lakh 20 thousand"."""
    parts = (Decimal(match[each]) * 10 ** _TIMES_TEN[match[each + 1][0]] for each in (1, 3))
    return f"{sum(parts, Decimal(0)).normalize():f}"


def _between(match: re.Match[str]) -> str:
    """A text with the years from one to a later calendar year in place of both."""
    years = int(match["last"]) - int(match["first"])
    if years <= 0:
        return match[0]
    rest = re.sub(_SAME_TERM.format(years=years), "", match["rest"])
    return f"{match['start']}at first{match['between']}now after {years} years{rest}"


_SAME_TERM: Final = (
    rf"[,;(]? ?(?:(?:{_WORDS['same_term']}) )?{{years}} (?:{_WORDS['halved_units']['years']})\b\)?"
)
"""The time between two years, told once more."""


def _named(match: re.Match[str]) -> str:
    """An account without its number, or the rule of thumb by its name."""
    if re.match(r"40[13]|457|529", match[0]):
        return "pension fund" if match[0][:2] in {"40", "45"} else "college fund"
    if match[0].isdigit():
        return "doubling"
    return "index fund" if match[0].startswith("s") else "thumbrule"
