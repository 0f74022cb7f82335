"""The numbers of a message, each where it stands."""

import pytest

from finassist.domain.calculators.stories.numbers import numbers_in, plain
from finassist.domain.calculators.stories.units import CLOCK


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tip jar 612.00, ana 31 hrs, beto 22.5", ["612.00", "31", "22.5"]),
        ("1,395 and 1,00,000 and 1.250.000", ["1395", "100000", "1250000"]),
        ("1.395,50 € oder 12,50", ["1395.50", "12.50"]),
        ("€73,50, to share", ["73.50"]),
        ("31,22,18", ["31", "22", "18"]),
        ("1'250.50 CHF", ["1250.50"]),
        ("5k, 2.5 lakh, 2 grand and 3m", ["5000", "250000.0", "2000", "3000000"]),
        ("560 k's to the house", ["560"]),
        ("twenty-five each, two hundred in all, half of it", ["25", "200", "0.5"]),
        ("R500, Rs250 and 2x400g", ["500", "250", "2", "400"]),
        ("R23 500 and 3 100 notes", ["23500", "3", "100"]),
        ("20% of .5", ["20", "0.5"]),
        ("my 401k, a 403(b)", []),
        ("from the 1st to the 15th", ["1", "15"]),
        ("3/4 and 1/8", ["0.75", "0.125"]),
        ("on 12/03/2026", ["12", "3", "2026"]),
        (
            "five hundred thousand, half a million, a quarter of a million",
            ["500000", "500000.0", "250000.00"],
        ),
        ("two thousand five hundred and a hundred and twenty", ["2500", "120"]),
        ("one and a half million, twelve and a half percent", ["1500000.0", "12.5"]),
        ("a dozen, half a dozen, two dozen, dozen", ["12", "6.0", "24", "12"]),
        ("a grand total of 5, not a grand", ["5", "1000"]),
        ("2 \u00bd lb, 2 1/2 cups, \u00bd", ["2.5", "2.5", "0.5"]),
        ("6 m of cloth at 12 a m, 6m of it", ["6", "12", "6"]),
        ("a house at 1.2m or \u00a31.2 m", ["1200000.0", "1200000.0"]),
        ("on the twenty-third, twenty first", []),
        ("1e5 of them, -5%", ["5"]),
        ("1\u066c250 dirham", ["1250"]),
        ("5 m\u0131l, f\u0131ve, \u017fixty, 5 \u212a", ["5", "5"]),
        ("on the 19th of june, 3 May, October 2nd", ["19", "30", "3", "31", "31", "2"]),
        ("nov 96, dec 141.5, may i ask, in June 2026", ["96", "141.5", "2026"]),
        ("40 miles each way, there and back, a round trip", ["40", "2", "2", "2"]),
        ("flat 285.000 euro, we have 61.500, and 38,5 more", ["285000", "61500", "38.5"]),
        ("€2.340 a month, 1.250 kr", ["2340", "1250"]),
        ("1.789 euros a litre, €1.085 to the pound, 0.875 of 12.500", ["1.789", "1.085", "0.875", "12.500"]),
        ("£1 = €1.163", ["1", "1.163"]),
        ("1,85 € less 26.375%", ["1.85", "26.375"]),
        ("300,000 at 6.000% with 1.125 points", ["300000", "6.000", "1.125"]),
        ("1.125 million and 20.000 euros", ["1125000.000", "20000"]),
        ("none at all", []),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, told: list[str]) -> None:
    assert [f"{each.value:f}" for each in numbers_in(text)] == told


def test_a_number_knows_where_it_is_written() -> None:
    text = "split £1,395.50 by three"
    assert [(each.written, text[each.start :]) for each in numbers_in(text)] == [
        ("1,395.50", "1,395.50 by three"),
        ("three", "three"),
    ]


def test_times_of_the_clock_are_hours() -> None:
    times = numbers_in("7:45am, 16:20, 12am, 12 noon, 12pm, 9pm, 14 pm, \u00a35pm, 25:10")
    assert [(each.told, each.unit) for each in times if each.unit == CLOCK] == [
        ("(7 + 45 / 60)", CLOCK),
        ("(16 + 20 / 60)", CLOCK),
        ("0", CLOCK),
        ("12", CLOCK),
        ("21", CLOCK),
    ]
    assert [each.written for each in times if each.unit != CLOCK] == ["12", "14", "5", "25", "10"]


def test_a_part_without_end_stays_a_division() -> None:
    assert [each.told for each in numbers_in("1/3, two thirds or 0.25")] == ["(1 / 3)", "(2 / 3)", "0.25"]


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("tip jar 612.00, ana 31 hrs, beto 22.5", "tip jar 610, ana 31 hrs, beto 22"),
        ("pays 48,213.50 and 1'250.50", "pays 48000 and 1300"),
        ("1,00,000 and 2.5 lakh and 3m", "100000 and 250000 and 3000000"),
        ("5k at 4.125% for 2 years", "5000 at 4.12% for 2 years"),
        ("R23 500 or 1.250,75 €", "R24000 or 1300 €"),
        ("99.6, 12.4 and 9.999", "100, 12 and 10"),
        ("0.00, .5 and 0.004", "0, 0.5 and 0"),
        ("1/3 or 3/4", "0.33 or 0.75"),
        ("in 2026, 1999 then", "in 2026, 1999 then"),
        ("twenty-five each, half of two hundred", "twenty-five each, half of two hundred"),
        ("on the 15th, my 401k", "on the 15th, my 401k"),
        ("20#20", "20#20"),
        ("no number", "no number"),
    ],
)
def test_the_network_reads_few_digits_of_each_number(text: str, short: str) -> None:
    assert plain(text, numbers_in(text))[0] == short


def test_the_network_is_told_where_each_number_begins() -> None:
    text = "split £1,395.50 by three, 612.00 is 5k's"
    short, starts = plain(text, numbers_in(text))
    assert [short[start:] for start in starts] == [
        "1400 by three, 610 is 5k's",
        "three, 610 is 5k's",
        "610 is 5k's",
        "5k's",
    ]
