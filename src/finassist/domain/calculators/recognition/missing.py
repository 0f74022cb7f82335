"""The one number that a calculation lacks: a question that would be one if it were given."""

from collections.abc import Callable, Mapping

from finassist.domain.calculators.recognition.reading import Recognised

_ALONE = "the yearly rate in percent"
_OFTEN = "how often interest is compounded (monthly, quarterly, ...)"
_LACKING: Mapping[str, str] = {
    _ALONE: " at 5%",
    "the term, in years or months": " over 7 years",
    "the amount a month": " with $100 a month",
    "the amount": " for $100,000",
    _OFTEN: " compounded monthly",
}


def missing_number(question: str, recognise: Callable[[str], Recognised | None]) -> str | None:
    """What has to be said as well for the question to be a calculation; None when it is one, or would need
    more than one number, or could need several. ``recognise`` reads a question."""
    if recognise(question) is not None:
        return None
    text = question.rstrip(" ?!.")
    names = _LACKING if any(letter.isdigit() for letter in text) else (_ALONE,)
    found = [name for name in names if _makes_whole(name, recognise(f"{text}{_LACKING[name]}?"))]
    return found[0] if len(found) == 1 else None


def _makes_whole(name: str, recognised: Recognised | None) -> bool:
    """Compounding alone makes a calculation of much that asks for none, except for an effective rate."""
    return recognised is not None and (name != _OFTEN or recognised.name == "effective_annual_rate")
