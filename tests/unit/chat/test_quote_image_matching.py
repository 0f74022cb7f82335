"""Whether a reply gets a quote image, and of which category: measured on labelled questions and answers.

Of the lines of embed_matches.jsonl, written for this, the even ones chose the threshold; the odd ones are
what the figures are of.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from finassist.adapters.classifier.linear import LinearQuestionClassifier
from finassist.adapters.data_files.quote_images import quote_image_categories
from finassist.domain.catalogs.quote_images import (
    MATCH_THRESHOLD,
    QuoteImage,
    QuoteImageCategory,
    choose,
    match_score,
)
from finassist.domain.retrieval.questions import CATEGORY_NAMES, Classification
from stores import NOW

LINES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "embed_matches.jsonl").read_text("utf-8").splitlines()
]
CATEGORIES = quote_image_categories()


@pytest.fixture(scope="module")
def given() -> list[tuple[str | None, str | None]]:
    """What the held-out lines deserve, and what they get."""
    return [(line["category"], category_of(line)) for line in LINES[1::2]]


def category_of(line: dict[str, Any]) -> str | None:
    classifier = LinearQuestionClassifier()
    asked, answered = classifier.classify(line["question"]), classifier.classify(line["answer"])
    for category in CATEGORIES.categories:
        if match_score(category, line["question"], line["answer"], asked, answered) >= MATCH_THRESHOLD:
            return category.key
    return None


def test_there_are_enough_lines_of_both_kinds() -> None:
    kinds = [line["category"] for line in LINES]
    assert len(kinds) >= 140
    assert kinds.count(None) >= 60
    assert all(kinds.count(key) >= 6 for key in CATEGORY_NAMES)


def test_at_least_nine_of_ten_pictures_are_right(given: list[tuple[str | None, str | None]]) -> None:
    pictures = [(deserved, got) for deserved, got in given if got is not None]
    right = [deserved == got for deserved, got in pictures]
    assert sum(right) / len(right) >= 0.9


def test_most_replies_that_deserve_a_picture_get_it(given: list[tuple[str | None, str | None]]) -> None:
    deserving = [(deserved, got) for deserved, got in given if deserved is not None]
    assert sum(deserved == got for deserved, got in deserving) / len(deserving) >= 0.75


@pytest.mark.parametrize(
    "question",
    ["my husband died", "I lost my job", "getting divorced", "scared", "cancer", "bankruptcy", "scammed"],
)
def test_who_is_in_trouble_gets_no_picture(question: str) -> None:
    [line] = [line for line in LINES if question in line["question"]]
    assert category_of(line) is None


def test_a_category_that_the_question_does_not_have_never_fits() -> None:
    asked = Classification(is_finance=True, confidence=1, category="Insurance", category_confidence=1)
    [tax] = [each for each in CATEGORIES.categories if each.key == "Tax_Planning"]
    assert match_score(tax, "tax tax deduction", "tax credit allowance", asked, asked) == 0


def test_keywords_are_found_as_words_and_in_the_plural() -> None:
    category = QuoteImageCategory(
        key="X", display_name="X", keywords=("index fund", "rent", "401k"), folder="x"
    )
    assert category.mentions("Index  funds, and the RENT.") == 2
    assert category.mentions("parental rentals, an index of funds") == 0
    assert category.mentions("my 401(k)") == 1


def test_the_ten_categories_have_names_keywords_and_folders_of_their_own() -> None:
    assert {each.key: each.display_name for each in CATEGORIES.categories} == CATEGORY_NAMES
    assert (
        len({each.folder for each in CATEGORIES.categories})
        == len({e.id for e in CATEGORIES.categories})
        == 10
    )
    assert all(len(each.keywords) >= 10 for each in CATEGORIES.categories)
    for each in CATEGORIES.categories:
        assert CATEGORIES.find(each.id) == CATEGORIES.find(each.key) == each
    assert CATEGORIES.find("insurance") is None


def test_none_is_chosen_twice_and_three_are_enough() -> None:
    embeds = [
        QuoteImage(id=f"{number:024x}", category_key="X", created_at=NOW, updated_at=NOW)
        for number in range(5)
    ]
    shown: list[str] = []
    for number in range(10):
        chosen = choose(embeds, shown, f"{7 * number:024x}")
        assert (chosen is None) == (number >= 3)
        shown += [chosen.id] if chosen else []
    assert len(set(shown)) == 3
    assert choose(embeds[:1], [embeds[0].id], "0") is None
    assert choose([], [], "0") is None
