"""Requests from many addresses, as somebody sends them who has networks of their own."""

from collections.abc import Iterator
from ipaddress import IPv6Address
from itertools import count

_OWN_PREFIX = int(IPv6Address("2001:db8:77::"))


def sent_from(address: str) -> dict[str, str]:
    """The header by which the proxy of the tests names the client."""
    return {"X-Forwarded-For": address}


def one_subnet() -> Iterator[dict[str, str]]:
    """Headers of ever new addresses of one /64, which every customer has."""
    return (sent_from(str(IPv6Address(_OWN_PREFIX + n))) for n in count(1))


def one_site(subnet: int = 0) -> Iterator[dict[str, str]]:
    """Headers of addresses of one /48, each in a /64 of its own from ``subnet`` on."""
    return (sent_from(str(IPv6Address(_OWN_PREFIX + (n << 64) + 1))) for n in count(subnet))


def everywhere() -> Iterator[dict[str, str]]:
    """Headers of addresses that have nothing in common."""
    return (sent_from(f"198.{18 + n // 65536}.{n // 256 % 256}.{n % 256}") for n in count())
