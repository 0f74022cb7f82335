"""How often an amount is paid, as the words beside it say: a month, annually, each week."""

from collections.abc import Mapping
from typing import Any, Final

from finassist.data import shipped
from finassist.patterns import late_pattern

YEARLY_PAY: Final = 12_000
"""Pay from this amount on is a year's, where nobody says so."""

_SAID: Final[Mapping[str, Any]] = shipped("calculators/recognition")["periods"]
_PERIODS: Final[Mapping[str, str]] = _SAID["units"]
_ADVERBS: Final[Mapping[str, str]] = _SAID["adverbs"]
_EACH: Final = rf"(?:(?:{_SAID['each']})[-\s/]*)"
_NO_NOUN: Final = rf"(?:{_SAID['no_nouns']})\b"
"""Words that do not say what an amount is for: "12.50 grundpreis a month" is paid monthly."""
AFTER_PERIOD: Final = late_pattern(
    rf"[-\s]*(?:(?:{_SAID['after_tax']}) )?(?:(?:{_SAID['paid']}) )?"
    r"(?:(?:in|on|into|to|for|towards?)(?: \w+){0,3} )?"
    rf"(?:(?:de |d'|di )?(?!{_NO_NOUN})[^\W\d_]+ (?={_EACH}))?(?:"
    + "|".join(
        rf"(?P<{name}>{_EACH}(?:{_PERIODS[name]})\b|(?:{_ADVERBS.get(name, '(?!)')})\b)" for name in _PERIODS
    )
    + r"|(?P<start>at the (?:beginning|start|end) of (?:each|every|the) month\b))"
)
_MONTHLY_BEFORE: Final = late_pattern(
    rf"(?:(?<!compounded )(?<!compounding )\bmonthly(?: (?:\w+ )?(?:{_SAID['monthly_things']}))?"
    r"|\b(?:emi|sip|rd|instal?lment)|(?:each|every|per|a) month,? (?:i |we |i'll |and )?"
    rf"(?:{_SAID['to_pay']}))(?: (?:{_SAID['before_amount']}))*[:=]? $|\b(?:each|every) month,? $"
)
_OFTEN: Final[Mapping[str, str]] = _SAID["often"]
_OFTEN_BEFORE: Final = late_pattern(
    rf"(?<!compounded )(?<!compounding )\b(?P<often>{'|'.join(_OFTEN)}) (?!{_SAID['rates']})"
    r"(?:\w+ ){0,2}?(?:(?:of|is|at|for|costs?) )?$"
)


_HOURLY_BEFORE: Final = late_pattern(r"\bhourly (?:rate|wage|pay)(?: (?:of|is|at|was))*:? $")


_OF_SEVERAL: Final = late_pattern(
    rf"[\s,(-]*(?:(?P<two>{_SAID['both']})|{_SAID['all']})(?: (?:{_SAID['are']}))*"
)
_PAIR: Final = 2
_ANY: Final = 16


def period_of_several(after: str) -> tuple[int, str]:
    """For how many amounts before it a text tells one period, and which: "(both monthly)"; 0 for none."""
    found = _OF_SEVERAL.match(after)
    period = None if found is None else AFTER_PERIOD.match(after, found.end())
    if found is None or period is None or not after[found.end() : found.end() + 1].isspace():
        return 0, ""
    name = "month" if period["start"] else next(name for name in _PERIODS if period[name])
    return _PAIR if found["two"] else _ANY, name


def period_of(before: str, after: str) -> str | None:
    """How often an amount is paid, as its words say; None for once."""
    found = AFTER_PERIOD.match(after)
    if found is not None:
        return "month" if found["start"] else next(name for name in _PERIODS if found[name])
    if _HOURLY_BEFORE.search(before):
        return "hour"
    often = _OFTEN_BEFORE.search(before)
    if often is not None:
        return _OFTEN[often["often"]]
    return "month" if _MONTHLY_BEFORE.search(before) else None
