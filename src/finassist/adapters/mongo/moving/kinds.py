"""The collections of every kind of record."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from finassist.adapters.mongo.auth.audit_documents import AuditDocument
from finassist.adapters.mongo.auth.documents import (
    AccountDocument,
    OtpCodeDocument,
    SecondFactorChallengeDocument,
    SecondFactorDocument,
    SignInAddressDocument,
    SignInFailuresDocument,
    SigningKeyDocument,
)
from finassist.adapters.mongo.catalogs.documents import (
    CatalogFillingDocument,
    LinksDocument,
    PrepromptDocument,
    SecondOpinionPrepromptDocument,
)
from finassist.adapters.mongo.catalogs.quote_image_documents import (
    VERSION_ID,
    QuoteImageDocument,
    QuoteImageVersionDocument,
)
from finassist.adapters.mongo.chat.documents import ConversationDocument
from finassist.adapters.mongo.chat.limit_documents import QuotaDocument, RateWindowDocument
from finassist.adapters.mongo.engine.documents import folded
from finassist.adapters.mongo.engine.pages import Stored
from finassist.adapters.mongo.erasure.documents import ErasedIdentityDocument, ErasureDocument
from finassist.adapters.mongo.files.documents import FileDocument
from finassist.adapters.mongo.moving.access import IdempotencyKeys, Sessions, Tickets
from finassist.adapters.mongo.moving.collections import (
    Collection,
    Database,
    collection_of,
    from_ms,
    plain,
    to_ms,
)
from finassist.adapters.mongo.moving.messages import MESSAGES
from finassist.adapters.mongo.moving.people import DEVICES, USERS
from finassist.adapters.mongo.moving.shares import SHARE_TEXTS, SHARES
from finassist.adapters.mongo.profile_cards.documents import UserProfileDocument
from finassist.adapters.mongo.statements.documents import PayeeCategoriesDocument
from finassist.application.operations.moving.kinds import BY_NAME
from finassist.application.operations.moving.stores import Fields, Key, Record, in_order, normal_erasure

NOT_MOVED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "share_viewers": "part of the record of a share",
        "share_tallies": "sums of share_viewers, which are written with them",
        "storage": "files that are about to be stored, for a minute; what is stored is summed from files",
        "migrations": "of each database itself",
        "probes": "when a process was last found ready",
    }
)
"""Collections that are derived from others or of no use elsewhere, each with the reason."""


class _Accounts(Collection):
    __slots__ = ()

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        social = [[each["issuer"], each["subject"]] for each in stored.get("social") or ()]
        return {**Collection.fields(self, stored), "social": in_order(social)}

    def document(self, fields: Fields) -> Stored:
        address = folded(fields["email"])
        social = [{"issuer": issuer, "subject": subject} for issuer, subject in fields["social"]]
        document = Collection.document(self, {**fields, "social": social or None})
        if address is not None:
            document["email_folded"] = address
            document["verified_email" if fields["email_verified"] else "unverified_email"] = address
        return document


class _Quotas(Collection):
    __slots__ = ()

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        kept = [[each["turn_id"], to_ms(each["reserved_at"])] for each in stored.get("reservations", ())]
        return {**Collection.fields(self, {**stored, "reservations": None}), "reservations": in_order(kept)}

    def document(self, fields: Fields) -> Stored:
        kept = [{"turn_id": turn_id, "reserved_at": from_ms(at)} for turn_id, at in fields["reservations"]]
        return {**Collection.document(self, fields), "reservations": kept}


class _Links(Collection):
    __slots__ = ()

    async def records(self, database: Database, found: Sequence[Stored]) -> Sequence[Record]:
        return [self._record(self.fields(stored)) for stored in found if stored["values"]]

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        return {"id": stored["_id"], "values": in_order(plain(stored["values"]).items())}

    def document(self, fields: Fields) -> Stored:
        return {"_id": fields["id"], "values": dict(fields["values"])}


class _Single(Collection):
    """The one document of a collection, which has another ``_id`` than the record has a key."""

    __slots__ = ()

    _IDS: Final = {"catalog_filling": "catalogs", "catalog_versions": VERSION_ID}

    async def records(self, database: Database, found: Sequence[Stored]) -> Sequence[Record]:
        return [self._record(self.fields(each)) for each in found if each.get("version") != 0]

    def id_of(self, text: str) -> Any:
        return self._IDS[self.kind.name]

    def key_of_note(self, note: Mapping[str, Any]) -> Key:
        return (self.kind.name,)

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        return Collection.fields(self, {**stored, "_id": self.kind.name})

    def document(self, fields: Fields) -> Stored:
        return {**Collection.document(self, fields), "_id": self._IDS[self.kind.name]}


class _QuoteImages(Collection):
    """Images of a batch are whole once the version's document names it, or their own has lost its name."""

    __slots__ = ()

    async def whole(self, database: Database, found: Sequence[Stored]) -> Sequence[Stored]:
        version = await database[QuoteImageVersionDocument.Settings.name].find_one({"_id": VERSION_ID})
        seen = {None, *(version or {}).get("batches", ())}
        return [each for each in found if each.get("batch") in seen]


