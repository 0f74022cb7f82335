"""Sessions of the built-in provider: their tokens, how they go on, and how they end."""

import hmac
from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256

from finassist.adapters.identity.signing import TokenSigner, claims_of, identity_of
from finassist.application.auth.password_rules import password_mark
from finassist.application.auth.random_tokens import new_token, token_hash
from finassist.application.ports.auth import (
    LiveSessions,
    LocalAccountRepository,
    RefreshTokenRepository,
    SessionRepository,
)
from finassist.application.ports.system import Clock, IdFactory
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, LocalAccount, TokenSet
from finassist.domain.auth.refresh_tokens import RefreshTokenReused, RotationOutcome
from finassist.domain.auth.sessions import AccountSession
from finassist.domain.errors import InvalidRefreshToken, Unauthorized


class TokenSessions:
    """Starts sessions, refreshes and ends them. Times to live and the grace window are in seconds.

    The successor of a refresh token is an HMAC of it: a retry gets the same one, though only hashes are
    stored.
    """

    def __init__(
        self,
        *,
        signer: TokenSigner,
        accounts: LocalAccountRepository,
        refresh_tokens: RefreshTokenRepository,
        sessions: SessionRepository,
        live_sessions: LiveSessions,
        clock: Clock,
        ids: IdFactory,
        secret_key: bytes,
        refresh_token_ttl: int,
        refresh_grace_window: int,
        session_max: int,
    ) -> None:
        self._signer = signer
        self._accounts = accounts
        self._refresh_tokens = refresh_tokens
        self._sessions = sessions
        self._live_sessions = live_sessions
        self._clock = clock
        self._ids = ids
        self._secret_key = secret_key
        self._refresh_token_ttl = timedelta(seconds=refresh_token_ttl)
        self._refresh_grace_window = refresh_grace_window
        self._session_max = timedelta(seconds=session_max)

    @property
    def longest(self) -> timedelta:
        """How long a session lasts at most."""
        return self._session_max

    async def start(
        self,
        account: LocalAccount,
        nonce: str | None = None,
        session_id: str | None = None,
        *,
        mark: str | None = None,
    ) -> TokenSet:
        """The tokens of a new session, with the given id or a new one. Raises Unauthorized for an account
        that was erased meanwhile, or whose password no longer has the ``mark``."""
        now, refresh_token = self._clock.now(), new_token()
        session = await self._refresh_tokens.start_family(
            token_hash(refresh_token),
            family_id=session_id or self._ids.new_id(),
            subject=account.subject,
            now=now,
            expires_at=now + self._refresh_token_ttl,
            ends_at=now + self._session_max,
        )
        # As it is now: erasing an account, or replacing its password, ends the sessions afterwards.
        current = await self._accounts.get(account.subject)
        if current is None:
            await self._live_sessions.end_all_of([account.subject])
            raise Unauthorized("The account does not exist any more.")
        if mark is not None and password_mark(current) != mark:
            await self._live_sessions.end(session.id)
            raise Unauthorized("The password was replaced meanwhile.")
        return await self._issue(account, session, refresh_token, nonce)

    async def refresh(self, refresh_token: str) -> TokenSet:
        """New tokens for a refresh token, which is used up; the same successor again for a retry. Raises
        InvalidRefreshToken, and RefreshTokenReused when it has ended the session."""
        now, successor = self._clock.now(), self._successor(refresh_token)
        rotation = await self._refresh_tokens.rotate(
            token_hash(refresh_token),
            new_hash=token_hash(successor),
            now=now,
            expires_at=now + self._refresh_token_ttl,
            grace_seconds=self._refresh_grace_window,
        )
        session = rotation.session
        if rotation.outcome is RotationOutcome.REUSED and session is not None:
            raise RefreshTokenReused(session)
        if rotation.outcome is not RotationOutcome.ROTATED or session is None:
            raise InvalidRefreshToken()
        account = await self._accounts.get(session.subject)
        if account is None:
            raise InvalidRefreshToken()
        return await self._issue(account, session, successor)

    async def end_by_token(self, refresh_token: str) -> None:
        """End the session of a refresh token; an unknown one changes nothing."""
        session = await self._sessions.find_by_token(token_hash(refresh_token))
        if session is not None:
            await self._live_sessions.end(session.id)

    async def _issue(
        self, account: LocalAccount, session: AccountSession, refresh_token: str, nonce: str | None = None
    ) -> TokenSet:
        now, claims = self._clock.now(), claims_of(account, session)
        ttl = self._signer.access_token_ttl
        return TokenSet(
            access_token=await self._signer.access_token(claims, now),
            id_token=await self._signer.id_token(claims, now, nonce),
            refresh_token=refresh_token,
            expires_in=ttl,
            identity=identity_of(
                account, session, provider=LOCAL_ISSUER, issued_at=now, access_token_ttl=ttl
            ),
        )

    def _successor(self, refresh_token: str) -> str:
        presented = b"refresh\0" + refresh_token.encode("utf-8", "surrogateescape")
        return urlsafe_b64encode(hmac.new(self._secret_key, presented, sha256).digest()).rstrip(b"=").decode()
