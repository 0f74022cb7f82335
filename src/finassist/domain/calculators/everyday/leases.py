"""What it costs to lease a thing and to buy the same one, over the term of the lease."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from finassist.domain.calculators.annuities import term
from finassist.domain.calculators.calculation import Calculation, Months, Years, exact, positive_amount
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import ROUNDED, cents, show_money, show_term


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseOrBuy:
    """``purchase`` is the price less what the thing is sold for after the term; ``difference`` is what the
    dearer of both costs more."""

    lease: Decimal
    purchase: Decimal
    difference: Decimal
    cheaper: Literal["lease", "purchase", "neither"]


@exact
def lease_or_buy(
    *,
    monthly_payment: Annotated[Decimal, positive_amount("What the lease costs a month")],
    price: Annotated[Decimal, positive_amount("The price when it is bought")],
    years: Years = 0,
    months: Months = 0,
    paid_once: Annotated[
        Decimal, money("Paid once for the lease: at signing, when it is returned")
    ] = Decimal(0),
    resale: Annotated[Decimal, money("What it is sold for after the term, when it is bought")] = Decimal(0),
) -> Calculation[LeaseOrBuy]:
    """Cost of leasing a car or another thing against buying it and selling it after the term."""
    count = term(years, months)
    lease, purchase = monthly_payment * count + paid_once, price - resale
    dearer = lease - purchase
    return Calculation(
        answer=f"{_cheaper_told(dearer)}: over {show_term(count)} the lease costs {show_money(lease)}, and "
        f"buying {show_money(purchase)}{' after the sale' if resale else ''}.",
        figures=LeaseOrBuy(
            lease=cents(lease),
            purchase=cents(purchase),
            difference=cents(abs(dearer)),
            cheaper="purchase" if dearer > 0 else "lease" if dearer < 0 else "neither",
        ),
        formula="lease = payment * months + paid once; purchase = price - resale",
        steps=(
            f"Lease: {show_money(monthly_payment)} * {count} + {show_money(paid_once)}",
            f"Purchase: {show_money(price)} - {show_money(resale)}",
        ),
        assumptions=(
            "Insurance, upkeep and what the price could earn meanwhile are left out.",
            *(() if resale else ("Bought, it counts as worth nothing after the term: no resale is told.",)),
            ROUNDED,
        ),
    )


def _cheaper_told(dearer: Decimal) -> str:
    if not dearer:
        return "Both cost the same"
    return f"{'Buying' if dearer > 0 else 'The lease'} is {show_money(abs(dearer))} cheaper"
