"""A verified token is remembered, and every request still asks whether it is good now."""

from typing import Any

import pytest
from joserfc.jwk import ECKey
from joserfc.jws import validate_compact

from finassist.adapters.identity import tokens
from finassist.domain.errors import TokenExpired
from token_bench import AUDIENCE, ISSUER, KEY, Bench


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What was signed where a signature was checked."""
    made: list[bytes] = []
    check = validate_compact

    def noting(signed: Any, *args: Any, **kwargs: Any) -> bool:
        made.append(signed.payload)
        return bool(check(signed, *args, **kwargs))

    monkeypatch.setattr(tokens, "validate_compact", noting)
    return made


async def test_the_signature_of_a_token_that_is_shown_again_is_checked_once(
    bench: Bench, checked: list[bytes]
) -> None:
    token, other = bench.token(), bench.token(claims=bench.claims(sub="bob"))

    shown = [await bench.verify(token) for _ in range(5)]
    assert (await bench.verify(other)).subject == "bob"
    assert (await bench.verify(token)).subject == "ann"

    assert shown == [shown[0]] * 5
    assert len(checked) == 2


async def test_a_remembered_token_expires(bench: Bench) -> None:
    token = bench.token()
    expires_at = (await bench.verify(token)).expires_at
    bench.clock.advance(3600 + 29)
    assert await bench.verify(token)
    bench.clock.advance(1)

    for _ in range(2):
        with pytest.raises(TokenExpired) as expired:
            await bench.verify(token)
        assert expired.value.expired_at == expires_at


@pytest.mark.parametrize("claim", ["nbf", "iat"])
async def test_a_remembered_token_has_not_begun_when_the_clock_is_set_back(bench: Bench, claim: str) -> None:
    token = bench.token(claims=bench.claims(**{claim: bench.now + 30}))
    assert await bench.verify(token)
    bench.clock.advance(-1)
    await bench.refuses(token)
    bench.clock.advance(1)
    assert await bench.verify(token)


async def test_a_remembered_token_ends_with_its_key(bench: Bench) -> None:
    token = bench.token()
    assert await bench.verify(token)
    key = bench.keys.pop(KEY.kid)
    await bench.refuses(token)
    bench.keys[KEY.kid] = key
    assert await bench.verify(token)


async def test_a_remembered_token_ends_when_another_key_takes_its_keys_id(bench: Bench) -> None:
    token = bench.token()
    assert await bench.verify(token)
    bench.keys[KEY.kid] = ECKey.generate_key("P-256")
    await bench.refuses(token)


async def test_a_key_that_was_loaded_again_verifies_its_tokens_again(
    bench: Bench, checked: list[bytes]
) -> None:
    token = bench.token()
    first = await bench.verify(token)
    bench.keys[KEY.kid] = ECKey.import_key(KEY.as_dict(private=False))

    assert await bench.verify(token) == first == await bench.verify(token)

    assert len(checked) == 2


async def test_a_changed_copy_of_a_remembered_token_is_refused(bench: Bench) -> None:
    token = bench.token()
    assert await bench.verify(token)
    head, body, signature = token.split(".")
    other_body = bench.token(claims=bench.claims(sub="bob")).split(".")[1]
    for forged in (f"{head}.{other_body}.{signature}", f"{token}x", token[:-8], f"{head}.{body}."):
        await bench.refuses(forged)


async def test_what_was_refused_is_not_remembered(bench: Bench, checked: list[bytes]) -> None:
    token = bench.token(claims=bench.claims(aud="other"))
    for _ in range(3):
        await bench.refuses(token)
    assert len(checked) == 3


async def test_so_many_tokens_are_remembered_and_the_oldest_is_forgotten(checked: list[bytes]) -> None:
    bench = Bench()
    verifier = verifier_of(bench, remembered=2)
    a, b, c = (bench.token(claims=bench.claims(sub=name)) for name in "abc")
    for token in (a, b, b, a, c):  # c takes the place of a
        await verifier.verify(token)
    assert len(checked) == 3
    for token in (b, c):
        await verifier.verify(token)
    assert len(checked) == 3
    assert (await verifier.verify(a))["sub"] == "a"
    assert len(checked) == 4


async def test_a_verifier_of_tokens_that_are_shown_once_remembers_none(checked: list[bytes]) -> None:
    bench = Bench()
    verifier = verifier_of(bench, remembered=0)
    token = bench.token()
    for _ in range(3):
        await verifier.verify(token)
    assert len(checked) == 3


def verifier_of(keys: Bench, *, remembered: int) -> tokens.TokenVerifier[tokens.Claims]:
    return tokens.TokenVerifier(
        keys=keys,
        issuer=ISSUER,
        audiences=(AUDIENCE,),
        algorithms=("ES256",),
        is_wanted=tokens.is_rfc9068,
        read=tokens.all_claims,
        clock=keys.clock,
        remembered=remembered,
    )
