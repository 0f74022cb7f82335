"""How the offline model answers from files."""

import pytest
from papers import STATEMENT

from finassist.adapters.llm.offline.documents import answer_from_files
from finassist.application.ports.language_model import FilePart, ModelMessage
from finassist.domain.conversations.message import Role

PAGES = tuple("\n".join(lines) for lines in STATEMENT)
FILE = FilePart("statement.pdf", "", PAGES, ("page 1", "page 2", "page 3"))
BUDGET = FilePart("budget.xlsx", "", ("Salary | 3,000", "Rent | 900"), ("sheet Income", "sheet Costs"))
NOTE = FilePart("note.txt", "", ("Rent is due on the 3rd.\nThe boiler was serviced in May.",))


def asked(question: str, *files: FilePart) -> str:
    return answer_from_files(question, [ModelMessage(Role.USER, question, files)]) or ""


def test_the_row_that_answers_is_quoted_with_its_sheet() -> None:
    assert "Rent | 900 [budget.xlsx, sheet Costs]" in asked("How much is the rent?", BUDGET)


def asked_later(question: str, file: FilePart = FILE) -> str | None:
    earlier = (ModelMessage(Role.USER, "Look.", [file]), ModelMessage(Role.ASSISTANT, "Yes."))
    return answer_from_files(question, [*earlier, ModelMessage(Role.USER, question)])


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What is the closing balance?", "Closing balance on 28 February: 3,167.10 [statement.pdf, page 3]"),
        ("How high is my opening balance", "Opening balance on 1 February: 2,310.40 [statement.pdf, page 1]"),
        ("How much was the electricity?", "09 Feb Electricity company -71.90 [statement.pdf, page 2]"),
        ("What rent did I pay?", "03 Feb Rent for February -1,180.00 [statement.pdf, page 1]"),
        (
            "May I close the account free of charge?",
            "The terms of the account change on 1 May 2026, see the enclosed notice; you may close the "
            "account free of charge until then. [statement.pdf, page 3]",
        ),
    ],
)
def test_the_line_that_answers_is_quoted_with_its_page(question: str, line: str) -> None:
    assert line in asked(question, FILE)


def test_all_lines_that_answer_are_quoted_in_the_order_of_the_pages() -> None:
    answer = asked("How much did I spend at the grocery store?", FILE)
    assert answer.splitlines()[:2] == [
        "05 Feb Grocery store -84.35 [statement.pdf, page 1]",
        "26 Feb Grocery store -102.10 [statement.pdf, page 2]",
    ]


def test_who_asks_what_a_file_is_gets_its_beginnings() -> None:
    answer = asked("What is this?", FILE)
    assert answer.startswith("Harbour Bank - Account statement [statement.pdf, page 1]\n")
    assert "[statement.pdf, page 2]" in answer


def test_a_file_without_pages_is_cited_by_its_name() -> None:
    assert asked("When is the rent due?", NOTE).startswith("Rent is due on the 3rd. [note.txt]\n")


def test_a_file_that_says_nothing_of_it_leaves_the_question_to_others() -> None:
    assert asked("Should a beginner diversify with bonds?", FILE) == ""


def test_without_files_there_is_no_answer() -> None:
    assert asked("What is the closing balance?") == ""


def test_an_earlier_file_answers_when_the_question_is_about_it() -> None:
    assert "3,167.10" in (asked_later("And the closing balance?") or "")
    assert "-1,180.00" in (asked_later("How much was my rent?") or "")
    assert asked_later("What is a balance?") is None
    assert asked_later("How do I diversify a portfolio?") is None


def test_half_a_question_after_an_answer_from_a_file_goes_on_with_the_file() -> None:
    def then(question: str) -> str | None:
        first = "How much was the salary?"
        earlier = (
            ModelMessage(Role.USER, first, [BUDGET]),
            ModelMessage(Role.ASSISTANT, asked(first, BUDGET)),
        )
        return answer_from_files(question, [*earlier, ModelMessage(Role.USER, question)])

    assert "Rent | 900 [budget.xlsx, sheet Costs]" in (then("And how much was the rent?") or "")
    assert then("And how do I diversify a portfolio?") is None
    assert then("What is rent?") is None
    assert asked_later("And how much was the rent?") is None, "no answer from the file came before"
