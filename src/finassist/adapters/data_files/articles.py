"""Files of articles: those that ship, and the format of an operator's own."""

from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated

import msgspec

from finassist.adapters.data_files.links import _DATA
from finassist.domain.knowledge import Article

Text = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]


class ArticleLine(msgspec.Struct, frozen=True, rename="camel"):
    """A line of a file of articles (contract section 12), shipped or an operator's own."""

    id: Text
    title: Text
    body: Text
    category: str | None = None
    jurisdiction: str | None = None
    as_of: str | None = None
    url: str | None = None


def starter_articles() -> Sequence[Article]:
    """The articles that a fresh knowledge base begins with."""
    decoder = msgspec.json.Decoder(ArticleLine)
    return [
        Article(**msgspec.structs.asdict(decoder.decode(line)))
        for file in _article_files()
        for line in file.read_bytes().splitlines()
        if line.strip()
    ]


def _article_files() -> list[Traversable]:
    folder = files(_DATA) / "articles"
    return sorted((file for file in folder.iterdir() if file.name.endswith(".jsonl")), key=lambda f: f.name)
