"""The vectors of a knowledge base in SQLite, by the texts that they were made of."""

from array import array
from collections.abc import Mapping
from sqlite3 import Connection
from typing import Final

from finassist.adapters.sqlite.engine.database import Database
from finassist.application.ports.knowledge import Vector
from finassist.domain.retrieval.hybrid import texts_to_embed

_OWN: Final = """SELECT title, body, quotable, vectors FROM articles
    JOIN embedded_articles AS held USING (number) JOIN vectors USING (hash) WHERE edition IS NULL"""
_MODEL: Final = "SELECT dimensions FROM embedding_model WHERE model = ?"
_FLOAT_BYTES: Final = 4


async def vectors_of(database: Database, model: str) -> Mapping[str, Vector]:
    """The vectors of this model, of the articles that an operator added."""
    return await database.read(lambda connection: _vectors(connection, model))


def _vectors(connection: Connection, model: str) -> Mapping[str, Vector]:
    found = connection.execute(_MODEL, (model,)).fetchone()
    if found is None:
        return {}
    size = found[0] * _FLOAT_BYTES
    return {
        text: array("f", vectors[place * size : (place + 1) * size])
        for title, body, quotable, vectors in connection.execute(_OWN)
        for place, text in enumerate(texts_to_embed(title, body, quotable=bool(quotable)))
    }
