"""Keycloak: the operations that OpenID Connect lacks, by its password grant and its admin REST API.

The realm has to add ``OIDC_AUDIENCE`` to the access tokens, allow the client direct access grants, let
accounts be without an email and a last name, and give the management client the role ``manage-users``.
Only administrators may write the attributes ``phoneNumber`` and ``phoneNumberVerified``: they are the
proof that an account belongs to a phone.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from urllib.parse import quote

import msgspec

from finassist.adapters.identity.managed import ManagedProvider
from finassist.adapters.identity.management import json_of
from finassist.adapters.identity.oidc import ID_TOKEN_TYPE
from finassist.adapters.identity.provider_client import GrantRefused, unexpected
from finassist.adapters.identity.tokens import Claims, Header
from finassist.domain.auth.local_accounts import SocialIdentity, TokenSet
from finassist.domain.errors import Conflict, IdentityProviderError, InvalidCredentials, ValidationFailed

_CLIENT_SECRET_BASIC: Final = "client_secret_basic"  # noqa: S105 - a name


class _User(msgspec.Struct):
    id: str
    attributes: dict[str, list[str]] = {}


class _Problem(msgspec.Struct, rename="camel"):
    error: str = ""
    error_message: str = ""


class KeycloakProvider(ManagedProvider):
    """A Keycloak realm. ``issuer`` is its address, ``…/realms/NAME``."""

    name: ClassVar[str] = "keycloak"

    management_auth_method: ClassVar[str] = _CLIENT_SECRET_BASIC
    refuses_new_account: ClassVar[str] = (
        "Keycloak does not let the new account sign in: the realm asks for more than an email, a password "
        "and a name, or the account is disabled."
    )

    @staticmethod
    def spelled(issuer: str) -> str:
        """Without a slash at its end."""
        return issuer.rstrip("/")

    @property
    def users(self) -> str:
        """In the admin REST API."""
        server, _, realm = self.issuer.rpartition("/realms/")
        return f"{server}/admin/realms/{realm}/users"

    async def sign_up(self, email: str, password: str, name: str) -> TokenSet:
        """Make an account. Raises Conflict for an email that has one, ValidationFailed for a password
        that the realm does not accept."""
        first, _, last = name.strip().rpartition(" ")
        created = await self._create(
            {
                "username": email,
                "email": email,
                "emailVerified": False,
                "firstName": first or last,
                "lastName": last if first else "",
                "credentials": [_password(password)],
            }
        )
        if not created:
            raise Conflict("An account with this email exists already.")
        return await self.sign_in_new(email, password)

    async def sign_in(self, email: str, password: str) -> TokenSet:
        """Raises InvalidCredentials, for an account that the realm has locked too."""
        answer = await self.grant(
            "password",
            bad_grant=InvalidCredentials(),
            username=email,
            password=password,
            scope=await self.scope(),
        )
        return await self.token_set(answer)

    async def exchange_social(self, social: SocialIdentity, id_token: str) -> TokenSet:
        """Exchange the identity token, where the realm knows its issuer as an identity provider."""
        try:
            return await self.exchange(id_token, ID_TOKEN_TYPE, subject_issuer=social.issuer)
        except GrantRefused:
            raise IdentityProviderError(
                "Keycloak did not exchange the identity token: its issuer must be an identity provider of "
                "the realm, and the token exchange of external tokens must be enabled and permitted."
            ) from None

    def is_access_token(self, header: Header, claims: Claims) -> bool:
        """Keycloak names the kind of a token in the claim ``typ``."""
        return claims.get("typ") == "Bearer"

    def client_of(self, claims: Claims) -> str | None:
        """The client behind a service account: no other token has the claim ``client_id``."""
        client_id = claims.get("client_id")
        return client_id if isinstance(client_id, str) else None

    async def scope(self) -> str:
        """Without ``offline_access``: Keycloak's refresh tokens need none, and sessions end by themselves."""
        return "openid profile email phone"

    async def _create(self, user: Mapping[str, Any]) -> bool:
        """Make a user; False when there is one of that name."""
        response = await self.management.send("POST", self.users, {"enabled": True, **user})
        if response.status_code == 409:
            return False
        if response.status_code == 400 and _is_about_the_password(response.content):
            raise ValidationFailed.of("password", "The identity provider does not accept this password.")
        if response.status_code != 201:
            raise unexpected(response)
        return True

    async def ensure_phone_account(self, email: str, phone: str, password: str) -> None:
        """The marks are attributes that only administrators may write."""
        marks = {"phoneNumber": [phone], "phoneNumberVerified": ["true"]}
        credentials = [_password(password)]
        if await self._create({"username": email, "attributes": marks, "credentials": credentials}):
            return
        # There is one, and its password is another: SECRET_KEY has changed, or somebody else made it.
        found = await self.management.send("GET", f"{self.users}?exact=true&username={quote(email)}")
        users: list[_User] = json_of(found, list[_User])
        if not users or any(users[0].attributes.get(name) != value for name, value in marks.items()):
            raise IdentityProviderError("Keycloak has an account of that phone which is not ours.")
        reset = await self.management.send(
            "PUT", f"{self.user(users[0].id)}/reset-password", _password(password)
        )
        if reset.status_code != 204:
            raise unexpected(reset)


def _password(password: str) -> dict[str, Any]:
    return {"type": "password", "value": password, "temporary": False}


def _is_about_the_password(body: bytes) -> bool:
    try:
        problem = msgspec.json.decode(body, type=_Problem)
    except ValueError:
        return False
    return "password" in f"{problem.error} {problem.error_message}".lower()
