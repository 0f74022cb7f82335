"""Somebody who guesses passwords, at one account or at many (contract section 13, "Accounts")."""

import asyncio
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Unpack

import httpx2
import pytest

from addresses import everywhere, one_site, sent_from
from finassist.adapters.identity.passwords import PasswordCheck, Passwords
from finassist.composition.adapters import AdapterOverrides
from http_service import ANN, AUTH, Service, Start
from raw_records import texts_of

HOME, TRAIN, ATTACKER = sent_from("203.0.113.7"), sent_from("203.0.113.8"), sent_from("203.0.113.66")


class QuickPasswords(Passwords):
    """Passwords that cost no time: what is attacked is the number of tries."""

    async def hash(self, password: str) -> str:
        return f"quick:{password}"

    async def check(self, password_hash: str | None, password: str) -> PasswordCheck:
        return PasswordCheck(matches=password_hash == f"quick:{password}")


@pytest.fixture
def start(start: Start) -> Start:
    """Services whose passwords cost no time, unless a test brings others."""

    async def start_service(
        settings: dict[str, Any] | None = None, **adapters: Unpack[AdapterOverrides]
    ) -> Service:
        chosen: AdapterOverrides = {"passwords": QuickPasswords(), **adapters}
        return await start(settings, **chosen)

    return start_service


async def sign_up(service: Service, email: str, address: dict[str, str]) -> httpx2.Response:
    account = {"email": email, "password": "Secret-123", "name": "A"}
    return await service.client.post(f"{AUTH}/signup", json=account, headers=address)


async def sign_in(
    service: Service, address: dict[str, str], *, email: str = ANN["email"], password: str = ANN["password"]
) -> int:
    body = {"email": email, "password": password}
    return (await service.client.post(f"{AUTH}/signin", json=body, headers=address)).status_code


async def guess(service: Service, address: dict[str, str], email: str = ANN["email"]) -> int:
    return await sign_in(service, address, email=email, password="Wrong-123")


async def guess_from_everywhere(service: Service, times: int = 102) -> list[int]:
    return [await guess(service, address) for address in islice(everywhere(), times)]


async def guess_at_many(service: Service, times: int, address: dict[str, str] = ATTACKER) -> list[int]:
    return [await guess(service, address, f"user-{n}@example.org") for n in range(times)]


@pytest.fixture
async def attacked(service: Service) -> Service:
    """A service with an account that was signed up at home."""
    assert (await sign_up(service, ANN["email"], HOME)).status_code == 201
    return service


async def test_an_account_is_guessed_at_100_times_an_hour_from_all_addresses_together(
    attacked: Service,
) -> None:
    assert await guess_from_everywhere(attacked) == [401] * 100 + [429] * 2
    assert await sign_in(attacked, TRAIN) == 429
    attacked.clock.advance(3600)
    assert await sign_in(attacked, TRAIN) == 200


async def test_an_account_that_does_not_exist_is_limited_alike(service: Service) -> None:
    assert await guess_from_everywhere(service) == [401] * 100 + [429] * 2


async def test_the_holder_signs_in_during_the_attack_where_she_did_before(attacked: Service) -> None:
    assert await sign_in(attacked, TRAIN) == 200
    await guess_from_everywhere(attacked)
    assert [await sign_in(attacked, address) for address in (HOME, TRAIN)] == [200, 200]


async def test_a_known_address_is_still_locked_after_ten_failures(attacked: Service) -> None:
    assert [await guess(attacked, HOME) for _ in range(12)] == [401] * 10 + [429] * 2


async def test_an_address_fails_50_times_in_ten_minutes_at_all_accounts_together(attacked: Service) -> None:
    assert await guess_at_many(attacked, 52) == [401] * 50 + [429] * 2
    assert await sign_in(attacked, ATTACKER) == 429
    assert await sign_in(attacked, TRAIN) == 200
    attacked.clock.advance(600)
    assert await sign_in(attacked, ATTACKER) == 200


async def test_who_shares_the_address_of_the_attacker_signs_in_there_as_before(attacked: Service) -> None:
    await guess_at_many(attacked, 52, HOME)
    assert await sign_in(attacked, HOME) == 200


async def test_a_site_of_many_subnets_fails_ten_times_as_often(start: Start) -> None:
    service = await start({"sign_in_failures_per_address": 2})
    tries = enumerate(islice(one_site(), 22))
    statuses = [await guess(service, address, f"user-{n}@example.org") for n, address in tries]
    assert statuses == [401] * 20 + [429] * 2


async def test_the_site_of_the_holder_is_locked_for_others_alone(start: Start) -> None:
    service = await start({"sign_in_failures_per_address": 0})
    subnets = one_site()
    home = next(subnets)
    await sign_up(service, ANN["email"], home)
    neighbours = list(islice(subnets, 10))
    assert [await guess(service, neighbours[n % 10]) for n in range(100)] == [401] * 100
    assert await sign_in(service, neighbours[0]) == 429
    assert await sign_in(service, home) == 200


