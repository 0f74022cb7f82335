"""What is drawn on the page of a share: figures that are public already, and nothing else."""

import re
import time
from decimal import Decimal

import pytest

from finassist.application.shares.stated_results import stated_result
from finassist.entrypoints.http.shares.charts import render_charts
from finassist.entrypoints.http.shares.listed_figures import Listed, listed_figures
from finassist.entrypoints.http.web.pages import WORDS

LOAN = "What is my monthly payment on a loan of 250000 at 4% over 25 years?"
INSTALMENT = "The monthly instalment is 1,319.59; over 25 years that is 145,877.63 of interest."
ENGLISH = WORDS["en"]


def charts(reply: str, question: str = "Where does my money go?") -> str:
    return render_charts(question, reply, ENGLISH)


def test_a_list_that_says_the_same_of_each_entry_has_figures() -> None:
    months = (
        "You spent 1,020.00 EUR.\n\n- January 2026: out 950.00 EUR, in 2,500.00 EUR [x.csv, rows 2-4]\n"
        "- February 2026: out 70.00 EUR, in 2,500.00 EUR [x.csv, rows 5-6]\n\nHow I counted:\n- Of 6 rows 6."
    )
    assert list(listed_figures(months)) == [
        Listed(
            ["January 2026", "February 2026"],
            {"out": [Decimal(950), Decimal(70)], "in": [Decimal(2500), Decimal(2500)]},
            "EUR",
        )
    ]


def test_asides_are_left_out_and_what_an_entry_lacks_is_a_gap() -> None:
    rates = "- **March**: -12.99 EUR of 0.00 EUR\n- April: 1 EUR of 2 EUR, 62.0 %\n- May: 3 EUR of 4 EUR, 9 %"
    assert list(listed_figures(rates)) == [
        Listed(["March", "April", "May"], {"": [None, Decimal(62), Decimal(9)]}, "%")
    ]
    parts = "- Housing: 900.00 EUR (87.1%, 1 row) [x.csv, row 3]\n- Other: 120.00 EUR (11.6%, 2 rows)"
    assert [listed.columns for listed in listed_figures(parts)] == [{"": [Decimal(900), Decimal(120)]}]


def test_a_table_of_numbers_has_figures_and_one_of_words_has_none() -> None:
    table = "| Year | Balance | Interest |\n|---|---:|---|\n| 1 | 1,000 | 50.5 |\n| 2 | 900 | 40 |"
    assert [(listed.names, list(listed.columns)) for listed in listed_figures(table)] == [
        (["1", "2"], ["Balance", "Interest"])
    ]
    assert not list(
        listed_figures("| | A | B |\n|---|---|---|\n| Free after | 21 months | 6 months |\n| x | 1 | 2 |")
    )


@pytest.mark.parametrize(
    "text", ["- One: 1\n- Two: 2", "- Rate: 5 %", "No list at all: 5 %", "- A: about five\n- B: 3 EUR", ""]
)
def test_numbers_that_may_be_anything_are_not_drawn(text: str) -> None:
    assert charts(text) == ""


def test_a_result_is_drawn_whose_figures_the_reply_states() -> None:
    stated = stated_result(LOAN, INSTALMENT)
    assert stated is not None
    assert (stated.calculator, len(stated.series.points)) == ("loan_instalment", 25)
    in_other_words = "You pay **1,319.59** a month. Interest is 145,877.63 over the 25 years."
    assert stated_result(LOAN, in_other_words) == stated


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        (LOAN, "The monthly instalment is 1,320; over 25 years that is 145,877.63 of interest."),
        (LOAN, "I cannot say."),
        ("What is a bond?", INSTALMENT),
        ("And over 20 years?", INSTALMENT),
        (f"{LOAN} {'x ' * 300}", INSTALMENT),
    ],
)
def test_nothing_is_drawn_that_the_public_text_does_not_bear_out(question: str, reply: str) -> None:
    assert stated_result(question, reply) is None


def test_each_chart_is_named_and_has_its_table_or_list() -> None:
    drawn = charts(INSTALMENT, LOAN)
    assert re.findall(r'role="img" aria-label="([^"]+)"', drawn) == [
        "Loan instalment, year: Balance",
        "Loan instalment, year: Interest, Principal",
    ]
    assert drawn.count("<tr>") == 26
    assert drawn.count("<polyline") == 3
    assert "style=" not in drawn


def test_what_a_reply_lists_is_inert_in_a_chart() -> None:
    attack = "<script>alert(1)</script>\"'"
    drawn = charts(f"- {attack}: {attack} 5 EUR\n- {attack}: {attack} 6 EUR")
    assert "<svg" in drawn
    assert "<script" not in drawn
    assert re.findall(r'"[^"<>]*\'[^"<>]*"', drawn) == []


@pytest.mark.parametrize(
    "piece", ["- a: ", " ", "- a: 1 EUR, ", "| ", "- a: (((", "|---", "- a: 1,,", "[", "1.11 "]
)
def test_no_text_takes_long_however_often_a_piece_comes(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    begin = time.process_time()
    charts(text, LOAN)
    charts(text + "\n" + f"{piece}\n" * 20_000)
    assert time.process_time() - begin < 3


def test_parts_are_named_in_the_readers_language() -> None:
    drawn = render_charts(LOAN, INSTALMENT, WORDS["de"])
    assert 'aria-label="Loan instalment, Jahr: Zinsen, Tilgung"' in drawn
    assert re.findall(r'<th scope="col" class="right">(\w+)', drawn) == ["Jahr", "Zinsen", "Tilgung", "Saldo"]
    for words in WORDS.values():
        assert "&amp;" not in render_charts(LOAN, INSTALMENT, words)


def test_the_last_year_has_its_label_and_numbers_are_written_as_the_reader_does() -> None:
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", render_charts(LOAN, INSTALMENT, WORDS["de"]))
    assert {"25", "Jahr", "300.000"} <= {label[:1].upper() + label[1:] for label in labels}
    years = [int(label) for label in labels if label.isdecimal() and 0 < int(label) <= 25]
    assert years[:5] == [5, 10, 15, 20, 25]  # round ones
    assert "300K" in charts(INSTALMENT, LOAN)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", render_charts(LOAN, INSTALMENT, WORDS["de"]))
    assert all(re.fullmatch(r"\d{1,3}(?:\.\d{3})*(?:,\d+)?", cell) for cell in cells)
