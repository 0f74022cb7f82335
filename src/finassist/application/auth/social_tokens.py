"""Signing in with the identity token of a social provider (contract section 3)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from finassist.application.auth.random_tokens import token_hash
from finassist.application.auth.sign_in import OpenSession, Session, SigningDevice
from finassist.application.auth.sign_in_limits import LimitLogins
from finassist.application.auth.social_redirect import CALLBACK_PATH, chat_page
from finassist.application.ports.auth import Tickets, UsedSocialToken
from finassist.application.ports.identity import IdentityProvider, SocialTokens
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import SOCIAL_TOKEN_LIFETIME
from finassist.domain.errors import Unauthorized, ValidationFailed

_REMEMBERED_FOR: Final = SOCIAL_TOKEN_LIFETIME + timedelta(minutes=5)
"""Longer than any token is accepted, whatever the clocks differ by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSocialLogin:
    """Where a browser gets the identity token of a configured issuer, which comes to the service's own chat
    page. The client makes ``state`` and ``nonce``, and compares what comes back with them. An address begins
    only so many logins."""

    social_tokens: SocialTokens | None
    limit_logins: LimitLogins
    public_base_url: str

    async def __call__(self, issuer: str, *, state: str, nonce: str, own_address: str, address: str) -> str:
        if self.social_tokens is None:
            raise ValidationFailed.of("issuer", "No social provider is configured.")
        await self.limit_logins("logins", address)
        page = chat_page(self.public_base_url or own_address)
        posted_to = page.rstrip("/") + CALLBACK_PATH
        return await self.social_tokens.sign_in_url(
            issuer, redirect_uri=page, posted_to=posted_to, state=state, nonce=nonce
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInSocial:
    """Sign in the user of a configured issuer's identity token, making the account when there is none.

    The token must be signed by its issuer, issued for the configured client id a short time ago, and not
    expired. It is good once.
    """

    social_tokens: SocialTokens | None
    used_social_tokens: Tickets[UsedSocialToken]
    identity_provider: IdentityProvider
    open_session: OpenSession
    clock: Clock

    async def __call__(self, id_token: str, device: SigningDevice | None = None) -> Session:
        if self.social_tokens is None:
            raise Unauthorized("No social provider is configured.")
        social = await self.social_tokens.verify(id_token)
        await self._use(id_token)
        tokens = await self.identity_provider.exchange_social(social, id_token)
        return await self.open_session(tokens, device)

    async def _use(self, id_token: str) -> None:
        """Remember the token until no verifier accepts it any more: only the first call with it returns."""
        now = self.clock.now()
        signed, _, _ = id_token.rpartition(".")  # one text can have several signatures
        used = UsedSocialToken(used_at=now)
        if not await self.used_social_tokens.add_new(token_hash(signed), used, now + _REMEMBERED_FOR):
            raise Unauthorized("The identity token was used before.")
