"""What later messages have done with the numbers and results of a conversation in plain words, though strange
words are beside them: each figure against its formula, in exact decimals; and what is left alone."""

import asyncio
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

import pytest

from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.ledger import entry_of
from finassist.domain.calculators.recognition.follow_ups.said_back import said_back
from recognised_calculations import CALCULATIONS

pytestmark = pytest.mark.xdist_group("calculations")

D = Decimal
SALARY = "im on 68000 a year in calgary and getting 4.5% raise. new salary?"
RAISED = D(71060)
HOURLY = "whats that an hour, 37.5 hrs week"
INVOICE = "invoice is £1,450 net, what do I charge with 20% vat?"
MORTGAGE = "home loan 520k, 5.95%, 30 years. repayments per month?"
POT = "if i want to spend 40k a year in retirement, 4% rule, what pot do i need"
SAVINGS = "Ich hab 15.000 € und will die für 3 Jahre ins Festgeld zu 2,8 % mit Zinseszins. Was kommt raus?"
SIP = "sip of 8000 per month for 15 yrs at 12% gives how much"


def asked(said: Sequence[str]) -> Continued:
    *earlier, last = said
    found = asyncio.run(CALCULATIONS.asked(last, earlier))
    assert found is not None
    return found


def figures(*said: str) -> set[Decimal]:
    """The figures of what the last message asks for."""
    found = asked(said)
    assert found.operation or not found.draft.missing
    calls = found.operation or [recognised(found.draft)]
    entries = [entry_of(call) for call in calls]
    return {cents(value) for entry in entries if entry is not None for value in entry.figures.values()}


def cents(value: Decimal) -> Decimal:
    return value.quantize(D("0.01"), ROUND_HALF_UP)


def instalment(loan: int, percent: str, months: int) -> Decimal:
    rate = D(percent) / 1200
    return loan * rate / (1 - (1 + rate) ** -months)


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ([SALARY, HOURLY], RAISED / 52 / D("37.5")),
        ([SALARY, HOURLY, "biweekly before tax?"], RAISED / 26),
        (["i make 24.50 an hour 40 hrs a week what is that yearly", "biweekly before tax?"], D("24.5") * 80),
        ([MORTGAGE, "ok and a yr for me"], cents(instalment(520000, "5.95", 360)) * 12),
        (
            [INVOICE, "they'd do this every month, so what a year for me without the vat"],
            D(1450) * 12,
        ),
    ],
)
def test_what_is_paid_regularly_is_told_for_another_period(said: Sequence[str], figure: Decimal) -> None:
    assert cents(figure) in figures(*said)


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ([MORTGAGE, "we split it 60/40, me 60"], cents(instalment(520000, "5.95", 360)) * D("0.6")),
        (
            [MORTGAGE, "we split it 60/40, me 60", "and his share?"],
            cents(instalment(520000, "5.95", 360)) * D("0.4"),
        ),
        ([MORTGAGE, "my gf pays 40% of that, how much is hers"], D("3100.97") * D("0.4")),
        ([SALARY, "roughly 27% goes off for tax and stuff. so biweekly in my hand"], RAISED / 26 * D("0.73")),
        ([SALARY, "biweekly?", "6% of gross into my rrsp, how much each pay"], RAISED / 26 * D("0.06")),
        (
            [SALARY, "biweekly?", "27% goes off", "i want 6% of gross into my rrsp, per paycheque how much"],
            RAISED / 26 * D("0.06"),
        ),
        ([INVOICE, "client wants 10% off the net"], D(1450) * D("0.9") * D("1.2")),
        (
            ["bought 40 shares at 62.5 now they are at 81, whats my gain", "15% tax on the gain is"],
            D(740) * D("0.15"),
        ),
        (
            [SAVINGS, "Was bleibt von den Zinsen nach Steuer übrig, mit 26,375 %"],
            (D(15000) * D("1.028") ** 3 - 15000) * D("0.73625"),
        ),
        (
            ["my ctc is 14.4 lakh pa. per month how much it comes", "if i get 15% hike what will be the ctc"],
            D(1440000) * D("1.15"),
        ),
    ],
)
def test_a_share_is_taken_of_what_the_words_name(said: Sequence[str], figure: Decimal) -> None:
    assert cents(figure) in figures(*said)


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ([MORTGAGE, "put the 50k from mum in first so borrow 50 less"], instalment(470000, "5.95", 360)),
        ([MORTGAGE, "and they reckon RBA will cut .25"], instalment(520000, "5.7", 360)),
        ([POT, "actually social security will cover 12k of that 40k"], D(28000) * 25),
        (["emi for 45 lakh home loan 8.6% 20 years", "and if i take 5 lakh less only"], D("34966.51")),
    ],
)
def test_a_number_is_less_by_what_is_told(said: Sequence[str], figure: Decimal) -> None:
    assert cents(figure) in figures(*said)
    assert said_back(asked(said)).startswith("That is with")


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ([SAVINGS, "und bei 3,1?"], "yearly_rate", "3.1"),
        ([SIP, "12 is maybe optimistic, do 10"], "yearly_return", "10"),
        ([MORTGAGE, "rate is actually 6.2"], "yearly_rate", "6.2"),
        ([SAVINGS, "und bei 3,1?", "und wenn ich nur die hälfte anlege, wieder 2,8"], "principal", "7500"),
    ],
)
def test_a_bare_number_takes_the_place_of_the_one_that_it_is_like(
    said: Sequence[str], slot: str, value: str
) -> None:
    [number] = asked(said).draft.filled[slot]
    assert number.value == D(value)


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ([INVOICE, "another client paid 2,040 incl vat, how much of it is the vat"], "tax_percent", 20),
        (
            [SIP, "how much do i need to save each month to have another 20000 by then?"],
            "term",
            180,
        ),
    ],
)
def test_another_calculation_takes_the_number_that_it_lacks_from_before(
    said: Sequence[str], slot: str, value: int
) -> None:
    found = asked(said).draft
    assert not found.missing
    assert [number.value for number in found.filled[slot]] == [value]


def test_a_number_said_again_without_its_unit_is_no_other_number() -> None:
    told = "i got 180k now and 22 yrs to go. at 7% what will the 180 grow to"
    assert cents(D(180000) * D("1.07") ** 22) in figures(POT, told)


def test_two_results_are_added_up_and_set_against_each_other() -> None:
    vat = ["whats 20% vat on 1,450", "and on 2,300 at the same rate"]
    assert D(750) in figures(*vat, "vat for both together then")
    loans = ["emi for 45 lakh home loan 8.6% 20 years", "15 yrs?"]
    [*calls] = asked([*loans, "total interest saved vs the 20 yr one?"]).operation
    assert [call.name for call in calls] == ["difference"]


@pytest.mark.parametrize("first", [MORTGAGE, SIP, INVOICE, SALARY])
@pytest.mark.parametrize(
    "last",
    [
        "i am 40",
        "they said 3% of people default",
        "hours a week are usually 40",
        "my partner is 40 and earns nothing",
    ],
)
def test_a_number_that_is_said_of_something_else_changes_nothing(first: str, last: str) -> None:
    found = asyncio.run(CALCULATIONS.asked(last, [first]))
    assert found is None or not found.operation
    assert found is None or not found.is_changed
