"""Who shows the backend secret passes, nobody else (contract section 7)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from finassist.application.auth.backend_secret import REFUSALS_MAX
from finassist.composition.application import Finassist
from finassist.config import Secret, Settings
from finassist.domain.errors import BackendSecretRequired, FinassistError, TooManyAttempts
from finassist.testing import FakeClock
from usecases.conftest import opened

SECRET = "the long sécret of administrators"
ADDRESS = "203.0.113.7"


async def refusal_of(service: Finassist, *shown: bytes, address: str = ADDRESS) -> FinassistError | None:
    try:
        await service.admit_backend(shown, address)
    except FinassistError as error:
        return error
    return None


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, backend_secret=Secret(SECRET))


@pytest.mark.parametrize("shown", [[SECRET.encode()], [b"a user's token", SECRET.encode()]])
async def test_the_right_secret_passes_whatever_comes_with_it(
    service: Finassist, shown: Sequence[bytes]
) -> None:
    assert await refusal_of(service, *shown) is None


@pytest.mark.parametrize(
    "shown", [[], [b""], [SECRET.encode()[:-1]], [SECRET.encode() + b" "], [SECRET.encode("latin-1")]]
)
async def test_every_other_case_is_refused(service: Finassist, shown: Sequence[bytes]) -> None:
    assert isinstance(await refusal_of(service, *shown), BackendSecretRequired)


@pytest.mark.parametrize("shown", [[], [b""], [b"None"], [b"***"]])
async def test_without_a_configured_secret_every_call_is_refused(
    settings: Settings, shown: Sequence[bytes]
) -> None:
    async with opened(replace(settings, backend_secret=None)) as service:
        assert isinstance(await refusal_of(service, *shown), BackendSecretRequired)


async def test_after_twenty_refusals_in_a_minute_an_address_has_to_wait(settings: Settings) -> None:
    clock = FakeClock()
    async with opened(settings, clock=clock) as service:
        refusals = await asyncio.gather(*(refusal_of(service, b"guess") for _ in range(50)))
        assert sum(isinstance(refusal, BackendSecretRequired) for refusal in refusals) == REFUSALS_MAX
        waits = [refusal.retry_after for refusal in refusals if isinstance(refusal, TooManyAttempts)]
        assert waits == [60] * 30

        assert isinstance(await refusal_of(service, address="203.0.113.8"), BackendSecretRequired)
        assert isinstance(await refusal_of(service, SECRET.encode()), TooManyAttempts)
        assert await refusal_of(service, SECRET.encode(), address="203.0.113.8") is None
        clock.advance(60)
        assert isinstance(await refusal_of(service, b"guess"), BackendSecretRequired)
