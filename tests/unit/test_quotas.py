"""The free-message allowance (spec "Limits")."""

import pytest

from finassist.domain.quotas import Allowance


@pytest.mark.parametrize(
    ("total", "used", "remaining", "percent_used"),
    [
        (10, 0, 10, 0),
        (10, 1, 9, 10),
        (10, 9, 1, 90),
        (10, 10, 0, 100),
        (3, 1, 2, 33),
        (3, 2, 1, 66),
        (1000, 999, 1, 99),
    ],
)
def test_an_allowance_says_what_is_left_and_the_share_used_rounded_down(
    total: int, used: int, remaining: int, percent_used: int
) -> None:
    allowance = Allowance(total, used)

    assert allowance.remaining == remaining
    assert allowance.percent_used == percent_used


def test_an_allowance_that_was_lowered_below_its_use_is_used_up() -> None:
    allowance = Allowance(total=5, used=9)

    assert allowance.remaining == 0
    assert allowance.percent_used == 100


@pytest.mark.parametrize("used", [0, 3])
def test_an_allowance_of_nothing_is_used_up(used: int) -> None:
    allowance = Allowance(total=0, used=used)

    assert allowance.remaining == 0
    assert allowance.percent_used == 100
