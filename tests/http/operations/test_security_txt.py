"""Whom to tell about a weakness (RFC 9116)."""

from datetime import datetime, timedelta

import pytest

from finassist.config import Settings, SettingsError
from http_service import Start

PATH = "/.well-known/security.txt"


async def test_it_names_the_contacts_and_expires_within_a_year(start: Start) -> None:
    contacts = ("mailto:security@example.org", "https://example.org/report")
    service = await start({"security_contact": contacts, "public_base_url": "https://api.example.org"})
    response = await service.client.get(PATH)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    lines = [line.partition(": ") for line in response.text.splitlines()]
    assert [value for name, _, value in lines if name == "Contact"] == list(contacts)
    [expires] = [datetime.fromisoformat(value) for name, _, value in lines if name == "Expires"]
    assert timedelta(days=100) < expires - service.clock.now() < timedelta(days=365)
    assert [value for name, _, value in lines if name == "Canonical"] == [f"https://api.example.org{PATH}"]


async def test_without_a_contact_there_is_none(start: Start) -> None:
    response = await (await start()).client.get(PATH)
    assert (response.status_code, response.json()["error"]["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("contact", ["security@example.org", "http://example.org", "mailto:a b@c"])
def test_a_contact_is_an_address_that_the_rfc_allows(contact: str) -> None:
    with pytest.raises(SettingsError, match="SECURITY_CONTACT: must be mailto:, https: or tel: addresses"):
        Settings.from_env({"SECURITY_CONTACT": contact})
