"""Taxes at rates that the user gives."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Final

from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    amount,
    exact,
    params_of,
    rate,
    require_in_range,
)
from finassist.domain.calculators.money import cents, percent, show_money, show_rate

_ZERO: Final = Decimal(0)
_MOST_BANDS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxBand:
    """A rate, and the amount above which it is charged, up to the next band."""

    above: Annotated[Decimal, amount("Where the band begins; 0 for the first one")]
    rate: Annotated[Decimal, rate("Rate of the band in percent; 0 for what is free")]


@dataclass(frozen=True, slots=True, kw_only=True)
class BandedTax:
    """``average_rate`` is the tax in percent of the whole amount."""

    tax: Decimal
    left: Decimal
    average_rate: Decimal


_BAND_PARAMS: Final = params_of(TaxBand)


@exact
def tax_in_bands(
    *,
    taxed: Annotated[Decimal, amount("The income, gain or price that is taxed")],
    bands: Annotated[tuple[TaxBand, ...], Param("The bands, lowest first", ge=1)],
) -> Calculation[BandedTax]:
    """Tax by bands, or above an allowance, at rates that the user gives: income, gains, property."""
    _checked(bands)
    parts = list(_parts(taxed, bands))
    tax = sum((cents(part * band.rate / 100) for band, part in parts), _ZERO)
    share = percent(tax / taxed) if taxed else _ZERO
    return Calculation(
        answer=f"The tax is {show_money(tax)}, {show_rate(share)} of {show_money(taxed)}; "
        f"{show_money(taxed - tax)} is left.",
        figures=BandedTax(tax=tax, left=cents(taxed) - tax, average_rate=share),
        formula="tax = the sum of each band's part of the amount * its rate / 100",
        steps=tuple(
            f"Above {show_money(band.above)}: {show_money(part)} * {show_rate(band.rate)}"
            for band, part in parts
        )
        or ("Nothing is in a band.",),
        assumptions=(
            "Only the bands that were given; other allowances, reliefs and taxes are left out.",
            *(("Nothing is taxed below the first band.",) if bands[0].above else ()),
        ),
    )


def _checked(bands: tuple[TaxBand, ...]) -> None:
    if not 1 <= len(bands) <= _MOST_BANDS:
        raise CalculationError(f"Give 1 to {_MOST_BANDS} bands.")
    for band in bands:
        require_in_range(asdict(band), _BAND_PARAMS)
    if any(one.above >= other.above for one, other in pairwise(bands)):
        raise CalculationError("The bands must begin one above the other, lowest first.")


def _parts(taxed: Decimal, bands: tuple[TaxBand, ...]) -> list[tuple[TaxBand, Decimal]]:
    """What of the amount is in each band, as far as it reaches."""
    ends = [*(band.above for band in bands[1:]), taxed]
    return [
        (band, min(taxed, end) - band.above)
        for band, end in zip(bands, ends, strict=True)
        if taxed > band.above
    ]
