"""Admission of administrators by the backend secret (contract section 7)."""

from collections.abc import Iterable
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from finassist.application.ports.quotas import RateWindowRepository
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.errors import BackendSecretRequired, TooManyAttempts

REFUSALS_MAX: Final = 20
_WINDOW_SECONDS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitBackend:
    """Admit a request that has the backend secret. Without a configured secret, none is admitted.

    Raises BackendSecretRequired, and TooManyAttempts after 20 refusals of an address in a minute. The right
    secret is accepted even then: a stranger behind the same proxy must not be able to lock the operator out.
    """

    backend_secret: bytes | None
    rate_windows: RateWindowRepository
    fingerprints: Fingerprints
    clock: Clock

    async def __call__(self, shown: Iterable[bytes], address: str) -> None:
        """``shown`` are all secrets that the request has, as the bytes that were sent."""
        if self.backend_secret is not None:
            # All are compared, so that the time taken does not tell which is right.
            matches = [compare_digest(candidate, self.backend_secret) for candidate in shown]
            if any(matches):
                return
        decision = await self.rate_windows.hit(
            f"backend-refusals:{self.fingerprints.fingerprint('backend-refusals', address)}",
            limit=REFUSALS_MAX,
            window_seconds=_WINDOW_SECONDS,
            now=self.clock.now(),
        )
        if not decision.allowed:
            raise TooManyAttempts(decision.reset_after)
        raise BackendSecretRequired()
