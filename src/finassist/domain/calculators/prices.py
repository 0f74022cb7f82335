"""What is paid and charged: tips, margins, sales taxes, currencies."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import ROUNDED, cents, percent, show_money, show_number, show_rate

_CURRENCY_LENGTH_MAX: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """``total`` is the bill with the ``tip``; ``rest`` is what ``per_person``, rounded, leaves of it."""

    tip: Decimal
    total: Decimal
    per_person: Decimal
    rest: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """``margin_percent`` is the profit in percent of the price, ``markup_percent`` of the cost."""

    cost: Decimal
    price: Decimal
    profit: Decimal
    margin_percent: Decimal
    markup_percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class SalesTax:
    """``gross`` is ``net`` plus ``tax``."""

    net: Decimal
    tax: Decimal
    gross: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """``converted`` is in the currency that is received; ``fee`` and ``exchanged`` are in the other one."""

    fee: Decimal
    exchanged: Decimal
    converted: Decimal


@exact
def tip_and_split(
    *,
    bill: Annotated[Decimal, money("The bill, for example 86.40")],
    tip_percent: Annotated[Decimal, rate("Tip in percent of the bill, for example 15")] = Decimal(0),
    people: Annotated[int, Param("How many people share it", ge=1, le=1000)] = 1,
) -> Calculation[Split]:
    """Tip on a bill, the total, and what each person pays when it is split equally."""
    tip = cents(bill * tip_percent / 100)
    total = cents(bill) + tip
    each = cents(total / people)
    said = (
        f"the bill of {show_money(bill)} and a tip of {show_money(tip)}" if tip else "the bill, without a tip"
    )
    answer = f"The total is {show_money(total)}: {said}."
    steps = [f"Tip: {show_money(bill)} * {show_number(tip_percent)} / 100"] if tip_percent else []
    if people > 1:
        answer = f"Each of {people:,} pays {show_money(each)}; the total is {show_money(total)}: {said}."
        steps.append(f"Each: {show_money(total)} / {people:,}")
    rest = total - each * people
    left = f"Rounding leaves {show_money(abs(rest))} {'to pay' if rest > 0 else 'too much'}."
    return Calculation(
        answer=answer,
        figures=Split(tip=tip, total=total, per_person=each, rest=rest),
        formula="total = bill + bill * tip / 100; each = total / people",
        steps=tuple(steps) or (f"Total: {show_money(bill)}",),
        assumptions=(
            f"The tip is {show_rate(tip_percent)} of the bill." if tip_percent else "No tip is added.",
            *(["Everybody pays the same."] if people > 1 else []),
            f"{ROUNDED} {left}" if rest else ROUNDED,
        ),
    )


@exact
def margin_and_markup(
    *,
    cost: Annotated[Decimal | None, positive_amount("What it costs to buy or make")] = None,
    price: Annotated[Decimal | None, positive_amount("What it is sold for, without tax")] = None,
    margin_percent: Annotated[Decimal | None, Param("Profit in percent of the price", ge=0, lt=100)] = None,
    markup_percent: Annotated[Decimal | None, rate("Profit in percent of the cost")] = None,
) -> Calculation[Margin]:
    """Margin, markup, cost and selling price of a product, from any two of them."""
    given = [value for value in (cost, price, margin_percent, markup_percent) if value is not None]
    if len(given) != 2 or (cost is None and price is None):
        raise CalculationError("Give two of cost, price, margin and markup, an amount among them.")
    ratio = _price_to_cost(cost, price, margin_percent, markup_percent)
    paid = price / ratio if cost is None and price is not None else cost or Decimal(0)
    charged = price if price is not None else paid * ratio
    profit = cents(charged) - cents(paid)
    margin, markup = percent(1 - 1 / ratio), percent(ratio - 1)
    return Calculation(
        answer=_margin_told(price is None, cost is None, charged, paid)
        + f" a margin of {show_rate(margin)}, a markup of {show_rate(markup)} and a profit of "
        f"{show_money(profit)}.",
        figures=Margin(
            cost=cents(paid),
            price=cents(charged),
            profit=profit,
            margin_percent=margin,
            markup_percent=markup,
        ),
        formula="margin = (price - cost) / price; markup = (price - cost) / cost",
        steps=(
            f"Price / cost: {show_number(ratio)}",
            f"Margin: {show_money(profit)} / {show_money(charged)}",
            f"Markup: {show_money(profit)} / {show_money(paid)}",
        ),
        assumptions=("Taxes and the costs of selling are left out, unless the cost holds them.", ROUNDED),
    )


@exact
def sales_tax(
    *,
    amount: Annotated[Decimal, money("The amount, with or without the tax")],
    tax_percent: Annotated[Decimal, rate("Rate of the tax in percent, for example 20")],
    included: Annotated[bool, Param("Whether the amount holds the tax already")],
) -> Calculation[SalesTax]:
    """VAT, GST or sales tax added to an amount, or taken out of an amount that holds it."""
    factor = 1 + tax_percent / 100
    gross = cents(amount if included else amount * factor)
    net = cents(amount / factor if included else amount)
    said, part = show_rate(tax_percent), show_money(gross - net)
    if included:
        answer = f"The tax is {part}: {show_money(gross)} is {show_money(net)} and {said} of that."
        step = f"Without the tax: {show_money(amount)} / {show_number(factor)}"
    else:
        answer = f"With the tax it is {show_money(gross)}: {show_money(net)} and {part} of tax at {said}."
        step = f"Tax: {show_money(amount)} * {show_number(tax_percent)} / 100"
    return Calculation(
        answer=answer,
        figures=SalesTax(net=net, tax=gross - net, gross=gross),
        formula="gross = net * (1 + r / 100); tax = gross - net; r the rate in percent",
        steps=(step,),
        assumptions=(f"One rate of {said} for the whole amount.", ROUNDED),
    )


@exact
def currency_conversion(
    *,
    amount: Annotated[Decimal, money("Amount to convert")],
    rate: Annotated[
        Decimal, Param("What one unit of the first currency is in the second one", gt=0, le=10**9)
    ],
    from_currency: Annotated[str, Param("Currency of the amount, for example USD")] = "",
    to_currency: Annotated[str, Param("Currency to convert into, for example EUR")] = "",
    fee_percent: Annotated[Decimal, Param("Fee in percent of the amount", ge=0, lt=100)] = Decimal(0),
    fee_amount: Annotated[Decimal, money("Fixed fee, taken off the amount first")] = Decimal(0),
    fee_on_top: Annotated[bool, Param("Whether the fee is paid beside the amount, as with a card")] = False,
) -> Calculation[Conversion]:
    """Convert an amount into another currency at a rate that the user gives, with or without a fee."""
    held, wanted = _currency(from_currency), _currency(to_currency)
    if fee_amount > amount:
        raise CalculationError("The fee is more than the amount.")
    if fee_on_top:
        return _with_fee_on_top(amount, rate, fee_percent, held, wanted)
    fee = fee_amount + (amount - fee_amount) * fee_percent / 100
    exchanged, converted = amount - fee, (amount - fee) * rate
    given = f"{show_money(amount)}{held}"
    steps = [f"Converted: {show_money(exchanged)}{held} * {show_number(rate)}"]
    if fee:
        steps.insert(0, f"Fee: {show_money(fee_amount)} + {show_number(fee_percent)}% of the rest")
    charged = f", after a fee of {show_money(fee)}{held}" if fee else ""
    return Calculation(
        answer=f"{given} is {show_money(converted)}{wanted}{charged}.",
        figures=Conversion(fee=cents(fee), exchanged=cents(exchanged), converted=cents(converted)),
        formula="converted = (A - fee) * rate",
        steps=tuple(steps),
        assumptions=(
            f"The rate given: 1{held} is {show_number(rate)}{wanted}; a bank's is often worse.",
            f"The fee is {show_money(fee_amount)} and {show_rate(fee_percent)} of the rest, taken off first."
            if fee
            else "No fee is charged.",
        ),
    )


def _with_fee_on_top(
    amount: Decimal, rate: Decimal, fee_percent: Decimal, held: str, wanted: str
) -> Calculation[Conversion]:
    """What an amount in another currency costs with a fee in percent of it on top."""
    plain, fee = amount * rate, amount * rate * fee_percent / 100
    return Calculation(
        answer=f"{show_money(amount)}{held} cost {show_money(plain + fee)}{wanted} with the fee: "
        f"{show_money(plain)} and a fee of {show_money(fee)}.",
        figures=Conversion(
            fee=cents(fee), exchanged=cents(amount), converted=cents(cents(plain) + cents(fee))
        ),
        formula="cost = A * rate * (1 + fee / 100)",
        steps=(f"Converted: {show_money(amount)}{held} * {show_number(rate)}",),
        assumptions=(
            f"The rate given: 1{held} is {show_number(rate)}{wanted}; a bank's is often worse.",
            f"The fee of {show_rate(fee_percent)} comes on top.",
        ),
    )


def _price_to_cost(
    cost: Decimal | None, price: Decimal | None, margin: Decimal | None, markup: Decimal | None
) -> Decimal:
    if cost is not None and price is not None:
        return price / cost
    return 1 / (1 - margin / 100) if margin is not None else 1 + (markup or Decimal(0)) / 100


def _margin_told(is_price_asked: bool, is_cost_asked: bool, price: Decimal, cost: Decimal) -> str:
    if is_price_asked:
        return f"The price is {show_money(price)}: on a cost of {show_money(cost)} that is"
    if is_cost_asked:
        return f"The cost is {show_money(cost)}: at a price of {show_money(price)} that is"
    return f"A cost of {show_money(cost)} and a price of {show_money(price)} make"


def _currency(name: str) -> str:
    """A name or code as the user wrote it, behind a space; codes in capitals. Empty when there is none."""
    written = " ".join(name.split())
    if len(written) > _CURRENCY_LENGTH_MAX:
        raise CalculationError("Name the currencies in short, for example USD and EUR.")
    return f" {written.upper() if len(written) == len('USD') else written}".rstrip()
