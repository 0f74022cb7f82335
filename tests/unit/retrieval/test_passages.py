import pytest

from finassist.domain.retrieval.passages import PASSAGE_MAX_WORDS, PASSAGE_MIN_WORDS, split_passages


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


def sentences(count: int) -> str:
    return " ".join([words(9) + " end."] * count)


def test_a_short_text_is_one_passage() -> None:
    assert split_passages("Have the check reissued.") == ["Have the check reissued."]


@pytest.mark.parametrize("empty", ["", "  \n\n "])
def test_an_empty_text_has_no_passage(empty: str) -> None:
    assert split_passages(empty) == []


def test_a_heading_begins_a_passage_without_its_sign() -> None:
    body = f"{words(70, 'one')}\n\n## Second\n\n{words(70, 'two')}"
    assert split_passages(body) == [words(70, "one"), f"Second\n{words(70, 'two')}"]


def test_small_sections_stay_together() -> None:
    body = "Few words.\n\n## Heading\n\nAnd few more."
    assert split_passages(body) == ["Few words.\nHeading\nAnd few more."]


def test_a_heading_right_above_its_text_is_a_heading_too() -> None:
    assert split_passages("# Title\nText below.") == ["Title\nText below."]


@pytest.mark.parametrize("count", [7, 20, 45, 100])
def test_a_long_paragraph_is_cut_between_sentences(count: int) -> None:
    passages = split_passages(sentences(count))
    assert all(passage.endswith("end.") for passage in passages)
    assert all(len(passage.split()) <= PASSAGE_MAX_WORDS for passage in passages)
    assert all(len(passage.split()) >= PASSAGE_MIN_WORDS for passage in passages[:-1])


def test_no_word_is_lost() -> None:
    body = f"{sentences(50)}\n\n{words(500)}\n\n{sentences(3)}"
    assert " ".join(split_passages(body)).split() == body.split()


def test_a_sentence_is_never_cut() -> None:
    assert split_passages(words(500)) == [words(500)]
