"""The kinds of records that a move takes along, as fields that neither database is named in.

Both databases read and write these, and a test compares the list with every table, collection, column and
field there is: what is new there has to be added here, or to what the adapters name as not moved.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class As(StrEnum):
    """What a field holds. A time is in milliseconds since 1970; ``DATA`` is whatever JSON can hold."""

    TEXT = "text"
    ID = "id"
    IDS = "ids"
    NUMBER = "number"
    TIME = "time"
    TIMES = "times"
    FLAG = "flag"
    TEXTS = "texts"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record. ``key`` are the fields that identify one.

    Records that expire have a field ``expires_at``: a store may delete them by itself after that time. A kind
    that is swept has so few records that every round looks at all of them, instead of at those that changed.
    """

    name: str
    key: tuple[str, ...]
    fields: Mapping[str, As]
    expires: bool = False
    swept: bool = False


def _kind(name: str, key: str, fields: str, *, swept: bool = False) -> Kind:
    """The kind of these fields: names that are followed by a colon and what they hold, by default a text."""
    parsed: dict[str, As] = {}
    for field in fields.split():
        field_name, _, holds = field.partition(":")
        parsed[field_name] = As(holds or As.TEXT)
    return Kind(name, tuple(key.split()), MappingProxyType(parsed), "expires_at" in parsed, swept)


_PREPROMPT: Final = """id:id key public_value masked_value description tags:texts is_deleted:flag
    revision:number created_at:time updated_at:time"""

KINDS: Final = (
    _kind("signing_keys", "kid", "kid number:number pem created_at:time", swept=True),
    # identities: [issuer, subject]
    _kind(
        "users",
        "id",
        """id:id is_guest:flag auth_provider name created_at:time updated_at:time email email_verified:flag
        phone phone_verified:flag avatar_url avatar_key avatar_by_user:flag name_by_user:flag language theme
        notifications:flag claimed_email claimed_phone claimed_owner_ids:texts tokens_after:time
        joined_into:id identities:data""",
    ),
    _kind(
        "devices",
        "id",
        """id platform guest_user_id:id guest_owner_id created_at:time last_seen_at:time bound_user_id:id
        bound_at:time hinted_user_id:id token_hash is_locked:flag""",
    ),
    # social: [issuer, subject]
    _kind(
        "accounts",
        "subject",
        """subject name created_at:time updated_at:time email email_verified:flag phone phone_verified:flag
        password_hash joined_to social:data""",
    ),
    # devices: [id, platform], tokens: [hash, expires_at, used_at]
    _kind(
        "sessions",
        "id",
        """id subject created_at:time last_seen_at:time ends_at:time expires_at:time devices:data
        tokens:data""",
    ),
    _kind("tickets", "kind hash", "kind hash content expires_at:time"),
    _kind("sign_in_failures", "key", "key failures:number locked_until:time expires_at:time"),
    _kind(
        "sign_in_addresses",
        "hash",
        "hash issuer subject first_seen_at:time last_seen_at:time expires_at:time",
    ),
    _kind(
        "second_factors",
        "subject",
        "subject secret created_at:time confirmed_at:time recovery_hashes:texts last_step:number",
    ),
    _kind("second_factor_challenges", "hash", "hash subject tries:number expires_at:time"),
    _kind(
        "otp_codes",
        "phone",
        "phone device_id code_hash sent_at:time expires_at:time wrong_tries:number used:flag",
    ),
    # reservations: [turn_id, reserved_at]
    _kind("quotas", "subject", "subject used:number granted:number reservations:data"),
    _kind("rate_windows", "key", "key hits:times expires_at:time"),
    _kind(
        "idempotency_keys",
        "owner key",
        """owner key fingerprint holder state message_id:id created_at:time held_until:time
        expires_at:time""",
    ),
    _kind("preprompts", "id", _PREPROMPT),
    _kind("second_opinion_preprompts", "id", _PREPROMPT),
    # values: [name, url]
    _kind("links", "id", "id values:data"),
    _kind("catalog_filling", "id", "id is_done:flag claimed_until:time"),
    _kind(
        "visual_embeds",
        "id",
        """id:id category_key created_at:time updated_at:time image_url image_key quote_text
        is_active:flag""",
    ),
    _kind("catalog_versions", "id", "id version:number"),
    # answers: [question_key, value, do_not_use]
    _kind(
        "user_profiles",
        "user_id",
        "user_id:id session_count:number shown:texts revision:number updated_at:time answers:data",
    ),
    # categories: category by payee
    _kind("payee_categories", "owner_id", "owner_id categories:data revision:number updated_at:time"),
    _kind(
        "conversations",
        "id",
        """id:id owner_id title created_at:time updated_at:time last_message_at:time title_by_user:flag
        preview type input_type preprompt_key instructions_id pinned:flag tags:texts status
        message_count:number forked_from_share_id""",
    ),
    # message: the fields of a Message
    _kind("messages", "id", "id:id message:data"),
    _kind(
        "files",
        "id",
        """id:id owner_id conversation_id:id message_id:id filename mime_type size:number kind width:number
        height:number created_at:time updated_at:time text""",
    ),
    # days: [day since 1970, views, unique viewers], viewers: [viewer, counted_at]
    _kind(
        "shares",
        "share_id",
        """id:id share_id user_id:id conversation_id:id message_ids:ids title created_at:time
        updated_at:time allow_continuation:flag redacted:flag custom_title custom_description
        ends_at:time revoked_at:time view_count:number unique_viewers:number last_viewed_at:time
        days:data viewers:data""",
    ),
    _kind("share_texts", "share_id message_id", "share_id message_id:id content filenames:texts"),
    _kind(
        "erasures",
        "receipt_id",
        """receipt_id requested_at:time requests:number completed_at:time counts:data user_id subject:data
        lease_holder lease_expires_at:time""",
    ),
    _kind("erased_identities", "identity", "identity erased_at:time"),
    _kind(
        "audit_records",
        "id",
        "id:id at:time action actor result request_id code user_id user_hash address",
    ),
)
"""In the order in which they are moved: records before those that refer to them."""

BY_NAME: Final[Mapping[str, Kind]] = MappingProxyType({kind.name: kind for kind in KINDS})
