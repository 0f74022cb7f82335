"""Totals that the units of the numbers make, against sums done by hand."""

from decimal import Decimal

import pytest

from finassist.domain.calculators import CALCULATORS
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import draft
from finassist.domain.calculators.recognition.reading import read


def total_of(question: str) -> Decimal | None:
    """What each pays, or else the total; None when the numbers make none."""
    found = draft("itemised_total", read(question))
    if found is None:
        return None
    figures = CALCULATORS["itemised_total"].function(**recognised(found).arguments).figures
    total: Decimal = figures.total if figures.each is None else figures.each
    return total


@pytest.mark.parametrize(
    ("question", "total"),
    [
        ("3 tickets at 45 plus a booking fee of 12.50, total?", "147.50"),
        ("did 38 hrs at 27.50 and then 9 hrs at 35, whats my gross", "1360"),
        ("plumber: 60 call out and 3 hours at 45 an hour plus 82 for parts, total bill", "277"),
        ("gym joining fee is 40 and then 22 a month, what does the first year cost", "304"),
        ("order of 86, voucher 15 off, delivery 4.99, what do i pay", "75.99"),
        (
            "trajet de 310 km, 6,1 L aux 100, essence à 1,78 €/L, plus 24,60 de péage, on est 3, par tête",
            "19.42",
        ),
        ("was kosten 2.900 kWh zu 34,8 cent pro kWh und 12,50 € grundpreis im monat im jahr", "1159.20"),
        ("factura de 860 € más 21 % de IVA y retención del 15 % de IRPF, qué total", "911.60"),
        ("ganho 2860 por mes e quero guardar 15%, em 14 meses junto qto", "6006"),
        (
            "netflix 15.49 spotify 11.99 gym 39 icloud 2.99 thats all monthly, how much is it in a year",
            "833.64",
        ),
        ("rent 1180, food 360, bills 245, car 190 every month for 6 months, have 4,000 saved", "7850"),
        ("bought 10 shares at 50 and 20 shares at 41.75, average price", "44.50"),
        (
            "paid 21k, sold for 12.5k after 4 years, spent 3,150 a year, 11,000 miles a year, cost per mile",
            "0.4795",
        ),
        (
            "job a pays 61,000, job b 66,500 but travel costs me 310 a month, how much better off a year",
            "1780",
        ),
    ],
)
def test_the_units_of_the_numbers_make_the_total(question: str, total: str) -> None:
    assert total_of(question) == Decimal(total)


@pytest.mark.parametrize(
    "question",
    [
        "rent is 900 a month and i have 2 kids",
        "i have 5000 and 14 days to decide",
        "tickets for 4, what do we pay",
        "how much is left of 2000",
        "tax of 20% on 3 shirts at 25 and 10% off a coat at 80",
        "should i take 30,000 in 2 years or 400 a month with 5% interest",
    ],
)
def test_numbers_that_do_not_fit_together_make_no_total(question: str) -> None:
    assert total_of(question) is None
