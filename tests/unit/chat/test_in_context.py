"""Which entry a follow-up moves on to."""

from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.in_context import Searches, about_subject, in_context


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


def found(
    together: list[Hit],
    alone: list[Hit] | None = None,
    about: list[Hit] | None = None,
    opening: list[Hit] | None = None,
    quoted: tuple[str, ...] = (),
) -> list[Hit]:
    return list(in_context(Searches(together, alone or [], about or [], opening or []), quoted, None))


def test_what_was_quoted_is_left_out() -> None:
    assert ids(found([hit("loan.1", 0.9), hit("loan.2", 0.8)], quoted=("loan.1",))) == ["loan.2"]


def test_of_entries_that_fit_the_subject_as_well_the_message_itself_chooses() -> None:
    together = [hit("loan.1", 0.8), hit("loan.2", 0.8)]
    assert ids(found(together, [hit("loan.2", 0.9)]))[0] == "loan.2"


def test_of_entries_that_fit_the_question_as_well_what_was_quoted_last_chooses() -> None:
    together = [hit("loan.1", 0.8), hit("loan.2", 0.8)]
    assert ids(found(together, about=[hit("loan.2", 0.9)]))[0] == "loan.2"


def test_of_entries_that_fit_as_well_the_question_that_opened_the_conversation_chooses() -> None:
    together = [hit("loan.1", 0.8), hit("loan.2", 0.8)]
    assert ids(found(together, opening=[hit("loan.2", 0.9)]))[0] == "loan.2"


def test_what_the_message_finds_alone_does_not_beat_what_fits_the_subject() -> None:
    opening = [hit("loan.1", 0.9)]
    assert ids(found(opening, [hit("cooking.1", 0.9)], opening=opening))[0] == "loan.1"


def test_the_rules_of_another_country_than_was_quoted_come_last() -> None:
    together = [hit("us.1", 0.9, "US"), hit("uk.1", 0.85, "GB"), hit("us.2", 0.85, "US")]
    assert ids(found(together, quoted=("us.1",))) == ["us.2", "uk.1"]


def test_nothing_is_likelier_than_that_the_question_has_an_answer() -> None:
    assert all(each.score <= 0.2 for each in found([hit("loan.1", 0.2), hit("loan.2", 0.2)]))


def test_an_entry_about_as_likely_as_the_first_scores_about_as_high() -> None:
    both = [hit("loan.1", 0.9), hit("loan.2", 0.89)]
    first, second = found(both, about=both)
    assert second.score >= 0.94 * first.score


def test_a_search_about_a_subject_puts_what_is_asked_first() -> None:
    assert about_subject("who can have one?", "What is an HSA?") == "who can have one (What is an HSA)"