class _Profiles(Collection):
    __slots__ = ()

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        answers = (
            [key, plain(each["value"]), bool(each["do_not_use"])]
            for key, each in stored.get("answers", {}).items()
        )
        stored = {"session_count": 0, **stored, "answers": None}  # the first answer makes the document
        return {**Collection.fields(self, stored), "answers": in_order(answers)}

    def document(self, fields: Fields) -> Stored:
        answers = {key: {"value": value, "do_not_use": unused} for key, value, unused in fields["answers"]}
        return {**Collection.document(self, fields), "answers": answers}


class _Erasures(Collection):
    __slots__ = ()

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        return normal_erasure(Collection.fields(self, stored))


def _casefold(name: str) -> Any:
    return lambda fields: fields[name].casefold()


_DROPPED_BATCH: Final = {"batch": "names images that are not seen yet, which are moved once they are"}

COLLECTIONS: Final = (
    collection_of("signing_keys", SigningKeyDocument.Settings),
    USERS,
    DEVICES,
    _Accounts(
        BY_NAME["accounts"],
        AccountDocument.Settings,
        identity="subject",
        dropped=dict.fromkeys(("email_folded", "verified_email", "unverified_email"), "folded from email"),
    ),
    Sessions,
    Tickets,
    collection_of("sign_in_failures", SignInFailuresDocument.Settings),
    collection_of("sign_in_addresses", SignInAddressDocument.Settings),
    collection_of("second_factors", SecondFactorDocument.Settings),
    collection_of("second_factor_challenges", SecondFactorChallengeDocument.Settings),
    collection_of("otp_codes", OtpCodeDocument.Settings),
    _Quotas(BY_NAME["quotas"], QuotaDocument.Settings, identity="subject"),
    collection_of("rate_windows", RateWindowDocument.Settings),
    IdempotencyKeys,
    collection_of("preprompts", PrepromptDocument.Settings),
    collection_of("second_opinion_preprompts", SecondOpinionPrepromptDocument.Settings),
    _Links(BY_NAME["links"], LinksDocument.Settings, identity="id"),
    _Single(BY_NAME["catalog_filling"], CatalogFillingDocument.Settings, identity="id"),
    _QuoteImages(
        BY_NAME["visual_embeds"], QuoteImageDocument.Settings, identity="id", dropped=_DROPPED_BATCH
    ),
    _Single(
        BY_NAME["catalog_versions"],
        QuoteImageVersionDocument.Settings,
        identity="id",
        dropped={"batches": "names the batches of images that have just been added"},
    ),
    _Profiles(BY_NAME["user_profiles"], UserProfileDocument.Settings, identity="user_id"),
    collection_of("payee_categories", PayeeCategoriesDocument.Settings),
    collection_of(
        "conversations",
        ConversationDocument.Settings,
        derived={"title_folded": _casefold("title"), "preview_folded": _casefold("preview")},
    ),
    MESSAGES,
    collection_of("files", FileDocument.Settings),
    SHARES,
    SHARE_TEXTS,
    _Erasures(BY_NAME["erasures"], ErasureDocument.Settings, identity="receipt_id"),
    collection_of("erased_identities", ErasedIdentityDocument.Settings),
    collection_of("audit_records", AuditDocument.Settings),
)

BY_KIND: Final[Mapping[str, Collection]] = MappingProxyType({each.kind.name: each for each in COLLECTIONS})
