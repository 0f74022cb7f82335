"""The free-message allowance and rate limits, also of addresses (spec "Limits", contract section 4)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, ip_address
from typing import Final

from finassist.domain.errors import RateLimitExceeded

_IPV6_PREFIXES: Final = ((64, 1), (48, 10))
"""A customer has at least a /64, and often a /48: each prefix with the times that a limit counts for it."""

AHEAD_MAX: Final = timedelta(seconds=30)
"""How far the clocks of two hosts may differ. A counted request from further in the future was counted before
the clock was set back, and is ignored."""


def chat_rate_key(user_id: str) -> str:
    """The key under which the chat requests of a user or guest are counted."""
    return f"chat:{user_id}"


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many free messages a user or device has, for life. ``used`` counts reserved ones too."""

    total: int
    used: int

    @property
    def remaining(self) -> int:
        """Messages left, never below zero."""
        return max(0, self.total - self.used)

    @property
    def percent_used(self) -> int:
        """0..100, rounded down; an allowance of 0 is used up."""
        if self.total <= 0:
            return 100
        return min(100, self.used * 100 // self.total)


@dataclass(frozen=True, slots=True)
class RateDecision:
    """The rate limiter's decision on one request.

    ``remaining`` requests are left in the rolling window; ``reset_after`` is the number of whole
    seconds until a request that counts now leaves the window (or, when refused, until a retry fits).
    """

    allowed: bool
    limit: int
    window_seconds: int
    remaining: int
    reset_after: int

    @classmethod
    def of(cls, ages: Sequence[float], *, allowed: bool, limit: int, window_seconds: int) -> "RateDecision":
        """The decision on one request. ``ages`` are the seconds since each request that counts in the
        window was made, the oldest first; an allowed request is one of them. A clock that runs behind makes
        them negative: such a request counts as made now."""
        # After a refusal, a retry fits once fewer than ``limit`` are left, also when the limit was lowered.
        first_out = 0 if allowed else len(ages) - limit
        age = max(0.0, ages[first_out]) if first_out < len(ages) else 0.0
        return cls(
            allowed=allowed,
            limit=limit,
            window_seconds=window_seconds,
            remaining=max(0, limit - len(ages)),
            reset_after=math.ceil(window_seconds - age),
        )

    def require_allowed(self) -> None:
        """Raise RateLimitExceeded unless the request is allowed."""
        if not self.allowed:
            raise RateLimitExceeded(self.reset_after)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most ``requests`` in ``seconds``. A limit of 0 requests is off."""

    requests: int
    seconds: int

    def times(self, factor: int) -> "RateLimit":
        """The limit of so many."""
        return RateLimit(self.requests * factor, self.seconds)


@dataclass(frozen=True, slots=True)
class CountedNetwork:
    """What an address counts as: ``key`` names it, and limits are ``factor`` times those of one address."""

    key: str
    factor: int = 1


def counted_networks(address: str) -> tuple[CountedNetwork, ...]:
    """What limits per address count this one as, the narrowest first: an IPv4 address is itself, an IPv6
    address its /64, and its /48 with ten times the number. What is no address, as the peer of a local
    socket, is itself."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return (CountedNetwork(address),)
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return tuple(
            CountedNetwork(f"{IPv6Address(int(parsed) >> 128 - bits << 128 - bits)}/{bits}", factor)
            for bits, factor in _IPV6_PREFIXES
        )
    return (CountedNetwork(str(getattr(parsed, "ipv4_mapped", None) or parsed)),)


def address_key(address: str) -> str:
    """What tells one client's address from others': the narrowest of ``counted_networks``."""
    return counted_networks(address)[0].key
