"""Signing up, in and out (contract section 3)."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from finassist.application.accounts.avatars import GetAvatarUrl
from finassist.application.auth.audit import note_call
from finassist.application.auth.callers import BindSessionDevice, FindTokenUser, ProveDevice
from finassist.application.auth.password_rules import RequireGoodAccount, RequireGoodPassword
from finassist.application.auth.random_tokens import token_hash
from finassist.application.auth.sessions import EndAllSessions, UnbindSessions
from finassist.application.auth.sign_in_limits import LimitSignIns, LimitSignUps
from finassist.application.erasure.admission import AdmitIdentity, FindErasure
from finassist.application.ports.auth import (
    AppLogin,
    LocalAccountRepository,
    LoginState,
    OtpRepository,
    RefreshTokenRepository,
    SecondFactorChallenges,
    SessionRepository,
    SignInAddressRepository,
    SignInFailures,
    Tickets,
)
from finassist.application.ports.erasure import ErasureRepository
from finassist.application.ports.identity import (
    AuthorizationServer,
    IdentityProvider,
    ProviderDescription,
    SocialTokens,
)
from finassist.application.ports.system import Clock
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, TokenSet, email_problems
from finassist.domain.auth.refresh_tokens import RefreshTokenReused
from finassist.domain.auth.sessions import AuthorizationCodeReused
from finassist.domain.erasure import RECEIPT_KEPT_FOR
from finassist.domain.errors import (
    DeviceLocked,
    FieldError,
    IdentityProviderError,
    InvalidRefreshToken,
    NotFound,
    Unauthorized,
    ValidationFailed,
)
from finassist.domain.users import Identity, Platform, User

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """The result of signing in: the provider's tokens, and the user with the address of its picture."""

    tokens: TokenSet
    user: User
    avatar_url: str | None


