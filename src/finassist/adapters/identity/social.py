"""Identity tokens of social providers (``SOCIAL_ISSUERS``), verified with the keys that each publishes."""

from base64 import urlsafe_b64decode
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlencode

import msgspec

from finassist.adapters.identity.discovery import MAX_AGE, Discovery, Metadata, PublishedKeys
from finassist.adapters.identity.keys import KeyRing
from finassist.adapters.identity.oidc import ALGORITHMS, is_id_token
from finassist.adapters.identity.provider_client import ProviderClient
from finassist.adapters.identity.tokens import (
    LEEWAY,
    MAX_TOKEN_LENGTH,
    Claims,
    TokenVerifier,
    all_claims,
    identity_of,
)
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import SOCIAL_TOKEN_AGE, SOCIAL_TOKEN_LIFETIME, SocialIdentity
from finassist.domain.errors import Unauthorized, ValidationFailed
from finassist.domain.users import Identity

_SCOPES: Final = ("openid", "email", "profile")


class OidcSocialTokens:
    """Verifies the identity tokens of some issuers.

    A token has to be younger than ``SOCIAL_TOKEN_AGE``, may not be good for longer than
    ``SOCIAL_TOKEN_LIFETIME``, and the client that it was issued to (``azp``), when it names one, has to be
    one of the issuer's client ids, as its audience has.

    ``issuers`` are pairs of an issuer and a client id that its tokens may be meant for.
    """

    def __init__(self, issuers: Iterable[tuple[str, str]], clock: Clock) -> None:
        client_ids: dict[str, list[str]] = {}
        for issuer, client_id in issuers:
            client_ids.setdefault(issuer, []).append(client_id)
        self._client = ProviderClient()
        self._clock = clock
        self._client_ids = client_ids
        self._discoveries = {issuer: Discovery(self._client, issuer, clock) for issuer in client_ids}
        self._verifiers = {
            issuer: TokenVerifier(
                keys=KeyRing(
                    PublishedKeys(self._client, self._discoveries[issuer]),
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

    @property
    def issuers(self) -> Sequence[str]:
        """The issuers, each once."""
        return tuple(self._client_ids)

    async def sign_in_url(
        self, issuer: str, *, redirect_uri: str, posted_to: str, state: str, nonce: str
    ) -> str:
        """Where a browser gets an identity token of this issuer: by the implicit flow of OpenID Connect or,
        from a provider that has none, by the hybrid flow. Raises ValidationFailed for an issuer that is not
        configured."""
        discovery = self._discoveries.get(issuer)
        if discovery is None:
            raise ValidationFailed.of("issuer", "Is not one of the social providers here.")
        how = {"response_type": "id_token", "redirect_uri": redirect_uri, "scope": " ".join(_SCOPES)}
        metadata = await discovery.metadata()
        if _posts(metadata):
            known = [scope for scope in (*_SCOPES, "name") if scope in metadata.scopes_supported] or _SCOPES
            how = {"response_type": "code id_token", "redirect_uri": posted_to, "scope": " ".join(known)}
            how["response_mode"] = "form_post"
        query = how | {"client_id": self._client_ids[issuer][0], "state": state, "nonce": nonce}
        endpoint = await discovery.endpoint("authorization_endpoint")
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    async def verify(self, id_token: str) -> SocialIdentity:
        """The claims of a valid identity token. Raises Unauthorized for any other, IdentityProviderError when
        the issuer's keys are needed and out of reach."""
        verifier = self._verifiers.get(_issuer_of(id_token))
        try:
            if verifier is None:
                raise Unauthorized()
            claims = await verifier.verify(id_token)
            identity = self._require_fresh(claims)
        except Unauthorized:
            raise Unauthorized("The identity token is not valid.") from None
        return SocialIdentity(
            issuer=identity.issuer,
            subject=identity.subject,
            email=identity.email,
            # Apple writes the boolean as a text.
            email_verified=identity.email is not None and claims.get("email_verified") in (True, "true"),
            name=identity.name,
            picture=identity.picture,
        )

    def _require_fresh(self, claims: Claims) -> Identity:
        """The identity of a token that is meant for one sign-in, now, of our own client."""
        identity, now = identity_of(claims, "social"), self._clock.now()
        if identity.issued_at < now - SOCIAL_TOKEN_AGE:
            raise Unauthorized()
        if identity.expires_at > now + SOCIAL_TOKEN_LIFETIME + LEEWAY:
            raise Unauthorized()
        if "azp" in claims and claims["azp"] not in self._client_ids[identity.issuer]:
            raise Unauthorized()
        return identity


def _posts(metadata: Metadata) -> bool:
    """Whether a provider gives a browser an identity token only as a form that it posts, beside a code:
    Apple, as soon as the email is asked for."""
    return (
        "form_post" in metadata.response_modes_supported
        and "id_token" not in metadata.response_types_supported
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
