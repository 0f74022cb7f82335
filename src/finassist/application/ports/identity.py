"""What signing in needs: gateways to the provider and to SMS, and the records behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from finassist.domain.accounts import Account, SocialIdentity, TokenSet
from finassist.domain.otp import OtpCode
from finassist.domain.users import Identity

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProviderDescription:
    """The provider's name, and whether all that it needs is set."""

    name: str
    configured: bool


class IdentityProvider(Protocol):
    """Who signs the users' tokens: the built-in provider, or one behind a setting.

    Raises IdentityProviderError when the provider fails, or lacks what is asked (the message says what
    is not configured).
    """

    @property
    def name(self) -> str:
        """The provider's name, as users see it in ``authProvider``."""
        ...

    def describe(self) -> ProviderDescription:
        """The provider's name and whether it is configured, for ``auth/health``."""
        ...

    async def verify_access_token(self, token: str) -> Identity:
        """What a good access token says (contract section 3 says what makes one good).

        Raises TokenExpired for an authentic token whose time is over, Unauthorized for any other.
        """
        ...

    async def sign_up(self, email: str, password: str, name: str) -> TokenSet:
        """Make an account. Raises Conflict for an email that has one."""
        ...

    async def sign_in(self, email: str, password: str) -> TokenSet:
        """Raises InvalidCredentials, in the same time for a wrong password and an unknown email."""
        ...

    async def sign_in_phone(self, phone: str) -> TokenSet:
        """Sign in whoever has this phone, making the account when there is none. The caller has
        verified the phone."""
        ...

    async def exchange_social(self, social: SocialIdentity, id_token: str) -> TokenSet:
        """Sign in whoever a social provider vouched for, making the account when there is none."""
        ...

    async def refresh(self, refresh_token: str) -> TokenSet:
        """New tokens. Raises InvalidRefreshToken."""
        ...

    async def revoke(self, refresh_token: str) -> None:
        """End the session of a refresh token; an unknown one changes nothing."""
        ...

    async def authorization_url(
        self, *, state: str, nonce: str, code_challenge: str, redirect_uri: str
    ) -> str:
        """Where to send the browser for the hosted login (PKCE S256)."""
        ...

    async def exchange_code(
        self, *, code: str, code_verifier: str, nonce: str, redirect_uri: str
    ) -> TokenSet:
        """The tokens for an authorization code. Raises Unauthorized for a bad one."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """What a client asks of the built-in provider's hosted page (OAuth 2.1 with PKCE S256).

    ``state`` and ``nonce`` are None when the client sent none.
    """

    redirect_uri: str
    code_challenge: str
    state: str | None = None
    nonce: str | None = None


class AuthorizationServer(Protocol):
    """The built-in provider as the browser and the clients of its hosted page see it."""

    @property
    def client_id(self) -> str:
        """The one public client."""
        ...

    @property
    def issuer(self) -> str:
        """The ``iss`` of the tokens."""
        ...

    async def authenticate(self, email: str, password: str) -> str:
        """The subject of the account. Raises InvalidCredentials."""
        ...

    async def register(self, email: str, password: str, name: str) -> str:
        """The subject of a new account. Raises Conflict for an email that has one."""
        ...

    async def issue_code(self, subject: str, request: AuthorizationRequest) -> str:
        """An authorization code for the account, good once and for a minute."""
        ...

    async def redeem_code(self, *, code: str, code_verifier: str, redirect_uri: str) -> TokenSet:
        """The tokens for an authorization code. Raises Unauthorized for a bad one."""
        ...

    async def refresh(self, refresh_token: str) -> TokenSet:
        """New tokens. Raises InvalidRefreshToken."""
        ...

    async def set_password(self, email: str, password: str) -> None:
        """Replace an account's password and end its sessions. Raises NotFound."""
        ...

    async def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """The keys that verify the tokens, as JWKs."""
        ...

    async def rotate_keys(self) -> str:
        """Sign with a new key from now on; answers its id. Old tokens stay good until they expire."""
        ...


