"""What only a real Keycloak can show: its login page, its realm's rules, its token exchange."""

import hashlib
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from engines.keycloak import Keycloak, running_keycloak
from finassist import open_container
from finassist.application.ports.identity import IdentityProvider
from finassist.config import Secret
from finassist.domain.auth.local_accounts import SocialIdentity
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import (
    IdentityProviderError,
    InvalidCredentials,
    InvalidRefreshToken,
    Unauthorized,
    ValidationFailed,
)
from identity_realms import keycloak_settings
from servers.oidc_server import OidcServer, serve_oidc

PASSWORD = "Correct-horse-7"
CALLBACK = "http://127.0.0.1/callback"


@pytest.fixture
def server() -> Keycloak:
    return running_keycloak()


@pytest.fixture
async def provider(server: Keycloak, tmp_path: Path) -> AsyncIterator[IdentityProvider]:
    async with open_container(keycloak_settings(tmp_path, server)) as container:
        yield container.adapters.identity_provider


@pytest.fixture
def email() -> str:
    return f"ann.{secrets.token_hex(4)}@example.org"


@pytest.fixture
def phone() -> str:
    return f"+49151{secrets.randbelow(10**8):08}"


# The login page


@dataclass
class Login:
    """A redirect login, up to the code that Keycloak's own page gives for the right password."""

    state: str = field(default_factory=secrets.token_urlsafe)
    nonce: str = field(default_factory=secrets.token_urlsafe)
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    async def code(self, provider: IdentityProvider, email: str) -> str:
        challenge = urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()
        url = await provider.authorization_url(
            state=self.state, nonce=self.nonce, code_challenge=challenge, redirect_uri=CALLBACK
        )
        async with httpx2.AsyncClient(timeout=60) as browser:
            page = await browser.get(url)
            action = re.search(r'<form id="kc-form-login"[^>]* action="([^"]+)"', page.text)
            assert action is not None, page.text
            form = {"username": email, "password": PASSWORD}
            # Keycloak's cookies are for HTTPS or, as browsers have it, this machine.
            cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in page.cookies.jar)
            answer = await browser.post(unescape(action.group(1)), data=form, headers={"Cookie": cookies})
        assert answer.status_code == 302, answer.text
        query = parse_qs(urlsplit(answer.headers["location"]).query)
        assert query["state"] == [self.state]
        return query["code"][0]


@pytest.fixture(params=["keycloak", "oidc"])
async def either(
    request: pytest.FixtureRequest, server: Keycloak, tmp_path: Path
) -> AsyncIterator[IdentityProvider]:
    """The realm as Keycloak, and as any OpenID Connect provider."""
    settings = keycloak_settings(tmp_path / "either", server, identity_provider=request.param)
    async with open_container(settings) as container:
        yield container.adapters.identity_provider


async def test_a_code_of_the_login_page_becomes_tokens_once(
    either: IdentityProvider, provider: IdentityProvider, email: str
) -> None:
    made = await provider.sign_up(email, PASSWORD, "Ann Lee")
    login = Login()
    code = await login.code(either, email)
    exchange: dict[str, Any] = {
        "code": code,
        "code_verifier": login.verifier,
        "nonce": login.nonce,
        "redirect_uri": CALLBACK,
    }

    tokens = await either.exchange_code(**exchange)

    assert tokens.identity.subject == made.identity.subject
    assert (tokens.identity.email, tokens.identity.name) == (email, "Ann Lee")
    assert tokens.refresh_token is not None
    assert (await either.refresh(tokens.refresh_token)).identity.subject == made.identity.subject
    with pytest.raises(Unauthorized):
        await either.verify_access_token(tokens.id_token)
    with pytest.raises(Unauthorized):
        await either.exchange_code(**exchange)


