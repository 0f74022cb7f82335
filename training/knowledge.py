"""Make what ships beside the articles: their vectors, those of their wordings, the name of their edition,
and the filled base.

To be run after any change of ``src/finassist/data/knowledge``. The vectors of the entries are fitted to
their wordings (``entry_vectors.py``), and each wording has a vector of its own, by the layers for search, as
has each message of which it is known that the entry answers it (``messages.py``): 67,000 and 113,000 texts in
all. What was embedded before is kept in files that git ignores::

    python training/knowledge.py
    python training/knowledge.py --changed

After a change of a few entries ``--changed`` takes half a minute of CPU where those files are, and ten
minutes more where they are not: the vectors that ship stay, and those of entries whose texts or wordings are
not in the base that ships are fitted beside them. What it makes differs a little from what the whole run
makes, in which all entries move.
"""

import argparse
import asyncio
import gzip
import json
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Collection
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
from encoded import Encoded
from entry_vectors import Floats, fitted_beside, fitted_to_wordings
from messages import messages_by_entry
from sentence_encoder import encoded, write_named

from finassist.adapters.data_files.articles import SHIPPED, edition_of, starter_articles, starter_edition
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.minilm.weights import read_weights
from finassist.adapters.embeddings.shipped import ShippedVectors, text_digest
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.vectors import SqliteVectors
from finassist.adapters.system.clock import SystemClock
from finassist.application.retrieval.embedding import EmbedArticles
from finassist.domain.knowledge import Article
from finassist.domain.retrieval.hybrid import asked_for, texts_to_embed

DATA = Path(__file__).parents[1] / "src" / "finassist" / "data"
BASE = DATA / "retrieval" / "knowledge.db.gz"
VECTORS = DATA / "retrieval" / "vectors" / "entries.npz"
WORDINGS = DATA / "retrieval" / "vectors" / "wordings.safetensors"
DIMENSIONS = 192
"""Of the vectors of wordings: with half of those of the encoder as many first finds are right."""
WORDS = DATA / "retrieval" / "words.json"
ORDINARY_WORDS = DATA / "retrieval" / "ordinary_words.json"


async def main() -> None:
    """Write the vectors of the entries and of their wordings, the edition, the words and the base."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changed", action="store_true", help="fit the changed entries alone")
    texts, fitted = of_changed() if parser.parse_args().changed else of_all()
    digests = np.array([list(text_digest(text)) for text in texts], np.uint8)
    np.savez(VECTORS, digests=digests, vectors=fitted.astype(np.float16))
    (DATA / "knowledge" / "edition.txt").write_text(edition_of(SHIPPED) + "\n")
    print(f"{len(texts)} vectors, {VECTORS.stat().st_size / 2**20:.1f} MB")
    write_wordings()
    write_words()
    write_ordinary_words()
    await make_base()


def of_all() -> tuple[list[str], Floats]:
    """The texts of all entries, and their vectors, fitted together."""
    owners: list[int] = []
    texts: list[str] = []
    wordings: list[str] = []
    for article in starter_articles():
        texts += texts_to_embed(article.title, article.body, quotable=article.quotable)
        asked = wordings_of(article)
        wordings += asked
        owners += [len(texts) - 1] * len(asked)
    vectors = Encoded().of([*texts, *wordings])
    return texts, fitted_to_wordings(vectors[: len(texts)], vectors[len(texts) :], owners)


def of_changed() -> tuple[list[str], Floats]:
    """The texts of all entries, and their vectors: those that ship, and those of changed entries beside."""
    with np.load(VECTORS) as stored:
        rows = stored["vectors"].astype(np.float32)
        known = {key.tobytes(): row for key, row in zip(stored["digests"], rows, strict=True)}
    shipped = shipped_wordings()
    texts: list[str] = []
    changed: list[tuple[int, list[str]]] = []
    of = 0
    for article in starter_articles():
        asked, own = (
            wordings_of(article),
            texts_to_embed(article.title, article.body, quotable=article.quotable),
        )
        of += len(asked)
        if shipped.get(article.id) != asked or text_digest(own[0]) not in known:
            changed.append((len(texts), asked))
        texts += own
    places = [place for place, _ in changed]
    blank = np.zeros(rows.shape[1], np.float32)
    vectors = np.array([known.get(text_digest(text), blank) for text in texts])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-8))
    encoder = Encoded()
    wordings = [wording for _, asked in changed for wording in asked]
    owners = [number for number, (_, asked) in enumerate(changed) for _ in asked]
    own_vectors = encoder.of([texts[place] for place in places])
    others = np.delete(vectors, places, axis=0)
    vectors[places] = fitted_beside(others, own_vectors, encoder.of(wordings), owners, of)
    print(f"{len(changed)} changed entries")
    return texts, vectors


def wordings_of(article: Article) -> list[str]:
    """How an entry is asked for."""
    return [asked_for(wording) for wording in (article.title, *article.variants)]


def shipped_wordings() -> dict[str, list[str]]:
    """How the entries of the base that ships are asked for, by id."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(gzip.decompress(BASE.read_bytes()))
        file.flush()
        with closing(sqlite3.connect(file.name)) as connection:
            rows = connection.execute("SELECT id, title, variants FROM articles").fetchall()
    return {
        id_: [asked_for(each) for each in (title, *json.loads(wordings))] for id_, title, wordings in rows
    }


def write_wordings(file: Path = WORDINGS, without: Collection[str] = ()) -> None:
    """Write the vectors of all wordings and messages of the entries (``messages.py``; those of conversations
    with some openings are left out), by the layers that questions are searched for with: projected on the
    axes in which they differ most, as 8-bit integers."""
    entries, messages = starter_articles(), messages_by_entry(without)
    asked = [[*wordings_of(entry), *map(asked_for, messages.get(entry.title, ()))] for entry in entries]
    vectors = Encoded(for_search=True).of(wording for each in asked for wording in each)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    axes = axes[:, -DIMENSIONS:]
    projected = vectors @ axes
    projected /= np.linalg.norm(projected, axis=1, keepdims=True)
    step = np.abs(projected).max() / 127
    digests = b"".join(text_digest(entry.title) for entry in entries)
    arrays = {
        "titles.digests": np.frombuffer(digests, np.uint8),
        "titles.ends": np.cumsum([len(each) for each in asked]).astype(np.int32),
        "vectors": np.round(projected / step).astype(np.int8),
        "step": np.array([step], np.float32),
        "projection": axes.astype(np.float32),
    }
    write_named(file, encoded(arrays))


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
