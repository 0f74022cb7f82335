"""Plain percentages: a part, what is put on top or taken off, a change, a share, a tax within a price, and a
price before its discount."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from finassist.domain.calculators.calculation import Calculation, CalculationError, Param, exact, rate
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import cents, show_money, show_number, show_rate
from finassist.domain.calculators.money import percent as in_percent

Operation = Literal["of", "add", "subtract", "included", "reduced", "change", "share"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentage:
    """``part`` is ``percent`` of the amount (``included``, ``reduced``: of the price before), or what a
    change comes to, or the amount that is the share; ``result`` is what it comes to."""

    percent: Decimal
    part: Decimal
    result: Decimal


@exact
def percentage(
    *,
    operation: Annotated[
        Operation,
        Param(
            "of: a part of the amount; add: put on top, as a tax or tip; subtract: taken off, as a discount; "
            "included: a tax that the amount holds already; reduced: the price before a discount, of what is "
            "left after it; change: from the amount to the other amount; "
            "share: how much of the amount the other amount is"
        ),
    ],
    amount: Annotated[Decimal, money("The amount that the percentage is taken of, for example 480")],
    percent: Annotated[Decimal | None, rate("Percentage; leave out for change and share")] = None,
    other_amount: Annotated[
        Decimal | None, money("The later amount of a change, or the part of a share; leave out otherwise")
    ] = None,
) -> Calculation[Percentage]:
    """Percentages: part of an amount, tax or tip added, discount taken off, change or share in percent."""
    if operation in {"change", "share"}:
        if other_amount is None or percent is not None:
            raise CalculationError(f"Give two amounts and no percentage for a {operation}.")
        return _compared(operation, amount, other_amount)
    if percent is None or other_amount is not None:
        raise CalculationError("Give one amount and a percentage, or two amounts for a change or a share.")
    if operation in {"included", "reduced"}:
        return _included(amount, percent) if operation == "included" else _reduced(amount, percent)
    return _taken(operation, amount, percent)


def _taken(operation: Operation, whole: Decimal, rate_taken: Decimal) -> Calculation[Percentage]:
    part = whole * rate_taken / 100
    said = f"{show_rate(rate_taken)} of {show_money(whole)} is {show_money(part)}"
    step = f"Part: {show_money(whole)} * {show_number(rate_taken)} / 100"
    if operation == "of":
        return _shown(f"{said}.", rate_taken, part, part, "part = A * p / 100", (step,))
    if operation == "add":
        result, sign, name = whole + part, "+", "Together"
    else:
        result, sign, name = whole - part, "-", "What is left"
    return _shown(
        f"{said}; {name[0].lower()}{name[1:]} {'it makes' if sign == '+' else 'is'} {show_money(result)}.",
        rate_taken,
        part,
        result,
        f"result = A {sign} A * p / 100",
        (step, f"{name}: {show_money(whole)} {sign} {show_money(part)}"),
    )


def _included(whole: Decimal, rate_taken: Decimal) -> Calculation[Percentage]:
    before = whole / (1 + rate_taken / 100)
    part = cents(whole) - cents(before)
    return _shown(
        f"{show_money(part)} of {show_money(whole)} is the {show_rate(rate_taken)}; without it, "
        f"{show_money(before)} is left.",
        rate_taken,
        part,
        before,
        "before = A / (1 + p / 100); part = A - before",
        (
            f"Before: {show_money(whole)} / {show_number(1 + rate_taken / 100)}",
            f"Part: {show_money(whole)} - {show_money(before)}",
        ),
    )


def _reduced(left: Decimal, rate_taken: Decimal) -> Calculation[Percentage]:
    if rate_taken >= 100:
        raise CalculationError("A discount of all leaves nothing to calculate the price from.")
    before = left / (1 - rate_taken / 100)
    part = cents(before) - cents(left)
    return _shown(
        f"The price before was {show_money(before)}: {show_rate(rate_taken)} off it is {show_money(part)}.",
        rate_taken,
        part,
        before,
        "before = A / (1 - p / 100); part = before - A",
        (f"Before: {show_money(left)} / {show_number(1 - rate_taken / 100)}",),
    )


def _compared(operation: Operation, first: Decimal, second: Decimal) -> Calculation[Percentage]:
    if not first:
        raise CalculationError("Nothing can be put in percent of an amount of zero.")
    if operation == "share":
        found = in_percent(second / first)
        return _shown(
            f"{show_money(second)} is {show_rate(found)} of {show_money(first)}.",
            found,
            second,
            second,
            "percent = B / A * 100",
            (f"Share: {show_money(second)} / {show_money(first)} * 100",),
        )
    difference = second - first
    found = in_percent(difference / first)
    way = "an increase of" if difference > 0 else "a decrease of"
    change = f"{way} {show_rate(abs(found))}" if difference else "no change"
    return _shown(
        f"From {show_money(first)} to {show_money(second)} is {change}.",
        found,
        difference,
        second,
        "percent = (B - A) / A * 100",
        (
            f"Difference: {show_money(second)} - {show_money(first)} = {show_money(difference)}",
            f"In percent: {show_money(difference)} / {show_money(first)} * 100",
        ),
    )


def _shown(
    answer: str, rate_taken: Decimal, part: Decimal, result: Decimal, formula: str, steps: tuple[str, ...]
) -> Calculation[Percentage]:
    return Calculation(
        answer=answer,
        figures=Percentage(percent=in_percent(rate_taken / 100), part=cents(part), result=cents(result)),
        formula=f"{formula}; A the amount{', B the other one' if 'B' in formula else ', p the percentage'}",
        steps=steps,
        assumptions=("Amounts are rounded to the cent and percentages to four decimals, both at the end.",),
    )