class SocialTokens(Protocol):
    """Identity tokens of the configured social providers (``SOCIAL_ISSUERS``)."""

    async def verify(self, id_token: str) -> SocialIdentity:
        """What a good identity token says. Raises Unauthorized for any other, IdentityProviderError when
        the keys of its issuer are out of reach."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class SmsSender(Protocol):
    """Sends text messages."""

    async def send(self, phone: str, text: str) -> None:
        """Send to an E.164 number. Raises SmsProviderError when it was not accepted."""
        ...

    async def close(self) -> None:
        """Drop what is open."""
        ...


class PhoneNumbers(Protocol):
    """What the numbering plans say of phone numbers."""

    def normalise(self, text: str) -> str:
        """The E.164 form of a number, with its plus.

        Raises ValidationFailed for what no plan has, and for countries that get no text messages.
        """
        ...


class AccountRepository(Protocol):
    """Accounts of the built-in provider."""

    async def get(self, subject: str) -> Account | None:
        """The account of this subject."""
        ...

    async def find_by_email(self, email: str) -> Account | None:
        """The account with this email, ignoring case; one with a password before one without."""
        ...

    async def find_by_verified_email(self, email: str) -> Account | None:
        """The account whose provider vouched for this email, ignoring case."""
        ...

    async def create(self, account: Account) -> bool:
        """Store a new account: once, however many try with its email or phone.

        False when its phone has one, or its email: a verified email is refused only where an account has
        verified it too, so that nobody can keep an address from its owner by signing up with it first.
        """
        ...

    async def find_by_phone(self, phone: str) -> Account | None:
        """The account with this phone."""
        ...

    async def find_by_social(self, issuer: str, subject: str) -> Account | None:
        """The account that this social identity signs in to."""
        ...

    async def link_social(self, subject: str, social_issuer: str, social_subject: str) -> str:
        """Let a social identity sign in to the account, unless it signs in to another one already.

        Answers the subject that it signs in to now.
        """
        ...

    async def set_password(self, subject: str, password_hash: str, now: datetime) -> None:
        """Replace the password."""
        ...


class RotationOutcome(StrEnum):
    """What presenting a refresh token came to."""

    ROTATED = "rotated"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    REUSED = "reused"


@dataclass(frozen=True, slots=True)
class Rotation:
    """The outcome, and whose session it is. ``reused`` has revoked the whole family."""

    outcome: RotationOutcome
    subject: str | None = None


class RefreshTokenRepository(Protocol):
    """Refresh tokens of the built-in provider, as hashes, in families that began with a sign-in."""

    async def start_family(
        self, token_hash: str, *, family_id: str, subject: str, now: datetime, expires_at: datetime
    ) -> None:
        """Store the first token of a session."""
        ...

    async def rotate(
        self, token_hash: str, *, new_hash: str, now: datetime, expires_at: datetime, grace_seconds: int
    ) -> Rotation:
        """Use up a token and store its successor in the same family.

        A token that was used within ``grace_seconds`` before (a retry) gets another successor; one used
        earlier is reuse, and revokes the family. Exact under any concurrency.
        """
        ...

    async def revoke_family_of(self, token_hash: str) -> None:
        """End the session that the token belongs to."""
        ...

    async def revoke_all_of(self, subject: str) -> None:
        """End all sessions of an account."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """A signing key as PKCS #8 PEM; ``kid`` is its RFC 7638 thumbprint."""

    kid: str
    pem: str
    created_at: datetime


class SigningKeyRepository(Protocol):
    """Signing keys of the built-in provider, where DATA_DIR is not shared by all hosts."""

    async def list(self) -> Sequence[StoredKey]:
        """All keys, oldest first."""
        ...

    async def add_first(self, key: StoredKey) -> bool:
        """Store the key if there is none yet: one of many parallel calls answers True."""
        ...

    async def add(self, key: StoredKey) -> None:
        """Store one more key; from now on it signs."""
        ...

    async def remove(self, kid: str) -> None:
        """Forget a key; an unknown one changes nothing."""
        ...


class OtpRepository(Protocol):
    """One-time codes, the newest per phone and device."""

    async def get(self, phone: str, device_id: str) -> OtpCode | None:
        """The newest code."""
        ...

    async def replace_code(self, code: OtpCode) -> None:
        """Keep a code in place of any earlier one of that phone, on whatever device."""
        ...

    async def consume_otp(self, phone: str, device_id: str, code_hash: str, now: datetime) -> None:
        """Use the code up: exactly one of many parallel right tries returns.

        Raises what ``OtpCode.try_code`` raises; a wrong try is counted exactly.
        """
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove codes that no longer say anything; returns how many."""
        ...


class Tickets(Protocol[T]):
    """What is good once and for a short time, kept under a hash of what its holder presents."""

    async def add(self, ticket_hash: str, ticket: T, expires_at: datetime) -> None:
        """Keep it until it is taken or expires."""
        ...

    async def take(self, ticket_hash: str, now: datetime) -> T | None:
        """Take it away: exactly one of many parallel calls gets it. None for an expired one."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired, of every kind of ticket; returns how many."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginState:
    """A redirect login under way, a ticket under the hash of the state and of the cookie it is bound to.

    ``client_state`` is what the client wants back, ``callback_uri`` where the provider returns to, and
    ``redirect_uri`` where the client wants the tokens, None for the configured address.
    """

    client_state: str | None
    nonce: str
    code_verifier: str
    callback_uri: str
    redirect_uri: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationCode:
    """What an authorization code stands for."""

    subject: str
    request: AuthorizationRequest


class SignInFailures(Protocol):
    """Failed sign-ins per account and address, which lock that pair for a growing time
    (``domain.accounts.lock_seconds``)."""

    async def admit(self, key: str, now: datetime) -> int:
        """Count an attempt as failed until ``clear`` says otherwise, unless the pair is locked.

        Seconds that the pair is still locked; 0 when the attempt may go on: exact under any concurrency.
        """
        ...

    async def clear(self, key: str) -> None:
        """Forget the failures after a success."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what a day without failures forgets; returns how many."""
        ...