@pytest.mark.parametrize(
    "wrong", [{"nonce": "another"}, {"code_verifier": "v" * 43}, {"redirect_uri": "http://127.0.0.1/other"}]
)
async def test_a_code_is_good_only_for_the_sign_in_that_it_belongs_to(
    provider: IdentityProvider, email: str, wrong: dict[str, str]
) -> None:
    await provider.sign_up(email, PASSWORD, "Ann Lee")
    login = Login()
    exchange = {"code_verifier": login.verifier, "nonce": login.nonce, "redirect_uri": CALLBACK}

    with pytest.raises(Unauthorized):
        await provider.exchange_code(code=await login.code(provider, email), **exchange | wrong)


# Tokens of others


async def test_a_token_for_another_audience_is_refused(
    provider: IdentityProvider, server: Keycloak, email: str
) -> None:
    await provider.sign_up(email, PASSWORD, "Ann")
    foreign = server.token(
        "somebody-else",
        client_secret="somebody-else-secret",
        grant_type="password",
        username=email,
        password=PASSWORD,
    )

    with pytest.raises(Unauthorized):
        await provider.verify_access_token(foreign["access_token"])


async def test_a_client_is_told_from_a_user(provider: IdentityProvider, server: Keycloak) -> None:
    granted = server.token(
        "finassist-webhooks", client_secret="finassist-webhooks-secret", grant_type="client_credentials"
    )

    identity = await provider.verify_access_token(granted["access_token"])

    assert identity.client_id == "finassist-webhooks"


# The realm's rules


async def test_a_password_that_the_realm_does_not_accept_is_the_password_fields_fault(
    provider: IdentityProvider, email: str
) -> None:
    with pytest.raises(ValidationFailed) as refused:
        await provider.sign_up(email, "Short-1", "Ann")

    assert [error.field for error in refused.value.errors] == ["password"]


async def test_a_disabled_account_does_not_sign_in(
    provider: IdentityProvider, server: Keycloak, email: str
) -> None:
    made = await provider.sign_up(email, PASSWORD, "Ann")
    server.admin("PUT", f"/finassist/users/{made.identity.subject}", {"enabled": False})

    with pytest.raises(InvalidCredentials):
        await provider.sign_in(email, PASSWORD)


# Erasing accounts


async def test_an_account_is_erased_with_its_sessions_and_again_changes_nothing(
    server: Keycloak, tmp_path: Path, email: str
) -> None:
    async with open_container(keycloak_settings(tmp_path, server)) as container:
        provider = container.adapters.identity_provider
        made = await provider.sign_up(email, PASSWORD, "Ann Lee")
        identity = ProviderIdentity(issuer=made.identity.issuer, subject=made.identity.subject)

        assert provider.can_erase_account(identity)
        for _ in range(2):
            await provider.erase_account(identity)

        with pytest.raises(InvalidCredentials):
            await provider.sign_in(email, PASSWORD)
        assert made.refresh_token is not None
        with pytest.raises(InvalidRefreshToken):
            await provider.refresh(made.refresh_token)


# Phones


async def test_a_phone_keeps_its_account_when_the_secret_key_changes(
    provider: IdentityProvider, server: Keycloak, phone: str, tmp_path: Path
) -> None:
    before = await provider.sign_in_phone(phone)
    settings = keycloak_settings(
        tmp_path / "new", server, secret_key=Secret("another secret key for the tests of the service")
    )

    async with open_container(settings) as container:
        after = await container.adapters.identity_provider.sign_in_phone(phone)

    assert after.identity.subject == before.identity.subject


async def test_an_account_that_somebody_else_made_in_a_phones_name_is_not_used(
    provider: IdentityProvider, server: Keycloak, phone: str
) -> None:
    credentials = [{"type": "password", "value": "Attacker-1"}]
    username = f"{phone.removeprefix('+')}@phone.invalid"
    server.admin(
        "POST", "/finassist/users", {"username": username, "enabled": True, "credentials": credentials}
    )

    with pytest.raises(IdentityProviderError, match="not ours"):
        await provider.sign_in_phone(phone)


