"""What the same people share after a first cost: another cost, the cost by the nights that each stayed, and
what one of them owes of all that was split."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.gathering import asks, asks_for_figure
from finassist.domain.calculators.recognition.follow_ups.ledger import Entry
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.offered import is_own_income
from finassist.domain.calculators.recognition.threads.swaps import counted_noun, labels
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/table"))
_NUMBER_WORDS: Final[Mapping[str, int]] = shipped("calculators/words")["numbers"]["en"]
_ALIKE: Final = say.anywhere(_DATA["split_alike"])
_EVENLY: Final = say.anywhere(_DATA["split_evenly"])
_HALVES: Final = late_pattern(r"\bin half\b|\bhalf each\b|\bhalf (?:and|n) half\b")
_BY_NIGHTS: Final = say.anywhere(_DATA["by_nights"])
_OWED: Final = say.anywhere(_DATA["owed"])
_COUNT: Final = rf"(?:\d+|{'|'.join(_NUMBER_WORDS)})"
_STAYED: Final = late_pattern(
    rf"(?P<who>[^.,;?!]*?)\b(?:{_DATA['stayed']}) (?P<less>{_COUNT})"
    rf"(?: (?:out )?of (?:the )?(?P<all>{_COUNT}))? (?:{_DATA['nights']})\b"
)
_NIGHTS: Final = late_pattern(rf"\b(?P<all>{_COUNT})[- ](?:{_DATA['nights']})\b")
_SOME: Final = late_pattern(rf"^\W*(?:[^\W\d_]+ ){{0,2}}?(?P<some>{_COUNT})\b(?: of (?:us|them))?")
_NAMES: Final = late_pattern(rf"\s*(?:,|&|(?<!\w)(?:{_DATA['name_joins']})(?!\w))\s*")
_ME: Final = late_pattern(r"\b(?:do|must|will|would|should) (?:i|we)\b|\bmy (?:share|part|total)\b")
_NAMES_MAX: Final = 3
_BY_SHARES: Final = re.compile(r"[\d.]+ / \(\d+ \* (?P<less>\d+) \+ \d+ \* \d+\) \* (?P<nights>\d+)")
_INCOMES: Final = {"first_income": "first", "second_income": "second"}
_SPLIT: Final = "tip_and_split"
_BY_INCOME: Final = "split_by_income"
_SUM: Final = "arithmetic"
_PERSON: Final = "person"
_WHAT: Final = late_pattern(r"\b(?:what|how much)\b")
_WORDS_MAX: Final = 16
_PAIR: Final = 2


def shared_again(draft: Draft, ledger: Sequence[Entry], reading: Reading) -> Continued | None:
    """What a message has done with what some people share; None for nothing."""
    if draft.missing or any(map(reading.says, say.NO_SUMS[1:])):
        return None
    halves = _evenly_instead(ledger, reading)
    if halves is not None or reading.quantities is None:
        return None if halves is None else Continued(draft, operation=[halves])
    another = _another_cost(draft, reading)
    if another is not None:
        return Continued(another, before=draft)
    calls, named = _by_nights(draft, reading)
    if calls:
        return Continued(draft, operation=calls, labels=named)
    owed = _owed(ledger, reading)
    return None if owed is None else Continued(draft, operation=[owed])


def _evenly_instead(ledger: Sequence[Entry], reading: Reading) -> Recognised | None:
    """All costs that were split by income, in equal parts: "50/50 would be fairer, what is that for him"."""
    drafts = {repr(each.call): each.draft for each in ledger if each.call.name == _BY_INCOME and each.draft}
    if (
        not drafts
        or not reading.says(_HALVES)
        or not _is_question(reading)
        or len(reading.text.split()) > _WORDS_MAX
    ):
        return None
    told = list(drafts.values())
    people = {sum(name.endswith("income") for name in each.filled) for each in told}
    costs = [number for each in told for number in each.filled["cost"]]
    if people != {_PAIR} or len({each.per for each in costs}) > 1:
        return None
    amounts = " + ".join(f"{each.value:f}" for each in costs)
    return Recognised(_SUM, {"expression": f"({amounts}) / {_PAIR}", "per": _PERSON})


def _is_question(reading: Reading) -> bool:
    """Whether a message asks for an amount, perhaps in its last clause."""
    return asks_for_figure(reading) or asks(reading) or reading.says(_WHAT)


def _another_cost(draft: Draft, reading: Reading) -> Draft | None:
    """Another cost that the same people share: "the food was 212, split that evenly", "and the bills, 240,
    same way"."""
    numbers = reading.quantities or ()
    is_told = (
        len(numbers) == 1 and numbers[0].kind in (Kind.AMOUNT, Kind.MONTHLY_AMOUNT) and labels(numbers[0])
    )
    if not is_told or len(reading.text.split()) > _WORDS_MAX:
        return None
    people, said = _people(draft), f"{draft.said} | {reading.text}"
    if draft.name == _BY_INCOME and reading.says(_ALIKE):
        return Draft(draft.name, {**draft.filled, "cost": tuple(numbers)}, said)
    is_even = reading.says(_EVENLY) or (draft.name == _SPLIT and reading.says(_ALIKE))
    if people is None or not is_even or draft.name not in (_SPLIT, _SUM):
        return None
    tip = {
        name: each for name, each in draft.filled.items() if name == "tip_percent" and reading.says(_ALIKE)
    }
    return Draft(_SPLIT, {"bill": tuple(numbers), "people": (people,), **tip}, reading.text)


