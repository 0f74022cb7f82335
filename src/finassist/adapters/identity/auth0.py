"""Auth0: the operations that OpenID Connect lacks, by its Authentication API and its Management API.

The tenant needs an API with the identifier ``OIDC_AUDIENCE``, and an application with the grants Password
and Refresh Token; for phones, an application that may ``create:users``, ``read:users``,
``update:users`` and ``delete:users`` of the Management API, the last for erasing accounts. Accounts are
kept in the tenant's default database connection.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final
from urllib.parse import quote

import msgspec

from finassist.adapters.identity.managed import ManagedProvider
from finassist.adapters.identity.management import json_of
from finassist.adapters.identity.provider_client import unexpected
from finassist.adapters.identity.tokens import Claims, Header, is_rfc9068
from finassist.domain.auth.local_accounts import SocialIdentity, TokenSet
from finassist.domain.errors import (
    Conflict,
    IdentityProviderError,
    InvalidCredentials,
    TooManyAttempts,
    ValidationFailed,
)

CONNECTION: Final = "Username-Password-Authentication"

_PASSWORD_REALM: Final = "http://auth0.com/oauth/grant-type/password-realm"  # noqa: S105 - a name
_CLIENT_SECRET_POST: Final = "client_secret_post"  # noqa: S105 - a name
_NATIVE_TOKENS: Final = {"https://accounts.google.com": "http://auth0.com/oauth/token-type/google-id-token"}
_TAKEN: Final = frozenset({"invalid_signup", "user_exists", "username_exists"})
_WEAK: Final = frozenset(
    {"invalid_password", "password_dictionary_error", "password_leaked", "password_no_user_info_error"}
)
_RETRY_SECONDS: Final = 60


class _Problem(msgspec.Struct):
    code: str = ""
    name: str = ""


class _User(msgspec.Struct):
    user_id: str
    app_metadata: dict[str, Any] = {}


class Auth0Provider(ManagedProvider):
    """An Auth0 tenant. ``issuer`` is its address, ``https://TENANT.auth0.com/`` or a domain of one's own."""

    name: ClassVar[str] = "auth0"

    management_auth_method: ClassVar[str] = _CLIENT_SECRET_POST
    refuses_new_account: ClassVar[str] = "Auth0 does not let the new account sign in."

    @staticmethod
    def spelled(issuer: str) -> str:
        """With a slash at its end."""
        return issuer.rstrip("/") + "/"

    @property
    def users(self) -> str:
        """In the Management API."""
        return f"{self.management_audience}users"

    @property
    def management_audience(self) -> str:
        """Of the Management API."""
        return f"{self.issuer}api/v2/"

    async def sign_up(self, email: str, password: str, name: str) -> TokenSet:
        """Make an account. Raises Conflict for an email that has one, ValidationFailed for a password
        that the tenant does not accept."""
        response = await self.client.send(
            "POST",
            f"{self.issuer}dbconnections/signup",
            json={
                "client_id": self.client_id,
                "connection": CONNECTION,
                "email": email,
                "password": password,
                "name": name,
            },
        )
        if not response.is_success:
            raise _sign_up_failed(response.status_code, response.content) or unexpected(response)
        return await self.sign_in_new(email, password)

    async def sign_in(self, email: str, password: str) -> TokenSet:
        """Raises InvalidCredentials; TooManyAttempts for an account that Auth0 has locked."""
        answer = await self.grant(
            _PASSWORD_REALM,
            bad_grant=InvalidCredentials(),
            realm=CONNECTION,
            username=email,
            password=password,
            scope=await self.scope(),
            **self.audience_fields(),
        )
        return await self.token_set(answer)

    async def sign_in_phone(self, phone: str) -> TokenSet:
        """Auth0's tokens do not name the phone: the identity does, because the caller has verified it."""
        tokens = await super().sign_in_phone(phone)
        return replace(tokens, identity=replace(tokens.identity, phone=phone, phone_verified=True, name=None))

    async def exchange_social(self, social: SocialIdentity, id_token: str) -> TokenSet:
        """Exchange Google's identity token; Auth0 takes no other provider's."""
        token_type = _NATIVE_TOKENS.get(social.issuer)
        if token_type is None:
            raise self.lacks("identity tokens of this social provider, only Google's")
        return await self.exchange(id_token, token_type, **self.audience_fields())

    def is_access_token(self, header: Header, claims: Claims) -> bool:
        """Auth0's access tokens tell their scope or how they were granted; ID tokens tell neither."""
        return is_rfc9068(header, claims) or (
            header.get("typ") == "JWT" and not claims.keys().isdisjoint(("scope", "gty"))
        )

    def client_of(self, claims: Claims) -> str | None:
        """The application that a token of client credentials was issued to."""
        client_id = claims.get("azp")
        is_own = claims.get("gty") == "client-credentials" or claims["sub"] == f"{client_id}@clients"
        return client_id if is_own and isinstance(client_id, str) else None

    def audience_fields(self) -> Mapping[str, str]:
        """Without it, Auth0's access tokens are opaque."""
        return {"audience": self.audience}

    async def auth_method(self) -> str:
        """What new applications are set to."""
        return _CLIENT_SECRET_POST

    async def ensure_phone_account(self, email: str, phone: str, password: str) -> None:
        """The mark is in ``app_metadata``."""
        mark = {"phone_number": phone}  # only the Management API can write app_metadata
        created = await self.management.send(
            "POST",
            self.users,
            {
                "connection": CONNECTION,
                "email": email,
                "password": password,
                "email_verified": False,
                "verify_email": False,
                "app_metadata": mark,
            },
        )
        if created.status_code == 201:
            return
        if created.status_code != 409:
            raise unexpected(created)
        # There is one, and its password is another: SECRET_KEY has changed, or somebody else made it.
        found = await self.management.send("GET", f"{self.users}-by-email?email={quote(email)}")
        ours = [user for user in json_of(found, list[_User]) if user.app_metadata.items() >= mark.items()]
        if not ours:
            raise IdentityProviderError("Auth0 has an account of that phone which is not ours.")
        reset = await self.management.send(
            "PATCH",
            self.user(ours[0].user_id),
            {"password": password, "connection": CONNECTION},
        )
        if not reset.is_success:
            raise unexpected(reset)


def _sign_up_failed(status: int, body: bytes) -> Conflict | ValidationFailed | TooManyAttempts | None:
    if status == 409:
        return Conflict("An account with this email exists already.")
    if status == 429:
        return TooManyAttempts(_RETRY_SECONDS)
    try:
        problem = msgspec.json.decode(body, type=_Problem)
    except ValueError:
        return None
    if problem.code in _TAKEN:
        return Conflict("An account with this email exists already.")
    if problem.code in _WEAK or problem.name.startswith("Password"):
        return ValidationFailed.of("password", "The identity provider does not accept this password.")
    return None
