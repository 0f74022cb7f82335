"""Somebody who wants what the operator gives to another person (issue "Hardened", "Tokens")."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from http_service import Service

ANN, MALLORY = "ann@example.org", "mallory@example.org"
ME = "/api/v1/auth/me"
HOOKS = ("/api/v1/auth/webhooks/post-registration", "/api/v1/auth/post-login")


async def profile(service: Service, headers: dict[str, str]) -> dict[str, Any]:
    user: dict[str, Any] = (await service.client.get(ME, headers=headers)).json()["data"]["user"]
    return user


# An email that is not one's own


@pytest.mark.parametrize("claims", [{}, {"email": MALLORY}, {"email": MALLORY, "email_verified": True}])
@pytest.mark.parametrize("path", HOOKS)
async def test_a_user_does_not_take_another_email_by_webhook(
    service: Service, claims: dict[str, Any], path: str
) -> None:
    headers = await service.token("mallory", **claims)
    before = await profile(service, headers)

    for event in (None, "user.created", "user.updated", "post-login"):
        body = {"userId": "mallory", "email": ANN, "event": event, "name": "Ann"}
        assert (await service.client.post(path, json=body, headers=headers)).status_code == 200

    after = await profile(service, headers)
    assert {name for name in after if after[name] != before[name]} <= {"fullName", "updatedAt"}
    assert after["email"] == claims.get("email")


@pytest.mark.parametrize("path", HOOKS)
async def test_who_is_new_has_the_email_of_the_token_and_not_of_the_event(
    service: Service, path: str
) -> None:
    headers = await service.token("mallory", email=MALLORY, email_verified=True)

    await service.client.post(path, json={"userId": "mallory", "email": ANN}, headers=headers)

    assert (await profile(service, headers))["email"] == MALLORY


# Messages that were meant for somebody else


class Operator:
    """Somebody at the command line of the service's host."""

    def __init__(self, data_dir: Path, database: dict[str, Any]) -> None:
        self._settings = {"DATA_DIR": str(data_dir), "DATABASE_URL": database["database_url"]}
        if "secret_key" in database:
            self._settings["SECRET_KEY"] = database["secret_key"].reveal()

    async def grants(self, user: str) -> tuple[int | None, str]:
        """Grant 5 messages; returns the exit status and what went wrong."""
        command = (sys.executable, "-m", "finassist", "quota", "grant", user, "5")
        process = await asyncio.create_subprocess_exec(
            *command, env=os.environ | self._settings, stdout=-1, stderr=-1
        )
        _, errors = await process.communicate()
        return process.returncode, errors.decode()


@pytest.fixture
def operator(tmp_path: Path, database: dict[str, Any]) -> Operator:
    return Operator(tmp_path, database)


async def total_of(service: Service, user_id: str) -> int:
    return (await service.finassist.read_quota(user_id)).total


@pytest.mark.engine
async def test_messages_do_not_go_to_who_has_only_claimed_the_email(
    service: Service, operator: Operator
) -> None:
    mallory = (await profile(service, await service.token("mallory", email=ANN)))["id"]

    status, errors = await operator.grants(ANN)

    assert status == 1
    assert f"User {mallory} has not verified this email. Name it by its id." in errors
    assert await total_of(service, mallory) == 1000


@pytest.mark.engine
async def test_messages_go_to_nobody_while_two_users_have_the_email(
    service: Service, operator: Operator
) -> None:
    mallory = (await profile(service, await service.token("mallory", email=ANN)))["id"]
    ann = (await profile(service, await service.token("ann", email=ANN, email_verified=True)))["id"]

    status, errors = await operator.grants(ANN.upper())
    by_id, _ = await operator.grants(ann)

    assert status == 1
    assert f"Several users have this email: {ann}, {mallory}. Name one by its id." in errors
    assert by_id == 0
    assert [await total_of(service, user) for user in (ann, mallory)] == [1005, 1000]


@pytest.mark.engine
async def test_messages_go_to_the_one_user_who_has_verified_the_email(
    service: Service, operator: Operator
) -> None:
    ann = (await profile(service, await service.token("ann", email=ANN, email_verified=True)))["id"]

    assert (await operator.grants(ANN))[0] == 0
    assert await total_of(service, ann) == 1005
