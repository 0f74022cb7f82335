"""Limits on requests in a rolling window, and what addresses count as (contract section 13, "Addresses")."""

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

_IPV6_PREFIXES: Final = ((64, 1), (48, 10))
"""A customer has at least a /64, and often a /48: each prefix with the times that a limit counts for it."""


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
