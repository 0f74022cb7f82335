"""What each calculator has to be told, and by which words beside a number it is known (data)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.asides import is_age
from finassist.domain.calculators.recognition.quantities import Kind, Quantity

_NEXT_TO: Final = 3.0
_LONGER: Final = 0.25
"""What each word of a cue adds: the more it says, the surer it is."""
_NEARBY: Final = 2.0
_FADING: Final = 0.35
_SAID: Final[Mapping[str, Any]] = shipped("calculators/recognition")["slots"]
_FILLER: Final = rf"(?: (?:{_SAID['filling']}))*:? ?"
_WORD: Final = re.compile(r"[^\W_]+")
_STOP: Final = re.compile(r"[,;.?!()]| (?:and|or|with|but|while|if) ")
_OF_NEXT: Final = re.compile(r"[\s:=]*(?:(?:of|is|at) ?)?")
"""What is between a word behind a comma and the next number, whose word it is then."""
_STOP_WORDS: Final = 4
_VERB: Final = 1
"""A word between two numbers belongs to the second one, though it is so much nearer to the first."""
_UNMARKED_RATE_MAX: Final = 40
_AT: Final = re.compile(r"(?:\bat|@) ?$")

_PERCENTAGE: Final = "percent"
_YEARLY_RATES: Final = frozenset(("yearly_rate", "yearly_return", "debts"))
_THINGS: Final = rf"(?P<what>{shipped('calculators/words')['rates_of']})(?![- ](?:free|exempt|equivalent))"
_RATE_OF: Final = re.compile(
    rf"^[-\s]*(?:(?:{_SAID['before_rate']}) )?"
    rf"(?:{_THINGS}\b|(?P<of>of\b(?! interest| return| inflation)))"
)
_OF_RATE: Final = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\byou )"
    rf"\b(?P<what>{_SAID['rates_of']})(?: rate)?"
    rf"(?: (?:{_SAID['after_rate']}))*:? ?$"
)

_FITS: Final[Mapping[str, Mapping[Kind, float]]] = {
    "amount": {Kind.AMOUNT: 0.0, Kind.SMALL: 1.0},
    "loan": {Kind.AMOUNT: 0.0, Kind.MONTHLY_AMOUNT: 0.6, Kind.SMALL: 1.0},
    "any_amount": {
        Kind.AMOUNT: 0.0,
        Kind.SMALL: 0.1,
        Kind.MONTHLY_AMOUNT: 0.2,
        Kind.PAY: 0.4,
        Kind.PRICE: 0.3,
    },
    "monthly": {Kind.MONTHLY_AMOUNT: 0.0, Kind.AMOUNT: 0.8},
    "monthly_only": {Kind.MONTHLY_AMOUNT: 0.0},
    "income": {Kind.MONTHLY_AMOUNT: 0.0, Kind.PAY: 0.1, Kind.AMOUNT: 0.3},
    "yearly": {Kind.PAY: 0.0, Kind.AMOUNT: 0.1, Kind.MONTHLY_AMOUNT: 0.2},
    "income_a_year": {Kind.PAY: 0.0, Kind.AMOUNT: 0.0, Kind.MONTHLY_AMOUNT: 0.2},
    "regular": {Kind.PAY: 0.0, Kind.MONTHLY_AMOUNT: 0.0},
    "costs": {Kind.MONTHLY_AMOUNT: 0.0, Kind.AMOUNT: 0.8, Kind.SMALL: 1.2},
    "pay": {Kind.PAY: 0.0, Kind.MONTHLY_AMOUNT: 0.0, Kind.AMOUNT: 0.5},
    "rate": {Kind.RATE: 0.0},
    "rate_of_a_day": {Kind.RATE: 0.0},
    "number": {Kind.RATE: 0.0, Kind.AMOUNT: 0.2, Kind.SMALL: 0.2},
    "term": {Kind.TERM: 0.0},
    "years": {Kind.TERM: 0.0},
    "months": {Kind.TERM: 0.0},
    "days": {Kind.DAYS: 0.0},
    "people": {Kind.PEOPLE: 0.0, Kind.SMALL: 0.3},
    "hours": {Kind.HOURS: 0.0, Kind.HOURS_IN_ALL: 0.3},
    "hours_worked": {Kind.HOURS: 0.0, Kind.HOURS_IN_ALL: 0.0, Kind.SMALL: 0.6, Kind.AMOUNT: 0.9},
    "hours_any": {Kind.HOURS_A_DAY: 0.0, Kind.HOURS: 0.0, Kind.HOURS_IN_ALL: 0.0},
    "weeks": {Kind.WEEKS: 0.0},
    "times": {Kind.TIMES: 0.0},
    "time_paid": {Kind.TERM: 0.0, Kind.COUNT: 0.0},
    "times_changed": {Kind.TERM: 0.0, Kind.COUNT: 0.2},
    "day_count": {Kind.DAYS: 0.0, Kind.TERM: 0.2, Kind.WEEKS: 0.2},
    "count": {Kind.COUNT: 0.0, Kind.SMALL: 0.2},
    "number_of": {Kind.COUNT: 0.0, Kind.TERM: 0.3, Kind.SMALL: 0.5, Kind.AMOUNT: 1.0},
    "saving": {Kind.MONTHLY_AMOUNT: 0.0, Kind.PAY: 0.2, Kind.AMOUNT: 0.8},
    "paid_yearly": {Kind.PAY: 0.0},
    "regular_yearly": {
        Kind.PAY: 0.0,
        Kind.MONTHLY_AMOUNT: 0.0,
        Kind.AMOUNT: 0.3,
        Kind.PRICE: 0.3,
        Kind.SMALL: 0.5,
    },
    "regular_costs": {Kind.PAY: 0.0, Kind.MONTHLY_AMOUNT: 0.0},
    "recurring": {Kind.PAY: 0.0, Kind.MONTHLY_AMOUNT: 0.0, Kind.AMOUNT: 0.3, Kind.SMALL: 0.4},
    "hourly": {Kind.PAY: 0.0, Kind.AMOUNT: 0.4, Kind.SMALL: 0.4},
    "unit_price": {Kind.PRICE: 0.0, Kind.AMOUNT: 0.4, Kind.SMALL: 1.0},
    "taxed": {Kind.AMOUNT: 0.0, Kind.PAY: 0.0, Kind.MONTHLY_AMOUNT: 0.5},
    "multiple": {Kind.COUNT: 0.0, Kind.SMALL: 0.8},
    "payment": {Kind.MONTHLY_AMOUNT: 0.0, Kind.AMOUNT: 0.1, Kind.PAY: 0.2},
    "per_share": {Kind.PRICE: 0.0, Kind.PAY: 0.2, Kind.AMOUNT: 0.4, Kind.SMALL: 0.7},
    "distance": {Kind.MEASURE: 0.0},
    "consumption": {Kind.MEASURE: 0.0},
    "other_consumption": {Kind.MEASURE: 0.0, Kind.SMALL: 0.3, Kind.AMOUNT: 0.4},
    "power": {Kind.MEASURE: 0.0},
    "energy": {Kind.MEASURE: 0.0},
    "bands": {},
    "packs": {},
    "parts": {},
    "items": {},
    "sum": {},
    "compounding": {},
    "until": {Kind.TERM: 0.0},
    "during": {Kind.TERM: 0.0},
    "debts": {},
}
"""What a number of each kind costs in a slot; what is missing does not fit."""


_UNITS: Final[Mapping[str, frozenset[str]]] = {
    "distance": frozenset(("km", "mile")),
    "consumption": frozenset(("mpg", "l/100km", "km/l")),
    "other_consumption": frozenset(("mpg", "l/100km", "km/l", "")),
    "power": frozenset(("w", "kw")),
    "energy": frozenset(("kwh",)),
}
"""The units of the measures that a slot takes."""
_WHOLE_YEARS: Final = frozenset(("years", "times_changed"))
_BARE_AMOUNTS: Final = frozenset(("hours_worked", "other_consumption"))
"""What is no money, and is often told without its unit beside another number that has it."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that tell what a number is: directly before or after it, or anywhere between its neighbours."""

    before: re.Pattern[str] | None
    after: re.Pattern[str] | None
    nearby: re.Pattern[str] | None
    words: int


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """One number that a calculator takes. ``says`` names it to a person; ``needs_cue`` keeps numbers out
    that no word beside them puts there; ``takes_many`` adds them up, with ``sums_cued`` several only
    when words beside each put it there; ``order`` is its place beside others."""

    name: str
    kind: str
    says: str
    cues: Sequence[Cue]
    is_optional: bool
    needs_cue: bool
    takes_many: bool
    sums_cued: bool
    order: int
    never: Sequence[Cue]
    """Words beside a number that it is not for this slot with."""
    says_of: frozenset[str]
    """The words of its cues and of what it is called."""

    def favour(self, quantity: Quantity, *, is_first: bool, is_last: bool) -> float | None:
        """How well a number fits, or None when it does not; the words between it and a neighbour count less
        the farther they are."""
        cued = max((_heard(cue, quantity, is_first, is_last) for cue in self.cues), default=0.0)
        is_unmarked = self._is_unmarked(quantity, is_cued=cued >= _NEXT_TO)
        cost = 0.5 if is_unmarked else _FITS[self.kind].get(quantity.kind)
        if cost is None or (self.kind in _WHOLE_YEARS and quantity.kind is Kind.TERM and quantity.value % 12):
            return None
        if (is_unmarked or quantity.kind is Kind.RATE) and not self._may_be(quantity):
            return None
        if quantity.kind is Kind.RATE and not self._may_be_for(quantity.per):
            return None
        if self.kind in _UNITS and quantity.unit not in _UNITS[self.kind]:
            return None
        if self.kind in _BARE_AMOUNTS and quantity.kind is Kind.AMOUNT and not quantity.is_bare:
            return None
        if is_age(quantity) or any(_heard(cue, quantity, is_first, is_last) for cue in self.never):
            return None
        if self.needs_cue and not cued:
            return None
        return cued - cost + (0.0 if self.is_optional else 0.3)

    def _may_be_for(self, per: str | None) -> bool:
        """Whether the slot takes a rate of a period: one of a month is read as a year's, one of a day where
        interest is not compounded."""
        if self.kind == "rate_of_a_day" or per == "day":
            return self.kind == "rate_of_a_day" and per == "day"
        return per is None or self.name in _YEARLY_RATES

    def _is_unmarked(self, quantity: Quantity, *, is_cued: bool) -> bool:
        """Whether a number without a percent sign is a rate all the same: "fd 1 lakh 1 year 6.5"."""
        return (
            self.kind == "rate"
            and self.name.endswith(("_rate", "_return", "fee_percent"))
            and quantity.is_bare
            and (quantity.kind is Kind.AMOUNT or is_cued or _AT.search(quantity.before) is not None)
            and quantity.value < _UNMARKED_RATE_MAX
        )

    def _may_be(self, rate: Quantity) -> bool:
        """Whether a rate that is said to be of something (inflation, tax, a fee) is what the slot takes."""
        if self.name == _PERCENTAGE:
            return True
        found = (pattern.search(text) for pattern, text in ((_RATE_OF, rate.after), (_OF_RATE, rate.before)))
        named = {match["what"] or "of" for match in found if match}
        return named <= self.says_of


