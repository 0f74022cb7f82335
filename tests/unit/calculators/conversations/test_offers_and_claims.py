"""Later messages that tell another offer, another person, the first way or a claim: they do not simply put a
number in the place of the nearest one."""

import pytest

from finassist.domain.calculators.debts import Debt
from recognised_calculations import recognise, reply

pytestmark = pytest.mark.xdist_group("calculations")

CARD = "owe 2000 on a card at 22% apr, paying 100 a month. how long till it's gone"
EXCHANGE = "800 euros to dollars at 1.1"
SHARED = "rent is 1200, i make 3000 my flatmate 2000, splitting by income whats my share"


async def told(*said: str) -> str:
    *earlier, last = said
    return (await reply(last, earlier)).partition("\n\nFormula")[0]


@pytest.mark.parametrize(
    "move", ["what if i move it to a 0% card with a 4% fee", "and on a 0% card, transfer fee of 4%"]
)
def test_a_fee_in_percent_for_moving_a_debt_is_no_yearly_rate(move: str) -> None:
    found = recognise(move, [CARD])
    assert found is not None
    debts = found.arguments["debts"]
    assert isinstance(debts, tuple)
    told = [(str(each.balance), str(each.yearly_rate)) for each in debts if isinstance(each, Debt)]
    assert told == [("2080.00", "0")]


def test_a_fee_that_the_calculation_does_not_know_changes_no_rate() -> None:
    loan = "I'm borrowing 18,000 for a car at 6.4% over 5 years, what's the monthly payment?"
    found = recognise("and there is a 2% fee", [loan])
    assert found is None or found.arguments.get("yearly_rate") != 2


async def test_the_first_way_is_the_first_result_of_the_talk() -> None:
    said = ("dinner was 120 plus 10% tip, 4 of us, how much each", "5 of us actually", "and make the tip 20")
    assert "33.00 - 28.80 = 4.20 less" in await told(*said, "how much less is that each than the first way")
    assert "33.00 - 28.80 = 4.20 less" in await told(*said, "what's the difference to the original version")


@pytest.mark.parametrize("claim", ["so thats 40% off right?", "so it's 40% off in all, isn't it?"])
async def test_a_claimed_discount_is_checked_and_not_taken_off_again(claim: str) -> None:
    assert "37%" in await told("boots 110 with 30% off then another 10% off at the till", claim)


@pytest.mark.parametrize("claim", ["is that 30% off?", "so that's 25%?"])
async def test_a_claimed_change_is_checked_and_is_no_new_amount(claim: str) -> None:
    assert "a decrease of 30%" in await told("jacket was 120 now 84, how much off?", claim)


async def test_another_percentage_is_no_claim_about_a_change() -> None:
    assert "of 20%" not in await told("price went from 100 to 120, what %", "is it 20% VAT in France?")


async def test_what_somebody_pays_more_is_no_income() -> None:
    assert "200.00 pays" not in await told(SHARED, "and if she pays 200 more?")


async def test_another_place_takes_its_own_fee_alone() -> None:
    said = (EXCHANGE, "my bank takes 2% tho", "and the other place takes a flat 10 euros no percent")
    assert "869.00 USD, after a fee of 10.00" in await told(*said)
    assert "6.60 more" in await told(*said, "which one is better and by how much")
    assert "868.56" in await told(EXCHANGE, "the bank takes a flat 10 euros", "another bank takes 1.3%")


async def test_one_more_person_is_added_and_the_number_of_who_writes_stays() -> None:
    assert "514.29" in await told(SHARED, "a third person is moving in she makes 2000")
    more = await told(SHARED, "a third person is moving in she makes 2000", "sorry she makes 2500")
    assert "The one with 3,000.00 pays 480.00" in more
    other = await told(SHARED, "sorry she makes 2600")
    assert "The one with 3,000.00" in other
    assert "the one with 2,600.00" in other
