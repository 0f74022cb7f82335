"""Any OpenID Connect provider: good and forged tokens, and a provider that fails in every way."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from finassist import open_container
from finassist.application.ports.identity import IdentityProvider
from finassist.config import Settings
from finassist.domain.auth.local_accounts import SocialIdentity
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import (
    IdentityProviderError,
    InvalidRefreshToken,
    TokenExpired,
    Unauthorized,
)
from finassist.testing import FakeClock
from identity_realms import oidc_settings
from servers.oidc_server import DISCOVERY, KEYS, REVOKE, TOKEN, Answer, OidcServer, encode, serve_oidc

AUDIENCE, CLIENT_ID = "finassist", "client-1"
CODE = {"code": "c", "code_verifier": "v" * 43, "nonce": "n", "redirect_uri": "http://127.0.0.1/callback"}
SOCIAL = SocialIdentity(
    issuer="https://social.test", subject="ann", email=None, email_verified=False, name=None, picture=None
)


@pytest.fixture
async def server() -> AsyncIterator[OidcServer]:
    async with serve_oidc() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime.now(UTC))


@pytest.fixture
async def provider(server: OidcServer, clock: FakeClock, tmp_path: Path) -> AsyncIterator[IdentityProvider]:
    async with open_container(oidc_settings(tmp_path, server), clock=clock) as container:
        yield container.adapters.identity_provider


def access_token(server: OidcServer, **changes: Any) -> str:
    return server.token(**{"aud": AUDIENCE, "scope": "openid email"} | changes)


def id_token(server: OidcServer, **changes: Any) -> str:
    return server.token(**{"aud": CLIENT_ID, "nonce": "n"} | changes)


def granted(server: OidcServer, **changes: Any) -> Answer:
    tokens = {"access_token": access_token(server), "id_token": id_token(server), "token_type": "Bearer"}
    return Answer({**tokens, "expires_in": 300, "refresh_token": "refresh-1"} | changes)


# Good tokens


@pytest.mark.parametrize(
    ("header", "claims"),
    [
        ({"typ": "at+jwt"}, {"scope": None}),
        ({"typ": "JWT"}, {"scope": "openid"}),
        ({"typ": None}, {"scope": None, "scp": ["read"]}),
        ({"typ": "JWT"}, {"scope": None, "client_id": CLIENT_ID}),
    ],
)
async def test_an_access_token_is_known_by_its_type_or_by_what_only_access_tokens_have(
    provider: IdentityProvider, server: OidcServer, header: dict[str, Any], claims: dict[str, Any]
) -> None:
    identity = await provider.verify_access_token(
        access_token(server, header=header, email="ann@example.org", email_verified=True, **claims)
    )

    assert (identity.issuer, identity.subject, identity.provider) == (server.issuer, "ann", "oidc")
    assert (identity.email, identity.email_verified, identity.client_id) == ("ann@example.org", True, None)


async def test_an_email_of_the_reserved_domain_counts_as_none(
    provider: IdentityProvider, server: OidcServer
) -> None:
    token = access_token(server, email="4915112345678@phone.invalid", email_verified=True)

    identity = await provider.verify_access_token(token)

    assert (identity.email, identity.email_verified) == (None, False)


@pytest.mark.parametrize("picture", ["javascript:alert(1)", "data:image/png;base64,AA", 7, ""])
async def test_a_picture_that_is_no_web_address_counts_as_none(
    provider: IdentityProvider, server: OidcServer, picture: object
) -> None:
    assert (await provider.verify_access_token(access_token(server, picture=picture))).picture is None


async def test_a_client_that_is_its_own_subject_is_no_user(
    provider: IdentityProvider, server: OidcServer
) -> None:
    token = access_token(server, sub="hook", client_id="hook", header={"typ": "at+jwt"})

    assert (await provider.verify_access_token(token)).client_id == "hook"


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [
        (RSAKey.generate_key(2048, auto_kid=True), "RS256"),
        (RSAKey.generate_key(2048, auto_kid=True), "PS256"),
        (OKPKey.generate_key("Ed25519", auto_kid=True), "EdDSA"),
    ],
)
async def test_the_usual_algorithms_are_accepted(
    provider: IdentityProvider, server: OidcServer, key: Any, algorithm: str
) -> None:
    server.keys.append(key.as_dict(private=False))

    assert await provider.verify_access_token(access_token(server, key=key, algorithm=algorithm))


# Forged and foreign tokens


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.test"},
        {"iss": None},
        {"aud": "another"},
        {"aud": CLIENT_ID},
        {"aud": None},
        {"exp": None},
        {"sub": None},
        {"nbf": 4102444800},
    ],
)
async def test_a_token_of_or_for_somebody_else_is_refused(
    provider: IdentityProvider, server: OidcServer, claims: dict[str, Any]
) -> None:
    with pytest.raises(Unauthorized) as refused:
        await provider.verify_access_token(access_token(server, **claims))
    assert type(refused.value) is Unauthorized


@pytest.mark.parametrize(
    "claims",
    [
        {"scope": None},
        {"scope": None, "nonce": "n"},
        {"at_hash": "x"},
        {"nonce": "n"},
        {"typ": "ID"},
        {"header": {"typ": "ID"}},
        {"header": {"typ": "logout+jwt"}},
    ],
)
async def test_an_id_token_is_no_access_token_even_for_our_audience(
    provider: IdentityProvider, server: OidcServer, claims: dict[str, Any]
) -> None:
    with pytest.raises(Unauthorized):
        await provider.verify_access_token(access_token(server, **claims))


async def test_an_unsigned_token_is_refused(provider: IdentityProvider, server: OidcServer) -> None:
    header, payload, _ = access_token(server, header={"alg": "none"}).split(".")

    for signature in ("", "AAAA"):
        with pytest.raises(Unauthorized):
            await provider.verify_access_token(f"{header}.{payload}.{signature}")


async def test_a_mac_with_the_public_key_is_refused(provider: IdentityProvider, server: OidcServer) -> None:
    signed = access_token(server, header={"alg": "HS256"}).rpartition(".")[0]
    assert not isinstance(server.key, OctKey)

    for secret in (server.key.as_pem(private=False), json.dumps(server.keys[0]).encode()):
        mac = encode(hmac.new(secret, signed.encode(), hashlib.sha256).digest())
        with pytest.raises(Unauthorized):
            await provider.verify_access_token(f"{signed}.{mac}")


async def test_a_published_symmetric_key_verifies_nothing(
    provider: IdentityProvider, server: OidcServer
) -> None:
    shared = OctKey.generate_key(256, auto_kid=True)
    server.keys.append(shared.as_dict(private=True))

    with pytest.raises(Unauthorized):
        await provider.verify_access_token(access_token(server, key=shared, algorithm="HS256"))


async def test_a_token_with_its_own_key_is_refused(provider: IdentityProvider, server: OidcServer) -> None:
    own = ECKey.generate_key("P-256", auto_kid=True)
    for header in (
        {"jwk": own.as_dict(private=False)},
        {"jku": f"{server.url}{KEYS}"},
        {"kid": server.key.kid},
    ):
        with pytest.raises(Unauthorized):
            await provider.verify_access_token(access_token(server, key=own, header=header))


async def test_an_old_token_is_told_from_a_forged_one(
    provider: IdentityProvider, server: OidcServer, clock: FakeClock
) -> None:
    token = access_token(server)
    clock.advance(400)

    with pytest.raises(TokenExpired):
        await provider.verify_access_token(token)


# Keys


async def test_the_keys_are_fetched_once_for_all_tokens(
    provider: IdentityProvider, server: OidcServer
) -> None:
    await asyncio.gather(*(provider.verify_access_token(access_token(server)) for _ in range(50)))

    assert len(server.requests_to(DISCOVERY)) == len(server.requests_to(KEYS)) == 1


async def test_a_rotation_under_fifty_requests_is_one_fetch(
    provider: IdentityProvider, server: OidcServer, clock: FakeClock
) -> None:
    old = access_token(server)
    await provider.verify_access_token(old)
    clock.advance(61)
    server.rotate()

    tokens = [access_token(server, sub=f"user-{number}") for number in range(50)]
    identities = await asyncio.gather(*(provider.verify_access_token(token) for token in tokens))

    assert [identity.subject for identity in identities] == [f"user-{number}" for number in range(50)]
    assert len(server.requests_to(KEYS)) == 2
    assert await provider.verify_access_token(old)


async def test_unknown_keys_are_looked_for_once_a_minute(
    provider: IdentityProvider, server: OidcServer, clock: FakeClock
) -> None:
    foreign = ECKey.generate_key("P-256", auto_kid=True)
    for seconds, fetches in [(0, 1), (30, 1), (31, 2), (1, 2)]:
        clock.advance(seconds)
        with pytest.raises(Unauthorized):
            await provider.verify_access_token(access_token(server, key=foreign))
        assert len(server.requests_to(KEYS)) == fetches


async def test_a_key_that_the_provider_takes_back_stops_working_within_the_hour(
    provider: IdentityProvider, server: OidcServer, clock: FakeClock
) -> None:
    stolen = server.key
    await provider.verify_access_token(access_token(server))
    server.rotate()
    del server.keys[0]
    clock.advance(3600)

    with pytest.raises(Unauthorized):
        await provider.verify_access_token(access_token(server, key=stolen, exp=4102444800))


async def test_keys_of_an_unknown_kind_leave_the_others_usable(
    provider: IdentityProvider, server: OidcServer
) -> None:
    strange: list[Any] = [
        {"kty": "EC", "crv": "P-999", "kid": "a", "x": "AA", "y": "AA"},
        {"kty": "OKP", "crv": "X999", "kid": "b", "x": "AA"},
        {"kty": "RSA", "kid": "c", "n": "!", "e": "AQAB"},
        {"kty": ["EC"], "kid": "d"},
        {"kid": "e"},
        {},
    ]
    server.keys = strange + server.keys

    assert await provider.verify_access_token(access_token(server))


async def test_an_encryption_key_of_the_same_id_does_not_hide_the_one_that_signs(
    provider: IdentityProvider, server: OidcServer
) -> None:
    sealing = RSAKey.generate_key(2048).as_dict(private=False, use="enc", kid=server.key.kid)
    server.keys.append(sealing)

    assert await provider.verify_access_token(access_token(server))


async def test_tokens_verify_while_the_provider_is_down(
    provider: IdentityProvider, server: OidcServer, clock: FakeClock
) -> None:
    await provider.verify_access_token(access_token(server))
    server.answers = {DISCOVERY: Answer(status=503), KEYS: Answer(status=503)}

    for seconds in (0, 100, 3600, 3600):
        clock.advance(seconds)
        assert await provider.verify_access_token(access_token(server, exp=4102444800))


async def test_a_key_that_cannot_be_looked_up_is_the_providers_fault_and_not_the_tokens(
    provider: IdentityProvider, server: OidcServer, clock: FakeClock
) -> None:
    await provider.verify_access_token(access_token(server))
    server.answers = {KEYS: Answer(status=503)}
    server.rotate()
    clock.advance(61)

    for _ in range(2):
        with pytest.raises(IdentityProviderError):
            await provider.verify_access_token(access_token(server))
    assert len(server.requests_to(KEYS)) == 2


async def test_a_provider_that_starts_after_us_is_found_within_seconds(
    provider: IdentityProvider, server: OidcServer, clock: FakeClock
) -> None:
    server.answers = {DISCOVERY: Answer(status=503)}
    answers = await asyncio.gather(
        *(provider.verify_access_token(access_token(server)) for _ in range(10)), return_exceptions=True
    )
    assert {type(answer) for answer in answers} == {IdentityProviderError}
    assert len(server.requests_to(DISCOVERY)) == 1

    server.answers = {}
    clock.advance(5)

    assert await provider.verify_access_token(access_token(server))


# Discovery


@pytest.mark.parametrize(
    "change",
    [
        Answer(status=404),
        Answer(status=302, headers={"Location": "/elsewhere"}),
        Answer(b""),
        Answer(b"<html>"),
        Answer(b"[]"),
        Answer(b"\xff"),
        Answer(b"x" * (1 << 20), endless=True),
        Answer(b"", headers={"Content-Encoding": "gzip"}),
        {"issuer": "https://evil.test"},
        {"issuer": None},
        {"jwks_uri": None},
        {"jwks_uri": 7},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": "http://127.0.0.1:1/keys"},
        {"jwks_uri": "http://["},
    ],
)
async def test_a_bad_discovery_document_is_the_providers_fault(
    provider: IdentityProvider, server: OidcServer, change: Answer | dict[str, Any]
) -> None:
    server.answers[DISCOVERY] = change if isinstance(change, Answer) else Answer(server.metadata | change)

    with pytest.raises(IdentityProviderError):
        await provider.verify_access_token(access_token(server))


@pytest.mark.parametrize(
    "keys", [b"", b"[]", b'{"keys":{}}', b'{"keys":[7]}', b'{"keys":[]}', b'{"keys":[{"kty":"zz"}]}']
)
async def test_bad_keys_are_the_providers_fault(
    provider: IdentityProvider, server: OidcServer, keys: bytes
) -> None:
    server.answers[KEYS] = Answer(keys)

    with pytest.raises(IdentityProviderError):
        await provider.verify_access_token(access_token(server))


# Sessions


async def test_a_code_becomes_tokens_and_the_id_token_tells_what_the_access_token_leaves_out(
    provider: IdentityProvider, server: OidcServer
) -> None:
    who = {"email": "ann@example.org", "email_verified": True, "name": "Ann"}
    server.answers[TOKEN] = granted(server, id_token=id_token(server, **who))

    tokens = await provider.exchange_code(**CODE)

    assert (tokens.identity.email, tokens.identity.email_verified) == ("ann@example.org", True)
    assert (tokens.identity.name, tokens.refresh_token) == ("Ann", "refresh-1")
    form = server.requests_to(TOKEN)[0].form
    assert form == {
        "grant_type": "authorization_code",
        "code": "c",
        "code_verifier": "v" * 43,
        "redirect_uri": "http://127.0.0.1/callback",
    }


@pytest.mark.parametrize("claims", [{"nonce": "other"}, {"nonce": None}])
async def test_an_id_token_of_another_sign_in_is_unauthorized(
    provider: IdentityProvider, server: OidcServer, claims: dict[str, Any]
) -> None:
    server.answers[TOKEN] = granted(server, id_token=id_token(server, **claims))

    with pytest.raises(Unauthorized):
        await provider.exchange_code(**CODE)


@pytest.mark.parametrize(
    "tokens",
    [
        lambda server: {"id_token": None},
        lambda server: {"id_token": id_token(server, aud="another")},
        lambda server: {"id_token": id_token(server, sub="bob")},
        lambda server: {"id_token": access_token(server)},
        lambda server: {"access_token": None},
        lambda server: {"access_token": "opaque"},
        lambda server: {"access_token": ["a"]},
        lambda server: {"access_token": access_token(server, aud="another")},
        lambda server: {"access_token": id_token(server)},
        lambda server: {"expires_in": "soon"},
        lambda server: {"expires_in": [1]},
    ],
)
async def test_tokens_that_do_not_fit_are_the_providers_fault(
    provider: IdentityProvider, server: OidcServer, tokens: Callable[[OidcServer], dict[str, Any]]
) -> None:
    server.answers[TOKEN] = granted(server, **tokens(server))

    with pytest.raises(IdentityProviderError):
        await provider.exchange_code(**CODE)


async def test_a_provider_that_does_not_rotate_gives_no_new_refresh_token(
    provider: IdentityProvider, server: OidcServer
) -> None:
    for answered in (None, "refresh-0"):
        server.answers[TOKEN] = granted(server, refresh_token=answered, id_token=None)
        tokens = await provider.refresh("refresh-0")
        assert (tokens.refresh_token, tokens.id_token) == (None, "")

    server.answers[TOKEN] = granted(server)
    assert (await provider.refresh("refresh-0")).refresh_token == "refresh-1"


async def test_a_refused_refresh_token_is_invalid(provider: IdentityProvider, server: OidcServer) -> None:
    server.answers[TOKEN] = Answer({"error": "invalid_grant"}, 400)

    with pytest.raises(InvalidRefreshToken):
        await provider.refresh("refresh-0")


async def test_a_session_is_revoked_with_the_clients_credentials(
    provider: IdentityProvider, server: OidcServer
) -> None:
    server.answers[REVOKE] = Answer()

    await provider.revoke("refresh-1")

    asked = server.requests_to(REVOKE)[0]
    assert asked.form["token"] == "refresh-1"
    assert asked.headers["authorization"].startswith("Basic ")


async def test_the_secret_goes_where_the_provider_wants_it(
    provider: IdentityProvider, server: OidcServer
) -> None:
    method = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    server.answers = {DISCOVERY: Answer(server.metadata | method), TOKEN: granted(server)}

    await provider.refresh("é🔑")

    asked = server.requests_to(TOKEN)[0]
    assert "authorization" not in asked.headers
    assert (
        asked.form.items()
        >= {
            "client_id": CLIENT_ID,
            "client_secret": "client-secret",
            "refresh_token": "é🔑",
        }.items()
    )


async def test_only_scopes_that_the_provider_knows_are_asked_for(provider: IdentityProvider) -> None:
    url = await provider.authorization_url(state="s", nonce="n", code_challenge="c", redirect_uri="http://x")

    assert "scope=openid+email+offline_access&" in url


# What OpenID Connect does not have


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda provider: provider.sign_up("ann@example.org", "Passw0rd", "Ann"), "sign-up"),
        (lambda provider: provider.sign_in("ann@example.org", "Passw0rd"), "password"),
        (lambda provider: provider.sign_in_phone("+4915112345678"), "phone"),
        (lambda provider: provider.exchange_social(SOCIAL, "token"), "token exchange"),
    ],
)
async def test_what_the_provider_cannot_do_is_said(
    provider: IdentityProvider, ask: Callable[[IdentityProvider], Awaitable[object]], what: str
) -> None:
    with pytest.raises(IdentityProviderError, match=f"oidc does not support .*{what}"):
        await ask(provider)


async def test_a_provider_that_announces_token_exchange_is_asked_for_it(
    provider: IdentityProvider, server: OidcServer
) -> None:
    grant = "urn:ietf:params:oauth:grant-type:token-exchange"
    server.answers = {
        DISCOVERY: Answer(server.metadata | {"grant_types_supported": [grant]}),
        TOKEN: granted(server),
    }

    assert (await provider.exchange_social(SOCIAL, "social-token")).identity.subject == "ann"
    assert (
        server.requests_to(TOKEN)[0].form.items()
        >= {
            "grant_type": grant,
            "subject_token": "social-token",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        }.items()
    )


# A provider that fails


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=500),
        Answer({"error": "server_error", "error_description": "secret-1"}, 503),
        Answer({"error": "invalid_client", "error_description": "secret-1"}, 401),
        Answer({"error": "secret-1"}, 400),
        Answer({"error": ["secret-1"]}, 400),
        Answer(b"secret-1", 400),
        Answer(b"[]"),
        Answer(b"x" * (1 << 20), endless=True),
    ],
)
async def test_every_failure_of_the_token_endpoint_is_translated_without_its_words(
    provider: IdentityProvider, server: OidcServer, answer: Answer
) -> None:
    server.answers[TOKEN] = answer

    with pytest.raises(IdentityProviderError) as failure:
        await provider.refresh("refresh-0")
    assert "secret-1" not in failure.value.message
    assert failure.value.__cause__ is None


async def test_a_provider_that_does_not_answer_is_given_up(
    provider: IdentityProvider, server: OidcServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finassist.adapters.identity.provider_client.TOTAL_SECONDS", 0.2)
    server.answers[TOKEN] = Answer(hang=True)

    with pytest.raises(IdentityProviderError, match="in time"):
        await provider.refresh("refresh-0")


async def test_a_provider_that_is_not_there_is_said_to_be_out_of_reach(tmp_path: Path) -> None:
    settings = Settings(
        rag_enabled=False,
        data_dir=tmp_path,
        identity_provider="oidc",
        oidc_issuer="http://127.0.0.1:1",
        oidc_audience=AUDIENCE,
        oidc_client_id=CLIENT_ID,
    )
    async with open_container(settings) as container:
        with pytest.raises(IdentityProviderError, match="reached"):
            await container.adapters.identity_provider.refresh("refresh-0")


async def test_an_account_outlives_its_erasure_here(
    server: OidcServer, clock: FakeClock, tmp_path: Path
) -> None:
    async with open_container(oidc_settings(tmp_path, server), clock=clock) as container:
        provider = container.adapters.identity_provider
        identity = ProviderIdentity(issuer=server.issuer, subject="user-1")

        assert not provider.can_erase_account(identity)
        with pytest.raises(IdentityProviderError, match="erasing accounts"):
            await provider.erase_account(identity)


async def test_a_session_from_before_an_erasure_brings_nobody_back(
    server: OidcServer, clock: FakeClock, tmp_path: Path
) -> None:
    """The provider goes on with the session, because nobody could tell it to end."""
    async with open_container(oidc_settings(tmp_path, server), clock=clock) as container:
        token = access_token(server)
        caller = await container.resolve_caller(bearer=token, device_id=None, platform=None, address="")
        await container.request_erasure(caller, None, "")
        clock.advance(40)
        server.answers[TOKEN] = granted(server)
        server.answers[REVOKE] = Answer()

        with pytest.raises(InvalidRefreshToken):
            await container.refresh_session("refresh-1")

        assert len(server.requests_to(REVOKE)) == 1
