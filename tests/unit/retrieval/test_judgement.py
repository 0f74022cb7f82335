"""Whether the best find answers, judged by words and by meaning."""

from dataclasses import replace

import pytest

from finassist.adapters.embeddings.shipped import shipped_meaning
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import Near, fuse
from finassist.domain.retrieval.judgement import Evidence, Judgement, Meaning

PLAIN = Judgement(
    intercept=-3.0,
    words=1.0,
    nearest=4.0,
    deviations=0.1,
    agreed=1.0,
    topics_weight=1.0,
    topics_intercept=0.0,
    topics_max=2.0,
    topics=(1.0, -1.0),
)
EVIDENCE = Evidence(words=0.5, nearest=0.5, deviations=4.0, agreed=0.4, question=(0.5, 0.5))


@pytest.mark.parametrize(
    "better",
    [{"words": 0.9}, {"nearest": 0.8}, {"deviations": 7.0}, {"agreed": 0.5}, {"question": (1.0, 0.0)}],
)
def test_every_sign_moves_the_score(better: dict[str, object]) -> None:
    assert PLAIN.score(replace(EVIDENCE, **better)) > PLAIN.score(EVIDENCE)  # type: ignore[arg-type]


def test_what_the_question_is_about_counts_up_to_a_limit() -> None:
    far = PLAIN.score(replace(EVIDENCE, question=(100.0, 0.0)))
    assert far == PLAIN.score(replace(EVIDENCE, question=(2.0, 0.0)))


def test_words_that_find_nothing_or_everything_are_bounded() -> None:
    assert 0 < PLAIN.score(replace(EVIDENCE, words=0.0)) < PLAIN.score(replace(EVIDENCE, words=1.0)) < 1


def test_without_a_judgement_the_words_alone_say_how_well_the_best_answers() -> None:
    [best] = fuse(
        [_hit("a", 0.7)], [Near(_hit("a", 0.9), 5.0)], question=(), meaning=Meaning(weight=0.5), limit=3
    )
    assert best.score == 0.7


def test_what_shares_no_word_can_answer_when_its_meaning_is_near() -> None:
    meaning = Meaning(weight=0.5, judgement=replace(PLAIN, nearest=20.0))
    [best] = fuse([], [Near(_hit("a", 0.9), 6.0)], question=(0.0, 0.0), meaning=meaning, limit=3)
    assert (best.article_id, best.score > 0.5) == ("a", True)


def test_the_shipped_judgement_is_of_the_shipped_models_dimension() -> None:
    judgement = shipped_meaning().judgement
    assert judgement is not None
    assert len(judgement.topics) == 384


def _hit(article_id: str, score: float) -> Hit:
    return Hit(article_id=article_id, title=article_id, url=None, snippet=article_id, score=score)
