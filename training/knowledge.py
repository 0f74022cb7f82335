"""Make what ships beside the articles: their vectors, the name of their edition, and the filled base.

To be run after any change of ``src/finassist/data/knowledge``. The vectors of the entries are fitted to their
wordings (``entry_vectors.py``), 36,000 texts in all; what was embedded before is kept in a file that git
ignores::

    python training/knowledge.py
"""

import asyncio
import gzip
import json
import re
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
from encoded import Encoded
from entry_vectors import fitted_to_wordings

from finassist.adapters.data_files.articles import SHIPPED, edition_of, starter_articles, starter_edition
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.minilm.weights import read_weights
from finassist.adapters.embeddings.shipped import ShippedVectors, text_digest
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.vectors import SqliteVectors
from finassist.adapters.system.clock import SystemClock
from finassist.application.retrieval.embedding import EmbedArticles
from finassist.domain.retrieval.hybrid import asked_for, texts_to_embed

DATA = Path(__file__).parents[1] / "src" / "finassist" / "data"
BASE = DATA / "retrieval" / "knowledge.db.gz"
VECTORS = DATA / "retrieval" / "vectors.npz"
WORDS = DATA / "retrieval" / "words.json"
ORDINARY_WORDS = DATA / "retrieval" / "ordinary_words.json"


async def main() -> None:
    """Write ``retrieval/vectors.npz``, ``knowledge/edition.txt`` and ``retrieval/knowledge.db.gz``."""
    owners: list[int] = []
    texts: list[str] = []
    wordings: list[str] = []
    for article in starter_articles():
        texts += texts_to_embed(article.title, article.body, quotable=article.quotable)
        asked = [asked_for(wording) for wording in (article.title, *article.variants)]
        wordings += asked
        owners += [len(texts) - 1] * len(asked)
    vectors = Encoded().of([*texts, *wordings])
    fitted = fitted_to_wordings(vectors[: len(texts)], vectors[len(texts) :], owners)
    digests = np.array([list(text_digest(text)) for text in texts], np.uint8)
    np.savez(VECTORS, digests=digests, vectors=fitted.astype(np.float16))
    (DATA / "knowledge" / "edition.txt").write_text(edition_of(SHIPPED) + "\n")
    print(f"{len(texts)} vectors, {VECTORS.stat().st_size / 2**20:.1f} MB")
    write_words()
    write_ordinary_words()
    await make_base()


def write_words() -> None:
    """Count in how many entries each word of letters stands, its other wordings left out: they have slips."""
    counts: Counter[str] = Counter()
    for article in starter_articles():
        counts.update(set(re.findall(r"[a-z]{4,20}", f"{article.title} {article.body}".lower())))
    words = dict(sorted(counts.items()))
    WORDS.write_text(json.dumps(words, indent=0) + "\n", "ascii")
    print(f"{len(words)} words")


def write_ordinary_words() -> None:
    """List the words of letters in the vocabulary of the sentence encoder: they are no slips, whether an
    entry has them or not."""
    parts = read_weights(DATA / "sentence_encoder" / "tiles.safetensors")
    text, ends = bytes(parts["vocabulary.text"]), parts["vocabulary.ends"]
    pieces = [text[begin:end].decode() for begin, end in pairwise((0, *ends))]
    words = sorted(piece for piece in pieces if re.fullmatch("[a-z]{5,20}", piece))
    ORDINARY_WORDS.write_text(json.dumps(words, indent=0) + "\n", "ascii")
    print(f"{len(words)} ordinary words")


async def make_base() -> None:
    """Fill a base as a first start does, and pack it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "knowledge.db"
        database = Database(path, "knowledge")
        await database.open()
        await SqliteKnowledge(database).store_edition(starter_articles(), edition=starter_edition())
        embedder, vectors = ShippedVectors(MiniLmEmbedder()), SqliteVectors(database)
        await EmbedArticles(vector_index=vectors, embedder=embedder, clock=SystemClock())()
        await database.write(
            lambda connection: connection.execute("DELETE FROM embedded_articles WHERE hash IS NULL")
        )
        await embedder.close()
        await database.close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("VACUUM")
        BASE.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    print(f"{BASE.name}: {BASE.stat().st_size / 2**20:.1f} MB")


if __name__ == "__main__":
    asyncio.run(main())
