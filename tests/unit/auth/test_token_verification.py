"""What makes an access token good, and every known way to forge one (contract section 3, RFC 8725)."""

import hashlib
import hmac
import json
import random
from datetime import UTC, datetime
from typing import Any

import pytest
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey

from finassist.adapters.identity.tokens import MAX_TOKEN_LENGTH
from finassist.domain.errors import TokenExpired
from finassist.domain.users import Identity
from token_bench import AUDIENCE, FOREIGN_KEY, ISSUER, KEY, Bench, encode


@pytest.fixture
def bench() -> Bench:
    return Bench()


# What is good


async def test_a_good_token_names_its_bearer(bench: Bench) -> None:
    claims = bench.claims(
        email="ann@example.org",
        email_verified=True,
        phone_number="+4915112345678",
        phone_number_verified=True,
        name="Ann",
    )

    identity = await bench.verify(bench.token(claims=claims))

    assert identity == Identity(
        issuer=ISSUER,
        subject="ann",
        provider="local",
        issued_at=bench.clock.now(),
        expires_at=datetime.fromtimestamp(bench.now + 3600, UTC),
        email="ann@example.org",
        email_verified=True,
        phone="+4915112345678",
        phone_verified=True,
        name="Ann",
    )


async def test_only_a_true_boolean_verifies_an_email_or_phone(bench: Bench) -> None:
    claims = bench.claims(email="ann@example.org", email_verified="true", phone_number_verified=1)

    identity = await bench.verify(bench.token(claims=claims))

    assert not identity.email_verified
    assert not identity.phone_verified


@pytest.mark.parametrize("value", [None, "", 7, ["ann@example.org"], {"a": 1}])
async def test_profile_claims_that_are_no_text_count_as_absent(bench: Bench, value: object) -> None:
    claims = bench.claims(email=value, phone_number=value, name=value)

    identity = await bench.verify(bench.token(claims=claims))

    assert (identity.email, identity.phone, identity.name) == (None, None, None)


@pytest.mark.parametrize("audience", [[AUDIENCE], ["other", AUDIENCE]])
async def test_our_audience_may_be_one_of_several(bench: Bench, audience: list[str]) -> None:
    assert await bench.verify(bench.token(claims=bench.claims(aud=audience)))


async def test_a_token_without_iat_never_counts_as_fresh(bench: Bench) -> None:
    identity = await bench.verify(bench.token(claims=bench.claims("iat")))

    assert identity.issued_at == datetime(1970, 1, 1, tzinfo=UTC)


async def test_unknown_header_parameters_are_ignored(bench: Bench) -> None:
    assert await bench.verify(bench.token(bench.header(x5t="abc", colour="blue")))


@pytest.mark.parametrize("typ", ["at+jwt", "AT+JWT", "application/at+jwt"])
async def test_the_type_of_an_access_token_ignores_case_and_prefix(bench: Bench, typ: str) -> None:
    assert await bench.verify(bench.token(bench.header(typ=typ)))


# Time


async def test_an_authentic_token_past_its_time_says_when_it_expired(bench: Bench) -> None:
    token = bench.token()
    expires_at = (await bench.verify(token)).expires_at
    bench.clock.advance(3600 + 30)

    with pytest.raises(TokenExpired) as expired:
        await bench.verify(token)

    assert expired.value.expired_at == expires_at


async def test_a_token_is_good_until_thirty_seconds_past_its_expiry(bench: Bench) -> None:
    token = bench.token()
    bench.clock.advance(3600 + 29)

    assert await bench.verify(token)


@pytest.mark.parametrize(
    "fault", [{"aud": "other"}, {"iss": "https://evil.example"}, {"sub": ""}, {"nbf": 1e12}, {"iat": 1e12}]
)
async def test_an_expired_token_with_another_fault_is_not_called_expired(
    bench: Bench, fault: dict[str, Any]
) -> None:
    await bench.refuses(bench.token(claims={"exp": 1} | bench.claims("exp") | fault))


async def test_an_expired_id_token_or_forgery_is_not_called_expired(bench: Bench) -> None:
    await bench.refuses(bench.token(bench.header(typ="JWT"), bench.claims(exp=1)))
    await bench.refuses(bench.token(claims=bench.claims(exp=1), key=FOREIGN_KEY))


@pytest.mark.parametrize("claim", ["nbf", "iat"])
async def test_a_start_in_the_future_is_refused_beyond_the_leeway(bench: Bench, claim: str) -> None:
    assert await bench.verify(bench.token(claims=bench.claims(**{claim: bench.now + 30})))
    await bench.refuses(bench.token(claims=bench.claims(**{claim: bench.now + 31})))


# Claims


@pytest.mark.parametrize("claim", ["iss", "aud", "exp", "sub"])
async def test_a_required_claim_may_not_be_missing(bench: Bench, claim: str) -> None:
    await bench.refuses(bench.token(claims=bench.claims(claim)))
    await bench.refuses(bench.token(claims=bench.claims(**{claim: None})))


