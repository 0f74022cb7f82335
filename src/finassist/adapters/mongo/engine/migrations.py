"""What a newer version needs of documents that an older one stored. Indexes are Beanie's; this is the rest.

Each migration runs once on a database, by the first process that opens it, and before any call. Several
processes may run it at once, and a crash may come at any time: running it again changes nothing.
"""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Final

from beanie import Document

from finassist.adapters.mongo.chat.idempotency_states import name_states
from finassist.adapters.mongo.chat.message_owners import name_owners
from finassist.adapters.mongo.chat.questions import fold_questions
from finassist.adapters.mongo.engine.documents import DocumentSettings
from finassist.adapters.mongo.engine.updates import insert_unless_there

MIGRATIONS: Final[Mapping[str, Callable[[], Awaitable[None]]]] = MappingProxyType(
    {
        "0001_questions": fold_questions,
        "0002_idempotency_states": name_states,
        "0003_message_owners": name_owners,
    }
)
"""By their names, in their order. One that was released is never changed."""


class MigrationDocument(Document):
    """A migration that this database has had."""

    id: str  # type: ignore[assignment]

    class Settings(DocumentSettings):
        name = "migrations"


MIGRATION_DOCUMENTS: Final = (MigrationDocument,)


async def migrate() -> None:
    """Run the migrations that this database has not had."""
    for name, migration in MIGRATIONS.items():
        if await MigrationDocument.find_one({"_id": name}) is None:
            await migration()
            await insert_unless_there(MigrationDocument(id=name))
