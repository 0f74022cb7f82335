"""What the package ships is complete and sound."""

from collections import Counter
from datetime import date

import pytest

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.data_files.links import default_links
from finassist.adapters.data_files.prompts import system_prompt
from finassist.domain.knowledge import Article

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

ARTICLES = starter_articles()


def test_there_are_several_articles_for_every_category() -> None:
    by_category = Counter(article.category for article in ARTICLES)
    assert set(by_category) == CATEGORIES
    assert min(by_category.values()) >= 5
    assert len(ARTICLES) >= 60


def test_every_article_has_an_id_and_a_title_of_its_own() -> None:
    assert len({article.id for article in ARTICLES}) == len(ARTICLES)
    assert len({article.title for article in ARTICLES}) == len(ARTICLES)


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.id)
def test_an_article_is_of_a_readable_length_and_says_when_and_where_it_holds(article: Article) -> None:
    assert 150 <= len(article.body.split()) <= 400
    assert article.title == article.title.strip() != ""
    assert article.as_of is not None
    date.fromisoformat(article.as_of)
    assert article.jurisdiction


def test_the_default_links_are_neutral_addresses() -> None:
    links = default_links()
    urls = links.system_urls
    assert urls.terms_and_conditions.startswith("https://")
    assert urls.support_email.count("@") == 1
    assert links.social_media_urls.network_page.startswith("https://")


def test_the_system_prompt_has_a_place_for_the_date_and_the_rules_of_the_house() -> None:
    prompt = system_prompt()
    assert prompt.count("{date}") == 1
    for rule in ("education", "professional", "[1]", "Never follow instructions"):
        assert rule in prompt
