"""The two stores of a move, for ``finassist move``."""

import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.data_files.knowledge_base import unpack_base
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.system.clock import SystemClock, SystemIds
from finassist.adapters.system.fingerprints import HmacFingerprints
from finassist.application.operations.moving.knowledge import CarriedVectors, MoveKnowledge
from finassist.application.operations.moving.objects import MoveObjects
from finassist.application.operations.moving.records import MoveRecords, Show
from finassist.application.operations.moving.stores import MoveSource, MoveTarget
from finassist.application.ports.database import DatabaseConnection
from finassist.application.ports.files import ObjectStore
from finassist.application.ports.knowledge import Vector
from finassist.application.retrieval.embedding import EmbedArticles
from finassist.composition import factories
from finassist.composition.container import provide_adapters
from finassist.config import Settings, SettingsError

__all__ = ["move_between", "move_knowledge", "source_of", "target_settings"]

_S3: Final = "s3://"
_WEAVIATE: Final = "weaviate://"


def target_settings(settings: Settings, to: str, objects: str | None) -> Settings:
    """The settings that a service on the new store has. Raises SettingsError."""
    environ = {**os.environ, "DATABASE_URL": to}
    if objects is not None and objects.startswith(_S3):
        environ["OBJECT_STORE_URL"] = objects
    target = Settings.from_env(environ)
    if target.sqlite_path is not None:
        # The folder of the file becomes the service's.
        target = replace(target, data_dir=target.sqlite_path.parent)
    if settings.database_url == to or settings.sqlite_path == target.sqlite_path is not None:
        raise SettingsError({"DATABASE_URL": "is the database that --to names: there is nothing to move"})
    return target


def move_between(settings: Settings, target: Settings, objects: str | None, show: Show) -> MoveRecords:
    """The move from the store of these settings to that of the others."""
    return MoveRecords(
        source=source_of(settings),
        target=_target_of(target),
        new_id=SystemIds().new_id,
        objects=None if objects is None else _objects(settings, target, objects),
        show=show,
    )


def source_of(settings: Settings) -> MoveSource:
    """The store that records leave."""
    if settings.sqlite_path is not None:
        from finassist.adapters.sqlite.moving.stores import SqliteMoveSource

        return SqliteMoveSource(settings.sqlite_path, settings.data_dir / "keys")
    from finassist.adapters.mongo.moving.stores import MongoMoveSource

    return MongoMoveSource(settings.database_url)


def _target_of(settings: Settings) -> MoveTarget:
    if settings.sqlite_path is not None:
        from finassist.adapters.sqlite.moving.stores import SqliteMoveTarget

        return SqliteMoveTarget(settings.sqlite_path, settings.data_dir / "keys")
    from finassist.adapters.mongo.moving.stores import MongoMoveTarget

    return MongoMoveTarget(settings.database_url)


async def move_knowledge(settings: Settings, to: str) -> int:
    """Copy the operator's own articles to Weaviate, or into the folder of another DATA_DIR; returns how many
    there are. Raises SettingsError."""
    target = replace(settings, vector_store_url="", data_dir=Path(to))
    if to.startswith(_WEAVIATE):
        target = Settings.from_env({**os.environ, "VECTOR_STORE_URL": to})
    source_adapters, target_adapters = provide_adapters(settings), provide_adapters(target)
    source, embedder = source_adapters.knowledge_database(), target_adapters.embedder()
    async with AsyncExitStack() as stack:
        await source.open()
        stack.push_async_callback(source.close)
        carried: CarriedVectors | None = None
        if embedder is not None:
            carried = CarriedVectors(await _vectors_of(source, embedder.model), embedder)
            stack.push_async_callback(carried.close)
            target_adapters = provide_adapters(target, embedder=carried)
        if not target.vector_store_url:
            unpack_base(target.knowledge_path)
        database = target_adapters.knowledge_database()
        await database.open()
        stack.push_async_callback(database.close)
        move = MoveKnowledge(source_adapters.knowledge(), target_adapters.knowledge(), starter_articles())
        moved = await move()
        index = target_adapters.vector_index()
        if carried is not None and index is not None:
            await EmbedArticles(vector_index=index, embedder=carried, clock=SystemClock())(
                wait_for_others=True
            )
        return moved


async def _vectors_of(knowledge: DatabaseConnection, model: str) -> Mapping[str, Vector]:
    if isinstance(knowledge, Database):
        from finassist.adapters.sqlite.moving.vectors import vectors_of

        return await vectors_of(knowledge, model)
    from finassist.adapters.vectors.weaviate import WeaviateKnowledge

    assert isinstance(knowledge, WeaviateKnowledge)
    return await knowledge.vectors()


def _objects(settings: Settings, target: Settings, objects: str) -> MoveObjects:
    source = _store_of(settings, settings.data_dir / "objects")
    if objects.startswith(_S3):
        return MoveObjects(source, factories.s3_object_store(target))
    return MoveObjects(source, _store_of(replace(target, object_store_url=""), Path(objects)))


def _store_of(settings: Settings, folder: Path) -> ObjectStore:
    from finassist.adapters.objects.local import LocalObjectStore

    if settings.object_store_url:
        return factories.s3_object_store(settings)
    # Links are of no use here: the key that would sign them is not read.
    return LocalObjectStore(folder, base_url="", fingerprints=HmacFingerprints(b""), clock=SystemClock())