@dataclass(frozen=True, slots=True)
class Form:
    """The slots of a calculator, and which of them together are enough: any of ``needs``."""

    slots: Mapping[str, Slot]
    needs: Sequence[Sequence[str]]
    never: re.Pattern[str] | None = None
    """Words with which a question is not for this calculator, whatever its numbers are."""
    required: re.Pattern[str] | None = None
    """Words without one of which it is not."""
    smaller: Sequence[tuple[str, str]] = ()
    """Pairs of slots of which the first one's number is the smaller one: what is saved, and the goal."""
    told: Sequence[re.Pattern[str]] = ()
    """Words that together tell this calculator when every number has a place, and ``tells`` have theirs."""
    tells: Sequence[str] = ()
    untold: re.Pattern[str] | None = None
    """Words with which these do not tell it: the question may still be like it."""
    instead: str = ""
    """The form that is meant when the numbers do not fit: of the same calculator, or a total of them."""
    asking: Sequence[re.Pattern[str]] = ()
    """Words that together tell this calculator when all it lacks is one of ``asks``: it is asked for."""
    asks: Sequence[str] = ()
    answers: re.Pattern[str] | None = None
    """Words of what its result tells as well when two things are asked."""

    def is_told(self, text: str) -> bool:
        """Whether the words of a text tell this calculator."""
        return self._is_told(self.told, text)

    def is_asked(self, text: str) -> bool:
        """Whether the words of a text tell this calculator when it lacks a number."""
        return self._is_told(self.asking, text)

    def _is_told(self, words: Sequence[re.Pattern[str]], text: str) -> bool:
        is_barred = self.untold is not None and self.untold.search(text) is not None
        return bool(words) and not is_barred and all(said.search(text) for said in words)


