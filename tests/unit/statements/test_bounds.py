"""The amounts that a question names."""

from decimal import Decimal

import pytest

from finassist.domain.statements.query import query_of
from finassist.domain.statements.questions.bounds import Bounds, bounds_in
from finassist.domain.statements.record import StatementError


@pytest.mark.parametrize(
    ("question", "minimum", "maximum", "rest"),
    [
        ("show payments over 100", "100", None, "show payments"),
        ("purchases of more than €1,250.50 at Aldi", "1250.50", None, "purchases of  at Aldi"),
        ("Zahlungen über 1.000,50 Euro", "1000.50", None, "Zahlungen"),
        ("paiements de moins de 20 euros", None, "20", "paiements de"),
        ("payments at least 5 and less than 10", "5", "10", "payments  and"),
        ("spending over 3 months", None, None, "spending over 3 months"),
        ("more than in January", None, None, "more than in January"),
        ("did I go over 10 times", None, None, "did I go over 10 times"),
    ],
)
def test_amounts_after_over_and_under_are_conditions(
    question: str, minimum: str | None, maximum: str | None, rest: str
) -> None:
    low, high = (None if each is None else Decimal(each) for each in (minimum, maximum))
    assert bounds_in(question) == Bounds(rest, low, high)


@pytest.mark.parametrize("bound", ["-1", "ten", "NaN", "1e99", [1]])
def test_other_amounts_are_refused(bound: object) -> None:
    with pytest.raises(StatementError, match="minimum"):
        query_of({"minimum": bound})
