"""Whether the best find answers, judged by words and by meaning."""

from dataclasses import replace

import pytest

from finassist.adapters.embeddings.shipped import shipped_meaning
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import Near, fuse
from finassist.domain.retrieval.judgement import Evidence, Judgement, Meaning
from remembered_vectors import VECTORS

PLAIN = Judgement(
    intercept=-3.0,
    words=1.0,
    worded=1.0,
    deviations=0.1,
    agreed=1.0,
    likeness=1.0,
    likeness_max=2.0,
)
EVIDENCE = Evidence(words=0.5, worded=0.3, deviations=4.0, agreed=0.4, likeness=0.5)


@pytest.mark.parametrize(
    "better",
    [{"words": 0.9}, {"worded": 0.8}, {"deviations": 7.0}, {"agreed": 0.5}, {"likeness": 1.0}],
)
def test_every_sign_moves_the_score(better: dict[str, object]) -> None:
    assert PLAIN.score(replace(EVIDENCE, **better)) > PLAIN.score(EVIDENCE)  # type: ignore[arg-type]


def test_what_a_question_is_like_counts_up_to_a_limit() -> None:
    assert PLAIN.score(replace(EVIDENCE, likeness=100.0)) == PLAIN.score(replace(EVIDENCE, likeness=2.0))


def test_words_that_find_nothing_or_everything_are_bounded() -> None:
    assert 0 < PLAIN.score(replace(EVIDENCE, words=0.0)) < PLAIN.score(replace(EVIDENCE, words=1.0)) < 1


def test_without_a_judgement_the_words_alone_say_how_well_the_best_answers() -> None:
    [best] = fuse(
        [_hit("a", 0.7)], [Near(_hit("a", 0.9), 0.9, 5.0)], question=(), meaning=Meaning(weight=0.5), limit=3
    )
    assert best.score == 0.7


def test_what_shares_no_word_can_answer_when_its_meaning_is_near() -> None:
    meaning = Meaning(weight=0.5, judgement=replace(PLAIN, deviations=2.0))
    [best] = fuse([], [Near(_hit("a", 0.9), 0.9, 6.0)], question=(0.0, 0.0), meaning=meaning, limit=3)
    assert (best.article_id, best.score > 0.5) == ("a", True)


@pytest.mark.parametrize(
    ("text", "answerable"),
    [
        ("What is an emergency fund?", True),
        ("should i pay off my card or save", True),
        ("who won the match yesterday", False),
        ("regex for an iban", False),
    ],
)
async def test_a_question_is_compared_with_others_of_which_it_is_known_whether_they_are_answered(
    text: str, answerable: bool
) -> None:
    vector = await VECTORS.embed_query(text)
    assert (shipped_meaning().likeness(vector) > 0) is answerable


def _hit(article_id: str, score: float) -> Hit:
    return Hit(article_id=article_id, title=article_id, url=None, snippet=article_id, score=score)


@pytest.mark.parametrize(("cosine", "deviations"), [(0.3, 6.0), (0.7, 2.9)])
def test_what_is_near_by_its_cosine_or_by_its_deviations_may_answer(cosine: float, deviations: float) -> None:
    assert _score_of(cosine, deviations) > 2 * _score_of(0.3, 2.9)


def _score_of(cosine: float, deviations: float) -> float:
    """The score of an entry that is found by its words and means this much of the question."""
    judgement = replace(PLAIN, deviations=0.0, agreed=0.0, cosine_min=0.45, deviations_min=4.0)
    near = Near(replace(_hit("a", cosine), quotable=True), cosine, deviations)
    meaning = Meaning(weight=0.1, judgement=judgement)
    [best] = fuse([_hit("a", 0.9)], [near], question=(0.0, 0.0), meaning=meaning, limit=3)
    return best.score


def test_an_article_that_nobody_wrote_questions_for_is_not_judged_by_its_wording() -> None:
    meaning = Meaning(weight=0.1, judgement=replace(PLAIN, worded=5.0))
    near = Near(_hit("a", 0.5), 0.5, 5.0)
    article, entry = (
        fuse([replace(_hit("a", 0.6), quotable=is_entry)], [near], question=(), meaning=meaning, limit=1)[0]
        for is_entry in (False, True)
    )
    assert article.score > entry.score
