"""What of the finds answers a question."""

from dataclasses import replace

from finassist.application.retrieval.found import judged
from finassist.domain.knowledge import Hit


def hit(title: str, score: float, jurisdiction: str = "general") -> Hit:
    return Hit(
        article_id=title,
        title=title,
        url=None,
        snippet=f"{title} It is so.",
        score=score,
        quotable=True,
        jurisdiction=jurisdiction,
        cosine=0.6,
    )


SAVINGS = hit("Can I take money out of Sukanya Samriddhi for a wedding?", 0.4, "IN")
CREDIT = hit("How do I get my credit report for free?", 0.7)
NEW_ZEALAND = hit("How do I check my credit score in New Zealand?", 0.99, "NZ")


def titles(query: str, hits: list[Hit], country: str | None) -> list[str]:
    return [each.title for each in judged(hits, query, 0.5, country, passages=4).answering]


def test_an_entry_that_is_asked_by_its_title_answers_in_any_country_and_whatever_it_scores() -> None:
    assert titles("can i take money out of Sukanya Samriddhi for wedding", [SAVINGS], "GB") == [SAVINGS.title]


def test_an_entry_that_is_asked_by_its_title_goes_before_one_of_the_own_country() -> None:
    assert titles(CREDIT.title, [NEW_ZEALAND, CREDIT], "NZ")[0] == CREDIT.title


def test_a_question_that_shares_most_words_with_a_title_does_not_ask_it() -> None:
    found = titles("How do I get my credit score for free?", [NEW_ZEALAND, CREDIT], "NZ")
    assert found[0] == NEW_ZEALAND.title
    assert titles("Can I take money out of Sukanya Samriddhi", [SAVINGS], "GB") == []


def test_what_means_something_else_is_not_shown_though_nothing_answers() -> None:
    near = replace(CREDIT, score=0.4)
    assert judged([near], "credit reports", 0.5, None, passages=4).nearest == near
    far = replace(near, cosine=0.3)
    found = judged([far], "credit reports", 0.5, None, passages=4)
    assert (found.nearest, found.near) == (None, [far])
    by_words = replace(near, cosine=0.0)
    assert judged([by_words], "credit reports", 0.5, None, passages=4).nearest == by_words


def test_an_entry_about_the_opposite_of_what_is_told_goes_behind() -> None:
    leaving = hit("What happens to my TFSA if I leave Canada?", 0.95, "CA")
    opening = hit("How do I open a TFSA in Canada?", 0.8, "CA")
    asked = "i just moved to canada and want a tfsa"
    assert titles(asked, [leaving, opening], "CA") == [opening.title, leaving.title]
    assert titles("i leave canada, what about my tfsa", [leaving, opening], "CA")[0] == leaving.title
