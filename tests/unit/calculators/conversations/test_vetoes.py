"""Numbers without a place of their own, and results of another unit than the one asked for, are no answer."""

import pytest

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.sums.build import sum_of
from finassist.domain.calculators.recognition.threads.vetoes import is_vetoed, mixes_interest


def made(name: str, text: str, **slots: tuple[int, ...]) -> Draft:
    """A calculation with the numbers of a text, by their places, in its slots."""
    numbers = read(text).quantities or ()
    filled = {slot: tuple(numbers[place] for place in places) for slot, places in slots.items()}
    return Draft(name, filled, text)


MUGS = "plus the card reader, 1.69%. so how many mugs before the wheel pays for itself (1,150)"
REAL = "my rate is 32.5% plus 2 medicare, what's the real rate after that"
QUARTER = "480 a week. if i hide a quarter of it how much is that"
AGES = "he spends 2,900, could do 1300 a month. how old are we when done"


@pytest.mark.parametrize(
    "found",
    [
        made("percentage/add", MUGS, percent=(0,), amount=(1,)),
        made("sales_tax/on", REAL, tax_percent=(0,), amount=(1,)),
        made("recurring_cost", QUARTER, amount=(0,)),
        made("savings_goal/time", AGES, goal=(0,), monthly_amount=(1,)),
    ],
)
def test_a_result_of_another_unit_is_vetoed(found: Draft) -> None:
    assert is_vetoed(found, read(found.said), ())


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (made("percentage/of", "15% of 480, how much is that", percent=(0,), amount=(1,)), ()),
        (made("recurring_cost", "480 a week, how much is that a year", amount=(0,)), ()),
        (
            made("percentage/of", "what is 20% of 60", percent=(0,), amount=(1,)),
            (read("my gym is 40 a month"),),
        ),
    ],
)
def test_a_number_with_its_place_is_calculated(found: Draft, said: tuple[Reading, ...]) -> None:
    assert not is_vetoed(found, read(found.said), said)


def test_a_number_told_as_a_time_is_no_amount_later() -> None:
    text = "how much is 20% of 60"
    found = made("percentage/of", text, percent=(0,), amount=(1,))
    assert is_vetoed(found, read(text), [read("dealer says 60 months at 6.99%")])


def test_a_number_behind_at_is_not_added() -> None:
    text = "overpay or stick the 200 in a cash isa at 4.1, what is the total"
    numbers = read(text).quantities or ()
    assert is_vetoed(Draft("arithmetic", {"numbers": tuple(numbers)}, text), read(text), ())


def test_a_percentage_with_a_time_over_several_messages_is_interest() -> None:
    text = "my nan left me 18,500. it pays 4.85% in 3 yrs. and with 300 going in each month"
    assert mixes_interest(Draft("arithmetic", {"numbers": tuple(read(text).quantities or ())}, text))


def test_a_fee_never_holds_the_amount_that_is_sent() -> None:
    reading = read("ok if they charge 4.50 plus 1% and i send 300 eur whats the fee")
    assert sum_of(reading.quantities or (), reading.text) is None