@pytest.mark.parametrize(
    "claim",
    [
        {"iss": "https://evil.example"},
        {"iss": f"{ISSUER}/"},
        {"iss": ISSUER.upper()},
        {"iss": [ISSUER]},
        {"aud": "other"},
        {"aud": []},
        {"aud": ["other"]},
        {"aud": [[AUDIENCE]]},
        {"aud": {AUDIENCE: True}},
        {"aud": AUDIENCE.upper()},
        {"sub": ""},
        {"sub": 7},
        {"sub": ["ann"]},
        {"exp": "9999999999"},
        {"exp": True},
        {"exp": [1]},
        {"exp": 10**40},
        {"exp": 1e300},
        {"iat": -(10**40)},
        {"iat": "now"},
        {"nbf": {}},
    ],
)
async def test_a_wrong_claim_is_refused(bench: Bench, claim: dict[str, Any]) -> None:
    await bench.refuses(bench.token(claims=bench.claims(**claim)))


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[]",
        b'"exp"',
        b"{",
        b"\xff\xfe",
        b'{"exp":NaN}',
        b'{"exp":Infinity}',
        b'{"sub":"\\ud800"}',
        b'{"sub":' + b"[" * 2500 + b"]" * 2500 + b"}",
    ],
)
async def test_a_signed_payload_that_is_no_object_is_refused(bench: Bench, payload: bytes) -> None:
    await bench.refuses(bench.token(claims=payload))


# Forgeries


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", ""])
async def test_an_unsigned_token_is_refused(bench: Bench, algorithm: str) -> None:
    header, payload, signature = bench.token().split(".")
    unsigned = encode(json.dumps(bench.header(alg=algorithm)).encode())

    await bench.refuses(f"{unsigned}.{payload}.")
    await bench.refuses(f"{unsigned}.{payload}.{signature}")
    await bench.refuses(f"{header}.{payload}.")


@pytest.mark.parametrize("algorithm", ["HS256", "HS384", "HS512"])
@pytest.mark.parametrize(
    "public_key",
    [KEY.as_pem(), KEY.as_der(), json.dumps(KEY.as_dict(private=False)).encode()],
    ids=["PEM", "DER", "JWK"],
)
async def test_a_mac_with_the_public_key_as_its_secret_is_refused(
    bench: Bench, algorithm: str, public_key: bytes
) -> None:
    header = encode(json.dumps(bench.header(alg=algorithm)).encode())
    signed = f"{header}.{encode(json.dumps(bench.claims()).encode())}"
    mac = hmac.new(public_key, signed.encode(), getattr(hashlib, f"sha{algorithm[2:]}")).digest()

    await bench.refuses(f"{signed}.{encode(mac)}")


async def test_a_token_of_a_foreign_key_is_refused(bench: Bench) -> None:
    await bench.refuses(bench.token(bench.header(kid=FOREIGN_KEY.kid), key=FOREIGN_KEY))
    await bench.refuses(bench.token(key=FOREIGN_KEY))


@pytest.mark.parametrize("kid", [None, "", 7, ["a"], {"a": 1}, "../../000001", "\ud800", "x" * 300])
async def test_a_token_must_name_a_known_key(bench: Bench, kid: object) -> None:
    await bench.refuses(bench.token(bench.header(kid=kid)))


async def test_a_token_without_a_key_id_is_refused(bench: Bench) -> None:
    await bench.refuses(bench.token({"alg": "ES256", "typ": "at+jwt"}))


@pytest.mark.parametrize(
    "parameter",
    [
        {"crit": ["exp"], "exp": 1},
        {"crit": ["b64"], "b64": False},
        {"crit": []},
        {"crit": 7},
        {"b64": False},
        {"jku": "https://evil.example/jwks.json"},
        {"jku": None},
        {"x5u": "https://evil.example/cert.pem"},
        {"x5c": ["MIIB"]},
        {"jwk": {}},
        {"jwk": KEY.as_dict(private=False)},
    ],
)
async def test_a_header_that_brings_a_key_or_an_extension_is_refused_even_when_well_signed(
    bench: Bench, parameter: dict[str, Any]
) -> None:
    await bench.refuses(bench.token(bench.header(**parameter)))


@pytest.mark.parametrize("kid", [KEY.kid, FOREIGN_KEY.kid], ids=["our kid", "a foreign kid"])
async def test_a_token_signed_with_the_key_in_its_own_header_is_refused(bench: Bench, kid: str) -> None:
    header = bench.header(kid=kid, jwk=FOREIGN_KEY.as_dict(private=False))

    await bench.refuses(bench.token(header, key=FOREIGN_KEY))


@pytest.mark.parametrize("typ", [None, "JWT", "ID", "logout+jwt", "jwt+at", 7, ["at+jwt"]])
async def test_an_id_token_is_no_access_token(bench: Bench, typ: object) -> None:
    await bench.refuses(bench.token(bench.header(typ=typ)))


