"""Any OpenID Connect provider: its hosted page, its tokens, its keys (contract section 3)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from finassist.adapters.identity.discovery import MAX_AGE, Discovery, PublishedKeys
from finassist.adapters.identity.keys import KeyRing
from finassist.adapters.identity.provider_client import ProviderClient
from finassist.adapters.identity.tokens import (
    AccessTokenVerifier,
    Claims,
    Header,
    TokenVerifier,
    all_claims,
    identity_of,
    is_rfc9068,
)
from finassist.application.ports.identity import ProviderDescription
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import SocialIdentity, TokenSet
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import IdentityProviderError, InvalidRefreshToken, Unauthorized
from finassist.domain.users import Identity

ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")

TOKEN_EXCHANGE: Final = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105 - a name
ID_TOKEN_TYPE: Final = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105 - a name

_ONLY_IN_ID_TOKENS: Final = ("nonce", "at_hash", "c_hash")
_ONLY_IN_ACCESS_TOKENS: Final = ("scope", "scp", "client_id")


class OidcProvider:
    """Signs people in at the provider's own page, and verifies the access tokens that it signs.

    What OpenID Connect does not define (making accounts, passwords, phones) raises IdentityProviderError;
    the providers that have it are subclasses.
    """

    name: ClassVar[str] = "oidc"

    def __init__(
        self, *, issuer: str, audience: str, client_id: str, client_secret: str | None, clock: Clock
    ) -> None:
        self.issuer = issuer
        self.audience = audience
        self.client_id = client_id
        self.client = ProviderClient(client_id, client_secret)
        self.discovery = Discovery(self.client, issuer, clock)
        self._clock = clock
        keys = KeyRing(PublishedKeys(self.client, self.discovery), clock, max_age=MAX_AGE)
        self._access_tokens = AccessTokenVerifier(
            provider=self.name,
            keys=keys,
            issuer=issuer,
            audience=audience,
            algorithms=ALGORITHMS,
            is_access_token=self.is_access_token,
            client_of=self.client_of,
            clock=clock,
        )
        self._id_tokens = TokenVerifier(
            keys=keys,
            issuer=issuer,
            audiences=(client_id,),
            algorithms=ALGORITHMS,
            is_wanted=is_id_token,
            read=all_claims,
            clock=clock,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self.client.close()

    def describe(self) -> ProviderDescription:
        """The name, and that the settings are complete: the service does not start without."""
        return ProviderDescription(name=self.name, configured=True)

    async def verify_access_token(self, token: str) -> Identity:
        """The identity in a valid access token. Raises TokenExpired, or Unauthorized for any other fault."""
        return await self._access_tokens.verify(token)

    async def sign_up(self, email: str, password: str, name: str) -> TokenSet:
        """Not part of OpenID Connect: raises IdentityProviderError."""
        raise self.lacks("sign-up")

    async def sign_in(self, email: str, password: str) -> TokenSet:
        """Not part of OpenID Connect: raises IdentityProviderError."""
        raise self.lacks("sign-in with a password")

    async def sign_in_phone(self, phone: str) -> TokenSet:
        """Not part of OpenID Connect: raises IdentityProviderError."""
        raise self.lacks("sign-in by phone")

    async def exchange_social(self, social: SocialIdentity, id_token: str) -> TokenSet:
        """Exchange the identity token (RFC 8693), where the provider says that it does that."""
        if TOKEN_EXCHANGE not in (await self.discovery.metadata()).grant_types_supported:
            raise self.lacks("token exchange for social sign-in")
        return await self.exchange(id_token, ID_TOKEN_TYPE)

    async def refresh(self, refresh_token: str) -> TokenSet:
        """New tokens, a new refresh token among them when the provider rotates. Raises
        InvalidRefreshToken."""
        answer = await self.grant(
            "refresh_token", bad_grant=InvalidRefreshToken(), refresh_token=refresh_token
        )
        tokens = await self.token_set(answer)
        return replace(tokens, refresh_token=None) if tokens.refresh_token == refresh_token else tokens

    async def revoke(self, refresh_token: str) -> None:
        """End the session of a refresh token (RFC 7009); an unknown one changes nothing."""
        address = await self.discovery.endpoint("revocation_endpoint")
        await self.client.revoke(address, refresh_token, auth_method=await self.auth_method())

    def can_erase_account(self, identity: ProviderIdentity) -> bool:
        """OpenID Connect has no way to erase an account."""
        return False

    async def erase_account(self, identity: ProviderIdentity) -> None:
        """Raises IdentityProviderError."""
        raise self.lacks("erasing accounts")

    async def authorization_url(
        self, *, state: str, nonce: str, code_challenge: str, redirect_uri: str
    ) -> str:
        """The provider's own page (PKCE S256)."""
        return self.client.authorization_url(
            await self.discovery.endpoint("authorization_endpoint"),
            state=state,
            nonce=nonce,
            code_challenge=code_challenge,
            code_challenge_method="S256",
            redirect_uri=redirect_uri,
            scope=await self.scope(),
            **self.audience_fields(),
        )

    async def exchange_code(
        self, *, code: str, code_verifier: str, nonce: str, redirect_uri: str
    ) -> TokenSet:
        """The tokens for an authorization code. Raises Unauthorized for a bad one or another nonce."""
        answer = await self.grant(
            "authorization_code",
            bad_grant=Unauthorized("The authorization code is not valid."),
            code=code,
            code_verifier=code_verifier,
            redirect_uri=redirect_uri,
        )
        return await self.token_set(answer, nonce)

    # What a provider may do in its own way

    def is_access_token(self, header: Header, claims: Claims) -> bool:
        """Whether a token is one of the provider's access tokens.

        It says so itself (RFC 9068), or has no type at all, a claim that only access tokens have and none
        that only ID tokens have.
        """
        if is_rfc9068(header, claims):
            return True
        return (
            str(header.get("typ", "JWT")).upper() == "JWT"
            and claims.get("typ") != "ID"
            and any(name in claims for name in _ONLY_IN_ACCESS_TOKENS)
            and not any(name in claims for name in _ONLY_IN_ID_TOKENS)
        )

    def client_of(self, claims: Claims) -> str | None:
        """The client that a token of client credentials was issued to: it is its own subject (RFC 9068)."""
        return claims["sub"] if claims["sub"] in (claims.get("client_id"), claims.get("azp")) else None

    def audience_fields(self) -> Mapping[str, str]:
        """The parameters that request access tokens for our audience; most providers configure it per
        client."""
        return {}

    async def scope(self) -> str:
        """The scopes to request: profile, contact, a refresh token; only what the provider knows."""
        known = (await self.discovery.metadata()).scopes_supported
        wanted = ("profile", "email", "phone", "offline_access")
        return " ".join(("openid", *(scope for scope in wanted if scope in known)))

    async def auth_method(self) -> str:
        """The method by which the client authenticates at the token endpoint."""
        supported = (await self.discovery.metadata()).token_endpoint_auth_methods_supported
        return "client_secret_basic" if "client_secret_basic" in supported else "client_secret_post"

    # What the subclasses share

    async def exchange(self, id_token: str, token_type: str, **fields: str) -> TokenSet:
        """The tokens for somebody else's identity token (RFC 8693)."""
        answer = await self.grant(
            TOKEN_EXCHANGE,
            bad_grant=Unauthorized("The identity provider does not accept this identity token."),
            scope=await self.scope(),
            subject_token=id_token,
            subject_token_type=token_type,
            **fields,
        )
        return await self.token_set(answer)

    async def grant(self, grant_type: str, **fields: Any) -> Mapping[str, Any]:
        """Ask the token endpoint, as ``ProviderClient.grant`` does."""
        address = await self.discovery.endpoint("token_endpoint")
        return await self.client.grant(address, grant_type, auth_method=await self.auth_method(), **fields)

    async def token_set(self, answer: Mapping[str, Any], nonce: str | None = None) -> TokenSet:
        """The tokens of an answer, verified; what the access token leaves out about its bearer, the ID
        token tells.

        Raises Unauthorized when a nonce is expected and the ID token has another one.
        """
        access_token, id_token, refresh_token = (
            value if isinstance(value := answer.get(name), str) else ""
            for name in ("access_token", "id_token", "refresh_token")
        )
        try:
            identity = await self.verify_access_token(access_token)
            claims = await self._id_tokens.verify(id_token) if id_token or nonce is not None else None
        except Unauthorized:
            raise IdentityProviderError(
                "The identity provider issued tokens that are not for OIDC_AUDIENCE and OIDC_CLIENT_ID."
            ) from None
        if claims is not None:
            if nonce is not None and claims.get("nonce") != nonce:
                raise Unauthorized("The identity token belongs to another sign-in.")
            identity = _completed(identity, identity_of(claims, self.name))
        return TokenSet(
            access_token=access_token,
            id_token=id_token,
            refresh_token=refresh_token or None,
            expires_in=max(0, int((identity.expires_at - self._clock.now()).total_seconds())),
            identity=identity,
        )

    def lacks(self, what: str) -> IdentityProviderError:
        """The error for what the provider cannot do."""
        return IdentityProviderError(f"IDENTITY_PROVIDER {self.name} does not support {what}.")


def is_id_token(header: Header, claims: Claims) -> bool:
    """Whether a token does not call itself something else than an ID token."""
    return not is_rfc9068(header, claims) and claims.get("typ", "ID") == "ID"


def _completed(identity: Identity, of_id_token: Identity) -> Identity:
    if of_id_token.subject != identity.subject:
        raise IdentityProviderError("The identity provider's tokens belong to different users.")
    if identity.email is None:
        identity = replace(identity, email=of_id_token.email, email_verified=of_id_token.email_verified)
    if identity.phone is None:
        identity = replace(identity, phone=of_id_token.phone, phone_verified=of_id_token.phone_verified)
    return replace(
        identity,
        name=identity.name or of_id_token.name,
        picture=identity.picture or of_id_token.picture,
    )
