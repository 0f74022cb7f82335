"""Keycloak: what OpenID Connect lacks, through its password grant and its admin REST API.

The realm has to add ``OIDC_AUDIENCE`` to the access tokens, allow the client direct access grants, let
accounts be without an email and a last name, and give the management client the role ``manage-users``.
Only administrators may write the attributes ``phoneNumber`` and ``phoneNumberVerified``: they are the
proof that an account belongs to a phone.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Final
from urllib.parse import quote

import msgspec

from finassist.adapters.identity.management import ManagementApi, json_of, phone_password
from finassist.adapters.identity.oidc import ID_TOKEN_TYPE, OidcProvider
from finassist.adapters.identity.provider_client import GrantRefused, unexpected
from finassist.adapters.identity.tokens import Claims, Header
from finassist.application.locks import KeyedLocks
from finassist.application.ports.gateways import Clock
from finassist.application.ports.identity import ProviderDescription
from finassist.domain.accounts import SocialIdentity, TokenSet
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import Conflict, IdentityProviderError, InvalidCredentials, ValidationFailed
from finassist.domain.users import phone_email

_CLIENT_SECRET_BASIC: Final = "client_secret_basic"  # noqa: S105 - a name
_GONE: Final = (204, 404)


class _User(msgspec.Struct):
    id: str
    attributes: dict[str, list[str]] = {}


class _Problem(msgspec.Struct, rename="camel"):
    error: str = ""
    error_message: str = ""


class KeycloakProvider(OidcProvider):
    """A Keycloak realm. ``issuer`` is its address, ``…/realms/NAME``.

    ``secret_key`` is what the passwords of phone accounts are derived from.
    """

    name: ClassVar[str] = "keycloak"

    def __init__(
        self,
        *,
        issuer: str,
        audience: str,
        client_id: str,
        client_secret: str | None,
        management_client_id: str,
        management_client_secret: str | None,
        secret_key: bytes,
        clock: Clock,
    ) -> None:
        super().__init__(
            issuer=issuer.rstrip("/"),
            audience=audience,
            client_id=client_id,
            client_secret=client_secret,
            clock=clock,
        )
        server, _, realm = self.issuer.rpartition("/realms/")
        self._users = f"{server}/admin/realms/{realm}/users"
        self._secret_key = secret_key
        self._arriving = KeyedLocks()
        self._management = ManagementApi(
            client_id=management_client_id,
            client_secret=management_client_secret,
            token_endpoint=lambda: self.discovery.endpoint("token_endpoint"),
            auth_method=_CLIENT_SECRET_BASIC,
            clock=clock,
        )

    async def close(self) -> None:
        """Close the connections."""
        await super().close()
        await self._management.close()

    def describe(self) -> ProviderDescription:
        """Whether the management client is set too: without it nobody signs up, by email or by phone."""
        return ProviderDescription(name=self.name, configured=self._management.is_configured)

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
            raise Conflict("This email has an account already.")
        return await self._sign_in_known(email, password)

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

    async def sign_in_phone(self, phone: str) -> TokenSet:
        """Sign in to the account of this phone, ``<digits>@phone.invalid``, making it when there is none."""
        self._management.require()
        username = phone_email(phone)
        password = phone_password(self._secret_key, self.issuer, phone)
        with suppress(InvalidCredentials):
            return await self.sign_in(username, password)
        # One at a time: Keycloak answers some of several simultaneous writes to one account with 500.
        async with self._arriving.of(username):
            with suppress(InvalidCredentials):
                return await self.sign_in(username, password)
            await self._ensure_phone_account(username, phone, password)
            return await self._sign_in_known(username, password)

    async def exchange_social(self, social: SocialIdentity, id_token: str) -> TokenSet:
        """Exchange the identity token, where the realm knows its issuer as an identity provider."""
        try:
            return await self.exchange(id_token, ID_TOKEN_TYPE, subject_issuer=social.issuer)
        except GrantRefused:
            raise IdentityProviderError(
                "Keycloak did not exchange the identity token: its issuer must be an identity provider of "
                "the realm, and the token exchange of external tokens must be enabled and permitted."
            ) from None

    def can_erase_account(self, identity: ProviderIdentity) -> bool:
        """With a management client."""
        return identity.issuer == self.issuer and self._management.is_configured

    async def erase_account(self, identity: ProviderIdentity) -> None:
        """Delete the realm's user, whose id is the subject, and with it every session."""
        response = await self._management.send("DELETE", f"{self._users}/{quote(identity.subject, safe='')}")
        if response.status_code not in _GONE:
            raise unexpected(response)

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

    async def _sign_in_known(self, username: str, password: str) -> TokenSet:
        try:
            return await self.sign_in(username, password)
        except InvalidCredentials:
            raise IdentityProviderError(
                "Keycloak does not let a new account sign in: the realm asks for more than an email, a "
                "password and a name, or the account is disabled."
            ) from None

    async def _create(self, user: Mapping[str, Any]) -> bool:
        """Make a user; False when there is one of that name."""
        response = await self._management.send("POST", self._users, {"enabled": True, **user})
        if response.status_code == 409:
            return False
        if response.status_code == 400 and _is_about_the_password(response.content):
            raise ValidationFailed.of("password", "The identity provider does not accept this password.")
        if response.status_code != 201:
            raise unexpected(response)
        return True

    async def _ensure_phone_account(self, username: str, phone: str, password: str) -> None:
        marks = {"phoneNumber": [phone], "phoneNumberVerified": ["true"]}
        credentials = [_password(password)]
        if await self._create({"username": username, "attributes": marks, "credentials": credentials}):
            return
        # There is one, and its password is another: SECRET_KEY has changed, or somebody else made it.
        found = await self._management.send("GET", f"{self._users}?exact=true&username={quote(username)}")
        users: list[_User] = json_of(found, list[_User])
        if not users or any(users[0].attributes.get(name) != value for name, value in marks.items()):
            raise IdentityProviderError("Keycloak has an account of that phone which is not ours.")
        reset = await self._management.send(
            "PUT", f"{self._users}/{users[0].id}/reset-password", _password(password)
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
