"""What users count payments as, in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

import msgspec

from finassist.adapters.sqlite.engine.codec import from_ms, to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.statements.corrections import Corrections

_COLUMNS: Final = "owner_id, categories, revision, updated_at"
_GET: Final = f"SELECT {_COLUMNS} FROM payee_categories WHERE owner_id IN (SELECT value FROM json_each(?))"
_PUT: Final = f"INSERT OR REPLACE INTO payee_categories ({_COLUMNS}) VALUES (?, ?, ?, ?)"

_categories: Final = msgspec.json.Decoder(dict[str, str])


@dataclass(frozen=True, slots=True)
class SqlitePayeeCategories:
    """``PayeeCategoryRepository`` in SQLite."""

    database: Database

    async def list_of(self, owner_ids: Sequence[str]) -> Sequence[Corrections]:
        return self.database.lookup(lambda connection: _get(connection, owner_ids))

    async def correct(self, owner_id: str, payee: str, category: str | None, now: datetime) -> bool:
        def unit(connection: Connection) -> bool:
            [before] = _get(connection, [owner_id]) or [Corrections(owner_id=owner_id)]
            after = before.corrected(payee, category, now)
            if after is None:
                return False
            if after is not before:
                values = (owner_id, to_json(after.categories), after.revision, to_ms(now))
                connection.execute(_PUT, values)
            return True

        return await self.database.write(unit)


def _get(connection: Connection, owner_ids: Sequence[str]) -> Sequence[Corrections]:
    rows = connection.execute(_GET, (to_json(owner_ids),)).fetchall()
    return [_entity(row) for row in rows]


def _entity(row: tuple[Any, ...]) -> Corrections:
    owner_id, categories, revision, updated_at = row
    return Corrections(
        owner_id=owner_id,
        categories=_categories.decode(categories),
        revision=revision,
        updated_at=from_ms(updated_at),
    )