async def test_without_a_management_client_sign_up_and_phones_say_what_is_missing(
    server: Keycloak, tmp_path: Path
) -> None:
    settings = keycloak_settings(
        tmp_path, server, oidc_management_client_id="", oidc_management_client_secret=None
    )
    async with open_container(settings) as container:
        provider = container.adapters.identity_provider

        assert not provider.describe().configured
        with pytest.raises(IdentityProviderError, match="OIDC_MANAGEMENT_CLIENT_ID"):
            await provider.sign_up("ann@example.org", PASSWORD, "Ann")
        with pytest.raises(IdentityProviderError, match="OIDC_MANAGEMENT_CLIENT_ID"):
            await provider.sign_in_phone("+4915112345678")


async def test_a_management_client_without_the_role_is_no_fault_of_the_users(
    server: Keycloak, tmp_path: Path
) -> None:
    settings = keycloak_settings(
        tmp_path,
        server,
        oidc_management_client_id="finassist-webhooks",
        oidc_management_client_secret=Secret("finassist-webhooks-secret"),
    )
    async with open_container(settings) as container:
        with pytest.raises(IdentityProviderError, match="permission"):
            await container.adapters.identity_provider.sign_up("ann@example.org", PASSWORD, "Ann")


# Social sign-in


def let_exchange(server: Keycloak, social: OidcServer) -> None:
    """Make the social provider an identity provider of the realm, whose tokens our client may exchange."""
    alias = f"social-{secrets.token_hex(4)}"
    instances = "/finassist/identity-provider/instances"
    server.admin(
        "POST",
        instances,
        {
            "alias": alias,
            "providerId": "oidc",
            "enabled": True,
            "trustEmail": True,
            "config": {
                "issuer": social.issuer,
                "jwksUrl": f"{social.url}/keys",
                "useJwksUrl": "true",
                "validateSignature": "true",
                "disableTypeClaimCheck": "true",
                "clientId": "social-client",
                "clientSecret": "social-secret",
                "authorizationUrl": f"{social.url}/authorize",
                "tokenUrl": f"{social.url}/token",
            },
        },
    )
    permissions = server.admin("PUT", f"{instances}/{alias}/management/permissions", {"enabled": True})
    clients = {client["clientId"]: client["id"] for client in server.admin("GET", "/finassist/clients")}
    rules = f"/finassist/clients/{clients['realm-management']}/authz/resource-server"
    policy = server.admin(
        "POST", f"{rules}/policy/client", {"name": alias, "clients": [clients["finassist"]]}
    )
    address = f"{rules}/permission/scope/{permissions['scopePermissions']['token-exchange']}"
    server.admin("PUT", address, server.admin("GET", address) | {"policies": [policy["id"]]})


def vouched(social: OidcServer) -> SocialIdentity:
    return SocialIdentity(
        issuer=social.issuer, subject="ann", email=None, email_verified=False, name=None, picture=None
    )


async def test_keycloak_exchanges_the_token_of_an_identity_provider_of_the_realm(
    provider: IdentityProvider, server: Keycloak, email: str
) -> None:
    async with serve_oidc() as social:
        let_exchange(server, social)
        token = social.token(
            aud="social-client", email=email, email_verified=True, given_name="Ann", family_name="Lee"
        )

        first, second = [await provider.exchange_social(vouched(social), token) for _ in range(2)]

    assert first.identity.subject == second.identity.subject
    assert (first.identity.email, first.identity.email_verified) == (email, True)
    assert first.identity.name == "Ann Lee"
    assert first.refresh_token is not None


async def test_an_identity_provider_that_the_realm_does_not_know_is_named_as_the_reason(
    provider: IdentityProvider,
) -> None:
    async with serve_oidc() as social:
        token = social.token(aud="social-client")

        with pytest.raises(IdentityProviderError, match="identity provider of the realm"):
            await provider.exchange_social(vouched(social), token)
