"""Identity tokens of social providers (``SOCIAL_ISSUERS``), verified with the keys that each publishes."""

from base64 import urlsafe_b64decode
from collections.abc import Iterable

import msgspec

from finassist.adapters.identity.discovery import MAX_AGE, Discovery, PublishedKeys
from finassist.adapters.identity.keys import KeyRing
from finassist.adapters.identity.oidc import ALGORITHMS, is_id_token
from finassist.adapters.identity.provider_client import ProviderClient
from finassist.adapters.identity.tokens import MAX_TOKEN_LENGTH, TokenVerifier, all_claims, identity_of
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import SocialIdentity
from finassist.domain.errors import Unauthorized


class OidcSocialTokens:
    """Verifies the identity tokens of some issuers.

    ``issuers`` are pairs of an issuer and a client id that its tokens may be meant for.
    """

    def __init__(self, issuers: Iterable[tuple[str, str]], clock: Clock) -> None:
        client_ids: dict[str, list[str]] = {}
        for issuer, client_id in issuers:
            client_ids.setdefault(issuer, []).append(client_id)
        self._client = ProviderClient()
        self._verifiers = {
            issuer: TokenVerifier(
                keys=KeyRing(
                    PublishedKeys(self._client, Discovery(self._client, issuer, clock)),
                    clock,
                    max_age=MAX_AGE,
                ),
                issuer=issuer,
                audiences=ids,
                algorithms=ALGORITHMS,
                is_wanted=is_id_token,
                read=all_claims,
                clock=clock,
            )
            for issuer, ids in client_ids.items()
        }

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def verify(self, id_token: str) -> SocialIdentity:
        """The claims of a valid identity token. Raises Unauthorized for any other, IdentityProviderError when
        the issuer's keys are needed and out of reach."""
        verifier = self._verifiers.get(_issuer_of(id_token))
        try:
            if verifier is None:
                raise Unauthorized()
            claims = await verifier.verify(id_token)
        except Unauthorized:
            raise Unauthorized("The identity token is not valid.") from None
        identity = identity_of(claims, "social")
        return SocialIdentity(
            issuer=identity.issuer,
            subject=identity.subject,
            email=identity.email,
            # Apple writes the boolean as a text.
            email_verified=identity.email is not None and claims.get("email_verified") in (True, "true"),
            name=identity.name,
            picture=identity.picture,
        )


class _Issued(msgspec.Struct):
    iss: str = ""


def _issuer_of(token: str) -> str:
    """The issuer that a token names, not verified yet; empty for a malformed token."""
    if len(token) > MAX_TOKEN_LENGTH:
        return ""
    try:
        payload = token.split(".")[1]
        return msgspec.json.decode(urlsafe_b64decode(payload + "==="), type=_Issued).iss
    except (IndexError, ValueError):
        return ""
