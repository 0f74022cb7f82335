"""Users, their devices, and the caller of a request (contract section 2)."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hmac import compare_digest

from finassist.domain.errors import Forbidden

GUEST_NAME = "Guest"
GUEST_AUTH_PROVIDER = "guest"
PHONE_EMAIL_DOMAIN = "phone.invalid"

FULL_NAME_MAX = 100
LANGUAGE_MAX = 35
LANGUAGE_PATTERN = (
    r"^([a-zA-Z]{2,3}(-[a-zA-Z]{3}){0,3}|[a-zA-Z]{4,8})(-[a-zA-Z]{4})?(-([a-zA-Z]{2}|[0-9]{3}))?"
    r"(-([a-zA-Z0-9]{5,8}|[0-9][a-zA-Z0-9]{3}))*(-[a-wyzA-WYZ0-9](-[a-zA-Z0-9]{2,8})+)*"
    r"(-[xX](-[a-zA-Z0-9]{1,8})+)?$(?!\n)"
)
"""A well-formed language tag of BCP 47 (RFC 5646, section 2.1), such as ``en`` or ``pt-BR``."""

_UNNAMED = "User"
_REFRESH_ALLOWED_FOR = timedelta(days=30)


class Platform(StrEnum):
    """Where a client runs."""

    ANDROID = "android"
    IOS = "ios"
    WEB = "web"


class Theme(StrEnum):
    """The theme of a client; ``system`` follows its device."""

    LIGHT = "light"
    DARK = "dark"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """The preferences of a user. ``language`` is a BCP 47 tag."""

    language: str = "en"
    theme: Theme = Theme.SYSTEM
    notifications: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChanges:
    """What a profile update changes; None leaves a field as it is.

    ``avatar_key`` is a new avatar's object key; ``clear_avatar`` removes the avatar.
    """

    full_name: str | None = None
    language: str | None = None
    theme: Theme | None = None
    notifications: bool | None = None
    avatar_key: str | None = None
    clear_avatar: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The identity in a verified access token.

    A user is keyed by ``(issuer, subject)``, never by an email (contract section 3). ``client_id`` is
    set when the bearer is a client of the provider and not a user (client credentials). ``session_id`` is
    the session that the token belongs to, and ``authenticated_at`` when the user signed in to it; None for a
    token that does not say.
    """

    issuer: str
    subject: str
    provider: str
    issued_at: datetime
    expires_at: datetime
    email: str | None = None
    email_verified: bool = False
    phone: str | None = None
    phone_verified: bool = False
    name: str | None = None
    picture: str | None = None
    client_id: str | None = None
    session_id: str | None = None
    authenticated_at: datetime | None = None

    @property
    def signed_in_at(self) -> datetime:
        """When the user signed in; for a token that does not say, when it was issued."""
        return self.authenticated_at or self.issued_at

    @property
    def joining_email(self) -> str | None:
        """The email by which a new identity joins an existing user: a verified one only."""
        return self.email if self.email_verified else None


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A registered user, or the guest that belongs to one device.

    ``claimed_owner_ids`` are the owner ids of guests that this user took over, with all their records.
    ``claimed_email`` and ``claimed_phone`` are unverified hints kept on a guest; they grant nothing.
    ``avatar_key`` is an uploaded avatar's object, ``avatar_url`` the provider's picture. The provider
    no longer changes what the user has set or removed (``name_by_user``, ``avatar_by_user``). Tokens issued
    until ``tokens_after`` belong to an erased user, and not to this one.
    """

    id: str
    is_guest: bool
    auth_provider: str
    name: str
    created_at: datetime
    updated_at: datetime
    email: str | None = None
    email_verified: bool = False
    phone: str | None = None
    phone_verified: bool = False
    avatar_url: str | None = None
    avatar_key: str | None = None
    avatar_by_user: bool = False
    name_by_user: bool = False
    preferences: Preferences = Preferences()
    claimed_email: str | None = None
    claimed_phone: str | None = None
    claimed_owner_ids: tuple[str, ...] = ()
    tokens_after: datetime | None = None

    @classmethod
    def guest(cls, user_id: str, now: datetime) -> "User":
        """The guest of a new device."""
        return cls(
            id=user_id,
            is_guest=True,
            auth_provider=GUEST_AUTH_PROVIDER,
            name=GUEST_NAME,
            created_at=now,
            updated_at=now,
        )

    @classmethod
    def of_identity(
        cls, identity: Identity, user_id: str, now: datetime, tokens_after: datetime | None = None
    ) -> "User":
        """A new registered user for an identity that has none yet."""
        return cls(
            id=user_id,
            is_guest=False,
            auth_provider=identity.provider,
            name=identity.name or (identity.email or "").partition("@")[0] or _UNNAMED,
            created_at=now,
            updated_at=now,
            email=identity.email,
            email_verified=identity.email is not None and identity.email_verified,
            phone=identity.phone,
            phone_verified=identity.phone is not None and identity.phone_verified,
            avatar_url=identity.picture,
            tokens_after=tokens_after,
        )

    def refreshed(self, identity: Identity, now: datetime) -> "User":
        """The user with the new values of one of their identities; what it leaves out stays.

        A value that was verified once stays verified until it changes.
        """
        changed = self
        if identity.email is not None:
            if same_email(identity.email, self.email):
                verified = self.email_verified or identity.email_verified
                changed = replace(changed, email_verified=verified)
            else:
                changed = replace(changed, email=identity.email, email_verified=identity.email_verified)
        if identity.phone is not None:
            verified = identity.phone_verified or (identity.phone == self.phone and self.phone_verified)
            changed = replace(changed, phone=identity.phone, phone_verified=verified)
        if identity.name and not self.name_by_user:
            changed = replace(changed, name=identity.name)
        if identity.picture and not self.avatar_by_user:
            changed = replace(changed, avatar_url=identity.picture)
        return self if changed == self else replace(changed, updated_at=now)

    def may_be_joined_by(self, identity: Identity) -> bool:
        """Whether a new identity joins this user: both have the same email, verified on both sides."""
        email = identity.joining_email
        return email is not None and same_email(email, self.joinable_email)

    def yields_to(self, first: "User", identity: Identity) -> bool:
        """Whether the user becomes ``first``, because one of the user's identities now has the email verified
        that ``first`` had verified before. Of two users who both have, the older one stays."""
        if first.id == self.id or self.is_guest or not first.may_be_joined_by(identity):
            return False
        is_later = not same_email(first.email or "", self.joinable_email)
        return is_later or first.id < self.id

    def taking_over(self, other: "User", now: datetime) -> "User":
        """The user with all that another one owns, who is the same person."""
        refused = max((at for at in (self.tokens_after, other.tokens_after) if at is not None), default=None)
        owned = dict.fromkeys((*self.claimed_owner_ids, *other.owner_ids))
        return replace(self, claimed_owner_ids=tuple(owned), tokens_after=refused, updated_at=now)

    def joined(self, identity: Identity, now: datetime, tokens_after: datetime | None) -> "User":
        """The user with a new identity, whose tokens until ``tokens_after`` belong to an erased user."""
        refused = max((at for at in (self.tokens_after, tokens_after) if at is not None), default=None)
        return replace(self.refreshed(identity, now), tokens_after=refused)

    def changed(self, changes: ProfileChanges, now: datetime) -> "User":
        """The user with the changes that they made to their profile."""
        chosen = {
            name: value
            for name in ("language", "theme", "notifications")
            if (value := getattr(changes, name)) is not None
        }
        changed = replace(self, preferences=replace(self.preferences, **chosen), updated_at=now)
        if changes.full_name is not None:
            changed = replace(changed, name=changes.full_name, name_by_user=True)
        if changes.avatar_key is not None or changes.clear_avatar:
            changed = replace(changed, avatar_key=changes.avatar_key, avatar_url=None, avatar_by_user=True)
        return changed

    @property
    def joinable_email(self) -> str | None:
        """The email by which another identity joins this user. No two users that were made with it at the
        same time may have it."""
        return self.email if self.email_verified and not self.is_guest else None

    @property
    def may_claim_records(self) -> bool:
        """Whether the user may take over the records of a device's guest."""
        return not self.is_guest

    @property
    def owner_ids(self) -> tuple[str, ...]:
        """All owner ids that resolve to this user."""
        return (self.id, *self.claimed_owner_ids)

    @property
    def shown_email(self) -> str | None:
        """The email, or the placeholder of a user known by phone only (contract section 3)."""
        if self.email is None and self.phone is not None:
            return phone_email(self.phone)
        return self.email

    @property
    def needs_onboarding(self) -> bool:
        """False once an email or a phone number is attached (spec launch rule 2)."""
        return not (self.email or self.phone or self.claimed_email or self.claimed_phone)

    @property
    def is_verified(self) -> bool:
        """Whether the provider verified the email or the phone number."""
        return self.email_verified or self.phone_verified


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """An app installation, known by the ``x-device-id`` that it sends.

    ``guest_user_id`` is the device's own guest and never changes. ``guest_owner_id`` owns what that
    guest creates now; a guest claim hands it to a registered user and gives the guest a fresh one.
    ``bound_user_id`` is the user whose bearer token the device sent last, until it signs out.
    ``hinted_user_id`` is the user that unauthenticated hints pointed at; it grants nothing.
    ``token_hash`` is of the secret that the device's client was given, if it was; ``is_locked`` once the
    client has shown it.
    """

    id: str
    platform: Platform
    guest_user_id: str
    guest_owner_id: str
    created_at: datetime
    last_seen_at: datetime
    bound_user_id: str | None = None
    bound_at: datetime | None = None
    hinted_user_id: str | None = None
    token_hash: str | None = field(default=None, repr=False)
    is_locked: bool = False

    @property
    def awaits_token(self) -> bool:
        """Whether the device's client has not been given its secret yet."""
        return self.token_hash is None

    def is_proved_by(self, token_hash: str | None) -> bool:
        """Whether this is the hash of the device's secret."""
        if token_hash is None or self.token_hash is None:
            return False
        return compare_digest(token_hash, self.token_hash)

    @property
    def session_exists(self) -> bool:
        """Whether the device was bound by a bearer token and has not signed out."""
        return self.bound_user_id is not None

    def refresh_allowed(self, now: datetime) -> bool:
        """Whether the device may refresh its session silently: bound, and seen within 30 days before
        ``now``."""
        return self.session_exists and now - self.last_seen_at <= _REFRESH_ALLOWED_FOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who one request acts as, proved by a bearer token or by device headers.

    ``owner_id`` owns what the caller creates; ``owner_ids`` is all that the caller may touch. ``identity`` is
    what the token says, None for a guest. ``address`` is where the request came from, for limits; it says
    nothing about who the caller is. ``awaits_device_token``: the device's client has no secret yet.
    """

    user_id: str
    is_guest: bool
    owner_id: str
    owner_ids: tuple[str, ...]
    device_id: str | None = None
    identity: Identity | None = None
    address: str = field(default="", repr=False, compare=False)
    awaits_device_token: bool = field(default=False, repr=False, compare=False)

    @classmethod
    def registered(
        cls,
        user: User,
        device_id: str | None,
        identity: Identity | None = None,
        address: str = "",
        *,
        awaits_device_token: bool = False,
    ) -> "Caller":
        """The caller that a verified bearer token makes."""
        return cls(
            user_id=user.id,
            is_guest=False,
            owner_id=user.id,
            owner_ids=user.owner_ids,
            device_id=device_id,
            identity=identity,
            address=address,
            awaits_device_token=awaits_device_token,
        )

    @classmethod
    def guest(cls, device: Device, address: str = "") -> "Caller":
        """The caller that device headers make."""
        return cls(
            user_id=device.guest_user_id,
            is_guest=True,
            owner_id=device.guest_owner_id,
            owner_ids=(device.guest_owner_id,),
            device_id=device.id,
            address=address,
            awaits_device_token=device.awaits_token,
        )

    @property
    def signed_in_at(self) -> datetime | None:
        """When the user signed in, as the token says; None for a guest."""
        return None if self.identity is None else self.identity.signed_in_at

    @property
    def kind(self) -> str:
        """``registered`` or ``guest``, as logs and metrics name it."""
        return "guest" if self.is_guest else "registered"

    def require_owner(self, owner_id: str) -> None:
        """Raise Forbidden unless ``owner_id`` is one of the caller's."""
        if owner_id not in self.owner_ids:
            raise Forbidden()


def phone_email(phone: str) -> str:
    """The placeholder for the email of a user known by this E.164 phone number only."""
    return f"{phone.removeprefix('+')}@{PHONE_EMAIL_DOMAIN}"


def same_email(one: str, other: str | None) -> bool:
    """Whether two addresses are the same, ignoring case."""
    return other is not None and one.casefold() == other.casefold()


def is_reserved_email(email: str) -> bool:
    """Whether the address is in the domain of placeholders for phone-only users, which nobody may claim."""
    return email.rpartition("@")[2].casefold() == PHONE_EMAIL_DOMAIN
