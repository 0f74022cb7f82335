"""Which entry a follow-up moves on to."""

from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.in_context import in_context


def hit(article_id: str, score: float, jurisdiction: str = "general") -> Hit:
    return Hit(
        article_id=article_id,
        title=article_id,
        url=None,
        snippet="It is so.",
        score=score,
        quotable=True,
        jurisdiction=jurisdiction,
        cosine=score / 2,
    )


def ids(hits: list[Hit]) -> list[str]:
    return [each.article_id for each in hits]


def test_what_was_quoted_is_left_out() -> None:
    found = in_context([hit("loan.1", 0.9), hit("loan.2", 0.8)], [], ["loan.1"], None)
    assert ids(list(found)) == ["loan.2"]


def test_of_entries_that_fit_the_subject_as_well_the_message_itself_chooses() -> None:
    together = [hit("loan.1", 0.8), hit("loan.2", 0.8)]
    assert ids(list(in_context(together, [hit("loan.2", 0.9)], [], None)))[0] == "loan.2"


def test_what_the_message_finds_alone_does_not_beat_what_fits_the_subject() -> None:
    found = in_context([hit("loan.1", 0.9)], [hit("cooking.1", 0.9)], [], None)
    assert ids(list(found)) == ["loan.1"]


def test_the_rules_of_another_country_than_was_quoted_come_last() -> None:
    together = [hit("us.1", 0.9, "US"), hit("uk.1", 0.85, "GB"), hit("us.2", 0.85, "US")]
    assert ids(list(in_context(together, [], ["us.1"], None))) == ["us.2", "uk.1"]


def test_nothing_is_likelier_than_that_the_question_has_an_answer() -> None:
    found = in_context([hit("loan.1", 0.2), hit("loan.2", 0.2)], [], [], None)
    assert all(each.score <= 0.2 for each in found)
