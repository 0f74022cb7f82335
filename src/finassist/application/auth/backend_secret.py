"""Admission of administrators by the backend secret (contract section 7)."""

from collections.abc import Iterable
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from finassist.application.auth.rate_limits import CountRequests
from finassist.domain.errors import BackendSecretRequired, TooManyAttempts
from finassist.domain.rate_limits import RateLimit

REFUSALS_MAX: Final = 20
_WINDOW_SECONDS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitBackend:
    """Admit a request that has the backend secret. Without a configured secret, none is admitted.

    Raises BackendSecretRequired, and TooManyAttempts after 20 refusals of an address in a minute. The right
    secret is accepted even then: a stranger behind the same proxy must not be able to lock the operator out.
    """

    backend_secret: bytes | None
    count_requests: CountRequests

    async def __call__(self, shown: Iterable[bytes], address: str) -> None:
        """``shown`` are all secrets that the request has, as the bytes that were sent."""
        if self.backend_secret is not None:
            # All are compared, so that the time taken does not tell which is right.
            matches = [compare_digest(candidate, self.backend_secret) for candidate in shown]
            if any(matches):
                return
        limit = RateLimit(REFUSALS_MAX, _WINDOW_SECONDS)
        windows = self.count_requests.address_windows("backend-refusals", address, limit=limit)
        counted = await self.count_requests(windows)
        if counted.seconds:
            raise TooManyAttempts(counted.seconds)
        raise BackendSecretRequired()
