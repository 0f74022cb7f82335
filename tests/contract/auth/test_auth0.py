"""Auth0 beyond what all providers share, on its documented answers."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from finassist import open_container
from finassist.application.ports.identity import IdentityProvider
from finassist.config import Secret
from finassist.domain.auth.local_accounts import SocialIdentity
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import (
    Conflict,
    FinassistError,
    IdentityProviderError,
    InvalidCredentials,
    InvalidRefreshToken,
    TooManyAttempts,
    Unauthorized,
    ValidationFailed,
)
from identity_realms import auth0_settings
from servers.auth0_server import AUDIENCE, CLIENT_ID, GOOGLE, Auth0Server, serve_auth0
from servers.oidc_server import Answer

PASSWORD = "Correct-horse-7"
EMAIL = "ann@example.org"
PHONE = "+4915112345678"


@pytest.fixture
async def server() -> AsyncIterator[Auth0Server]:
    async with serve_auth0() as server:
        yield server


@pytest.fixture
async def provider(server: Auth0Server, tmp_path: Path) -> AsyncIterator[IdentityProvider]:
    async with open_container(auth0_settings(tmp_path, server)) as container:
        yield container.adapters.identity_provider


# Signing up and in


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (400, {"name": "BadRequestError", "code": "user_exists"}, Conflict),
        (409, {"message": "The user already exists."}, Conflict),
        (400, {"name": "PasswordDictionaryError", "code": "password_dictionary_error"}, ValidationFailed),
        (400, {"name": "PasswordNoUserInfoError", "code": "password_no_user_info_error"}, ValidationFailed),
        (400, {"code": "password_leaked"}, ValidationFailed),
        (429, {"error": "too_many_requests"}, TooManyAttempts),
        (400, {"code": "invalid_connection"}, IdentityProviderError),
        (400, ["invalid_signup"], IdentityProviderError),
        (403, {"code": "public_signup_disabled"}, IdentityProviderError),
        (500, b"<html>", IdentityProviderError),
    ],
)
async def test_each_documented_refusal_of_a_sign_up_has_its_meaning(
    provider: IdentityProvider, server: Auth0Server, status: int, body: object, expected: type[FinassistError]
) -> None:
    server.answers["/dbconnections/signup"] = Answer(body, status)

    with pytest.raises(expected):
        await provider.sign_up(EMAIL, PASSWORD, "Ann")


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (429, "too_many_attempts", TooManyAttempts),
        (403, "mfa_required", IdentityProviderError),
        (403, "unauthorized_client", IdentityProviderError),
        (401, "access_denied", IdentityProviderError),
    ],
)
async def test_each_documented_refusal_of_a_sign_in_has_its_meaning(
    provider: IdentityProvider, server: Auth0Server, status: int, error: str, expected: type[FinassistError]
) -> None:
    server.answers["/oauth/token"] = Answer({"error": error, "error_description": "secret-1"}, status)

    with pytest.raises(expected) as refused:
        await provider.sign_in(EMAIL, PASSWORD)
    assert "secret-1" not in refused.value.message


async def test_a_rotated_refresh_token_is_used_up(provider: IdentityProvider) -> None:
    tokens = await provider.sign_up(EMAIL, PASSWORD, "Ann")
    assert tokens.refresh_token is not None
    await provider.refresh(tokens.refresh_token)

    with pytest.raises(InvalidRefreshToken):
        await provider.refresh(tokens.refresh_token)


async def test_the_hosted_page_is_asked_for_our_audience(provider: IdentityProvider) -> None:
    url = await provider.authorization_url(
        state="s", nonce="n", code_challenge="c", redirect_uri="http://127.0.0.1/callback"
    )

    assert "audience=https%3A%2F%2Ffinance.example.org%2Fapi" in url


# Tokens


async def test_an_access_token_is_known_by_its_scope_or_grant(
    provider: IdentityProvider, server: Auth0Server
) -> None:
    assert await provider.verify_access_token(server.access_token())
    assert await provider.verify_access_token(server.access_token(scope=None, gty="password"))
    with pytest.raises(Unauthorized):
        await provider.verify_access_token(server.access_token(scope=None))
    with pytest.raises(Unauthorized):
        await provider.verify_access_token(server.access_token(aud=CLIENT_ID))


async def test_an_application_is_told_from_a_user(provider: IdentityProvider, server: Auth0Server) -> None:
    token = server.access_token(
        sub="hook-client@clients", azp="hook-client", aud=AUDIENCE, gty="client-credentials"
    )

    assert (await provider.verify_access_token(token)).client_id == "hook-client"
    assert (await provider.verify_access_token(server.access_token())).client_id is None


# Phones


async def test_the_account_of_a_phone_carries_a_mark_that_only_administrators_can_write(
    provider: IdentityProvider, server: Auth0Server
) -> None:
    await provider.sign_in_phone(PHONE)

    assert server.users["4915112345678@phone.invalid"]["app_metadata"] == {"phone_number": PHONE}


async def test_a_phone_keeps_its_account_when_the_secret_key_changes(
    provider: IdentityProvider, server: Auth0Server, tmp_path: Path
) -> None:
    before = await provider.sign_in_phone(PHONE)
    settings = auth0_settings(
        tmp_path / "new", server, secret_key=Secret("another secret key for the tests of the service")
    )

    async with open_container(settings) as container:
        after = await container.adapters.identity_provider.sign_in_phone(PHONE)

    assert after.identity.subject == before.identity.subject


async def test_an_account_that_somebody_else_made_in_a_phones_name_is_not_used(
    provider: IdentityProvider, server: Auth0Server
) -> None:
    server.add_user("4915112345678@phone.invalid", "Attacker-1", user_metadata={"phone_number": PHONE})

    with pytest.raises(IdentityProviderError, match="not ours"):
        await provider.sign_in_phone(PHONE)


async def test_one_token_of_the_management_client_serves_many_and_a_revoked_one_is_replaced(
    provider: IdentityProvider, server: Auth0Server
) -> None:
    for number in range(3):
        await provider.sign_in_phone(f"+491511234567{number}")
    assert len(server.management_tokens) == 1

    server.management_tokens.clear()
    await provider.sign_in_phone("+4915112345679")

    assert len(server.management_tokens) == 1


async def test_without_a_management_client_phones_say_what_is_missing(
    server: Auth0Server, tmp_path: Path
) -> None:
    settings = auth0_settings(
        tmp_path, server, oidc_management_client_id="", oidc_management_client_secret=None
    )
    async with open_container(settings) as container:
        provider = container.adapters.identity_provider

        assert not provider.describe().configured
        with pytest.raises(IdentityProviderError, match="OIDC_MANAGEMENT_CLIENT_ID"):
            await provider.sign_in_phone(PHONE)
        assert await provider.sign_up(EMAIL, PASSWORD, "Ann")


# Social sign-in


def vouched(issuer: str) -> SocialIdentity:
    return SocialIdentity(
        issuer=issuer, subject="zoe", email=None, email_verified=False, name=None, picture=None
    )


async def test_googles_tokens_are_exchanged(provider: IdentityProvider, server: Auth0Server) -> None:
    tokens = await provider.exchange_social(vouched("https://accounts.google.com"), "google-token")

    assert (tokens.identity.email, tokens.identity.email_verified) == ("zoe@example.org", True)
    form = server.requests_to("/oauth/token")[-1].form
    assert (form["subject_token"], form["subject_token_type"]) == ("google-token", GOOGLE)


async def test_tokens_of_others_are_not_and_the_error_says_so(provider: IdentityProvider) -> None:
    with pytest.raises(IdentityProviderError, match="only Google's"):
        await provider.exchange_social(vouched("https://appleid.apple.com"), "apple-token")


# Erasing accounts


async def test_an_account_is_erased_and_again_changes_nothing(server: Auth0Server, tmp_path: Path) -> None:
    async with open_container(auth0_settings(tmp_path, server)) as container:
        provider = container.adapters.identity_provider
        made = (await provider.sign_up(EMAIL, PASSWORD, "Ann")).identity
        identity = ProviderIdentity(issuer=made.issuer, subject=made.subject)

        assert provider.can_erase_account(identity)
        for _ in range(2):
            await provider.erase_account(identity)

        with pytest.raises(InvalidCredentials):
            await provider.sign_in(EMAIL, PASSWORD)
        assert await provider.sign_up(EMAIL, PASSWORD, "Ann")
        assert not provider.can_erase_account(ProviderIdentity(issuer="local", subject=made.subject))


async def test_an_account_that_may_not_be_erased_is_a_failure(server: Auth0Server, tmp_path: Path) -> None:
    async with open_container(auth0_settings(tmp_path, server)) as container:
        provider = container.adapters.identity_provider
        made = (await provider.sign_up(EMAIL, PASSWORD, "Ann")).identity
        for status in (403, 500):
            server.answers[f"/api/v2/users/{made.subject.replace('|', '%7C')}"] = Answer({}, status)
            with pytest.raises(IdentityProviderError):
                await provider.erase_account(ProviderIdentity(issuer=made.issuer, subject=made.subject))


async def test_without_a_management_client_no_account_can_be_erased(
    server: Auth0Server, tmp_path: Path
) -> None:
    settings = auth0_settings(
        tmp_path, server, oidc_management_client_id="", oidc_management_client_secret=None
    )
    async with open_container(settings) as container:
        identity = ProviderIdentity(issuer=server.issuer, subject="auth0|1")
        assert not container.adapters.identity_provider.can_erase_account(identity)
