"""How amounts, dates and columns of exports are read, and what is said of those that may mean two things."""

from datetime import date
from decimal import Decimal

import pytest

from documents import pdf
from finassist.adapters.decoding.statements.formats import statement_in
from finassist.adapters.decoding.wire import Refused
from finassist.domain.statements.amounts import amount_of, decimal_mark, written
from finassist.domain.statements.dates import Order, date_of, order_of
from finassist.domain.statements.record import Statement
from office import changed, with_entities, workbook
from unit.statements.exports import WORKBOOK, camt, payments

CSV = "text/csv"


def read(text: str | bytes, mime_type: str = CSV) -> Statement:
    statement = statement_in(text.encode() if isinstance(text, str) else text, mime_type)
    assert statement is not None
    return statement


def amounts(statement: Statement) -> list[str]:
    return [str(each.amount) for each in statement.transactions]


@pytest.mark.parametrize(
    ("text", "mark", "amount"),
    [
        ("1,234.56", ".", "1234.56"),
        ("1.234,56", ",", "1234.56"),
        ("1 234,56", ",", "1234.56"),
        ("1'234.50", ".", "1234.50"),
        ("1,00,000.00", ".", "100000.00"),
        ("-12.00", ".", "-12.00"),
        ("12.00-", ".", "-12.00"),
        ("\u221212.00", ".", "-12.00"),
        ("(12.00)", ".", "-12.00"),
        ("12.00 DR", ".", "-12.00"),
        ("12,00 S", ",", "-12.00"),
        ("£12", ".", "12"),
        ("-$12.00", ".", "-12.00"),
        ("12,00 €", ",", "12.00"),
        ('="12.00"', ".", "12.00"),
        (".50", ".", "0.50"),
    ],
)
def test_an_amount_is_read_as_it_is_written(text: str, mark: str, amount: str) -> None:
    found = amount_of(text, mark)
    assert found is not None
    assert found[0] * (found[1] or 1) == Decimal(amount)


@pytest.mark.parametrize(
    "text", ["", "-", "abc", "1.2.3.4", "12.00.", "1,23,4", "=1+1", "1e5", "2025-01-03", "(5"]
)
def test_what_is_no_amount_is_not_read_as_one(text: str) -> None:
    assert written(text) is None or amount_of(text, ".") is None


@pytest.mark.parametrize(
    ("texts", "mark", "sure"),
    [
        (["1,234.56"], ".", True),
        (["1.234,56"], ",", True),
        (["12,5"], ",", True),
        (["1.234.567"], ",", True),
        (["1.234", "12,30"], ",", True),
        (["1.234"], ".", False),
        (["12"], ".", True),
    ],
)
def test_the_decimal_mark_is_told_by_the_column(texts: list[str], mark: str, sure: bool) -> None:
    assert decimal_mark(texts) == (mark, sure)


@pytest.mark.parametrize(
    "text",
    [
        "2025-01-03",
        "2025/1/3",
        "20250103",
        "03/01/2025",
        "3.1.25",
        "03-01-2025 10:15",
        "3 Jan 2025",
        "3. Januar 2025",
        "03-JAN-25",
        "Jan 3, 2025",
        "January 3rd, 2025",
        "Fri, 3 Jan 2025",
        "2025-01-03T10:15:00Z",
        "3 janv. 2025",
    ],
)
def test_a_date_is_read_as_it_is_written(text: str) -> None:
    assert date_of(text, Order.DAY_FIRST) == date(2025, 1, 3)


@pytest.mark.parametrize(
    ("texts", "currencies", "order", "said"),
    [
        (["03/04/2025", "13/04/2025"], (), Order.DAY_FIRST, False),
        (["03/04/2025", "04/13/2025"], (), Order.MONTH_FIRST, False),
        (["03.04.2025", "04.04.2025"], (), Order.DAY_FIRST, False),
        (["01/05/2025", "02/03/2025", "02/09/2025"], (), Order.MONTH_FIRST, True),
        (["05/01/2025", "03/02/2025", "09/02/2025"], (), Order.DAY_FIRST, True),
        (["01/02/2025"], (), Order.DAY_FIRST, True),
        (["01/02/2025"], ("USD",), Order.MONTH_FIRST, True),
        (["03/03/2025"], (), Order.DAY_FIRST, False),
    ],
)
def test_the_order_of_day_and_month_is_found_or_said(
    texts: list[str], currencies: tuple[str, ...], order: Order, said: bool
) -> None:
    found = order_of(texts, currencies)
    assert (found.order, bool(found.note)) == (order, said)


def test_amounts_without_a_sign_follow_the_balances() -> None:
    statement = read(
        "Date,Description,Amount,Balance\n2025-01-01,A,10,90\n2025-01-02,B,30,120\n2025-01-03,C,20,100\n"
    )
    assert amounts(statement) == ["-10", "30", "-20"]
    assert "in row 2" in statement.notes[0]


def test_amounts_without_a_sign_are_money_out_unless_they_read_like_income() -> None:
    statement = read("Date,Description,Amount\n2025-01-01,Aldi,10\n2025-01-02,Salary,30\n")
    assert amounts(statement) == ["-10", "30"]
    assert "except what reads like income" in statement.notes[0]


def test_an_amount_on_both_sides_is_named() -> None:
    statement = read("Date,Text,Debit,Credit\n2025-01-01,A,10,5\n2025-01-02,B,,7\n")
    assert amounts(statement) == ["7"]
    assert statement.unread[0].reason == "has an amount on both sides"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just a note",
        "Item,Amount\nRent,900\n",
        "Date,Close\n2025-01-01,101.5\n2025-01-02,102.5\n",
        "a;b\n1;2\n",
    ],
)
def test_other_tables_and_texts_are_no_statement(text: str) -> None:
    assert statement_in(text.encode(), CSV) is None


