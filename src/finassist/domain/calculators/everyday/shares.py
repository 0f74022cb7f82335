"""What shares and homes bring: profit of a trade, yearly yield."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from finassist.domain.calculators.calculation import Calculation, Param, exact, positive_amount
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import cents, percent, show_money, show_number, show_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """``profit`` is after all fees, negative for a loss; ``profit_percent`` is of what was spent."""

    spent: Decimal
    received: Decimal
    profit: Decimal
    profit_percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Yield:
    """Both in percent of the price; ``net_yield`` is after the costs."""

    yearly_income: Decimal
    gross_yield: Decimal
    net_yield: Decimal


@exact
def share_trade(
    *,
    count: Annotated[Decimal, Param("How many shares, units or coins", gt=0, le=10**12)],
    buy_price: Annotated[Decimal, positive_amount("What one was bought for")],
    sell_price: Annotated[Decimal, money("What one is sold for")],
    buy_fee: Annotated[Decimal, money("Fee of buying, for all together")] = Decimal(0),
    sell_fee: Annotated[Decimal, money("Fee of selling, for all together")] = Decimal(0),
) -> Calculation[Trade]:
    """Profit or loss of shares that were bought and sold, after fees."""
    spent, received = count * buy_price + buy_fee, count * sell_price - sell_fee
    profit = cents(received) - cents(spent)
    share = percent(profit / spent)
    name = "profit" if profit >= 0 else "loss"
    return Calculation(
        answer=f"The {name} is {show_money(abs(profit))} ({show_rate(abs(share))}): {show_money(spent)} "
        f"spent and {show_money(received)} received.",
        figures=Trade(spent=cents(spent), received=cents(received), profit=profit, profit_percent=share),
        formula="profit = count * sell - sell fee - (count * buy + buy fee)",
        steps=(
            f"Spent: {show_number(count)} * {show_money(buy_price)} + {show_money(buy_fee)}",
            f"Received: {show_number(count)} * {show_money(sell_price)} - {show_money(sell_fee)}",
        ),
        assumptions=("Before tax; dividends are left out.",),
    )


@exact
def income_yield(
    *,
    yearly_income: Annotated[Decimal, money("Rent, dividends or interest of a year")],
    price: Annotated[Decimal, positive_amount("What it cost, or is worth")],
    yearly_costs: Annotated[Decimal, money("Costs of a year, for the net yield")] = Decimal(0),
) -> Calculation[Yield]:
    """Yield of a home or share in percent: rent or dividends of a year over the price."""
    gross, net = percent(yearly_income / price), percent((yearly_income - yearly_costs) / price)
    after = f"; after the costs it is {show_rate(net)}" if yearly_costs else ""
    return Calculation(
        answer=f"The yield is {show_rate(gross)} a year: {show_money(yearly_income)} of "
        f"{show_money(price)}{after}.",
        figures=Yield(yearly_income=cents(yearly_income), gross_yield=gross, net_yield=net),
        formula="yield = (income of a year - costs) / price * 100",
        steps=(f"Yield: {show_money(yearly_income)} / {show_money(price)} * 100",),
        assumptions=(
            "Before tax, with the income of a whole year.",
            *(() if yearly_costs else ("Costs and empty months are left out.",)),
        ),
    )