async def test_a_provider_may_tell_its_access_tokens_by_another_mark() -> None:
    bench = Bench(is_access_token=lambda header, claims: claims.get("typ") == "Bearer")

    assert await bench.verify(bench.token(bench.header(typ="JWT"), bench.claims(typ="Bearer")))
    await bench.refuses(bench.token(bench.header(typ="JWT"), bench.claims(typ="ID")))


async def test_a_changed_token_is_refused(bench: Bench) -> None:
    header, payload, signature = bench.token().split(".")
    other = encode(json.dumps(bench.claims(sub="bob")).encode())

    await bench.refuses(f"{header}.{other}.{signature}")
    await bench.refuses(f"{header}.{payload}.{encode(bytes(64))}")
    await bench.refuses(f"{header}.{payload}.{encode(bytes([255] * 64))}")
    await bench.refuses(f"{header}.{payload}.{signature}==")
    await bench.refuses(f" {header}.{payload}.{signature}")
    await bench.refuses(f"{header}.{payload}.{signature}\n")


# Garbage


async def test_a_token_cut_anywhere_is_refused(bench: Bench) -> None:
    token = bench.token()

    for length in range(len(token)):
        await bench.refuses(token[:length])


@pytest.mark.parametrize("header", [7, "alg", "alg b64", ["alg"], [["alg", "ES256"]], {}, {"alg": ["ES256"]}])
async def test_a_header_of_another_shape_is_refused(bench: Bench, header: object) -> None:
    await bench.refuses(bench.token(header))


@pytest.mark.parametrize(
    "token", ["", ".", "..", "...", "a.b.c", "a.b.c.d.e", "é", "\ud800", "\x00", "e30..", "٣.٣.٣", "🔑" * 9]
)
async def test_what_is_no_token_is_refused(bench: Bench, token: str) -> None:
    await bench.refuses(token)


async def test_non_ascii_in_a_good_token_is_refused(bench: Bench) -> None:
    await bench.refuses(bench.token() + "é")
    await bench.refuses(bench.token().replace(".", "\uff0e"))


async def test_a_huge_token_is_refused_before_its_key_is_looked_up(bench: Bench) -> None:
    await bench.refuses(bench.token(claims=bench.claims(name="x" * MAX_TOKEN_LENGTH)))
    await bench.refuses("x" * 10_000_000)

    assert bench.look_ups == 0


async def test_random_damage_never_makes_another_error(bench: Bench) -> None:
    token = bench.token()
    dice = random.Random(8725)

    for _ in range(2000):
        place = dice.randrange(len(token))
        damaged = token[:place] + chr(dice.randrange(1, 128)) + token[place + dice.randrange(3) :]
        if damaged != token:
            await bench.refuses(damaged)


# Algorithms and keys


@pytest.mark.parametrize("algorithms", [[], ["HS256"], ["ES256", "none"], ["dir"]])
def test_only_asymmetric_algorithms_can_be_allowed(algorithms: list[str]) -> None:
    with pytest.raises(ValueError, match="allow-list"):
        Bench(algorithms=algorithms)


RSA = RSAKey.generate_key(2048, auto_kid=True)
OKP = OKPKey.generate_key("Ed25519", auto_kid=True)
P384 = ECKey.generate_key("P-384", auto_kid=True)


@pytest.mark.parametrize(
    ("key", "algorithm"), [(RSA, "RS256"), (RSA, "PS256"), (OKP, "EdDSA"), (OKP, "Ed25519")]
)
async def test_each_allowed_algorithm_verifies_with_a_key_of_its_type(key: Key, algorithm: str) -> None:
    bench = Bench(key, algorithms=["RS256", "PS256", "EdDSA", "Ed25519"])
    token = bench.token(bench.header(alg=algorithm, kid=key.kid), key=key, algorithm=algorithm)

    assert await bench.verify(token)


async def test_an_algorithm_outside_the_allow_list_is_refused_before_its_key_is_looked_up() -> None:
    bench = Bench(RSA, algorithms=["ES256", "PS256"])

    await bench.refuses(bench.token(bench.header(alg="RS256", kid=RSA.kid), key=RSA, algorithm="RS256"))
    assert bench.look_ups == 0


@pytest.mark.parametrize(
    ("named", "algorithm"), [(P384, "ES256"), (OKP, "ES256"), (KEY, "RS256"), (KEY, "EdDSA"), (RSA, "ES256")]
)
async def test_a_key_that_does_not_fit_the_algorithm_is_refused(named: Key, algorithm: str) -> None:
    bench = Bench(KEY, P384, OKP, RSA, algorithms=["ES256", "RS256", "EdDSA"])
    signer = P384 if named is P384 else KEY

    await bench.refuses(bench.token(bench.header(alg=algorithm, kid=named.kid), key=signer))


async def test_a_key_made_for_another_use_is_refused() -> None:
    sealing = ECKey.import_key(KEY.as_dict(private=True, use="enc"))
    bench = Bench(sealing)

    await bench.refuses(bench.token())
