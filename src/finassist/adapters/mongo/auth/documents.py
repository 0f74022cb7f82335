"""The documents of the built-in identity provider, and of sign-ins: failures, codes, tickets."""

from datetime import datetime
from typing import ClassVar, Final

from beanie import Document
from pydantic import BaseModel

from finassist.adapters.mongo.engine.documents import DocumentSettings, IdentityKey, folded, index_on
from finassist.domain.auth.local_accounts import LocalAccount
from finassist.domain.auth.otp import KEPT_AFTER_EXPIRY
from finassist.domain.auth.second_factor import SecondFactor
from finassist.domain.auth.sign_in_limits import SignInAddress
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.users import Platform


class AccountDocument(Document):
    """An account; its id is the subject.

    The folded email is ``verified_email`` or ``unverified_email`` as well: each is unique, so an address
    belongs to at most one account that verified it, and at most one that did not.
    """

    id: str  # type: ignore[assignment]
    name: str
    created_at: datetime
    updated_at: datetime
    email: str | None = None
    email_verified: bool = False
    phone: str | None = None
    phone_verified: bool = False
    password_hash: str | None = None
    email_folded: str | None = None
    verified_email: str | None = None
    unverified_email: str | None = None
    joined_to: str | None = None
    social: tuple[IdentityKey, ...] | None = None

    class Settings(DocumentSettings):
        name = "accounts"
        indexes: ClassVar = [
            index_on("accounts_by_email", "email_folded", sparse=True),
            index_on("accounts_by_verified_email", "verified_email", unique=True, sparse=True),
            index_on("accounts_by_unverified_email", "unverified_email", unique=True, sparse=True),
            index_on("accounts_by_phone", "phone", unique=True, sparse=True),
            index_on("accounts_by_social", "social", unique=True, sparse=True),
        ]

    @classmethod
    def of(cls, account: LocalAccount) -> "AccountDocument":
        """The document of a new account."""
        address = folded(account.email)
        return cls(
            id=account.subject,
            name=account.name,
            created_at=account.created_at,
            updated_at=account.updated_at,
            email=account.email,
            email_verified=account.email_verified,
            phone=account.phone,
            phone_verified=account.phone_verified,
            password_hash=account.password_hash,
            email_folded=address,
            verified_email=address if account.email_verified else None,
            unverified_email=None if account.email_verified else address,
        )

    def to_domain(self) -> LocalAccount:
        """The account."""
        return LocalAccount(
            subject=self.id,
            name=self.name,
            created_at=self.created_at,
            updated_at=self.updated_at,
            email=self.email,
            email_verified=self.email_verified,
            phone=self.phone,
            phone_verified=self.phone_verified,
            password_hash=self.password_hash,
            joined_to=self.joined_to,
        )


class IssuedToken(BaseModel):
    """A refresh token of a family."""

    hash: str
    expires_at: datetime


class TokenUse(BaseModel):
    """When a refresh token was rotated."""

    hash: str
    at: datetime


class SeenDevice(BaseModel):
    """A device of a session."""

    id: str
    platform: Platform | None = None


class TokenFamilyDocument(Document):
    """The refresh tokens that began with one sign-in, and what is kept of the session that they make. What
    was used is noted apart from what was issued, because one update cannot change and extend the same list.

    Families from before sessions were kept have no ``created_at`` and no ``ends_at``.
    """

    id: str  # type: ignore[assignment]
    subject: str
    tokens: tuple[IssuedToken, ...]
    uses: tuple[TokenUse, ...] = ()
    expires_at: datetime
    created_at: datetime | None = None
    last_seen_at: datetime | None = None
    ends_at: datetime | None = None
    devices: tuple[SeenDevice, ...] = ()

    class Settings(DocumentSettings):
        name = "token_families"
        indexes: ClassVar = [
            index_on("token_families_by_token", "tokens.hash", unique=True),
            index_on("token_families_by_subject", "subject"),
            index_on("token_families_by_expiry", "expires_at", expireAfterSeconds=0),
        ]


