"""Signing in with the identity token of a social provider (contract section 3)."""

from dataclasses import dataclass

from finassist.application.auth.sign_in import OpenSession, Session, SigningDevice
from finassist.application.ports.identity import IdentityProvider, SocialTokens
from finassist.domain.errors import Unauthorized


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInSocial:
    """Sign in the user of a configured issuer's identity token, making the account when there is none.

    The token must be signed by its issuer, issued for the configured client id, and not expired.
    """

    social_tokens: SocialTokens | None
    identity_provider: IdentityProvider
    open_session: OpenSession

    async def __call__(self, id_token: str, device: SigningDevice | None = None) -> Session:
        if self.social_tokens is None:
            raise Unauthorized("No social provider is configured.")
        social = await self.social_tokens.verify(id_token)
        tokens = await self.identity_provider.exchange_social(social, id_token)
        return await self.open_session(tokens, device)
