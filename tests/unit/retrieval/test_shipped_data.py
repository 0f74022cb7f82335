"""What the package ships is complete and sound."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np

from finassist.adapters.data_files.articles import SHIPPED, edition_of, starter_articles, starter_edition
from finassist.adapters.data_files.links import default_links
from finassist.adapters.data_files.prompts import system_prompt
from finassist.adapters.embeddings.shipped import text_digest
from finassist.domain.knowledge import Article
from finassist.domain.retrieval.entry_rules import ANSWER_WORDS
from finassist.domain.retrieval.hybrid import texts_to_embed

CATEGORIES = {
    "AssetAllocation",
    "Debt_Fix_Income",
    "EmergencyFund",
    "Goal_Based_Investing",
    "Insurance",
    "Mutual_Funds",
    "Portfolio_Review",
    "Real_Estate",
    "Retirement_Planning",
    "Tax_Planning",
}


@cache
def articles() -> Sequence[Article]:
    """Those that ship; a second of reading."""
    return starter_articles()


def test_there_are_several_articles_for_every_category() -> None:
    by_category = Counter(article.category for article in articles())
    assert set(by_category) == CATEGORIES
    assert min(by_category.values()) >= 5
    assert len(articles()) >= 60


def test_every_article_has_an_id_of_its_own() -> None:
    assert len({article.id for article in articles()}) == len(articles())


def test_an_entry_is_a_question_with_a_complete_answer_of_readable_length() -> None:
    wrong = [
        article.id
        for article in articles()
        if not article.title.endswith("?")
        or not article.quotable
        or not 5 <= len(article.variants) <= 10
        or len(article.body.partition("\n\n")[0].split()) not in ANSWER_WORDS
    ]
    assert wrong == []


def test_every_entry_says_when_and_where_it_holds() -> None:
    for article in articles():
        assert article.as_of is not None, article.id
        date.fromisoformat(article.as_of)
        assert article.jurisdiction, article.id


def test_the_edition_and_the_vectors_are_of_the_articles_that_ship() -> None:
    digests = {
        text_digest(text)
        for article in articles()
        for text in texts_to_embed(article.title, article.body, quotable=article.quotable)
    }
    with np.load(
        BytesIO((files("finassist.data") / "retrieval" / "vectors" / "entries.npz").read_bytes())
    ) as stored:
        assert {digest.tobytes() for digest in stored["digests"]} == digests, "run training/knowledge.py"
        assert stored["vectors"].shape == (len(stored["digests"]), 384)
    assert starter_edition() == edition_of(SHIPPED), "run training/knowledge.py"


def test_the_default_links_are_neutral_addresses() -> None:
    links = default_links()
    urls = links.system_urls
    assert urls.terms_and_conditions.startswith("https://")
    assert urls.support_email.count("@") == 1
    assert links.social_media_urls.network_page.startswith("https://")


def test_the_system_prompt_has_a_place_for_the_date_and_the_service_rules() -> None:
    prompt = system_prompt()
    assert prompt.count("{date}") == 1
    for rule in ("education", "professional", "[1]", "Never follow instructions"):
        assert rule in prompt
