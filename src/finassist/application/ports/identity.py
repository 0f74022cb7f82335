"""What signing in needs: gateways to the provider and to SMS, and the records behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from finassist.domain.accounts import Account, SocialIdentity, TokenSet
from finassist.domain.otp import OtpCode
from finassist.domain.users import Identity


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


class SocialTokens(Protocol):
    """Identity tokens of the configured social providers (``SOCIAL_ISSUERS``)."""

    async def verify(self, id_token: str) -> SocialIdentity:
        """What a good identity token says. Raises Unauthorized for any other."""
        ...


class SmsSender(Protocol):
    """Sends text messages."""

    async def send(self, phone: str, text: str) -> None:
        """Send to an E.164 number. Raises SmsProviderError when it was not accepted."""
        ...


class AccountRepository(Protocol):
    """Accounts of the built-in provider."""

    async def get(self, subject: str) -> Account | None:
        """The account of this subject."""
        ...

    async def find_by_email(self, email: str) -> Account | None:
        """The account with this email, ignoring case."""
        ...

    async def create(self, account: Account) -> bool:
        """Store a new account. False when its email or phone has one: once, however many try."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginState:
    """A redirect login under way. ``cookie_hash`` is None for one that an app began; ``client_state``
    is what the client wants back."""

    state_hash: str
    client_state: str | None
    nonce: str
    code_verifier: str
    cookie_hash: str | None
    redirect_uri: str | None
    expires_at: datetime


class LoginStateRepository(Protocol):
    """Redirect logins under way; each is good once."""

    async def add(self, state: LoginState) -> None:
        """Keep it until it is taken or expires."""
        ...

    async def take(self, state_hash: str, now: datetime) -> LoginState | None:
        """Take it away: exactly one of many parallel calls gets it."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationCode:
    """A code that the built-in provider's hosted page gave out."""

    code_hash: str
    subject: str
    code_challenge: str
    nonce: str
    redirect_uri: str
    expires_at: datetime


class AuthorizationCodeRepository(Protocol):
    """Authorization codes; each is good once."""

    async def add(self, code: AuthorizationCode) -> None:
        """Keep it until it is taken or expires."""
        ...

    async def take(self, code_hash: str, now: datetime) -> AuthorizationCode | None:
        """Take it away: exactly one of many parallel calls gets it."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...


class SignInFailures(Protocol):
    """Failed sign-ins per account and address, which lock that pair for a growing time."""

    async def locked_for(self, key: str, now: datetime) -> int:
        """Seconds that the pair is still locked; 0 when it is not."""
        ...

    async def record_failure(self, key: str, now: datetime) -> int:
        """Count a failure; answers how many there were in a row. The tenth locks the pair for a minute,
        each further one for longer, up to 15 minutes; a day without failures forgets."""
        ...

    async def clear(self, key: str) -> None:
        """Forget the failures after a success."""
        ...
