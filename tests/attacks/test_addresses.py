"""Somebody with an IPv6 network, who has 2**64 addresses and more (contract section 13, "Addresses")."""

from itertools import islice

import httpx2
import pytest

from addresses import everywhere, one_site, one_subnet, sent_from
from finassist.config import Secret
from finassist.domain.quotas import counted_networks
from finassist.testing import RecordingSms
from http_service import ANN, DEVICE, Service, Start
from shares_over_http import PUBLIC, share

SECRET = "the backend secret of the tests of attacks"
ELSEWHERE = sent_from("2001:db8:78::1")


async def chat(service: Service, device: str, address: dict[str, str]) -> int:
    headers = {"x-device-id": device, **address}
    response = await service.client.post("/api/v1/ai/chat", json={"message": "Hi"}, headers=headers)
    return response.status_code


async def guess_backend_secret(service: Service, address: dict[str, str]) -> int:
    headers = {"X-Backend-Secret": "guess", **address}
    return (await service.client.get("/api/v1/preprompts", headers=headers)).status_code


async def guess_password(service: Service, address: dict[str, str]) -> httpx2.Response:
    return await service.client.post(
        "/api/v1/auth/signin", json=ANN | {"password": "Wrong-123"}, headers=address
    )


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.7", {"203.0.113.7": 1}),
        ("::ffff:203.0.113.7", {"203.0.113.7": 1}),
        ("2001:db8:1:2:3:4:5:6", {"2001:db8:1:2::/64": 1, "2001:db8:1::/48": 10}),
        ("fe80::1%eth0", {"fe80::/64": 1, "fe80::/48": 10}),
        ("", {"": 1}),
        ("/run/socket", {"/run/socket": 1}),
    ],
)
def test_an_address_counts_as_its_networks(address: str, counted: dict[str, int]) -> None:
    assert {network.key: network.factor for network in counted_networks(address)} == counted


async def test_addresses_of_one_subnet_make_guests_as_one(start: Start) -> None:
    service = await start({"new_guests_per_address_per_hour": 3})
    attacker = one_subnet()
    statuses = [await chat(service, f"device-{n}", next(attacker)) for n in range(5)]
    assert statuses == [200] * 3 + [429] * 2
    assert await chat(service, "device-of-another", ELSEWHERE) == 200


async def test_subnets_of_one_site_make_ten_times_as_many_guests(start: Start) -> None:
    service = await start({"new_guests_per_address_per_hour": 1})
    attacker = one_site()
    statuses = [await chat(service, f"device-{n}", next(attacker)) for n in range(12)]
    assert statuses == [200] * 10 + [429] * 2
    assert await chat(service, "device-of-another", ELSEWHERE) == 200


async def test_a_refusal_by_the_site_does_not_use_up_the_subnet(start: Start) -> None:
    service = await start({"new_guests_per_address_per_hour": 1})
    for n, address in enumerate(islice(one_site(), 10)):
        await chat(service, f"device-{n}", address)
    late = next(one_site(10))
    assert await chat(service, "late", late) == 429
    service.clock.advance(3600)
    assert await chat(service, "late", late) == 200


async def test_a_subnet_asks_for_codes_as_one_address(start: Start) -> None:
    sms = RecordingSms()
    service = await start(sms_sender=sms)
    statuses = []
    for n, address in enumerate(islice(one_subnet(), 35)):
        headers = {"x-device-id": f"device-{n}", "x-platform": "ios", **address}
        body = {"phone": f"+49151234567{n:02}"}
        response = await service.client.post("/api/v1/auth/send-otp", json=body, headers=headers)
        statuses.append(response.status_code)
    assert statuses == [200] * 30 + [429] * 5
    assert len(sms.sent) == 30


async def test_a_subnet_looks_up_hints_as_one_address(service: Service) -> None:
    verified = await service.token("ann", email="ann@example.org", email_verified=True, name="Ann")
    ann = (await service.client.get("/api/v1/auth/me", headers=verified)).json()["data"]["user"]["id"]

    async def is_found(n: int, address: dict[str, str]) -> bool:
        headers = {"x-device-id": f"d{n}", "x-platform": "ios", "x-user-email": "ann@example.org", **address}
        launched = await service.client.get("/app/launch", headers=headers)
        return bool(launched.json()["data"]["appLaunchResponseData"]["userData"]["userId"] == ann)

    found = [await is_found(n, address) for n, address in enumerate(islice(one_subnet(), 65))]
    assert found == [True] * 60 + [False] * 5


async def test_a_subnet_guesses_the_backend_secret_as_one_address(start: Start) -> None:
    service = await start({"backend_secret": Secret(SECRET)})
    attacker = one_subnet()
    assert [await guess_backend_secret(service, next(attacker)) for _ in range(22)] == [401] * 20 + [429] * 2
    assert await guess_backend_secret(service, ELSEWHERE) == 401


async def test_a_subnet_guesses_a_password_as_one_address(service: Service) -> None:
    await service.client.post("/api/v1/auth/signup", json=ANN)
    attacker = one_subnet()
    statuses = [(await guess_password(service, next(attacker))).status_code for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2


async def test_a_subnet_has_mails_sent_as_one_address(service: Service) -> None:
    homes = everywhere()

    async def may_ask(n: int, address: dict[str, str]) -> bool:
        account = {"email": f"user-{n}@example.org", "password": "Secret-123", "name": "A"}
        signed_up = await service.client.post("/api/v1/auth/signup", json=account, headers=next(homes))
        bearer = {"Authorization": f"Bearer {signed_up.json()['data']['accessToken']}"}
        sent = await service.client.post("/api/v1/auth/email/verify/send", headers={**bearer, **address})
        return sent.status_code == 200

    asked = [await may_ask(n, address) for n, address in enumerate(islice(one_subnet(), 32))]
    assert asked == [True] * 30 + [False] * 2


async def test_a_subnet_views_and_continues_a_share_as_one_viewer(service: Service) -> None:
    alice = await service.token("alice")
    link = f"{PUBLIC}/{(await share(service, alice))['shareId']}"
    views, copies = one_subnet(), one_subnet()
    counted = [(await service.client.get(link, headers=next(views))).json()["data"] for _ in range(5)]
    assert counted[-1]["viewCount"] <= 1
    copied = [await service.client.post(f"{link}/continue", headers=next(copies) | DEVICE) for _ in range(4)]
    assert [response.status_code for response in copied] == [201] * 3 + [429]
