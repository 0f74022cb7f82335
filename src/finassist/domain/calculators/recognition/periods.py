"""How often an amount is paid, as the words beside it say: a month, annually, each week."""

from typing import Final

from finassist.patterns import late_pattern

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
_EACH: Final = r"(?:(?:per|a|an|each|every|/|al|par|for the)[-\s/]*)"
_NO_NOUN: Final = (
    r"(?:compound\w*|interest|growth|growing|returns?|at|for|over|once|if|to|then|now|or|and|with|from|in|on|but|plus"
    r"|every|each|per|a|an|off|more|extra|salary)\b"
)
"""Words that do not say what an amount is for: "12.50 grundpreis a month" is paid monthly."""
AFTER_PERIOD: Final = late_pattern(
    r"[-\s]*(?:(?:net|gross|netto|brutto|brut|nets|neto|bruto|netos|líquidos?|netti|lordi|take[- ]home"
    r"|after tax|before tax|more|extra|less) )?(?:(?:goes|go|going|paid|put|added|saved) )?"
    r"(?:(?:in|on|into|to|for|towards?)(?: \w+){0,3} )?"
    rf"(?:(?!{_NO_NOUN})[^\W\d_]+ (?={_EACH}))?(?:"
    + "|".join(rf"(?P<{name}>{_EACH}(?:{_PERIODS[name]})\b|(?:{_ADVERBS[name]})\b)" for name in _PERIODS)
    + r"|(?P<start>at the (?:beginning|start|end) of (?:each|every|the) month\b))"
)
_MONTHLY_BEFORE: Final = late_pattern(
    r"(?:(?<!compounded )(?<!compounding )\bmonthly(?: (?:\w+ )?(?:payments?|repayments?|emis?"
    r"|instal?lments?|sips?|investments?|contributions?|deposits?|savings?|budget|amounts?|expenses|spending|costs?"
    r"|expenditure|bills|outgoings|debts?|income|rent|salary))?"
    r"|\b(?:emi|sip|rd|instal?lment)|(?:each|every|per|a) month,? (?:i |we |i'll |and )?"
    r"(?:save|invest|put|pay|deposit|contribute|spend|add))"
    r"(?: (?:of|is|are|at|in|with|about|around|around about))*[:=]? $|\b(?:each|every) month,? $"
)
_OFTEN: Final = {
    "daily": "day",
    "weekly": "week",
    "annual": "year",
    "yearly": "year",
    "anual": "year",
    "annuel": "year",
}
_OFTEN_BEFORE: Final = late_pattern(
    r"(?<!compounded )(?<!compounding )\b(?P<often>daily|weekly|annual|yearly|anual|annuel) "
    r"(?!interest|return|rate|growth|inflation|yield|increase)(?:\w+ ){0,2}?"
    r"(?:(?:of|is|at|for|costs?) )?$"
)


_HOURLY_BEFORE: Final = late_pattern(r"\bhourly (?:rate|wage|pay)(?: (?:of|is|at|was))*:? $")


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
