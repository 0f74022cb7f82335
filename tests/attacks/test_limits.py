"""Somebody who claims to be many viewers, and has things stored without signing in (contract section 13)."""

import asyncio
from collections import Counter
from itertools import islice
from typing import Any

import httpx2
import pytest

from addresses import everywhere, sent_from
from finassist.testing import RecordingSms
from http_service import Service, Start
from raw_records import texts_of
from shares_over_http import PUBLIC, share

ATTACKER, ANOTHER = sent_from("203.0.113.66"), sent_from("203.0.113.7")
AUTHORIZATION = {
    "client_id": "finassist-client",
    "response_type": "code",
    "redirect_uri": "http://testserver/api/v1/auth/callback/social",
    "code_challenge": "a" * 43,
    "code_challenge_method": "S256",
}


async def show_form(service: Service, address: dict[str, str]) -> httpx2.Response:
    return await service.client.get("/oauth/authorize", params=AUTHORIZATION, headers=address)


async def begin_in_browser(service: Service, address: dict[str, str]) -> httpx2.Response:
    return await service.client.get("/api/v1/auth/login/social", headers=address)


async def begin_in_app(service: Service, address: dict[str, str]) -> httpx2.Response:
    return await service.client.post("/api/v1/auth/login/social", json={}, headers=address)


async def shared_by(service: Service, owner: str = "alice") -> str:
    """The path of a new share."""
    return f"{PUBLIC}/{(await share(service, await service.token(owner)))['shareId']}"


async def copies(
    service: Service, link: str, times: int, address: dict[str, str], **headers: str
) -> list[int]:
    """What copies of a share are answered, each by another browser."""
    return [
        (
            await service.client.post(
                f"{link}/continue", headers={"User-Agent": f"agent-{n}", **address, **headers}
            )
        ).status_code
        for n in range(times)
    ]


async def views_of(service: Service, link: str) -> int:
    await service.finassist.workers.count_view.close()
    found = await service.finassist.adapters.shares.get(link.rpartition("/")[2])
    assert found is not None
    return found.view_count


async def test_an_address_copies_shares_ten_times_a_day_whatever_browsers_it_names(service: Service) -> None:
    one, other = await shared_by(service), await shared_by(service)
    assert await copies(service, one, 6, ATTACKER) == [201] * 6
    assert await copies(service, other, 6, ATTACKER) == [201] * 4 + [429] * 2
    assert await copies(service, one, 1, ANOTHER) == [201]
    service.clock.advance(86_400)
    assert await copies(service, one, 1, ATTACKER) == [201]


async def test_a_caller_copies_shares_ten_times_a_day_wherever_it_is(service: Service) -> None:
    link, bob = await shared_by(service), await service.token("bob")
    statuses = [(await copies(service, link, 1, address, **bob))[0] for address in islice(everywhere(), 12)]
    assert statuses == [201] * 10 + [429] * 2
    assert await copies(service, link, 1, ANOTHER) == [201]


async def test_an_address_counts_as_a_hundred_viewers_whatever_browsers_it_names(service: Service) -> None:
    link = await shared_by(service)
    visits = (service.client.get(link, headers={"User-Agent": f"agent-{n}", **ATTACKER}) for n in range(120))
    assert {response.status_code for response in await asyncio.gather(*visits)} == {200}
    assert await views_of(service, link) == 100
    await service.client.get(link, headers=ANOTHER)
    assert await views_of(service, link) == 101
    service.clock.advance(1800)
    await service.client.get(link, headers=ATTACKER)
    assert await views_of(service, link) == 102


@pytest.mark.parametrize("begin", [show_form, begin_in_browser, begin_in_app])
async def test_an_address_has_only_so_many_logins_stored(
    start: Start, database: dict[str, Any], begin: Any
) -> None:
    service = await start()
    responses = [await begin(service, ATTACKER) for _ in range(105)]
    assert Counter(response.status_code for response in responses)[429] == 5
    assert responses[-1].headers["Retry-After"] == "600"
    assert len([name for name, _ in texts_of(database["database_url"]) if name == "tickets"]) == 100
    assert (await begin(service, ANOTHER)).status_code in (200, 201, 302)


async def test_a_code_that_is_refused_stores_nothing(start: Start, database: dict[str, Any]) -> None:
    service = await start(sms_sender=(sms := RecordingSms()))

    async def ask(n: int) -> int:
        headers = {"x-device-id": f"device-{n}", "x-platform": "ios", **ATTACKER}
        body = {"phone": f"+49151234567{n:02}"}
        return (await service.client.post("/api/v1/auth/send-otp", json=body, headers=headers)).status_code

    assert [await ask(n) for n in range(30)] == [200] * 30
    before = sorted(texts_of(database["database_url"]))
    assert [await ask(n) for n in (1, 40, 41, 42)] == [429] * 4
    assert sorted(texts_of(database["database_url"])) == before
    assert len(sms.sent) == 30


async def test_sends_that_the_phone_or_device_refuses_do_not_use_up_the_address(start: Start) -> None:
    service = await start(sms_sender=RecordingSms())

    async def ask(phone: str, address: dict[str, str]) -> int:
        headers = {"x-device-id": f"of-{phone}", "x-platform": "ios", **address}
        sent = await service.client.post("/api/v1/auth/send-otp", json={"phone": phone}, headers=headers)
        return sent.status_code

    assert await ask("+4915123456789", ATTACKER) == 200
    assert {await ask("+4915123456789", ANOTHER) for _ in range(40)} == {429}
    assert await ask("+4915123456788", ANOTHER) == 200
