"""Where records, files and cards are kept."""

import os
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from finassist.adapters import sqlite
from finassist.adapters.data_files.profile_cards import WrongCards, read_cards, shipped_cards
from finassist.adapters.objects.local import LocalObjectStore
from finassist.adapters.objects.spool import DiskSpool
from finassist.adapters.sqlite.engine.database import Database
from finassist.application.ports.database import DatabaseConnection
from finassist.application.ports.files import ObjectStore, Spool
from finassist.application.ports.repositories import Repositories
from finassist.application.ports.system import Clock, Fingerprints
from finassist.application.ports.telemetry import Telemetry
from finassist.config import Settings, SettingsError
from finassist.domain.profile_cards import CardCatalog

if TYPE_CHECKING:
    from finassist.adapters.objects.s3 import S3ObjectStore

T = TypeVar("T")


def database(settings: Settings, telemetry: Telemetry, clock: Clock) -> DatabaseConnection:
    """The database of the records: SQLite, or MongoDB."""
    if settings.sqlite_path is not None:
        return Database(settings.sqlite_path, observe=telemetry.database_called)
    from finassist.adapters.mongo import MongoDatabase  # Beanie takes its time to import

    return MongoDatabase(settings.database_url, clock=clock, observe=telemetry.database_called)


def repositories(database: DatabaseConnection) -> Repositories:
    """The repositories of the database."""
    if isinstance(database, Database):
        return sqlite.repositories(database)
    from finassist.adapters import mongo

    return mongo.repositories(instance_of(database, mongo.MongoDatabase))


def object_store(settings: Settings, fingerprints: Fingerprints, clock: Clock) -> ObjectStore:
    """The store of uploaded files: a folder, or a bucket."""
    if settings.object_store_url:
        return s3_object_store(settings)
    return LocalObjectStore(
        settings.data_dir / "objects",
        base_url=settings.public_base_url,
        fingerprints=fingerprints,
        clock=clock,
    )


def s3_object_store(settings: Settings) -> "S3ObjectStore":
    """The bucket that OBJECT_STORE_URL names; AWS_* are the settings of the vendor's client itself."""
    from finassist.adapters.objects.s3 import S3ObjectStore

    bucket = urlsplit(settings.object_store_url)
    return S3ObjectStore(
        bucket.netloc,
        bucket.path,
        endpoint_url=settings.s3_endpoint_url,
        public_endpoint_url=settings.s3_public_endpoint_url,
        region=os.environ.get("AWS_REGION", ""),
    )


def spool(settings: Settings) -> Spool:
    """The folder for files while they are received: next to the records, where there is disk space."""
    return DiskSpool(settings.data_dir / "spool")


def card_catalog(settings: Settings) -> CardCatalog:
    """The profile cards: the operator's own, or those that ship. Raises SettingsError for a wrong file."""
    if settings.profile_cards_file is None:
        return shipped_cards()
    try:
        return read_cards(settings.profile_cards_file.read_bytes())
    except OSError as error:
        raise SettingsError({"PROFILE_CARDS_FILE": f"cannot be read: {error.strerror}"}) from error
    except WrongCards as error:
        raise SettingsError({"PROFILE_CARDS_FILE": str(error)}) from error


def instance_of(connection: DatabaseConnection, expected: type[T]) -> T:
    """Check the type of the connection. Raises TypeError for another."""
    if isinstance(connection, expected):
        return connection
    raise TypeError(f"{type(connection).__name__} is not a {expected.__name__}")
