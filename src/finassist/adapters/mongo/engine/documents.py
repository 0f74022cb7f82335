"""Common to all documents: their settings, ids and indexes, and their conversion to domain objects.

A reference to another document is an ObjectId like that document's ``_id``; an owner (a user or a device's
guest) and a quota's subject are plain text. Fields that are None are left out of a document, so that a sparse
index does not contain them: the unique ones are sparse, not partial, because not every server that speaks
MongoDB's protocol honours a partial filter on them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import msgspec
from bson import ObjectId
from pydantic import BaseModel
from pymongo import ASCENDING, DESCENDING, IndexModel

from finassist.domain.ids import is_id

E = TypeVar("E")


def object_id(text: str) -> ObjectId | str:
    """The ``_id`` of an identifier. Any other text stays as it is, and no ``_id`` is equal to it."""
    return ObjectId(text) if is_id(text) else text


def index_on(name: str, *keys: str, **options: Any) -> IndexModel:
    """An index on the keys, descending where a minus comes first."""
    directed = [(key.lstrip("-"), DESCENDING if key.startswith("-") else ASCENDING) for key in keys]
    return IndexModel(directed, name=name, **options)


class DocumentSettings:
    """How Beanie keeps a document; each document names its collection and its indexes."""

    name: ClassVar[str]
    indexes: ClassVar[Sequence[IndexModel]] = ()
    keep_nulls: ClassVar = False
    projection: ClassVar = None  # whole documents: naming every field slows both sides down


class IdentityKey(BaseModel):
    """An identity at an issuer, by which users are found and accounts are linked."""

    issuer: str
    subject: str


def folded(email: str | None) -> str | None:
    """An email in the form in which it is compared."""
    return None if email is None else email.casefold()


def field_names(kind: Any) -> Iterable[str]:
    """The names of an entity's fields."""
    names: Mapping[str, object] = kind.__dataclass_fields__
    return names


def values_of(entity: Any) -> dict[str, Any]:
    """What an entity's fields hold."""
    return {name: getattr(entity, name) for name in field_names(type(entity))}


def entity_from(kind: type[E], stored: Mapping[str, Any], *references: str) -> E:
    """The domain object that these fields make, whether Beanie has parsed them or not."""
    texts = {name: str(stored[name]) for name in references if stored.get(name) is not None}
    return msgspec.convert({**stored, **texts}, kind)
