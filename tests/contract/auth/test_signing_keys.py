"""What every store of signing keys owes the built-in provider when keys rotate."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from joserfc.jwk import Key

from engines.mongodb import empty_mongodb
from finassist.adapters.identity.keys import KeyFiles, SigningKeyStore, StoredKeys
from finassist.testing import FakeClock

HOUR = timedelta(hours=1)


@pytest.fixture(params=["files", "mongodb"])
async def keys(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SigningKeyStore]:
    if request.param == "files":
        yield KeyFiles(tmp_path / "keys")
        return
    from finassist.adapters import mongo

    with empty_mongodb() as url:
        database = mongo.MongoDatabase(url)
        await database.open()
        yield StoredKeys(mongo.MongoSigningKeys(database), FakeClock(now()))
        await database.close()


def now() -> datetime:
    return datetime.now(UTC)


def kids(keys: Sequence[Key]) -> list[str | None]:
    return [key.kid for key in keys]


async def test_the_first_key_is_made_once_however_many_ask(keys: SigningKeyStore) -> None:
    loaded = await asyncio.gather(*(keys.load() for _ in range(20)))

    assert len({tuple(kids(each)) for each in loaded}) == 1
    assert len(loaded[0]) == 1
    assert loaded[0][0].kid == loaded[0][0].thumbprint()


async def test_a_new_key_comes_last_and_the_old_ones_stay(keys: SigningKeyStore) -> None:
    (first,) = kids(await keys.load())
    second = await keys.rotate(now(), HOUR)
    third = await keys.rotate(now(), HOUR)

    assert kids(await keys.load()) == [first, second, third]


async def test_the_first_rotation_may_come_before_the_first_load(keys: SigningKeyStore) -> None:
    only = await keys.rotate(now(), HOUR)

    assert kids(await keys.load()) == [only]


async def test_a_key_goes_when_no_token_that_it_signed_can_be_good(keys: SigningKeyStore) -> None:
    (first,) = kids(await keys.load())
    second = await keys.rotate(now(), HOUR)

    third = await keys.rotate(now() + timedelta(minutes=59), HOUR)
    assert first in kids(await keys.load())
    fourth = await keys.rotate(now() + timedelta(minutes=61), HOUR)

    kept = kids(await keys.load())
    assert first not in kept
    assert {third, fourth} <= set(kept)
    assert kept[-1] == fourth
    assert second != third