@cache
def forms() -> Mapping[str, Form]:
    """Every form by the name of its calculator and, after a slash, of what is asked."""
    return {name: _form(entry) for name, entry in shipped("calculators/slots").items()}


def form_of(name: str) -> Form:
    """The form of a calculator, or of what of it is asked."""
    return forms().get(name) or forms()[name.partition("/")[0]]


def _form(entry: Mapping[str, Any]) -> Form:
    slots = {name: _slot(name, fields) for name, fields in entry["slots"].items()}
    required = [[name for name, slot in slots.items() if not slot.is_optional]]
    never, words = entry.get("never"), entry.get("required")
    return Form(
        slots,
        entry.get("needs", required),
        re.compile(rf"\b(?:{never})") if never else None,
        re.compile(rf"\b(?:{words})") if words else None,
        [(first, second) for first, second in entry.get("smaller", ())],
        _told(entry.get("told", ())),
        entry.get("tells", ()),
        re.compile(rf"(?<!\w)(?:{untold})(?!\w)") if (untold := entry.get("untold")) else None,
        entry.get("instead", ""),
        _told(entry.get("asking", ())),
        entry.get("asks", ()),
        re.compile(rf"\b(?:{answers})\b") if (answers := entry.get("answers")) else None,
    )


def _told(written: Sequence[str]) -> Sequence[re.Pattern[str]]:
    return [re.compile(rf"(?<!\w)(?:{said})(?!\w)") for said in written]


