"""Looks for documents that do not fit together in MongoDB.

Collections are walked a thousand documents at a time, so a check takes as long as its collection is large; no
call of a user waits for it.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec
from beanie import Document
from pymongo.errors import PyMongoError

from finassist.adapters.mongo.catalogs.quote_image_documents import QuoteImageDocument
from finassist.adapters.mongo.engine.database import MongoDatabase
from finassist.adapters.mongo.engine.documents import DocumentSettings
from finassist.adapters.mongo.files.documents import FileDocument
from finassist.adapters.mongo.users.documents import UserDocument
from finassist.adapters.mongo.verification.counts import (
    MessageCounts,
    MessageOwners,
    ShareTallies,
    UnseenQuoteImages,
)
from finassist.adapters.mongo.verification.document_checks import DocumentCheck, id_of
from finassist.adapters.mongo.verification.records import REFERENCES_AND_CONDITIONS
from finassist.adapters.mongo.verification.walking import walk
from finassist.application.ports.database import Fault, NamedObject
from finassist.domain.errors import ServiceUnavailable
from finassist.domain.files.record import key_of

RECORD_CHECKS: Final[Sequence[DocumentCheck]] = (
    *REFERENCES_AND_CONDITIONS,
    MessageCounts(),
    MessageOwners(),
    ShareTallies(),
    UnseenQuoteImages(),
)
_json: Final = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class MongoRecordChecks:
    """``RecordChecks`` in MongoDB."""

    database: MongoDatabase

    @property
    def names(self) -> Sequence[str]:
        return tuple(dict.fromkeys(each.check for each in RECORD_CHECKS))

    async def faults(self, *, before: datetime) -> AsyncIterator[Fault]:
        await self.database.ready()
        for check in RECORD_CHECKS:
            with _translated():
                async for identifier in check.find(before):
                    yield Fault(check.check, _record(check.kind, identifier), check.repair)

    async def mend(self, fault: Fault, *, before: datetime) -> bool:
        await self.database.ready()
        name, _, key = fault.record.partition(" ")
        mended = False
        with _translated():
            for check in RECORD_CHECKS:
                # Two checks of one name may look at two fields of a document.
                if check.check == fault.check and _name(check.kind) == name:
                    [text] = msgspec.json.decode(key)
                    mended |= await check.mend(id_of(check.kind, text), before)
        return mended

    async def named_objects(self) -> AsyncIterator[Sequence[NamedObject]]:
        await self.database.ready()
        with _translated():
            async for page in walk(FileDocument, {}, ("size",)):
                yield [
                    NamedObject(key_of(str(each["_id"])), _record(FileDocument, each["_id"]), each["size"])
                    for each in page
                ]
            async for page in walk(UserDocument, {"avatar_key": {"$exists": True}}, ("avatar_key",)):
                yield [
                    NamedObject(
                        each["avatar_key"], _record(UserDocument, each["_id"]), avatar_of=str(each["_id"])
                    )
                    for each in page
                ]
            async for page in walk(QuoteImageDocument, {"image_key": {"$exists": True}}, ("image_key",)):
                yield [
                    NamedObject(each["image_key"], _record(QuoteImageDocument, each["_id"])) for each in page
                ]


@contextmanager
def _translated() -> Iterator[None]:
    """Every failure of the driver is an outage. No time limit: no user waits."""
    try:
        yield
    except PyMongoError as error:
        raise ServiceUnavailable() from error


def _name(kind: type[Document]) -> str:
    settings: type[DocumentSettings] = kind.Settings
    return settings.name


def _record(kind: type[Document], identifier: object) -> str:
    return f"{_name(kind)} {_json.encode([str(identifier)]).decode()}"