@dataclass(frozen=True, slots=True)
class SigningDevice:
    """The device of a sign-in or a refresh, as far as the request names it, the request's address, and the
    device's secret, if it was sent."""

    id: str | None
    platform: Platform | None
    address: str
    token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BindSigningDevice:
    """Bind the device of a sign-in or a refresh to the user, if the request named one."""

    bind_session_device: BindSessionDevice

    async def __call__(self, device: SigningDevice | None, identity: Identity, user: User) -> None:
        if device is not None and device.id is not None:
            await self.bind_session_device(
                device.id, device.platform, user, device.address, identity, device.token
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """Update the user from the tokens that were just issued, creating it when there is none. The device is
    bound to the user."""

    admit_identity: AdmitIdentity
    get_avatar_url: GetAvatarUrl
    bind_signing_device: BindSigningDevice

    async def __call__(self, tokens: TokenSet, device: SigningDevice | None = None) -> Session:
        user = await self.admit_identity(tokens.identity)
        note_call(user_id=user.id)
        await self.bind_signing_device(device, tokens.identity, user)
        return Session(tokens, user, await self.get_avatar_url(user))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUp:
    """Make an account and sign it in. An email that has one is a conflict. The address of the device, when it
    is known, can make only so many."""

    identity_provider: IdentityProvider
    require_good_account: RequireGoodAccount
    limit_sign_ups: LimitSignUps
    open_session: OpenSession

    async def __call__(
        self, email: str, password: str, name: str, device: SigningDevice | None = None
    ) -> Session:
        self.require_good_account(email, password, name)

        async def attempt() -> TokenSet:
            return await self.identity_provider.sign_up(email, password, name)

        tokens = await (attempt() if device is None else self.limit_sign_ups(email, device.address, attempt))
        return await self.open_session(tokens, device)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Sign in with a password. One answer for a wrong password and an unknown email."""

    identity_provider: IdentityProvider
    limit_sign_ins: LimitSignIns
    open_session: OpenSession

    async def __call__(
        self, email: str, password: str, address: str, device: SigningDevice | None = None
    ) -> Session:
        require_good_email(email)
        tokens = await self.limit_sign_ins(
            email, address, lambda: self.identity_provider.sign_in(email, password)
        )
        return await self.open_session(tokens, device)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshSession:
    """New tokens for a refresh token. A rotated one works again only within the grace window; one of an
    erased account never does. The device is bound to the user; that of a session that is ended because a
    token was reused is unbound."""

    identity_provider: IdentityProvider
    users: UserRepository
    find_erasure: FindErasure
    find_token_user: FindTokenUser
    bind_signing_device: BindSigningDevice
    unbind_sessions: UnbindSessions

    async def __call__(self, refresh_token: str, device: SigningDevice | None = None) -> TokenSet:
        try:
            tokens = await self.identity_provider.refresh(refresh_token)
        except RefreshTokenReused as error:
            note_reuse(error)
            await self.unbind_sessions([error.session])
            raise
        if await self._is_erased(tokens.identity):
            # The provider does not know of the erasure: its session must not restore the user.
            await revoke_quietly(self.identity_provider, tokens.refresh_token or refresh_token)
            raise InvalidRefreshToken()
        if device is not None and device.id is not None:
            await self._bind(device, tokens.identity)
        return tokens

    async def _is_erased(self, identity: Identity) -> bool:
        if await self.users.find_by_identity(identity.issuer, identity.subject) is not None:
            return False
        return await self.find_erasure(identity) is not None

    async def _bind(self, device: SigningDevice, identity: Identity) -> None:
        try:
            await self.bind_signing_device(device, identity, await self.find_token_user(identity))
        except Unauthorized as error:  # erased meanwhile
            raise InvalidRefreshToken() from error


@dataclass(frozen=True, slots=True, kw_only=True)
class SignOut:
    """End the session of the refresh token, its access tokens included, and unbind the device from its user,
    and all that the session bound. Unknown ones are no error, nor is a locked device whose secret was not
    sent: only the end of its session unbinds it."""

    identity_provider: IdentityProvider
    devices: DeviceRepository
    prove_device: ProveDevice
    sessions: SessionRepository
    unbind_sessions: UnbindSessions

    async def __call__(
        self, refresh_token: str | None, device_id: str | None, device_token: str | None = None
    ) -> None:
        if device_id is not None:
            await self._unbind(device_id, device_token)
        if refresh_token is not None:
            session = await self.sessions.find_by_token(token_hash(refresh_token))
            # The client has signed out, whatever the provider does.
            await revoke_quietly(self.identity_provider, refresh_token)
            await self.unbind_sessions([] if session is None else [session])

    async def _unbind(self, device_id: str, token: str | None) -> None:
        device = await self.devices.get(device_id)
        if device is not None:
            with suppress(DeviceLocked):
                await self.prove_device(device, token)
                await self.devices.unbind(device_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeProvider:
    """Which identity provider signs the tokens, and whether it has all its settings."""

    identity_provider: IdentityProvider

    async def __call__(self) -> ProviderDescription:
        return self.identity_provider.describe()


@dataclass(frozen=True, slots=True)
class SignInOptions:
    """Who sends codes to phones and who sends mails (``console``: they are in the service's log), and the
    issuers whose identity tokens are taken."""

    sms_provider: str
    email_provider: str
    social_issuers: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeSignInOptions:
    """What a client offers for signing in, besides passwords and the provider's own page."""

    sms_provider: str
    email_provider: str
    social_tokens: SocialTokens | None

    async def __call__(self) -> SignInOptions:
        issuers = self.social_tokens.issuers if self.social_tokens else ()
        return SignInOptions(self.sms_provider, self.email_provider, issuers)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPassword:
    """Replace the password of an account of the built-in provider; its sessions end. Raises NotFound."""

    local_accounts: LocalAccountRepository
    authorization_server: AuthorizationServer
    require_good_password: RequireGoodPassword
    end_all_sessions: EndAllSessions

    async def __call__(self, email: str, password: str) -> None:
        self.require_good_password(password)
        account = await self.local_accounts.find_by_email(email)
        if account is None:
            raise NotFound("account")
        await self.authorization_server.replace_password(account.subject, password)
        await self.end_all_sessions(account.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class RotateKeys:
    """Let the built-in provider sign with a new key. Old tokens stay good until they expire."""

    authorization_server: AuthorizationServer

    async def __call__(self) -> str:
        return await self.authorization_server.rotate_keys()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteExpiredLogins:
    """Remove expired records of signing in (refresh tokens, failures, addresses, codes, tickets), and the
    receipts and hashes of erasures after a year. Returns how many."""

    refresh_tokens: RefreshTokenRepository
    login_states: Tickets[LoginState]
    app_logins: Tickets[AppLogin]
    otp_codes: OtpRepository
    sign_in_failures: SignInFailures
    sign_in_addresses: SignInAddressRepository
    second_factor_challenges: SecondFactorChallenges
    erasures: ErasureRepository
    clock: Clock

    async def __call__(self) -> int:
        now = self.clock.now()
        return (
            await self.refresh_tokens.delete_expired(now)
            + await self.login_states.delete_expired(now)
            + await self.app_logins.delete_expired(now)
            + await self.otp_codes.delete_expired(now)
            + await self.sign_in_failures.delete_expired(now)
            + await self.sign_in_addresses.delete_expired(now)
            + await self.second_factor_challenges.delete_expired(now)
            + await self.erasures.delete_expired(now - RECEIPT_KEPT_FOR)
        )


def note_reuse(error: RefreshTokenReused | AuthorizationCodeReused) -> None:
    """Note that a token or a code was used twice, which may have been stolen."""
    code = "REFRESH_TOKEN_REUSED" if isinstance(error, RefreshTokenReused) else "AUTHORIZATION_CODE_REUSED"
    note_call(code=code, identity=(LOCAL_ISSUER, error.session.subject))


async def revoke_quietly(identity_provider: IdentityProvider, refresh_token: str) -> None:
    """End the session of a refresh token, if the provider does it."""
    try:
        await identity_provider.revoke(refresh_token)
    except IdentityProviderError as error:
        _log.warning("a refresh token was not revoked: %s", error.message)


def require_good_email(email: str) -> None:
    """Raise ValidationFailed for an email that nobody can have."""
    errors = [FieldError("email", message) for message in email_problems(email)]
    if errors:
        raise ValidationFailed(errors)
