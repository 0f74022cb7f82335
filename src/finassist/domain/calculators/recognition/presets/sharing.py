"""Who shares a cost: their incomes, or what each has paid, by how the numbers stand beside each other."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.filling import Filled, fill
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.slots import form_of
from finassist.domain.calculators.recognition.sums.words import noun_of
from finassist.patterns import late_pattern

_SAID: Final[Any] = shipped("calculators/recognition")["sharing"]
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.PRICE))
_WORD: Final = re.compile(r"[^\W\d_][^\W\d_'-]*")
_CLAUSE: Final = late_pattern(rf"[.;:?!,()]|(?<!\w)(?:{_SAID['and']})(?!\w)")
_PAID: Final = late_pattern(rf"(?<!\w)(?:{_SAID['paid']})(?!\w)")
_ME: Final = late_pattern(rf"(?:{_SAID['me']})(?!\w)")
_MINE: Final = late_pattern(rf"(?:{_SAID['mine']}) ")
_LEADING: Final = late_pattern(rf"^(?:(?:{_SAID['leading']})(?!\w) ?)+")
_THINGS: Final = late_pattern(rf"(?:{_SAID['things']})(?!\w)")
_NOTHING: Final = late_pattern(
    rf"(?:^|\W)(?P<who>[^\W\d_]+)(?: (?:{_SAID['paid']}))? (?:{_SAID['nothing']})(?!\w)"
)
_TWO: Final = late_pattern(rf"(?<!\w)(?:{_SAID['two']})(?!\w)")
_EARNED: Final = late_pattern(rf"(?<!\w)(?:{_SAID['earned']})(?!\w)")
_SHARED: Final = late_pattern(rf"(?<!\w)(?:{_SAID['costs']})(?!\w)")
_SHARED_BEHIND: Final = late_pattern(
    rf" ?(?:(?:a|per) month )?(?:for (?:the )?|of )?(?:{_SAID['costs']})(?!\w)"
)
_HALF: Final = 50
_NAME_WORDS: Final = 3
_INCOMES: Final = ("first_income", "second_income", "third_income", "fourth_income")


def is_group(quantity: Quantity) -> bool:
    """Whether a number counts those who share."""
    if quantity.kind is Kind.PEOPLE:
        return True
    found = _WORD.match(quantity.after.lstrip())
    is_person = found is not None and noun_of(found[0]) == "person"
    return quantity.kind in (Kind.SMALL, Kind.COUNT) and is_person


def incomes(quantities: Sequence[Quantity]) -> Filled | None:
    """Incomes in one list, and the cost before or behind it; the number of those who share says the same.
    Beside a group a small number that is no cost is none of them: "one of us 4"."""
    groups = [each for each in quantities if is_group(each)]
    amounts = [each for each in quantities if each.kind in _AMOUNTS and not is_group(each)]
    costs = [each for each in amounts if _is_cost(each)]
    if any(map(is_group, quantities)) and any(
        each.kind is Kind.SMALL and each not in costs for each in amounts
    ):
        return None
    if len(costs) > 1:
        return _with_costs(costs, amounts, groups, quantities)
    if len(amounts) <= _NAME_WORDS:
        return _with_cost(costs, amounts, groups, quantities)
    if not form_of("split_by_income").is_told(_text_of(quantities)):
        return None
    lead = _cost_favour(amounts, 0) - _cost_favour(amounts, -1) or _gap(amounts[1]) - _gap(amounts[-1])
    told = amounts[1:] if lead > 0 else amounts[:-1]
    [cost] = [each for each in amounts if all(each is not one for one in told)]
    if len(told) > len(_INCOMES) or len(amounts) + len(groups) != len(quantities):
        return None
    if not lead or any(each.value != len(told) for each in groups):
        return None
    return {"cost": (cost,), **{name: (each,) for name, each in zip(_INCOMES, told, strict=False)}}


def _with_cost(
    costs: Sequence[Quantity],
    amounts: Sequence[Quantity],
    groups: Sequence[Quantity],
    quantities: Sequence[Quantity],
) -> Filled:
    """The only cost and the incomes, where the words beside them leave open which number is the cost."""
    told = _with_costs(costs, amounts, groups, quantities) if costs else None
    found = fill(form_of("split_by_income"), amounts) if told else None
    is_clear = found is not None and found.filled.get("cost") == tuple(costs)
    return {} if told is None or is_clear else told


def _with_costs(
    costs: Sequence[Quantity],
    amounts: Sequence[Quantity],
    groups: Sequence[Quantity],
    quantities: Sequence[Quantity],
) -> Filled | None:
    """Several costs that are split together, and the incomes beside them; None when a number may be either:
    "rent 1,750, bills 240"."""
    told = [each for each in amounts if all(each is not one for one in costs)]
    text = _text_of(quantities)
    if not any(words.search(text) for words in form_of("split_by_income").told):
        return None
    is_all = len(amounts) + len(groups) == len(quantities) and 1 < len(told) <= len(_INCOMES)
    if not is_all or len({each.per for each in costs} - {None}) > 1:
        return None
    if any(each.value != len(told) for each in groups) or not all(map(_is_income, told)):
        return None
    return {"cost": tuple(costs), **{name: (each,) for name, each in zip(_INCOMES, told, strict=False)}}


def _is_cost(quantity: Quantity) -> bool:
    """Whether the words right beside a number tell a cost, and no income."""
    earlier, later = _beside(quantity)
    return not _EARNED.search(earlier) and bool(_SHARED.search(earlier) or _SHARED_BEHIND.match(later))


def _is_income(quantity: Quantity) -> bool:
    """Whether the words right beside a number tell an income, or it follows one in a list."""
    earlier, later = _beside(quantity)
    return bool(_EARNED.search(earlier) or _EARNED.search(later)) or len(_WORD.findall(earlier)) <= 1


def _beside(quantity: Quantity) -> tuple[str, str]:
    """The clauses right before and behind a number."""
    return _CLAUSE.split(quantity.before)[-1], _CLAUSE.split(quantity.after)[0]


def _gap(quantity: Quantity) -> int:
    """How many words there are between a number and the one before it: few in a list."""
    return len(_WORD.findall(quantity.before))


def _cost_favour(amounts: Sequence[Quantity], place: int) -> float:
    """How well the first or last amount suits as the cost."""
    slots = form_of("split_by_income").slots
    quantity = amounts[place]
    cost, income = (
        slots[name].favour(quantity, is_first=not place, is_last=place == -1) or 0.0
        for name in ("cost", "first_income")
    )
    return cost - income


def payments(quantities: Sequence[Quantity]) -> Filled | None:
    """What each has paid, and how many share it."""
    paid, size = [], _size(quantities)
    for quantity in quantities:
        if is_group(quantity) or _is_way(quantity):
            continue
        if quantity.kind not in _AMOUNTS or quantity.per:
            return None
        paid.append(quantity)
    names = names_of(paid)
    if not paid or names is None:
        return None
    absent = _NOTHING.search(paid[-1].after)
    count = len(set(names)) + (absent is not None and not _THINGS.match(absent["who"]))
    size = size or (count if count > 1 else 0)
    if size < max(count, _NAME_WORDS - 1) or (len(paid) < size - 1 and count < _NAME_WORDS - 1):
        return None
    people = replace(paid[0], kind=Kind.PEOPLE, value=Decimal(size), written=f"{size} people")
    return {"payments": tuple(paid), "people": (people,)}


def names_of(paid: Sequence[Quantity]) -> Sequence[str] | None:
    """Who has paid each amount; None when nobody is named for the first."""
    names: list[str] = []
    for quantity in paid:
        name = _name(quantity.before) or (names[-1] if names else "")
        if not name:
            return None
        names.append(name)
    return names


def _name(before: str) -> str:
    """Who is named right before an amount: the subject of a verb of paying, or a name alone."""
    clause = next((each for each in reversed(_CLAUSE.split(before)) if each.strip()), "").strip()
    if not _CLAUSE.split(before)[-1].strip() and not before.rstrip().endswith((":", "-")):
        return ""
    clause = _LEADING.sub("", clause)
    verb = _PAID.search(clause)
    subject = clause[: verb.start()].strip() if verb else clause
    words = subject.split()
    if not words or len(words) > _NAME_WORDS or _THINGS.search(subject):
        return ""
    if _ME.fullmatch(subject):
        return "you"
    return f"your {_MINE.sub('', subject)}" if _MINE.match(subject) else " ".join(words).title()


def _size(quantities: Sequence[Quantity]) -> int:
    """How many share, when it is told; 0 when not, -1 when it is told in two ways."""
    told = {int(each.value) for each in quantities if is_group(each)}
    if _TWO.search(_text_of(quantities)) or any(_is_way(each) and each.value == _HALF for each in quantities):
        told.add(2)
    return told.pop() if len(told) == 1 else -1 if told else 0


def _text_of(quantities: Sequence[Quantity]) -> str:
    return quantities[0].before + "".join(f" {each.after}" for each in quantities) if quantities else ""


def _is_way(quantity: Quantity) -> bool:
    """Whether a number tells into how many parts something is split, or is a half of 50/50."""
    beside = (quantity.after.strip(), quantity.before.strip())
    return quantity.value == _HALF and any(each in ("/", "-") for each in beside)
