"""A later message that changes one number of an earlier one, by the word that it was told with: "and if the
rent goes up 6%?"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from finassist.data import shipped
from finassist.domain.calculators.stories.numbers import Number, numbers_in
from finassist.domain.calculators.stories.units import CENTS, MONEY, PERCENT

_WORDS: Final[Mapping[str, str]] = shipped("calculators/named_changes")
_SUPPOSED: Final = re.compile(
    rf"(?:(?:{_WORDS['introduces']})\W+)*(?:{_WORDS['supposes']})\s+(?P<said>.+)", re.IGNORECASE
)
_RISES: Final = re.compile(
    rf"\s+(?:would\s+|will\s+)?(?:(?P<up>{_WORDS['up']})|(?P<down>{_WORDS['down']}))"
    r"(?:\s+by|\s+(?P<to>to))?(?:\s+another)?$",
    re.IGNORECASE,
)
_MORE: Final = re.compile(rf"\s*(?:(?P<up>{_WORDS['more']})|{_WORDS['less']})\b", re.IGNORECASE)
_TAIL: Final = re.compile(
    rf"\s*(?:(?:{_WORDS['money']})\b)?\s*(?:{_WORDS['more']}|{_WORDS['less']})?\W*", re.IGNORECASE
)
"""All that may follow the number: whatever else is said asks for more than the change."""
_PERSON: Final = re.compile(rf"(?:{_WORDS['people']})\b", re.IGNORECASE)
_OWNER: Final = re.compile(rf"(?:{_WORDS['owners']})\s+", re.IGNORECASE)
_LINKS: Final = re.compile(rf"\s+(?:{_WORDS['links']})\s*$", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[,;:.!?\n]+(?:\s+|$)|\s+(?:and|plus|but|with|while|\+|&)\s+", re.IGNORECASE)
_SIGNS: Final = "$\u00a3\u20ac\u20b9 "
_WORDS_MAX: Final = 14
_NAMES_MAX: Final = 2
_SHORT: Final = 3
_CENT: Final = Decimal("0.01")
_SMALL: Final = 10
_AMOUNTS: Final = frozenset(("", MONEY, CENTS, PERCENT))
_POINTS: Final = str.maketrans(",.", ".,")
_IS: Final = re.compile(r"\s*(?:of|is|at|was|[:=])?\s*", re.IGNORECASE)
"""What stands between the name of a rate and its number."""


@dataclass(frozen=True, slots=True)
class NamedChange:
    """An earlier message with one number changed; ``told`` says which, and what it was before."""

    text: str
    told: str


@dataclass(frozen=True, slots=True)
class _Change:
    """What a message supposes: the ``names`` of an amount, of which each has to be beside it, and the number
    that it goes up by (``sign`` 1) or down by (-1), or becomes (0)."""

    names: Sequence[str]
    number: Number
    sign: int

    def of(self, before: Number) -> Decimal | None:
        """What a number is after the change; None when nothing would be left, or the units do not fit."""
        number = self.number if self.number.unit == PERCENT else self.number.in_unit("")
        if number is None or {self.number.unit, before.unit} - _AMOUNTS:
            return None
        if before.unit == PERCENT and number.unit != PERCENT:
            return None
        is_share = number.unit == PERCENT and before.unit != PERCENT
        if not self.sign:
            return None if is_share else number.value
        by = before.value * number.value / 100 if is_share else number.value
        value = before.value + self.sign * by
        return value if value > 0 else None

    def made_in(self, earlier: str) -> NamedChange | None:
        """An earlier message with the number changed that the names tell; None where it has none, or
        several."""
        targets = _named(earlier, self.names)
        value = self.of(targets[0]) if len(targets) == 1 else None
        if value is None:
            return None
        [before] = targets
        written = _written(value, before)
        end = before.start + len(before.written)
        changed = f"{earlier[: before.start]}{written}{earlier[end:]}"
        return NamedChange(changed, f"{written} in place of {before.shown}")


def named_change(earlier: str, text: str) -> NamedChange | None:
    """The earlier message with the number changed that a later one names and supposes to be another. None
    when the later message supposes nothing of the kind, or the earlier has no such number, or several."""
    change = _supposed(text)
    return None if change is None else change.made_in(earlier)


def with_named_changes(texts: Sequence[str]) -> tuple[Sequence[str], str]:
    """The messages of a conversation, oldest first, each that changes a number of an earlier one by its name
    replaced by that one, which is asked once more; and what the last message changes, or nothing."""
    kept: list[str] = []
    told = ""
    for text in texts:
        change = _supposed(text)
        places = () if change is None else reversed(range(len(kept)))
        changes = ((place, change.made_in(kept[place])) for place in places if change is not None)
        place, made = next(((at, one) for at, one in changes if one), (0, None))
        told = "" if made is None else made.told
        kept = [*kept, text] if made is None else [*kept[:place], *kept[place + 1 :], made.text]
    return kept, told


def _supposed(text: str) -> _Change | None:
    found = _SUPPOSED.match(text.strip()) if len(text.split()) <= _WORDS_MAX else None
    numbers = numbers_in(found["said"]) if found else ()
    if found is None or len(numbers) != 1:
        return None
    [number] = numbers
    before = found["said"][: number.start].rstrip(_SIGNS)
    after = found["said"][number.start + len(number.written) :].lstrip(f"%{_SIGNS}")
    if not _TAIL.fullmatch(after):
        return None
    if rises := _RISES.search(before):
        named, sign = before[: rises.start()], 0 if rises["to"] else (1 if rises["up"] else -1)
    elif more := _MORE.match(after):
        named, sign = before, 1 if more["up"] else -1
    else:
        return None
    names = _names(named)
    return _Change(names, number, sign) if names else None


def _names(said: str) -> Sequence[str]:
    """What an amount is called, "my car insurance is" without the verb; of a person the verb, too."""
    is_person = _PERSON.match(said) is not None
    words = said.lower().split() if is_person else _OWNER.sub("", _LINKS.sub("", said)).lower().split()
    return words if len(words) <= _NAMES_MAX and all(map(str.isalpha, words)) else ()


def _named(text: str, names: Sequence[str]) -> Sequence[Number]:
    """The numbers that stand alone in a part of a text with all names; percentages right behind them."""
    edges = [0, *(edge for each in _CLAUSE.finditer(text) for edge in each.span()), len(text)]
    parts = list(zip(edges[::2], edges[1::2], strict=True))
    numbers = numbers_in(text)
    found = []
    for start, end in parts:
        within = [each for each in numbers if start <= each.start < end]
        places = [_behind(text[start:end], name) for name in names]
        if len(within) == 1 and all(places):
            behind = start + places[-1]
            is_own = behind <= within[0].start and _IS.fullmatch(text, behind, within[0].start)
            found += within if within[0].unit != PERCENT or is_own else []
    return found


def _behind(text: str, name: str) -> int:
    """The place behind a name in a text, 0 where it does not stand."""
    plural = "" if len(name) <= _SHORT else "(?:s|es)?"
    stem = name if len(name) <= _SHORT else name.removesuffix("s")
    found = re.search(rf"(?<![^\W\d_]){re.escape(stem)}{plural}(?![^\W\d_])", text, re.IGNORECASE)
    return found.end() if found else 0


def _written(value: Decimal, before: Number) -> str:
    """A value as the text writes it; amounts to the cent, small ones and percentages exactly."""
    is_exact = before.unit == PERCENT or value < _SMALL
    rounded = value if is_exact else value.quantize(_CENT)
    is_short = is_exact or rounded == rounded.to_integral_value()
    written = f"{rounded.normalize():,f}" if is_short else f"{rounded:,}"
    return written.translate(_POINTS) if before.has_points else written
