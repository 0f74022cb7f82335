"""Plain arithmetic: a sum written with numbers and operators, its steps shown."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from operator import add, mul, sub, truediv
from typing import Annotated, Final

from finassist.domain.calculators.calculation import Calculation, CalculationError, Param, exact
from finassist.domain.calculators.money import cents, show_number, show_rate

_PART: Final = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<sign>[-+*/(),]|min|max|power|floor|ceil|cents))"
)
_OPERATIONS: Final[Mapping[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
}
_OF_TWO: Final[Mapping[str, Callable[[Decimal, Decimal], Decimal]]] = {"min": min, "max": max, "power": pow}
_TO_WHOLE: Final = {"floor": ROUND_FLOOR, "ceil": ROUND_CEILING}
_CENTS: Final = "cents"
_PARTS_MAX: Final = 200
_LENGTH_MAX: Final = 2_000
"""Characters of an expression: it is stored and shown with its result."""
_SMALL: Final = 10
_FINE: Final = Decimal("0.0001")
_HUNDREDTH: Final = Decimal("0.01")
_MONEY: Final = "money"
_PERCENT: Final = "percent"
_PERSON: Final = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """One of them, the others None: ``result`` is money to the cent, below 10 to four decimals, ``percent``
    has four, ``number`` two."""

    result: Decimal | None = None
    percent: Decimal | None = None
    number: Decimal | None = None


@exact
def arithmetic(
    *,
    expression: Annotated[
        str,
        Param("Numbers with + - * / brackets min max power floor ceil: (310 / 100 * 6.1 * 1.78 + 24.60) / 3"),
    ],
    unit: Annotated[
        str, Param("money, percent, or what is counted, such as months or litres; empty for a bare number")
    ] = _MONEY,
    per: Annotated[str, Param("What the result is for, such as month or person; empty for nothing")] = "",
) -> Calculation[Arithmetic]:
    """Any sum of given numbers: products, totals, shares, averages, percentages in a row."""
    reader = _Reader(_parts(expression))
    result = reader.read()
    shown = _shown(result, unit)
    return Calculation(
        answer=f"{shown} each." if per == _PERSON else f"It comes to {shown}{_for_each(per)}.",
        figures=_figures(_rounded(result, unit), unit),
        formula=expression,
        steps=tuple(reader.steps[:-1] or reader.steps or [f"{expression} = {shown}"]),
        assumptions=("Nothing is counted but the numbers of the question.",),
    )


def _figures(rounded: Decimal, unit: str) -> Arithmetic:
    if unit == _MONEY:
        return Arithmetic(result=rounded)
    return Arithmetic(percent=rounded) if unit == _PERCENT else Arithmetic(number=rounded)


def _for_each(per: str) -> str:
    return f" {'an' if per == 'hour' else 'a'} {per}" if per else ""


def _rounded(result: Decimal, unit: str) -> Decimal:
    rounded = cents(result)  # refuses what is beyond all meaning, whatever the unit
    if unit == _MONEY:
        return rounded if abs(result) >= _SMALL or result == rounded else result.quantize(_FINE)
    return result.quantize(_FINE if unit == _PERCENT else _HUNDREDTH)


def _shown(result: Decimal, unit: str) -> str:
    rounded = _rounded(result, unit)
    if unit == _MONEY:
        return f"{rounded:,}"
    if unit == _PERCENT:
        return show_rate(rounded)
    return f"{show_number(rounded)} {unit}".rstrip()


def _parts(expression: str) -> list[str]:
    if len(expression) > _LENGTH_MAX:
        raise CalculationError(f"Give an expression of at most {_LENGTH_MAX:,} characters.")
    parts, edge = [], 0
    text = expression.rstrip()
    while edge < len(text):
        found = _PART.match(text, edge)
        if found is None:
            raise CalculationError(
                "Write the expression with numbers, + - * /, brackets, min, max, power, floor and ceil only."
            )
        parts.append(found[found.lastgroup or 0])
        edge = found.end()
    if not 0 < len(parts) <= _PARTS_MAX:
        raise CalculationError(f"Give an expression of at most {_PARTS_MAX} numbers and operators.")
    return parts


@dataclass(slots=True)
class _Reader:
    """Reads an expression from left to right; ``steps`` are its operations in order."""

    parts: list[str]
    steps: list[str] = field(default_factory=list)
    place: int = 0

    def read(self) -> Decimal:
        result = self._sum()
        if self.place != len(self.parts):
            raise CalculationError("The brackets or operators of the expression do not match.")
        return result

    def _sum(self) -> Decimal:
        value = self._product()
        while self._next() in ("+", "-"):
            value = self._step(value, self._taken(), self._product())
        return value

    def _product(self) -> Decimal:
        value = self._factor()
        while self._next() in ("*", "/"):
            value = self._step(value, self._taken(), self._factor())
        return value

    def _factor(self) -> Decimal:
        part = self._taken()
        if part == "(":
            value = self._sum()
            if self._taken() != ")":
                raise CalculationError("A bracket of the expression is not closed.")
            return value
        if part in _OF_TWO:
            return self._of_two(part)
        if part in _TO_WHOLE:
            return self._to_whole(part)
        if part == _CENTS:
            return self._to_cents()
        if part == "-":
            return -self._factor()
        if not part or part in "+*/),":
            raise CalculationError("A number is missing in the expression.")
        return Decimal(part)

    def _of_two(self, name: str) -> Decimal:
        """The smaller or the larger of two: a fee of 2 %, at most 50, is ``min(1260 * 2 / 100, 50)``; or the
        power of one by the other: three years at 5 % are ``power(1.05, 3)``."""
        signs = [self._taken()]
        one = self._sum()
        signs.append(self._taken())
        other = self._sum()
        if [*signs, self._taken()] != ["(", ",", ")"]:
            raise CalculationError(f"Write {name} with two numbers in brackets, as {name}(a, b).")
        result = _OF_TWO[name](one, other)
        self.steps.append(f"{name}({show_number(one)}, {show_number(other)}) = {show_number(result)}")
        return result

    def _to_whole(self, name: str) -> Decimal:
        """Whole packs, months or people: ``ceil(100 / 6)``."""
        exactly = self._in_brackets(name)
        result = exactly.to_integral_value(_TO_WHOLE[name])
        if result != exactly:
            self.steps.append(f"{name}({show_number(exactly)}) = {show_number(result)}")
        return result

    def _in_brackets(self, name: str) -> Decimal:
        if self._taken() != "(":
            raise CalculationError(f"Write {name} with brackets, as {name}(a).")
        value = self._sum()
        if self._taken() != ")":
            raise CalculationError("A bracket of the expression is not closed.")
        return value

    def _to_cents(self) -> Decimal:
        """An amount as it is billed: ``cents(412 * 0.2703)``."""
        exactly = self._in_brackets(_CENTS)
        result = cents(exactly)
        if result != exactly:
            self.steps.append(f"{show_number(exactly)} to the cent = {show_number(result)}")
        return result

    def _step(self, value: Decimal, sign: str, other: Decimal) -> Decimal:
        if sign == "/" and not other:
            raise CalculationError("Nothing can be divided by zero.")
        result = _OPERATIONS[sign](value, other)
        self.steps.append(f"{show_number(value)} {sign} {show_number(other)} = {show_number(result)}")
        return result

    def _next(self) -> str:
        return self.parts[self.place] if self.place < len(self.parts) else ""

    def _taken(self) -> str:
        part = self._next()
        self.place += 1
        return part
