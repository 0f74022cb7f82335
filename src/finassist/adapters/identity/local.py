"""The built-in identity provider (contract section 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from hmac import compare_digest
from typing import Any, Final
from urllib.parse import urlencode

from finassist.adapters.identity.keys import RELOAD_INTERVAL, SigningKeyStore, public_jwk
from finassist.adapters.identity.passwords import Passwords
from finassist.adapters.identity.sessions import TokenSessions
from finassist.adapters.identity.signing import ALGORITHM, TokenSigner
from finassist.adapters.identity.tokens import LEEWAY, AccessTokenVerifier, is_rfc9068
from finassist.application.auth.password_rules import password_mark
from finassist.application.auth.random_tokens import new_token, pkce_challenge, token_hash
from finassist.application.ports.auth import (
    AuthorizationCode,
    LiveSessions,
    LocalAccountRepository,
    SecondFactors,
    Tickets,
)
from finassist.application.ports.identity import Authenticated, AuthorizationRequest, ProviderDescription
from finassist.application.ports.system import Clock, IdFactory
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, LocalAccount, SocialIdentity, TokenSet
from finassist.domain.auth.sessions import AuthorizationCodeReused
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import (
    Conflict,
    IdentityProviderError,
    InvalidCredentials,
    Unauthorized,
)
from finassist.domain.users import Identity

DEFAULT_ISSUER: Final = "http://localhost:8000"
"""The issuer without ``PUBLIC_BASE_URL``. It does not follow the port, so that all processes of one
installation accept each other's tokens, before and after a restart."""

AUDIENCE: Final = "finassist"
CLIENT_ID: Final = "finassist-client"

_CODE_LIFETIME: Final = timedelta(minutes=1)
_BAD_CODE: Final = "The authorization code is not valid."


