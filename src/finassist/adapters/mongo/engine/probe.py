"""Checks whether MongoDB can be reached."""

from dataclasses import dataclass

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call


@dataclass(frozen=True, slots=True)
class MongoProbe:
    """``DatabaseProbe`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def ping(self) -> None:
        await self.database.ping()
