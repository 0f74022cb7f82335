"""Everything that a database or a folder holds, as it is stored."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pymongo import MongoClient


def names_of(url: str) -> set[str]:
    """The tables or collections that may hold records."""
    return {name for name, _ in _records(url)} | set(_names(url))


def texts_of(url: str) -> Iterator[tuple[str, str]]:
    """Every record as text, with the name of its table or collection; keys, values, nested ones too."""
    for name, record in _records(url):
        yield name, str(record)


def _names(url: str) -> list[str]:
    if url.startswith("mongodb"):
        client: MongoClient[dict[str, Any]] = MongoClient(url)
        with client:
            return client.get_default_database().list_collection_names()
    connection = sqlite3.connect(Path(url.removeprefix("sqlite:///")))
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    names = [name for (name,) in connection.execute(tables)]
    connection.close()
    return names


def _records(url: str) -> Iterator[tuple[str, Any]]:
    if url.startswith("mongodb"):
        client: MongoClient[dict[str, Any]] = MongoClient(url)
        with client:
            for name in _names(url):
                yield from ((name, document) for document in client.get_default_database()[name].find())
        return
    connection = sqlite3.connect(Path(url.removeprefix("sqlite:///")))
    for name in _names(url):
        yield from ((name, row) for row in connection.execute(f"SELECT * FROM {name}"))
    connection.close()
