"""``finassist move --knowledge`` takes own articles to Weaviate and back, with their vectors."""

import asyncio
from pathlib import Path

import pytest

from engines.mongodb import empty_mongodb
from engines.weaviate import weaviate_url
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.system.secret_file import load_or_create_secret
from finassist.composition.container import open_container
from finassist.domain.knowledge import Article
from finassist.entrypoints.cli.main import main

ARTICLE = Article(id="zebra-fund", title="Zebra funds", body="A zebra fund keeps striped savings apart.")


async def add() -> None:
    async with open_container() as finassist:
        await finassist.add_articles([ARTICLE])
        await finassist.embed_articles(wait_for_others=True)


async def found() -> bool:
    async with open_container() as finassist:
        hits = await finassist.search_knowledge("striped savings", limit=3)
        return ARTICLE.id in [hit.article_id for hit in hits]


@pytest.mark.timeout(300)
def test_own_articles_move_to_a_server_and_back_without_being_embedded_again(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path, tmp_path: Path
) -> None:
    server = weaviate_url()
    monkeypatch.setenv("SECRET_KEY", load_or_create_secret(data_dir).decode())
    asyncio.run(add())

    async def refuse(*_: object) -> None:
        raise AssertionError("a text was embedded that had a vector")

    with empty_mongodb() as url, monkeypatch.context() as context:
        context.setattr(MiniLmEmbedder, "embed", refuse)
        assert main(["move", "--to", url, "--knowledge", server]) == 0
        context.setenv("VECTOR_STORE_URL", server)
        new = tmp_path / "new"
        assert main(["move", "--to", url, "--knowledge", str(new)]) == 0
    monkeypatch.setenv("DATA_DIR", str(new))
    assert asyncio.run(found())
