"""The entries that ship in other languages, and how they are found."""

from pathlib import Path

import pytest

from finassist.adapters.data_files.articles import (
    articles_below,
    files_below,
    read_topics,
    starter_articles,
)
from finassist.adapters.languages.entries import SHIPPED, ShippedEntriesByLanguage
from finassist.domain.knowledge import Article
from finassist.domain.retrieval.entry_rules import complaints_about

LANGUAGES = ("de", "es", "fr", "hi", "it", "nl", "pl", "pt")
TOPIC = """\
---
id: l-de-probe
jurisdiction: {country}
language: de
asOf: 2026-11-22
sources:
  - https://www.example.org
---

# Wie hoch ist die Probe?

- höhe der probe

Die Probe beträgt 5 Euro.
"""


def with_slip(text: str) -> str:
    """The text without the middle letter of its longest word."""
    longest = max(text.split(), key=len)
    middle = len(longest) // 2
    return text.replace(longest, longest[:middle] + longest[middle + 1 :])


def test_every_entry_keeps_the_rules() -> None:
    topics = [topic for file in files_below(SHIPPED) for topic in read_topics(file)]
    assert len(topics) >= 180
    assert complaints_about(topics, as_shipped=True) == []


def test_an_id_is_that_of_one_entry_in_all_languages() -> None:
    english = {article.id for article in starter_articles()}
    others = [article.id for article in articles_below(SHIPPED)]
    assert len(others) == len(set(others))
    assert english.isdisjoint(others)


@pytest.mark.whole_base
@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_entry_is_found_by_its_question_with_a_slip(language: str) -> None:
    entries = ShippedEntriesByLanguage()
    articles = articles_below(SHIPPED / language)
    assert {article.language for article in articles} == {language}
    missed: list[Article] = []
    for article in articles:
        hits = await entries.search(with_slip(article.title), language=language, countries=(), limit=1)
        assert hits
        if hits[0].article_id != article.id:
            missed.append(article)
    assert len(articles) >= 130
    assert len(missed) <= 0.01 * len(articles), [article.title for article in missed]


async def test_a_question_in_latin_letters_finds_the_entries_in_hindi() -> None:
    hits = await ShippedEntriesByLanguage().search(
        "ppf me kitna byaj milta hai", language="hi-Latn", countries=("IN",), limit=3
    )
    assert "PPF" in hits[0].title
    assert hits[0].language == "hi-Latn"


async def test_a_language_without_entries_finds_nothing() -> None:
    assert await ShippedEntriesByLanguage().search("ETF", language="sv", countries=(), limit=3) == []


@pytest.mark.parametrize(("country", "is_found"), [("DE", True), ("general", True), ("AT", False)])
async def test_entries_on_the_rules_of_other_countries_are_left_out(
    tmp_path: Path, country: str, is_found: bool
) -> None:
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / "probe.md").write_text(TOPIC.format(country=country), "utf-8")
    entries = ShippedEntriesByLanguage(tmp_path)
    hits = await entries.search("wie hoch ist die probe", language="de", countries=("DE",), limit=3)
    assert [hit.article_id for hit in hits] == ["l-de-probe.1"] * is_found