class TicketDocument(Document):
    """A ticket, which can be used once: its id is its kind and its hash, ``content`` is JSON."""

    id: str  # type: ignore[assignment]
    content: str
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "tickets"
        indexes: ClassVar = [index_on("tickets_by_expiry", "expires_at", expireAfterSeconds=0)]


class SignInFailuresDocument(Document):
    """The failed sign-ins of an account from an address."""

    id: str  # type: ignore[assignment]
    failures: int
    locked_until: datetime
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "sign_in_failures"
        indexes: ClassVar = [index_on("sign_in_failures_by_expiry", "expires_at", expireAfterSeconds=0)]


class SignInAddressDocument(Document):
    """An address that the right password came from; its id is a keyed hash."""

    id: str  # type: ignore[assignment]
    issuer: str
    subject: str
    first_seen_at: datetime
    last_seen_at: datetime
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "sign_in_addresses"
        indexes: ClassVar = [
            index_on("sign_in_addresses_by_subject", "subject"),
            index_on("sign_in_addresses_by_expiry", "expires_at", expireAfterSeconds=0),
        ]

    def to_domain(self) -> SignInAddress:
        """The address."""
        return SignInAddress(
            hash=self.id,
            identity=ProviderIdentity(issuer=self.issuer, subject=self.subject),
            first_seen_at=self.first_seen_at,
            last_seen_at=self.last_seen_at,
        )


class SecondFactorDocument(Document):
    """The second factor of an account, whose subject is its id."""

    id: str  # type: ignore[assignment]
    secret: str
    created_at: datetime
    confirmed_at: datetime | None = None
    recovery_hashes: tuple[str, ...] = ()
    last_step: int = 0

    class Settings(DocumentSettings):
        name = "second_factors"

    def to_domain(self) -> SecondFactor:
        """The second factor."""
        return SecondFactor(
            subject=self.id,
            secret=self.secret,
            created_at=self.created_at,
            confirmed_at=self.confirmed_at,
            recovery_hashes=self.recovery_hashes,
            last_step=self.last_step,
        )


class SecondFactorChallengeDocument(Document):
    """A sign-in that waits for its second factor; its id is the hash of what the client holds."""

    id: str  # type: ignore[assignment]
    subject: str
    tries: int = 0
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "second_factor_challenges"
        indexes: ClassVar = [
            index_on("second_factor_challenges_by_subject", "subject"),
            index_on("second_factor_challenges_by_expiry", "expires_at", expireAfterSeconds=0),
        ]


class OtpCodeDocument(Document):
    """The newest code of a phone, which is its id."""

    id: str  # type: ignore[assignment]
    device_id: str
    code_hash: str
    sent_at: datetime
    expires_at: datetime
    wrong_tries: int = 0
    used: bool = False

    class Settings(DocumentSettings):
        name = "otp_codes"
        indexes: ClassVar = [
            index_on(
                "otp_codes_by_expiry",
                "expires_at",
                expireAfterSeconds=int(KEPT_AFTER_EXPIRY.total_seconds()),
            )
        ]


class SigningKeyDocument(Document):
    """A signing key; its id is the ``kid``, and the one with the highest number signs."""

    id: str  # type: ignore[assignment]
    number: int
    pem: str
    created_at: datetime

    class Settings(DocumentSettings):
        name = "signing_keys"
        indexes: ClassVar = [index_on("signing_keys_by_number", "number", unique=True)]


IDENTITY_DOCUMENTS: Final = (
    AccountDocument,
    TokenFamilyDocument,
    TicketDocument,
    SignInFailuresDocument,
    SignInAddressDocument,
    SecondFactorDocument,
    SecondFactorChallengeDocument,
    OtpCodeDocument,
    SigningKeyDocument,
)
