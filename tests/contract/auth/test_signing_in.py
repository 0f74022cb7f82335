"""What every identity provider owes the service when people sign up, in and out (contract section 3)."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from engines.keycloak import running_keycloak
from finassist import open_container
from finassist.application.ports.identity import IdentityProvider
from finassist.domain.auth.local_accounts import TokenSet
from finassist.domain.errors import Conflict, InvalidCredentials, InvalidRefreshToken, Unauthorized
from identity_realms import auth0_settings, keycloak_settings, local_settings
from servers.auth0_server import serve_auth0

PASSWORD = "Correct-horse-7"
CALLBACK = "http://127.0.0.1/callback"


@pytest.fixture(params=["local", "keycloak", "auth0"])
async def provider(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[IdentityProvider]:
    """A provider as the settings make it; another one joins with its settings."""
    if request.param == "local":
        async with open_container(local_settings(tmp_path)) as container:
            yield container.adapters.identity_provider
    elif request.param == "keycloak":
        async with open_container(keycloak_settings(tmp_path, running_keycloak())) as container:
            yield container.adapters.identity_provider
    else:
        async with serve_auth0() as server, open_container(auth0_settings(tmp_path, server)) as container:
            yield container.adapters.identity_provider


@pytest.fixture
def email() -> str:
    return f"ann.{secrets.token_hex(4)}@example.org"


@pytest.fixture
def phone() -> str:
    return f"+49151{secrets.randbelow(10**8):08}"


def session_of(tokens: TokenSet) -> str:
    assert tokens.refresh_token is not None
    return tokens.refresh_token


async def test_signing_up_signs_in(provider: IdentityProvider, email: str) -> None:
    tokens = await provider.sign_up(email, PASSWORD, "Ann Lee")

    assert tokens.identity.provider == provider.name
    assert (tokens.identity.email, tokens.identity.email_verified) == (email, False)
    assert tokens.identity.name == "Ann Lee"
    assert (tokens.identity.phone, tokens.identity.phone_verified) == (None, False)
    assert tokens.identity.client_id is None
    assert 0 < tokens.expires_in <= 86400
    assert tokens.id_token.count(".") == 2


async def test_a_name_may_be_one_word(provider: IdentityProvider, email: str) -> None:
    assert (await provider.sign_up(email, PASSWORD, "Ann")).identity.name == "Ann"


async def test_the_access_token_says_who_signed_in(provider: IdentityProvider, email: str) -> None:
    tokens = await provider.sign_up(email, PASSWORD, "Ann Lee")

    identity = await provider.verify_access_token(tokens.access_token)

    assert (identity.issuer, identity.subject) == (tokens.identity.issuer, tokens.identity.subject)
    assert (identity.issued_at, identity.expires_at) == (
        tokens.identity.issued_at,
        tokens.identity.expires_at,
    )


async def test_an_email_has_one_account_in_whatever_case(provider: IdentityProvider, email: str) -> None:
    await provider.sign_up(email, PASSWORD, "Ann")

    for same in (email, email.upper()):
        with pytest.raises(Conflict):
            await provider.sign_up(same, PASSWORD, "Bob")


async def test_the_password_signs_in_to_the_same_account(provider: IdentityProvider, email: str) -> None:
    made = await provider.sign_up(email, PASSWORD, "Ann")

    tokens = await provider.sign_in(email, PASSWORD)

    assert tokens.identity.subject == made.identity.subject
    assert tokens.access_token != made.access_token
    assert session_of(tokens) != session_of(made)


async def test_a_password_may_have_any_characters(provider: IdentityProvider, email: str) -> None:
    password = "Pä ss+w&rd=%41;🔑7"
    await provider.sign_up(email, password, "Zoë Å. O'Neil")

    assert (await provider.sign_in(email, password)).identity.name == "Zoë Å. O'Neil"


async def test_a_wrong_password_and_an_unknown_email_get_one_answer(
    provider: IdentityProvider, email: str
) -> None:
    await provider.sign_up(email, PASSWORD, "Ann")

    with pytest.raises(InvalidCredentials) as wrong:
        await provider.sign_in(email, PASSWORD + "x")
    with pytest.raises(InvalidCredentials) as unknown:
        await provider.sign_in(f"not.{email}", PASSWORD)
    assert wrong.value.message == unknown.value.message


async def test_a_phone_signs_in_to_one_account(provider: IdentityProvider, phone: str) -> None:
    first, second = [await provider.sign_in_phone(phone) for _ in range(2)]

    assert first.identity.subject == second.identity.subject
    assert (second.identity.phone, second.identity.phone_verified) == (phone, True)
    assert (second.identity.email, second.identity.email_verified) == (None, False)
    verified = await provider.verify_access_token(second.access_token)
    assert verified.subject == first.identity.subject
    assert verified.email is None


async def test_first_sign_ins_of_a_phone_at_once_make_one_account(
    provider: IdentityProvider, phone: str
) -> None:
    signed_in = await asyncio.gather(*(provider.sign_in_phone(phone) for _ in range(5)))

    assert len({tokens.identity.subject for tokens in signed_in}) == 1


async def test_a_refresh_continues_the_session(provider: IdentityProvider, email: str) -> None:
    tokens = await provider.sign_up(email, PASSWORD, "Ann")

    for _ in range(2):
        refreshed = await provider.refresh(session_of(tokens))
        assert refreshed.identity.subject == tokens.identity.subject
        assert refreshed.access_token != tokens.access_token
        assert refreshed.id_token
        assert session_of(refreshed) != session_of(tokens)
        tokens = refreshed


@pytest.mark.parametrize("token", ["x", "a.b.c", "é🔑", "x" * 5000])
async def test_what_is_no_refresh_token_is_refused(provider: IdentityProvider, token: str) -> None:
    with pytest.raises(InvalidRefreshToken):
        await provider.refresh(token)


async def test_a_revoked_session_is_over_and_another_goes_on(provider: IdentityProvider, email: str) -> None:
    ended, kept = await provider.sign_up(email, PASSWORD, "Ann"), await provider.sign_in(email, PASSWORD)

    for _ in range(2):
        await provider.revoke(session_of(ended))

    with pytest.raises(InvalidRefreshToken):
        await provider.refresh(session_of(ended))
    assert await provider.refresh(session_of(kept))


async def test_revoking_an_unknown_session_ends_no_other(provider: IdentityProvider, email: str) -> None:
    tokens = await provider.sign_up(email, PASSWORD, "Ann")

    await provider.revoke("no refresh token")

    assert await provider.refresh(session_of(tokens))


async def test_only_the_access_token_is_an_access_token(provider: IdentityProvider, email: str) -> None:
    tokens = await provider.sign_up(email, PASSWORD, "Ann")

    for token in (tokens.id_token, session_of(tokens), tokens.access_token[:-4] + "AAAA"):
        with pytest.raises(Unauthorized):
            await provider.verify_access_token(token)


async def test_the_hosted_page_is_asked_for_a_code_with_pkce(provider: IdentityProvider) -> None:
    url = await provider.authorization_url(
        state="state-1", nonce="nonce-1", code_challenge="c" * 43, redirect_uri=CALLBACK
    )

    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    expected = {
        "response_type": "code",
        "state": "state-1",
        "nonce": "nonce-1",
        "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
        "redirect_uri": CALLBACK,
    }
    assert query.items() >= expected.items()
    assert "openid" in query["scope"].split()
    assert query["client_id"]


async def test_a_bad_code_is_unauthorized(provider: IdentityProvider) -> None:
    with pytest.raises(Unauthorized):
        await provider.exchange_code(
            code="no-code", code_verifier="v" * 43, nonce="nonce-1", redirect_uri=CALLBACK
        )


async def test_a_provider_with_all_its_settings_is_configured(provider: IdentityProvider) -> None:
    assert (provider.describe().name, provider.describe().configured) == (provider.name, True)
