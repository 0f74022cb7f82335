"""Somebody who guesses the operator's secrets (contract section 13, "Catalogs")."""

from dataclasses import replace
from typing import Any

import pytest

from addresses import everywhere, sent_from
from finassist.config import Secret, Settings, SettingsError
from http_service import Service, Start

RIGHT = "the right secret of the operator"
NEXT = "the secret that takes its place soon"
ATTACKER, OPERATOR = sent_from("203.0.113.66"), sent_from("203.0.113.7")
ADMIN_LIST = "/api/v1/preprompts"
HOOK = "/api/v1/auth/post-login"


async def administer(service: Service, secret: str, address: dict[str, str]) -> tuple[int, str | None]:
    headers = {"X-Backend-Secret": secret, **address}
    response = await service.client.get(ADMIN_LIST, headers=headers)
    return response.status_code, response.headers.get("Retry-After")


async def report(service: Service, secret: str, address: dict[str, str]) -> tuple[int, str | None]:
    headers = {**await service.token("mallory"), "X-Webhook-Secret": secret, **address}
    response = await service.client.post(HOOK, json={"userId": "ann"}, headers=headers)
    return response.status_code, response.headers.get("Retry-After")


@pytest.mark.parametrize(
    ("show", "setting"),
    [(administer, "backend_secret"), (report, "webhook_secret")],
    ids=["backend", "webhook"],
)
async def test_who_has_guessed_twenty_times_is_not_told_which_guess_is_right(
    start: Start, show: Any, setting: str
) -> None:
    service = await start({setting: Secret(RIGHT)})
    guesses = [(await show(service, f"guess {n}", ATTACKER))[0] for n in range(22)]
    assert guesses == [401] * 20 + [429] * 2
    assert await show(service, RIGHT, ATTACKER) == (429, "60")
    assert (await show(service, RIGHT, OPERATOR))[0] == 200
    service.clock.advance(60)
    assert (await show(service, RIGHT, ATTACKER))[0] == 200


async def test_guesses_at_one_secret_do_not_use_up_those_at_the_other(start: Start) -> None:
    service = await start({"backend_secret": Secret(RIGHT), "webhook_secret": Secret(NEXT)})
    for n in range(21):
        await report(service, f"guess {n}", ATTACKER)
    assert (await administer(service, RIGHT, ATTACKER))[0] == 200


async def test_the_right_secret_is_never_counted(start: Start) -> None:
    service = await start({"backend_secret": Secret(RIGHT)})
    assert {(await administer(service, RIGHT, OPERATOR))[0] for _ in range(50)} == {200}


async def test_two_backend_secrets_are_good_while_one_takes_the_others_place(start: Start) -> None:
    service = await start({"backend_secret": Secret(f"{RIGHT}, {NEXT}")})
    addresses = everywhere()
    shown = [RIGHT, NEXT, f"{RIGHT}, {NEXT}"]
    statuses = [(await administer(service, secret, next(addresses)))[0] for secret in shown]
    assert statuses == [200, 200, 401]


@pytest.mark.parametrize("name", ["BACKEND_SECRET", "WEBHOOK_SECRET", "SECRET_KEY"])
@pytest.mark.parametrize("secret", ["x", "x" * 31, f"{'x' * 31},{'y' * 32}"])
def test_a_secret_that_can_be_guessed_stops_the_start(name: str, secret: str) -> None:
    if name != "BACKEND_SECRET":
        secret = secret[:31]
    with pytest.raises(SettingsError) as refusal:
        Settings.from_env({name: secret})
    assert refusal.value.problems == {
        name: "must have at least 32 characters: make one with `openssl rand -hex 32`"
    }
    by_hand: Any = {name.lower(): Secret(secret)}
    with pytest.raises(SettingsError):
        replace(Settings(), **by_hand)


def test_more_than_two_backend_secrets_stop_the_start() -> None:
    with pytest.raises(SettingsError, match="BACKEND_SECRET: must be one secret, or two"):
        Settings.from_env({"BACKEND_SECRET": ",".join(["x" * 32] * 3)})