async def test_the_limit_of_an_address_can_be_switched_off(start: Start) -> None:
    service = await start({"sign_in_failures_per_address": 0})
    assert set(await guess_at_many(service, 60)) == {401}


async def test_right_passwords_use_up_no_limit(start: Start) -> None:
    service = await start({"sign_in_failures_per_address": 1})
    for n in range(5):
        await sign_up(service, f"user-{n}@example.org", HOME)
    statuses = [await sign_in(service, TRAIN, email=f"user-{n}@example.org") for n in range(5)]
    assert statuses == [200] * 5


async def test_parallel_guesses_are_counted_exactly(start: Start) -> None:
    service = await start({"sign_in_failures_per_address": 5})
    emails = [f"user-{n}@example.org" for n in range(30)]
    statuses = await asyncio.gather(*(guess(service, ATTACKER, email) for email in emails))
    assert Counter(statuses) == {401: 5, 429: 25}


async def test_a_refused_guess_stores_nothing(start: Start, database: dict[str, Any]) -> None:
    service = await start({"sign_in_failures_per_address": 1})
    await guess_at_many(service, 2)
    before = sorted(texts_of(database["database_url"]))
    assert set(await guess_at_many(service, 20)) == {429}
    assert sorted(texts_of(database["database_url"])) == before


async def test_an_address_makes_20_accounts_in_an_hour(service: Service) -> None:
    statuses = [(await sign_up(service, f"user-{n}@example.org", ATTACKER)).status_code for n in range(22)]
    assert statuses == [201] * 20 + [429] * 2
    assert (await sign_up(service, "ben@example.org", HOME)).status_code == 201


async def test_asking_which_emails_have_an_account_counts_as_signing_up(attacked: Service) -> None:
    statuses = [(await sign_up(attacked, ANN["email"], ATTACKER)).status_code for _ in range(22)]
    assert statuses == [409] * 20 + [429] * 2


async def test_sign_ups_without_limit(start: Start) -> None:
    service = await start({"sign_ups_per_address_per_hour": 0})
    statuses = {(await sign_up(service, f"user-{n}@example.org", ATTACKER)).status_code for n in range(22)}
    assert statuses == {201}


async def test_when_too_many_passwords_wait_the_next_are_refused_at_once(start: Start) -> None:
    service = await start(passwords=Passwords(wait_seconds_max=0.1))
    await sign_up(service, ANN["email"], HOME)
    emails = ((f"user-{n}@example.org", address) for n, address in enumerate(everywhere()))
    responses = await asyncio.gather(
        *(
            service.client.post(
                f"{AUTH}/signin", json={"email": email, "password": "Wrong-123"}, headers=address
            )
            for email, address in islice(emails, 60)
        )
    )
    refused = [response for response in responses if response.status_code == 503]
    assert {response.status_code for response in responses} == {401, 503}
    assert {response.json()["error"]["code"] for response in refused} == {"SERVICE_UNAVAILABLE"}
    assert all(int(response.headers["Retry-After"]) >= 1 for response in refused)
    assert await sign_in(service, HOME) == 200


async def test_a_refusal_for_want_of_time_is_no_failure(start: Start) -> None:
    busy = Passwords(wait_seconds_max=-1)
    service = await start(passwords=busy)
    assert {await guess(service, HOME) for _ in range(15)} == {503}
    idle = await start(passwords=Passwords())
    assert await guess(idle, HOME) == 401


async def test_known_addresses_are_stored_as_hashes_and_erased_and_exported(
    attacked: Service, database: dict[str, Any]
) -> None:
    async def signed_in() -> dict[str, str]:
        response = await attacked.client.post(f"{AUTH}/signin", json=ANN, headers=TRAIN)
        return {"Authorization": f"Bearer {response.json()['data']['accessToken']}"}

    bearer = await signed_in()
    exported = await attacked.client.get(f"{AUTH}/me/export", headers=bearer)
    archive = zipfile.ZipFile(io.BytesIO(exported.content))
    known = json.loads(archive.read("sign-in-addresses.json"))
    assert [set(each) for each in known] == [{"firstSeenAt", "lastSeenAt"}] * 2
    stored = dict(_records_of("sign_in_addresses", database))
    assert stored
    # The audit log alone has addresses as they are.
    records = (each for each in texts_of(database["database_url"]) if each[0] != "audit_records")
    assert not any("203.0.113" in text for _, text in records)

    erased = await attacked.client.request("DELETE", f"{AUTH}/me", json={}, headers=bearer)
    assert erased.status_code == 200, erased.text
    assert not dict(_records_of("sign_in_addresses", database))


async def test_an_address_is_forgotten_a_year_after_the_last_sign_in(attacked: Service) -> None:
    attacked.clock.advance(366 * 86_400)
    await guess_from_everywhere(attacked)
    assert await sign_in(attacked, HOME) == 429


def _records_of(kind: str, database: dict[str, Any]) -> Iterator[tuple[str, str]]:
    return ((name, text) for name, text in texts_of(database["database_url"]) if kind in name)
