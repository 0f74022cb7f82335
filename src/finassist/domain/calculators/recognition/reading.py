"""A question as the rules of recognition see it: its words, its quantities, and which belong together."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from finassist.domain.calculators.annuities import Compounding
from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.recognition.quantities import Kind, Quantity

Value = Decimal | int | str | tuple[Debt, ...]


@dataclass(frozen=True, slots=True)
class Recognised:
    """A calculator of the registry and the arguments to call it with."""

    name: str
    arguments: Mapping[str, Value]


def words(*alternatives: str) -> re.Pattern[str]:
    """A pattern for any of some whole words; each argument is a regular expression, or several with ``|``."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


TAXES = words("tax|taxes|taxed|taxable|after[- ]tax")
COMPARES = words("better|versus|vs|compared?|or")
LOAN = words(r"loans?|mortgages?|borrow\w*|emis?|lend\w*|debts?|owe|financ(?:e|ed|ing)|lease")
SAVING = words(
    r"sav(?:e|ing|ings|ed)|invest\w*|deposit\w*|contribut\w+|put(?:ting)?|sips?|set(?:ting)? aside",
    "add(?:ing)?|fd|cd|rd|recurring deposits?|fixed deposits?|isa|lump ?sum",
)
HAVING = words(
    "(?<!to )(?<!will )(?<!'ll )have|has|already|saved|set aside|start(?:ing)? with|savings of",
    "initial(?:ly)?",
)
SPENDING = words("expenses?|spend(?:ing)?|costs?|expenditure|outgoings|bills|live on")
DRAWING = words(r"last(?:s|ing)?|withdraw\w*|draw(?:ing|down)?|run out|retire on|take out")
INFLATION = words("inflation|inflated|inflation[- ]adjusted|prices (?:rise|rising|increase)")
COMPOUND = re.compile(r"\bcompound")
EFFECTIVE = words("effective|ear|apy|annual percentage yield")
SIP = words("sips?")
STEP_UP = words(r"step[- ]?up|increas\w+|rais(?:e|ed|ing)|rise|rising|hike")
PAYING_OFF = words(
    "pay(?:ing)?(?: it| this| them| that| all)? (?:off|down|back)|payoff|debt[- ]free|avalanche",
    "snowball|clear(?:ed|ing)?|repay(?:ing)?|paid off|gone|(?:get|be) rid of|debts?|owe",
)
HOW_LONG = words(
    r"how long(?! (?:is|are|was|has|have|did)\b)|how soon|how many (?:months|years)",
    "when (?:will|can|do|would|could|is|am)",
)

_CLAUSE = re.compile(r"[,;.:?!()]|\b(?:and|or|with|but|while|if|then|vs|versus|against|than|compared)\b")
_FILLER = re.compile(r"\b(?:rates?|of|is|are|at|an?|the|my|to|be|was|about|around)\b|[\s=]+")
_FREQUENCIES: dict[str, Compounding] = {
    r"daily|(?:every|each) day": "daily",
    r"weekly|(?:every|each) week": "weekly",
    r"monthly|(?:every|each|per) month": "monthly",
    r"quarterly|(?:every|each|per) quarter": "quarterly",
    r"half[- ]?yearly|semi[- ]?annual(?:ly)?|bi-?annually|twice a year": "half-yearly",
    r"(?<!half )(?<!half-)yearly|(?<!semi)(?<!semi[ -])(?<!bi)(?<!bi-)annual(?:ly)?|once a year"
    r"|(?:every|each|per) year": "yearly",
    r"continuous(?:ly)?": "continuously",
}
_COMPOUNDED = {
    re.compile(
        rf"\bcompound(?:s|ed|ing)?(?: interest)?(?: is)?(?: added| paid| credited)? (?:{said})\b"
        rf"|\b(?:{said})[- ]compound(?:ed|ing)\b"
        rf"|(?:%|\binterest) (?:is )?(?:paid|credited|added) (?:{said})\b"
    ): frequency
    for said, frequency in _FREQUENCIES.items()
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A question in lower case and its quantities, in the order of the text."""

    text: str
    quantities: Sequence[Quantity]

    def all(self, *kinds: Kind) -> list[Quantity]:
        """The quantities of some kinds, in order."""
        return [quantity for quantity in self.quantities if quantity.kind in kinds]

    def values(self, kind: Kind) -> list[Decimal]:
        """The numbers of one kind, in order."""
        return [quantity.value for quantity in self.all(kind)]

    def counts(self, *, amounts: int = 0, monthly: int = 0, rates: int = 0, terms: int = 0) -> bool:
        """Whether the text holds just so many quantities of each kind, and no others."""
        wanted = {
            Kind.AMOUNT: amounts,
            Kind.MONTHLY_AMOUNT: monthly,
            Kind.RATE: rates,
            Kind.TERM: terms,
            Kind.SMALL: 0,
        }
        return all(len(self.all(kind)) == count for kind, count in wanted.items())

    def says(self, *patterns: re.Pattern[str]) -> bool:
        """Whether any of the patterns is in the text."""
        return any(pattern.search(self.text) for pattern in patterns)

    def beside(self, quantity: Quantity, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern matches in a quantity's clause; words between two quantities belong to the
        nearer one."""
        left, right = _CLAUSE.split(quantity.before), _CLAUSE.split(quantity.after)
        before, after = left[-1], right[0]
        shared_before = len(left) == 1 and quantity is not self.quantities[0]
        shared_after = len(right) == 1 and quantity is not self.quantities[-1]
        return any(
            not shared_before or _gap(before[match.end() :]) <= _gap(before[: match.start()])
            for match in pattern.finditer(before)
        ) or any(
            not shared_after or _gap(after[: match.start()]) < _gap(after[match.end() :])
            for match in pattern.finditer(after)
        )

    def one(self, quantities: Sequence[Quantity], pattern: re.Pattern[str]) -> Quantity | None:
        """The only one of some quantities that a pattern is beside."""
        found = [quantity for quantity in quantities if self.beside(quantity, pattern)]
        return found[0] if len(found) == 1 else None

    def compoundings(self) -> list[Compounding]:
        """How often interest is compounded, as far as the text says."""
        return [frequency for pattern, frequency in _COMPOUNDED.items() if pattern.search(self.text)]

    def without_compounding(self) -> str:
        """The text without what it says on compounding."""
        text = self.text
        for pattern in _COMPOUNDED:
            text = pattern.sub(" ", text)
        return text


def split_term(months: Decimal) -> dict[str, int]:
    """A term as the arguments ``years`` and ``months``, without zeros."""
    years, rest = divmod(int(months), 12)
    return {unit: count for unit, count in (("years", years), ("months", rest)) if count}


def _gap(between: str) -> int:
    """How far apart the words around a stretch of text are; small words do not count."""
    return len(_FILLER.sub("", between))