def _slot(name: str, fields: Mapping[str, Any]) -> Slot:
    return Slot(
        name=name,
        kind=fields["kind"],
        says=fields["says"],
        cues=[_cue(written) for written in fields.get("cues", ())],
        is_optional=fields.get("optional", False),
        needs_cue=fields.get("cued", False),
        takes_many=fields.get("many", False),
        sums_cued=fields.get("sums_cued", False),
        order=fields.get("order", 0),
        never=[_cue(written) for written in fields.get("never", ())],
        says_of=frozenset(
            _WORD.findall(" ".join((name.replace("_", " "), fields["says"], *fields.get("cues", ()))))
        ),
    )


def _cue(written: str) -> Cue:
    words = rf"{re.escape(written.strip('_ '))}"
    pattern = words.replace(r"\*", r"\w*").replace(r"\ ", " ")
    count = len(written.strip("_ ").split())
    if written.endswith("_"):
        return Cue(re.compile(rf"(?<!\w){pattern}{_FILLER}$"), None, None, count)
    if written.startswith("_"):
        return Cue(
            None,
            re.compile(rf"(?:[-\s]*(?:a|per|the) (?:month|year))?[-,\s]*(?:of |de |di |d')?{pattern}(?!\w)"),
            None,
            count,
        )
    return Cue(None, None, re.compile(rf"(?<!\w){pattern}(?!\w)"), count)


def _heard(cue: Cue, quantity: Quantity, is_first: bool, is_last: bool) -> float:
    """How loudly a cue speaks for a number."""
    if cue.before is not None:
        return _NEXT_TO + _LONGER * cue.words if cue.before.search(quantity.before) else 0.0
    if cue.after is not None:
        match = cue.after.match(quantity.after)
        if match is None or (
            not is_last and "," in match[0] and _OF_NEXT.fullmatch(quantity.after, match.end())
        ):
            return 0.0
        return _NEXT_TO + _LONGER * cue.words
    assert cue.nearby is not None
    loudest = 0.0
    for match in cue.nearby.finditer(quantity.before):
        here, there = _steps(quantity.before[match.end() :]), _steps(quantity.before[: match.start()])
        if is_first or here <= there + _VERB:
            loudest = max(loudest, _NEARBY / (1 + _FADING * here))
    for match in cue.nearby.finditer(quantity.after):
        here, there = _steps(quantity.after[: match.start()]), _steps(quantity.after[match.end() :])
        if is_last or here + _VERB < there:
            loudest = max(loudest, _NEARBY / (1 + _FADING * here))
    return loudest


def _steps(between: str) -> int:
    """How many words there are between a cue and a number; a comma counts for four."""
    return len(_WORD.findall(between)) + _STOP_WORDS * len(_STOP.findall(between))