def _people(draft: Draft) -> Quantity | None:
    """The only number of a calculation that counts those who share."""
    told = [each for filled in draft.filled.values() for each in filled if counted_noun(each) == _PERSON]
    return told[0] if len(told) == 1 else None


def _by_nights(draft: Draft, reading: Reading) -> tuple[Sequence[Recognised], Sequence[str]]:
    """What each pays of a cost when some stayed fewer nights, with names for both; nothing when one of the
    counts is not told."""
    stayed = _STAYED.search(reading.text) if reading.says(_BY_NIGHTS) else None
    people, bill, some = _people(draft), _bill(draft), 0 if stayed is None else _so_many(stayed["who"])
    if stayed is None or people is None or bill is None or not 0 < some < people.value:
        return (), ()
    told = stayed["all"] or next((each["all"] for each in _NIGHTS.finditer(draft.said)), "0")
    less, nights = _number(stayed["less"]), _number(told)
    if not 0 < less < nights:
        return (), ()
    rest = int(people.value) - some
    nights_in_all = f"{bill.value.normalize():f} / ({some} * {less} + {rest} * {nights})"
    calls = [
        Recognised(_SUM, {"expression": f"{nights_in_all} * {each}", "per": _PERSON})
        for each in (less, nights)
    ]
    return calls, [f"each who stayed {each}" for each in (less, nights)]


def _bill(draft: Draft) -> Quantity | None:
    """The only amount of a calculation that has no tip."""
    if draft.name not in (_SPLIT, _SUM) or "tip_percent" in draft.filled:
        return None
    amounts = [each for filled in draft.filled.values() for each in filled if each.kind is Kind.AMOUNT]
    return amounts[0] if len(amounts) == 1 and amounts[0].per is None else None


def _so_many(who: str) -> int:
    """How many are named before what they did: a number, or so many names."""
    some = _SOME.match(who)
    if some is not None:
        return _number(some["some"])
    names = [each for each in _NAMES.split(who.strip()) if each]
    return len(names) if all(len(each.split()) <= _NAMES_MAX for each in names) else 0


def _number(said: str) -> int:
    return int(said) if said.isdigit() else _NUMBER_WORDS[said]


def _owed(ledger: Sequence[Entry], reading: Reading) -> Recognised | None:
    """What somebody pays of all costs that were split; None when it is not plain who that is."""
    if reading.quantities or not reading.says(_OWED) or len(reading.text.split()) > _WORDS_MAX:
        return None
    parts = list(_parts(ledger, is_own=reading.says(_ME)))
    if len(parts) < _PAIR or None in parts:
        return None
    expression = " + ".join(f"{part:f}" for part in parts if part is not None)
    return Recognised(_SUM, {"expression": expression, **({} if reading.says(_ME) else {"per": _PERSON})})


def _parts(ledger: Sequence[Entry], *, is_own: bool) -> Iterator[Decimal | None]:
    """What one pays of each of the last costs that were split: of nights the one who stayed less, unless it
    is the one who asks."""
    calls = list({repr(each.call): each for each in ledger}.values())
    for entry in calls:
        by_nights = _BY_SHARES.fullmatch(str(entry.call.arguments.get("expression", "")))
        if by_nights is not None:
            if by_nights["nights"] == by_nights["less"]:
                yield None if is_own else entry.figures["result"]
        elif entry.call.name == _SPLIT and not _is_split_anew(entry, calls):
            yield entry.figures["per_person"]
        elif entry.call.name == _BY_INCOME:
            yield _own_part(entry) if is_own else None


def _is_split_anew(entry: Entry, ledger: Sequence[Entry]) -> bool:
    """Whether what was split evenly first was split by nights after that."""
    bill = str(entry.call.arguments.get("bill", ""))
    expressions = [str(each.call.arguments.get("expression", "")) for each in ledger]
    return any(_BY_SHARES.fullmatch(each) and each.startswith(f"{bill} / ") for each in expressions)


def _own_part(entry: Entry) -> Decimal | None:
    """What the one who writes pays of a cost that is split by income."""
    filled = entry.draft.filled if entry.draft is not None else {}
    own = [figure for name, figure in _INCOMES.items() if name in filled and is_own_income(filled[name][0])]
    return entry.figures[own[0]] if len(own) == 1 else None
