"""The difference between amounts, and the lowest of several, calculated by hand."""

from decimal import Decimal

import pytest

from finassist.domain.calculators import CALCULATORS, CalculationError, NamedAmount

D = Decimal


def amounts(*values: str) -> tuple[NamedAmount, ...]:
    return tuple(NamedAmount(name=f"offer {place}", amount=D(value)) for place, value in enumerate(values, 1))


def calculated(**arguments: object):  # type: ignore[no-untyped-def]
    return CALCULATORS["difference"].function(**arguments)


def test_two_amounts_of_a_month_also_differ_by_the_week_and_the_year() -> None:
    result = calculated(amounts=amounts("396.02", "478.92"), per="month", what="instalment")
    assert result.answer == (
        "Instalment: 478.92 - 396.02 = 82.90 more a month: offer 2 compared with offer 1. "
        "That is 994.80 a year."
    )
    assert (result.figures.difference, result.figures.percent) == (D("82.90"), D("20.9333"))
    assert (result.figures.weekly, result.figures.yearly) == (D("19.13"), D("994.80"))
    assert (result.figures.lowest, result.figures.highest) == ("offer 1", "offer 2")


def test_what_is_less_is_a_negative_difference_and_what_is_paid_once_has_no_periods() -> None:
    result = calculated(amounts=amounts("5377.78", "4445.84"))
    assert result.answer == "5,377.78 - 4,445.84 = 931.94 less: offer 2 compared with offer 1."
    assert result.figures.difference == D("-931.94")
    assert result.figures.monthly is None


def test_of_several_the_lowest_comes_first() -> None:
    result = calculated(amounts=amounts("300", "100", "200"))
    assert result.answer == (
        "100.00 (offer 2) is the lowest; then 200.00 (offer 3), 300.00 (offer 1). From the lowest to the "
        "highest it is 300.00 - 100.00 = 200.00."
    )
    assert (result.figures.lowest, result.figures.difference) == ("offer 2", D("200.00"))


def test_equal_amounts_come_to_the_same_and_of_nothing_there_is_no_percentage() -> None:
    result = calculated(amounts=amounts("50", "50.00"))
    assert result.answer == "offer 2 and offer 1 come to the same, 50.00."
    assert result.figures.lowest is None
    assert calculated(amounts=amounts("0", "5")).figures.percent is None


@pytest.mark.parametrize("values", [["1"], ["1"] * 11, ["-1", "2"]])
def test_fewer_than_two_more_than_ten_and_negative_amounts_are_refused(values: list[str]) -> None:
    with pytest.raises(CalculationError):
        calculated(amounts=amounts(*values))
