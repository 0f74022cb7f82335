"""Whose address a request comes from (contract section 6)."""

from ipaddress import ip_network

import pytest

from finassist.entrypoints.http.requests.edge import client_address

TRUSTED = [ip_network("10.0.0.0/8"), ip_network("2001:db8::/32")]


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "address"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "198.51.100.7, 10.0.0.2 ,10.0.0.3", "198.51.100.7"),
        ("10.0.0.1", "10.0.0.2, 10.0.0.3", "10.0.0.2"),
        ("10.0.0.1", "198.51.100.7, nonsense", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.7, nonsense, 10.0.0.3", "10.0.0.3"),
        ("2001:db8::1", "2001:DB9:0::5", "2001:db9::5"),
        ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("", "198.51.100.7", ""),
    ],
)
def test_the_client_is_the_right_most_hop_that_is_no_trusted_proxy(
    peer: str, forwarded_for: str, address: str
) -> None:
    assert client_address(peer, forwarded_for, TRUSTED) == address