def test_a_workbook_gives_its_calculated_values_and_names_its_rows() -> None:
    rows: list[list[object]] = [
        ["Date", "Description", "Amount"],
        [date(2025, 1, 3), "Aldi", -1.125],
        [date(2025, 1, 4), "Shop", "=1+1"],
    ]
    statement = read(workbook({"Bank": rows}), WORKBOOK)
    assert amounts(statement) == ["-1.1250"]
    assert [(row.place, row.reason) for row in statement.unread] == [("row 3", "has no amount")]


def test_the_lines_of_a_pdf_become_transactions_with_their_pages() -> None:
    first = "Some Bank plc\nStatement 1 January to 31 January 2025\n03 Jan ALDI STORES 23.50 76.50\nContinued"
    second = "05 Jan SALARY ACME 1,000.00 1,076.50\n07 Jan NETFLIX 12.99 1,063.51\nClosing balance 1,063.51"
    statement = read(pdf(first, second), "application/pdf")
    assert amounts(statement) == ["-23.50", "1000.00", "-12.99"]
    assert [each.place for each in statement.transactions] == [
        "page 1, line 3",
        "page 2, line 1",
        "page 2, line 2",
    ]
    assert statement.transactions[1].day == date(2025, 1, 5)


def test_a_pdf_with_signs_needs_no_balance() -> None:
    text = "01/13/2025 COFFEE -4.10\n01/14/2025 REFUND 2.00\n01/15/2025 NO AMOUNT HERE"
    statement = read(pdf(text), "application/pdf")
    assert amounts(statement) == ["-4.10", "2.00"]
    assert statement.unread[0].place == "page 1, line 3"


def test_a_letter_in_a_pdf_is_no_statement() -> None:
    assert statement_in(pdf("Dear customer,\n3 January 2025\nyour rate is 4.10"), "application/pdf") is None


def test_the_year_of_a_booking_in_mt940_is_the_one_near_its_value_date() -> None:
    text = ":20:X\n:25:1/2\n:28C:1\n:60F:C241230EUR10,00\n:61:2412310102D5,00NMSC//1\n:86:Shop\n"
    [found] = read(text, "application/x-mt940").transactions
    assert (found.day, found.amount, found.balance) == (date(2025, 1, 2), Decimal("-5.00"), Decimal("5.00"))


def test_a_broken_line_of_mt940_costs_no_other() -> None:
    lines = ":61:nonsense\n:86:Shop\n:61:250103D1,00NMSC\n:86:?20Aldi\n"
    text = f":20:X\n:25:1/2\n:28C:1\n:60F:C241230EUR10,00\n{lines}"
    statement = read(text, "application/x-mt940")
    assert amounts(statement) == ["-1.00"]
    assert statement.unread[0].place == "line 5"


@pytest.mark.parametrize(
    ("content", "mime_type", "said"),
    [
        ("date,text,amount" + ",x" * 1_000_000 + "\n2025-01-01,a,-1\n", CSV, "at most 200 columns"),
        ("date,text,amount\n" + "2025-01-01,a,-1\n" * 100_001, CSV, "at most 100,000 rows"),
        ('date,text,amount\n2025-01-01,"' + "a" * 20_000 + '",-1\n', CSV, "at most 10,000 characters"),
        (camt(payments(1), '<!DOCTYPE x [<!ENTITY a "aaa">]>'), "application/xml", "document type"),
        (camt(payments(1))[:900], "application/xml", "whole XML"),
        (b"\x00\x01\x02", CSV, "Must be text"),
        (b"PK\x03\x04 nothing", WORKBOOK, "whole workbook"),
        (with_entities(workbook({"a": [["x"]]}), "xl/workbook.xml"), WORKBOOK, "document type"),
    ],
    ids=[
        "columns",
        "rows",
        "field",
        "entities",
        "truncated",
        "binary",
        "no archive",
        "workbook entities",
    ],
)
def test_hostile_files_end_in_a_clear_error(content: str | bytes, mime_type: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        statement_in(content.encode() if isinstance(content, str) else content, mime_type)


def test_a_workbook_that_unpacks_to_more_than_100_mb_is_refused() -> None:
    bomb = changed(workbook({"a": [["x"]]}), "xl/worksheets/sheet1.xml", lambda xml: b" " * 110 * 2**20)
    with pytest.raises(Refused, match="100 MB"):
        statement_in(bomb, WORKBOOK)


@pytest.mark.parametrize(
    "text",
    [
        "<OFX>" + "<STMTTRN>" * 20_000,
        "OFXHEADER:100\n<OFX>" + "<STMTTRN><DTPOSTED>20250101<TRNAMT>--5" * 5_000,
        "!Type:Bank\n" + "D01/01/2025\n" * 50_000 + "^\n",
        ":20:X\n:25:1\n:60F:" + "C" * 100_000 + "\n:61:" + "2" * 100_000 + "\n:86:" + "?" * 100_000,
        "date,text,amount\n" + "((((((((((((((((((((,'''''''''''''''',-------\n" * 5_000,
        "date;text;amount\n" + "1" * 39 + ";a;" + "1." * 19 + "\n2025-01-01;b;-1\n",
    ],
    ids=["open", "signs", "dates", "mt940", "marks", "digits"],
)
def test_nonsense_is_read_fast_and_without_an_exception(text: str) -> None:
    statement = statement_in(text.encode(), CSV)
    assert statement is None or statement.rows == len(statement.transactions) + len(statement.unread)
