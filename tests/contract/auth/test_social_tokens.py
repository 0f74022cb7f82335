"""Identity tokens of social providers: which are good (contract section 3)."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from joserfc.jwk import ECKey, RSAKey

from finassist.adapters.identity.social import OidcSocialTokens
from finassist.domain.errors import IdentityProviderError, Unauthorized
from finassist.testing import FakeClock
from servers.oidc_server import DISCOVERY, Answer, OidcServer, serve_oidc

IOS, WEB = "client-ios", "client-web"


@pytest.fixture
async def server() -> AsyncIterator[OidcServer]:
    async with serve_oidc() as server:
        yield server


@pytest.fixture
async def other() -> AsyncIterator[OidcServer]:
    async with serve_oidc() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime.now(UTC))


@pytest.fixture
async def tokens(server: OidcServer, other: OidcServer, clock: FakeClock) -> AsyncIterator[OidcSocialTokens]:
    issuers = [(server.issuer, IOS), (server.issuer, WEB), (other.issuer, "client-other")]
    tokens = OidcSocialTokens(issuers, clock)
    yield tokens
    await tokens.close()


@pytest.mark.parametrize("client_id", [IOS, WEB])
async def test_a_good_token_says_who_signed_in(
    tokens: OidcSocialTokens, server: OidcServer, client_id: str
) -> None:
    token = server.token(
        aud=client_id,
        email="ann@example.org",
        email_verified=True,
        name="Ann",
        picture="https://pictures.test/ann.png",
    )

    social = await tokens.verify(token)

    assert (social.issuer, social.subject) == (server.issuer, "ann")
    assert (social.email, social.email_verified, social.name) == ("ann@example.org", True, "Ann")
    assert social.picture == "https://pictures.test/ann.png"


@pytest.mark.parametrize(
    ("value", "is_verified"), [(True, True), ("true", True), (False, False), ("false", False), (None, False)]
)
async def test_a_verified_email_may_be_said_in_words_as_apple_does(
    tokens: OidcSocialTokens, server: OidcServer, value: object, is_verified: bool
) -> None:
    token = server.token(aud=WEB, email="ann@example.org", email_verified=value)

    assert (await tokens.verify(token)).email_verified is is_verified


async def test_a_reserved_email_counts_as_none(tokens: OidcSocialTokens, server: OidcServer) -> None:
    token = server.token(aud=WEB, email="4915112345678@phone.invalid", email_verified=True)

    social = await tokens.verify(token)

    assert (social.email, social.email_verified) == (None, False)


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "client-other"},
        {"aud": None},
        {"iss": "https://evil.test"},
        {"iss": None},
        {"iss": ["https://evil.test"]},
        {"exp": 1},
        {"exp": None},
        {"sub": None},
        {"key": ECKey.generate_key("P-256", auto_kid=True)},
        {"header": {"alg": "none"}},
        {"header": {"typ": "at+jwt"}},
        {"typ": "Bearer"},
        {"iat": None},
        {"azp": None, "nbf": 4102444800},
        {"azp": ""},
        {"azp": [WEB]},
        {"azp": "client-other"},
    ],
)
async def test_any_other_token_is_unauthorized(
    tokens: OidcSocialTokens, server: OidcServer, changes: dict[str, Any]
) -> None:
    with pytest.raises(Unauthorized) as refused:
        await tokens.verify(server.token(**{"aud": WEB} | changes))
    assert refused.value.message == "The identity token is not valid."


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "..", "é.é.é", "a.e30.c", "a.W10.c", "x" * 100_000])
async def test_what_is_no_token_is_unauthorized(tokens: OidcSocialTokens, token: str) -> None:
    with pytest.raises(Unauthorized):
        await tokens.verify(token)


@pytest.mark.parametrize("changes", [{"aud": WEB, "azp": WEB}, {"aud": WEB, "azp": IOS}, {"aud": [WEB, "x"]}])
async def test_a_token_may_be_issued_to_any_of_our_clients(
    tokens: OidcSocialTokens, server: OidcServer, changes: dict[str, Any]
) -> None:
    assert (await tokens.verify(server.token(**changes))).subject == "ann"


@pytest.mark.filterwarnings("ignore:Key size should be")
async def test_keys_that_are_long_enough_are_taken_beside_those_that_are_not(
    tokens: OidcSocialTokens, server: OidcServer
) -> None:
    short = rsa.generate_private_key(65537, 1024)
    keys = [RSAKey(short, short, {"kid": "short"}), RSAKey.generate_key(2048, auto_kid=True)]
    server.keys += [key.as_dict(private=False) for key in keys]
    weak, good = [server.token(aud=WEB, key=key, algorithm="RS256") for key in keys]

    assert (await tokens.verify(good)).subject == "ann"
    with pytest.raises(Unauthorized):
        await tokens.verify(weak)


async def test_one_issuer_does_not_vouch_for_another(
    tokens: OidcSocialTokens, server: OidcServer, other: OidcServer
) -> None:
    with pytest.raises(Unauthorized):
        await tokens.verify(server.token(iss=other.issuer, aud="client-other"))
    with pytest.raises(Unauthorized):
        await tokens.verify(other.token(aud=WEB))


async def test_an_issuer_that_is_down_is_not_the_tokens_fault(
    tokens: OidcSocialTokens, server: OidcServer, other: OidcServer
) -> None:
    server.answers[DISCOVERY] = Answer(status=503)

    with pytest.raises(IdentityProviderError):
        await tokens.verify(server.token(aud=WEB))
    assert await tokens.verify(other.token(aud="client-other"))
