"""How often an account and an address may fail to sign in, beside the lock of the pair, and which addresses
an account has been signed in to from (contract section 13, "Accounts")."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from finassist.domain.erasure import ProviderIdentity
from finassist.domain.quotas import RateLimit

ACCOUNT_FAILURES: Final = RateLimit(100, 3600)
ADDRESS_FAILURES_SECONDS: Final = 600
SIGN_UPS_SECONDS: Final = 3600
LOGINS_BEGUN: Final = RateLimit(100, 600)
"""How many logins through a page an address begins: forms of the hosted page, and redirects to it."""

ADDRESS_KEPT_FOR: Final = timedelta(days=365)
"""How long an address is known after the last sign-in from it."""

_NOTED_EVERY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInAddress:
    """An address that the right password of an identity came from. ``hash`` is a keyed hash of the email and
    the address, by which alone it is found."""

    hash: str
    identity: ProviderIdentity
    first_seen_at: datetime
    last_seen_at: datetime

    @property
    def expires_at(self) -> datetime:
        """When it is forgotten."""
        return self.last_seen_at + ADDRESS_KEPT_FOR

    def is_fresh(self, identity: ProviderIdentity, now: datetime) -> bool:
        """Whether noting it again would say nothing new."""
        return self.identity == identity and now - self.last_seen_at < _NOTED_EVERY
