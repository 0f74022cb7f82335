"""Secrets that a request shows: who has the right one is admitted (contract section 13, "Catalogs")."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from finassist.application.auth.audit import note_call
from finassist.application.auth.rate_limits import CountRequests
from finassist.domain.auth.audit import Actor
from finassist.domain.errors import BackendSecretRequired, TooManyAttempts
from finassist.domain.quotas import RateLimit

REFUSALS_MAX: Final = 20
_REFUSALS: Final = RateLimit(REFUSALS_MAX, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSecret:
    """Whether a request shows the right secret. After 20 refusals of an address in a minute its next ones
    have to wait, also with the right secret: else it could go on guessing.

    Raises TooManyAttempts.
    """

    count_requests: CountRequests

    async def __call__(
        self, purpose: str, shown: Iterable[bytes], secrets: Sequence[bytes], address: str
    ) -> bool:
        windows = self.count_requests.address_windows(purpose, address, limit=_REFUSALS)
        seconds = await self.count_requests.seconds_full(windows)
        if seconds:
            raise TooManyAttempts(seconds)
        # All are compared, so that the time taken does not tell which is right.
        matches = [compare_digest(candidate, secret) for candidate in shown for secret in secrets]
        if any(matches):
            return True
        counted = await self.count_requests(windows)
        if counted.seconds:  # parallel guesses have used up what there was
            raise TooManyAttempts(counted.seconds)
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitBackend:
    """Admit a request that has a backend secret. Without a configured one, none is admitted.

    Raises BackendSecretRequired, and TooManyAttempts after 20 refusals of an address in a minute.
    """

    backend_secrets: tuple[bytes, ...]
    check_secret: CheckSecret

    async def __call__(self, shown: Iterable[bytes], address: str) -> None:
        """``shown`` are all secrets that the request has, as the bytes that were sent."""
        if not await self.check_secret("backend-refusals", shown, self.backend_secrets, address):
            raise BackendSecretRequired()
        note_call(actor=Actor.BACKEND)
