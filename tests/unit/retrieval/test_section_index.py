"""The search index in SQLite: what it keeps in step with the articles, and what an update does to it."""

import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.engine.schema import migrations
from finassist.adapters.sqlite.retrieval import sections
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.domain.knowledge import Article

ARTICLES = [
    Article(id="fund", title="Emergency funds", body="Money for emergencies.\n\n## Size\n\nThree months."),
    Article(id="loan", title="Loans", body="A loan is money that is lent. " * 300),
    Article(id="bond", title="Bonds", body="A bond is a loan to a company."),
]


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database(tmp_path / "knowledge.db", "knowledge")
    await opened.open()
    yield opened
    await opened.close()


def kept(database: Database) -> dict[str, int]:
    rows = database.lookup(
        lambda connection: connection.execute("SELECT stem, sections FROM stems").fetchall()
    )
    return {stem: count for stem, count in rows if count}


def counted(database: Database) -> dict[str, int]:
    """The same, counted again."""
    statement = "SELECT title, body FROM sections"
    counts: Counter[str] = Counter()
    for title, body in database.lookup(lambda connection: connection.execute(statement).fetchall()):
        counts.update({*title.split(), *body.split(), ""} - {sections.PASSAGE_END})
    return dict(counts)


async def test_frequencies_stay_exact_when_articles_come_change_and_go(database: Database) -> None:
    knowledge = SqliteKnowledge(database)
    await knowledge.store_edition(ARTICLES, edition="1")
    assert kept(database) == counted(database)
    assert kept(database)["loan"] == counted(database)["loan"] > 2

    await knowledge.add([Article(id="loan", title="Credit", body="Short."), ARTICLES[2], ARTICLES[2]])
    assert kept(database) == counted(database)
    assert kept(database)["loan"] == 1

    await knowledge.store_edition([ARTICLES[0]], edition="2")
    assert kept(database) == counted(database)
    assert kept(database)[""] == 3


async def test_articles_that_an_earlier_version_stored_are_found_after_an_update(tmp_path: Path) -> None:
    file = tmp_path / "knowledge.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(dict(migrations("knowledge"))[1] + "PRAGMA user_version = 1;")
        connection.executemany(
            "INSERT INTO articles (id, title, body, edition) VALUES (?, ?, ?, ?)",
            [
                *((f"own-{n}", "Own", f"Own text number{n}.", None) for n in range(1200)),
                ("old", "Old", "Shipped long ago.", "0"),
            ],
        )
    connection.close()
    database = Database(file, "knowledge")
    await database.open()
    try:
        knowledge = SqliteKnowledge(database)
        await knowledge.store_edition(ARTICLES, edition="1")
        assert await knowledge.count() == 1203
        for query, expected in (("number7", "own-7"), ("number1199", "own-1199"), ("emergency", "fund")):
            assert [hit.article_id for hit in await knowledge.search(query, limit=1)] == [expected]
        assert not await knowledge.search("shipped long ago", limit=1)
        assert kept(database) == counted(database)
    finally:
        await database.close()


async def test_another_way_of_reading_text_makes_the_index_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = SqliteKnowledge(database)
    await knowledge.store_edition(ARTICLES, edition="1")
    before = kept(database)
    monkeypatch.setattr(sections, "ANALYSIS", "another")
    await knowledge.store_edition(ARTICLES, edition="1")
    stale = "SELECT count(*) FROM articles WHERE analysis <> 'another'"
    assert database.lookup(lambda connection: connection.execute(stale).fetchone()) == (0,)
    assert kept(database) == counted(database) == before


@pytest.mark.parametrize("question", ["What is a bond?", "what are bonds", "Explain bonds.", "what's a bond"])
async def test_who_asks_what_a_thing_is_finds_first_where_it_is_defined(
    database: Database, question: str
) -> None:
    knowledge = SqliteKnowledge(database)
    await knowledge.add(
        [
            Article(
                id="fund", title="Bond funds", body="A bond fund has many bonds. A bond, a bond, a bond."
            ),
            Article(
                id="bond",
                title="Bond basics and yields",
                body=f"A bond is a loan to a company. {'Who lends is paid a coupon each year. ' * 30}",
            ),
        ]
    )
    assert [hit.article_id for hit in await knowledge.search(question, limit=2)][:1] == ["bond"]
    assert [hit.article_id for hit in await knowledge.search("bond", limit=2)][:1] == ["fund"]


LIEN = Article(
    id="lien",
    title="What is a lien?",
    body="A claim on property until a debt is paid.",
    variants=("can i sell with a lien", "claim on my house"),
    quotable=True,
)
NUMBER = Article(id="number", title="What is an EIN and do I need one?", body="A tax number.", quotable=True)
FORM = Article(id="form", title="What is form 16?", body="A certificate of the employer.", quotable=True)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("lien", "lien"),
        ("what's a lien", "lien"),
        ("a claim on my house", None),
        ("ein", "number"),
        ("lien on a car", None),
        ("number", None),
        ("form 12", None),
    ],
)
async def test_a_query_in_so_many_words_is_told(database: Database, query: str, found: str | None) -> None:
    knowledge = SqliteKnowledge(database)
    await knowledge.add([LIEN, NUMBER, FORM])
    hits = await knowledge.search(query, limit=3)
    assert [hit.article_id for hit in hits if hit.asked_so] == ([found] if found else [])
