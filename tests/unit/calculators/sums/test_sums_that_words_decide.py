"""Questions in which a few words decide between two calculations of the same numbers."""

from decimal import Decimal

import pytest

from recognised_calculations import recognise, reply

pytestmark = pytest.mark.xdist_group("calculations")

D = Decimal


@pytest.mark.parametrize(
    ("question", "rate"),
    [
        ("client paid me 3,450 usd how much is that in euros at 1.08", 1 / D("1.08")),
        ("how much is 3,450 dollars in euros at 0.92", D("0.92")),
        ("Convert 500 euros to dollars at 1.08", D("1.08")),
        ("convert 500 euros to dollars at 0.98", D("0.98")),
    ],
)
def test_an_exchange_rate_is_read_the_way_round_in_which_it_can_be_meant(
    question: str, rate: Decimal
) -> None:
    found = recognise(question)
    assert found is not None
    assert found.name == "currency_conversion"
    assert found.arguments["rate"] == rate.quantize(D("1e-12"))


@pytest.mark.parametrize(
    ("question", "rate"),
    [
        ("change 1,500 cedis to dollars at 12.4 per dollar", 1 / D("12.4")),
        ("exchange 300 dollars to cedis at 12.4 per dollar", D("12.4")),
        ("40,000 naira into pounds at 1,950 per pound", 1 / D(1950)),
        ("what are 200 pounds in naira at 1,950 per pound", D(1950)),
        ("700 dirhams is how many dollars at 3.67 dirhams per dollar", 1 / D("3.67")),
    ],
)
def test_a_rate_per_unit_of_one_currency_is_read_by_which_of_the_two_that_is(
    question: str, rate: Decimal
) -> None:
    found = recognise(question)
    assert found is not None
    assert found.name == "currency_conversion"
    assert found.arguments["rate"] == rate.quantize(D("1e-12"))


def test_a_later_rate_is_read_the_way_round_of_the_first_one() -> None:
    found = recognise("and at 12.65?", ["change 1,500 cedis to dollars at 12.4 per dollar"])
    assert found is not None
    assert found.arguments["rate"] == (1 / D("12.65")).quantize(D("1e-12"))


def test_a_price_per_pound_is_no_exchange_rate() -> None:
    found = recognise("apples cost 3 per pound, I have 20 dollars")
    assert found is None or found.name != "currency_conversion"


@pytest.mark.parametrize(
    ("question", "included"),
    [
        ("was sind 19% mwst auf 1.200,50 € netto und was kommt brutto raus", False),
        ("net price 480, add 19% VAT to it", False),
        ("wie viel mwst ist in 119 euro brutto bei 19%", True),
    ],
)
def test_a_tax_is_added_to_what_is_called_net(question: str, included: bool) -> None:
    found = recognise(question)
    assert found is not None
    assert found.name == "sales_tax"
    assert found.arguments["included"] is included


def test_a_bill_before_and_now_are_no_two_bills() -> None:
    found = recognise("my energy bill was 168 a month, now it's 205. how much more is that a year")
    assert found is None or found.name != "recurring_cost"


@pytest.mark.parametrize(
    "question",
    [
        "Freelance fee 5,000, taxed at 30% plus 9% social contributions, what do I keep?",
        "My bonus is 5,000, 32% federal and 7% state come off it, what lands in my account?",
        "Commission of 5,000 with 35% tax and 4% pension taken off, what is left of it?",
    ],
)
async def test_what_is_told_in_one_list_with_a_tax_comes_off_as_well(question: str) -> None:
    assert (await reply(question)).startswith("It comes to 3,050.00.")
