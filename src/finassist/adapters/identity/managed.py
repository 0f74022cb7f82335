"""Common to Auth0 and Keycloak: accounts that are created, marked and deleted by a management API."""

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import ClassVar, Final
from urllib.parse import quote

from finassist.adapters.identity.management import ManagementApi, phone_password
from finassist.adapters.identity.oidc import OidcProvider
from finassist.adapters.identity.provider_client import unexpected
from finassist.application.concurrency.locks import KeyedLocks
from finassist.application.ports.identity import ProviderDescription
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import TokenSet
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import IdentityProviderError, InvalidCredentials
from finassist.domain.users import phone_email

_GONE: Final = (204, 404)


class ManagedProvider(OidcProvider, ABC):
    """An OpenID provider with a management API, which a client of its own may call.

    ``users`` is the address of the accounts there, ``secret_key`` what the passwords of phone accounts are
    derived from. Without the management client nobody signs in by phone.
    """

    management_auth_method: ClassVar[str]
    refuses_new_account: ClassVar[str]
    """What to say when an account that was just made cannot sign in."""

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
            issuer=self.spelled(issuer),
            audience=audience,
            client_id=client_id,
            client_secret=client_secret,
            clock=clock,
        )
        self._secret_key = secret_key
        self._arriving = KeyedLocks()
        self.management = ManagementApi(
            client_id=management_client_id,
            client_secret=management_client_secret,
            token_endpoint=lambda: self.discovery.endpoint("token_endpoint"),
            auth_method=self.management_auth_method,
            clock=clock,
            audience=self.management_audience,
        )

    @staticmethod
    @abstractmethod
    def spelled(issuer: str) -> str:
        """The issuer as the provider's own tokens spell it."""

    @property
    @abstractmethod
    def users(self) -> str:
        """The address of the accounts, without a slash at its end."""

    @property
    def management_audience(self) -> str | None:
        """What the management client's tokens have to be for, where the provider asks for it."""
        return None

    async def close(self) -> None:
        """Close the connections."""
        await super().close()
        await self.management.close()

    def describe(self) -> ProviderDescription:
        """Whether the management client is set too."""
        return ProviderDescription(name=self.name, configured=self.management.is_configured)

    async def sign_in_phone(self, phone: str) -> TokenSet:
        """Sign in to the account of this phone, ``<digits>@phone.invalid``, making it when there is none."""
        self.management.require()
        email = phone_email(phone)
        password = phone_password(self._secret_key, self.issuer, phone)
        with suppress(InvalidCredentials):
            return await self.sign_in(email, password)
        # One at a time: Keycloak answers some of several simultaneous writes to one account with 500.
        async with self._arriving.of(email):
            with suppress(InvalidCredentials):
                return await self.sign_in(email, password)
            await self.ensure_phone_account(email, phone, password)
            return await self.sign_in_new(email, password)

    @abstractmethod
    async def ensure_phone_account(self, email: str, phone: str, password: str) -> None:
        """See that there is an account with this password that bears the mark of this phone. Raises
        IdentityProviderError when there is one without the mark: somebody else made it."""

    async def sign_in_new(self, email: str, password: str) -> TokenSet:
        """Sign in to an account that must be there. Raises IdentityProviderError."""
        try:
            return await self.sign_in(email, password)
        except InvalidCredentials:
            raise IdentityProviderError(self.refuses_new_account) from None

    def can_erase_account(self, identity: ProviderIdentity) -> bool:
        """With a management client."""
        return identity.issuer == self.issuer and self.management.is_configured

    async def erase_account(self, identity: ProviderIdentity) -> None:
        """Delete the account, whose id is the subject, and with it every session. Deleting one that is gone
        answers alike."""
        response = await self.management.send("DELETE", self.user(identity.subject))
        if response.status_code not in _GONE:
            raise unexpected(response)

    def user(self, user_id: str) -> str:
        """The address of one account."""
        return f"{self.users}/{quote(user_id, safe='')}"