class LocalIdentityProvider:
    """Keeps accounts, signs their tokens and verifies its own: ``IdentityProvider`` and
    ``AuthorizationServer``.

    ``authorization_path`` and ``callback_path`` are where the service serves the hosted page and takes
    its codes.
    """

    name = LOCAL_ISSUER
    client_id = CLIENT_ID

    def __init__(
        self,
        *,
        key_store: SigningKeyStore,
        signer: TokenSigner,
        passwords: Passwords,
        accounts: LocalAccountRepository,
        sessions: TokenSessions,
        live_sessions: LiveSessions,
        second_factors: SecondFactors,
        authorization_codes: Tickets[AuthorizationCode],
        clock: Clock,
        ids: IdFactory,
        authorization_path: str,
        callback_path: str,
    ) -> None:
        self._key_store = key_store
        self._signer = signer
        self._passwords = passwords
        self._accounts = accounts
        self._sessions = sessions
        self._live_sessions = live_sessions
        self._second_factors = second_factors
        self._authorization_codes = authorization_codes
        self._clock = clock
        self._ids = ids
        self._authorization_path = authorization_path
        self._callback_path = callback_path
        self._verifier = AccessTokenVerifier(
            provider=self.name,
            keys=signer.keys,
            issuer=signer.issuer,
            audience=signer.audience,
            algorithms=(ALGORITHM,),
            is_access_token=is_rfc9068,
            clock=clock,
            known_as=self.name,  # accounts must survive a change of PUBLIC_BASE_URL
        )

    @property
    def issuer(self) -> str:
        """The ``iss`` of the tokens."""
        return self._signer.issuer

    def describe(self) -> ProviderDescription:
        """It needs nothing to be configured."""
        return ProviderDescription(self.name, configured=True)

    async def close(self) -> None:
        """There are no connections."""

    async def verify_access_token(self, token: str) -> Identity:
        """What one of our own access tokens says; the identity's issuer is ``local`` at every address.

        Raises TokenExpired for an authentic token whose time is over, Unauthorized for any other, and for one
        whose session has ended. Tokens from before sessions were kept name none.
        """
        identity = await self._verifier.verify(token)
        if identity.session_id is not None:
            await self._live_sessions.require(identity.session_id)
        return identity

    def can_erase_account(self, identity: ProviderIdentity) -> bool:
        """Its accounts are records, and erased with them."""
        return False

    async def erase_account(self, identity: ProviderIdentity) -> None:
        """There are no accounts elsewhere."""

    # Ways in

    async def sign_up(self, email: str, password: str, name: str) -> TokenSet:
        """Make an account. Raises Conflict for an email that has one."""
        return await self._sessions.start(await self._create_with_password(email, password, name))

    async def sign_in(self, email: str, password: str) -> TokenSet:
        """Raises InvalidCredentials, in the same time for a wrong password and an unknown email, and
        SecondFactorRequired."""
        account = await self._check_password(email, password)
        tokens = await self._start(account)
        # Replacing a password ends all sessions afterwards: this one may have begun after that.
        if not await self._is_password(account, password):
            if tokens.refresh_token is not None:
                await self._sessions.end_by_token(tokens.refresh_token)
            raise InvalidCredentials()
        return tokens

    async def sign_in_phone(self, phone: str) -> TokenSet:
        """Sign in the account of a verified phone, making it when there is none."""
        account = await self._accounts.find_by_phone(phone)
        if account is None:
            account = self._new_account(phone=phone, phone_verified=True)
            if not await self._accounts.create(account):
                account = await self._accounts.find_by_phone(phone)
        if account is None:
            raise IdentityProviderError("The account of this phone number no longer exists.")
        return await self._start(account)

    async def exchange_social(self, social: SocialIdentity, id_token: str) -> TokenSet:
        """Sign in the account that a social identity belongs to, making it when there is none.

        An account is joined by its email only when it is verified on both sides.
        """
        account = await self._accounts.find_by_social(social.issuer, social.subject)
        if account is None:
            account = await self._account_for(social)
            subject = await self._accounts.link_social(account.subject, social.issuer, social.subject)
            if subject != account.subject:
                account = await self._account(subject)
        return await self._start(account)

    async def answer_challenge(self, challenge: str, code: str) -> TokenSet:
        """Finish a sign-in that needed a second factor. Raises InvalidCode, ChallengeExpired and
        TooManyAttempts."""
        answered = await self._second_factors.answer(challenge, code)
        account = await self._account(answered.subject)
        return await self._sessions.start(account, mark=answered.password_mark)

    async def refresh(self, refresh_token: str) -> TokenSet:
        """New tokens for a refresh token, which is used up. Raises InvalidRefreshToken."""
        return await self._sessions.refresh(refresh_token)

    async def revoke(self, refresh_token: str) -> None:
        """End the session of a refresh token; an unknown one changes nothing."""
        await self._sessions.end_by_token(refresh_token)

    async def check_password(self, subject: str, password: str) -> None:
        """Raises InvalidCredentials when it is not the account's password."""
        account = await self._accounts.get(subject)
        check = await self._passwords.check(account.password_hash if account else None, password)
        if not check.matches:
            raise InvalidCredentials()

    async def replace_password(self, subject: str, password: str) -> None:
        """Replace an account's password; its sessions go on."""
        password_hash = await self._passwords.hash(password)
        await self._accounts.set_password(subject, password_hash, self._clock.now())

    # The hosted page

    async def authorization_url(
        self, *, state: str, nonce: str, code_challenge: str, redirect_uri: str
    ) -> str:
        """The address of the service's own hosted page."""
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": redirect_uri,
            "scope": "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": code_challenge,
            "code_challenge_method": "S256",
        }
        base = redirect_uri.removesuffix(self._callback_path)
        return f"{base}{self._authorization_path}?{urlencode(query)}"

    async def authenticate(self, email: str, password: str) -> Authenticated:
        """The account. Raises InvalidCredentials and SecondFactorRequired."""
        account = await self._check_password(email, password)
        await self._second_factors.require_none(account)
        return Authenticated(account.subject, password_mark(account))

    async def register(self, email: str, password: str, name: str) -> Authenticated:
        """A new account. Raises Conflict for an email that has one."""
        account = await self._create_with_password(email, password, name)
        return Authenticated(account.subject, password_mark(account))

    async def issue_code(self, authenticated: Authenticated, request: AuthorizationRequest) -> str:
        """An authorization code, good once, for a minute, and as long as the password stays the same."""
        code, now = new_token(), self._clock.now()
        issued = AuthorizationCode(
            subject=authenticated.subject,
            session_id=self._ids.new_id(),
            request=request,
            password_mark=authenticated.password_mark,
        )
        await self._authorization_codes.add(_spent_hash(code), issued, now + self._sessions.longest)
        await self._authorization_codes.add(token_hash(code), issued, now + _CODE_LIFETIME)
        return code

    async def exchange_code(
        self, *, code: str, code_verifier: str, nonce: str, redirect_uri: str
    ) -> TokenSet:
        """The tokens for a code that was asked for with this nonce. Raises Unauthorized for a bad one, and
        AuthorizationCodeReused when that has ended a session."""
        return await self._redeem(code, code_verifier, redirect_uri, nonce)

    async def redeem_code(self, *, code: str, code_verifier: str, redirect_uri: str) -> TokenSet:
        """The tokens for a code; the client checks the nonce. Raises as ``exchange_code``."""
        return await self._redeem(code, code_verifier, redirect_uri, None)

    async def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """The keys that verify the tokens, as JWKs."""
        return [public_jwk(key) for key in await self._signer.keys.all()]

    async def rotate_keys(self) -> str:
        """Sign with a new key from now on; returns its id. Old tokens stay good until they expire."""
        kept = timedelta(seconds=self._signer.access_token_ttl) + LEEWAY + RELOAD_INTERVAL
        return await self._key_store.rotate(self._clock.now(), kept)

    async def _redeem(self, code: str, code_verifier: str, redirect_uri: str, nonce: str | None) -> TokenSet:
        issued = await self._authorization_codes.take(token_hash(code), self._clock.now())
        if issued is None:
            await self._end_session_of(code)
            raise Unauthorized(_BAD_CODE)
        if (
            issued.request.redirect_uri != redirect_uri
            or (nonce is not None and issued.request.nonce != nonce)
            or not compare_digest(
                pkce_challenge(code_verifier).encode(), issued.request.code_challenge.encode()
            )
        ):
            raise Unauthorized(_BAD_CODE)
        account = await self._account(issued.subject)
        tokens = await self._sessions.start(
            account, issued.request.nonce, issued.session_id, mark=issued.password_mark
        )
        if await self._authorization_codes.get(_spent_hash(code), self._clock.now()) is None:
            # Replayed before the session was there: it ends as if the replay had come a moment later.
            await self._live_sessions.end(issued.session_id)
        return tokens

    async def _end_session_of(self, code: str) -> None:
        """End the session that a code which is presented again has started (RFC 6749, section 4.1.2)."""
        spent = await self._authorization_codes.take(_spent_hash(code), self._clock.now())
        if spent is not None and (session := await self._live_sessions.end(spent.session_id)) is not None:
            raise AuthorizationCodeReused(session)

    async def _start(self, account: LocalAccount) -> TokenSet:
        await self._second_factors.require_none(account)
        return await self._sessions.start(account)

    # Accounts

    async def _create_with_password(self, email: str, password: str, name: str) -> LocalAccount:
        if await self._accounts.find_by_email(email) is not None:
            raise Conflict("An account with this email exists already.")
        password_hash = await self._passwords.hash(password)
        account = self._new_account(email=email, name=name, password_hash=password_hash)
        if not await self._accounts.create(account):
            raise Conflict("An account with this email exists already.")
        return account

    async def _check_password(self, email: str, password: str) -> LocalAccount:
        account = await self._accounts.find_by_email(email)
        check = await self._passwords.check(account.password_hash if account else None, password)
        if account is None or not check.matches:
            raise InvalidCredentials()
        if check.new_hash is not None:
            await self._accounts.set_password(
                account.subject, check.new_hash, self._clock.now(), instead_of=account.password_hash
            )
            return replace(account, password_hash=check.new_hash)
        return account

    async def _is_password(self, checked: LocalAccount, password: str) -> bool:
        """Whether it still is the password of an account that it was checked with."""
        account = await self._accounts.get(checked.subject)
        if account is not None and account.password_hash == checked.password_hash:
            return True
        return (await self._passwords.check(account.password_hash if account else None, password)).matches

    async def _account_for(self, social: SocialIdentity) -> LocalAccount:
        """The account that shares the verified email, else a new one, whose unverified email is kept only
        if nobody else has it."""
        email = social.joining_email
        if email is not None:
            known = await self._accounts.find_by_verified_email(email)
            if known is not None:
                return known
        new = self._new_account(
            email=social.email, email_verified=social.email_verified, name=social.name or ""
        )
        if await self._accounts.create(new):
            return new
        if email is not None:  # another call has just made it
            known = await self._accounts.find_by_verified_email(email)
            if known is not None:
                return known
        without_email = replace(new, email=None, email_verified=False)
        await self._accounts.create(without_email)
        return without_email

    def _new_account(self, *, name: str = "", **fields: Any) -> LocalAccount:
        now = self._clock.now()
        return LocalAccount(subject=self._ids.new_id(), name=name, created_at=now, updated_at=now, **fields)

    async def _account(self, subject: str) -> LocalAccount:
        account = await self._accounts.get(subject)
        if account is None:
            raise Unauthorized("The account does not exist any more.")
        return account


def _spent_hash(code: str) -> str:
    """What a code is stored under to tell a replay."""
    return token_hash(code, "spent")
