"""The queries that the repositories send to MongoDB, and whether they name the shard key of their collection.

docs/scaling.md says which key each collection would have, and which queries have to ask every shard.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

PAGE: Final = Path(__file__).parents[2] / "docs" / "scaling.md"
_FILTERS: Final = {"find": "filter", "count": "query", "distinct": "query", "findAndModify": "query"}
_WRITES: Final = {"update": "updates", "delete": "deletes"}

Query = tuple[str, str]
"""The collection, and the fields of the filter, sorted."""


class RecordedQueries(CommandListener):
    """Keeps every query that is sent, once."""

    def __init__(self) -> None:
        self.queries: set[Query] = set()

    def started(self, event: CommandStartedEvent) -> None:
        """Keep the filters of a command that has some."""
        command, name = event.command, event.command_name
        collection = str(command.get(name))
        if name in _FILTERS:
            self._keep(collection, command.get(_FILTERS[name]) or {})
        elif name in _WRITES:
            for each in command.get(_WRITES[name], ()):
                self._keep(collection, each["q"])
        elif name == "aggregate":
            first: Mapping[str, Any] = next(iter(command["pipeline"]), {})
            self._keep(collection, first.get("$match", {}))

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Nothing more is kept."""

    def failed(self, event: CommandFailedEvent) -> None:
        """Nothing more is kept."""

    def _keep(self, collection: str, where: Mapping[str, Any]) -> None:
        self.queries.add((collection, " ".join(sorted(_fields(where)))))


def _fields(where: Mapping[str, Any]) -> set[str]:
    """The fields that every match has a value of, those that only some have in brackets."""
    fields: set[str] = set()
    for name, condition in where.items():
        if name == "$and":
            for each in condition:
                fields |= _fields(each)
        elif not name.startswith("$"):
            fields.add(name if _is_value(condition) else f"({name})")
    return {field for field in fields if not (field.startswith("(") and field[1:-1] in fields)}


def _is_value(condition: Any) -> bool:
    """Whether the condition names the values that fit, so that their shards are known."""
    operators = set(condition) if isinstance(condition, Mapping) else set()
    return not any(each.startswith("$") for each in operators) or bool(operators & {"$eq", "$in"})


def shard_keys() -> Mapping[str, str]:
    """The shard key of each collection, as the page has it."""
    return {name: row[1] for row in _rows("## Shard keys") for name in row[0].split()}


def scatters() -> set[Query]:
    """The queries that ask every shard, as the page lists them with their reason."""
    return {(row[0], row[1]) for row in _rows("## Queries that ask every shard")}


def unlisted(queries: set[Query]) -> set[Query]:
    """The queries that neither name their shard key nor are listed."""
    keys, listed = shard_keys(), scatters()
    return {
        (collection, fields)
        for collection, fields in queries
        if keys[collection] not in (*fields.split(), "-") and (collection, fields) not in listed
    }


def _rows(heading: str) -> list[list[str]]:
    section = PAGE.read_text().split(f"{heading}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| `")]
    return [[_bare(cell) for cell in row] for row in rows]


def _bare(cell: str) -> str:
    return " ".join(re.findall(r"`([^`]+)`", cell)) or cell.strip()
