"""A backup of a service that is being written to, and a service that goes on from it."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import httpx2

from e2e.conftest import ServerProcess, Start
from pictures import encoded, picture

SETTINGS = {
    "FREE_MESSAGE_THRESHOLD": "1000",
    "CHAT_RATE_PER_MINUTE": "1000",
    "PUBLIC_BASE_URL": "http://service",
}


async def run(*arguments: str, data_dir: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "finassist", *arguments), env={**os.environ, "DATA_DIR": str(data_dir)}
    )
    assert await process.wait() == 0


PASSWORD = "Correct-horse-7"


async def sign_up(server: ServerProcess, email: str = "ann@example.com") -> dict[str, Any]:
    async with httpx2.AsyncClient(base_url=server.address) as client:
        body = {"email": email, "password": PASSWORD, "name": "Ann"}
        answer = await client.post("/api/v1/auth/signup", json=body)
        tokens: dict[str, Any] = answer.json()["data"]
        return tokens


def as_ann(server: ServerProcess, tokens: dict[str, Any]) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {tokens['accessToken']}"}
    return httpx2.AsyncClient(base_url=server.address, headers=headers, timeout=30)


async def chat_until(stop: asyncio.Event, client: httpx2.AsyncClient) -> list[str]:
    """Ask without a pause; answers the conversations of the replies that came."""
    conversations = []
    while not stop.is_set():
        answer = await client.post("/api/v1/ai/chat", json={"message": "What is an ETF?"})
        conversations.append(answer.json()["data"]["conversationId"])
    return conversations


async def test_a_service_goes_on_from_a_backup_that_was_taken_while_it_was_written_to(
    start_server: Start, tmp_path: Path
) -> None:
    server = await start_server(**SETTINGS)
    tokens = await sign_up(server)
    stop = asyncio.Event()
    async with as_ann(server, tokens) as client, server.client("a-guest") as guest:
        uploaded = await client.post(
            "/api/v1/files/upload", files={"file": ("chart.png", encoded(picture(), "PNG"), "image/png")}
        )
        first = (await client.post("/api/v1/ai/chat", json={"message": "What is a bond?"})).json()["data"]
        writers = [asyncio.create_task(chat_until(stop, each)) for each in (client, guest, client)]
        await run("backup", str(tmp_path / "backup.tar.gz"), data_dir=tmp_path)
        stop.set()
        answered = await asyncio.gather(*writers)
    await server.end()
    assert all(answered)

    await run("restore", str(tmp_path / "backup.tar.gz"), data_dir=tmp_path / "new")
    again = await ServerProcess.start({"DATA_DIR": str(tmp_path / "new"), **SETTINGS})
    try:
        async with as_ann(again, tokens) as client:
            await everything_is_there(client, first, uploaded.json()["data"]["id"])
            await it_goes_on(client, tokens)
    finally:
        await again.end()


async def everything_is_there(client: httpx2.AsyncClient, first: dict[str, Any], file_id: str) -> None:
    """With the token from before: the conversations, each whole, and the file."""
    listed = (await client.get("/api/v1/user/conversations", params={"limit": 100})).json()["data"]
    assert listed["conversations"][-1]["id"] == first["conversationId"]
    for conversation in listed["conversations"]:
        answer = await client.get(f"/api/v1/user/conversations/{conversation['id']}/messages")
        messages = answer.json()["data"]["messages"]
        assert len(messages) == conversation["messageCount"]
    file = (await client.get(f"/api/v1/files/{file_id}")).json()["data"]
    link = file["url"].removeprefix(SETTINGS["PUBLIC_BASE_URL"])
    assert len((await client.get(link)).content) == file["size"]


async def it_goes_on(client: httpx2.AsyncClient, tokens: dict[str, Any]) -> None:
    """New answers with sources, new tokens by the old refresh token."""
    answer = await client.post("/api/v1/ai/chat", json={"message": "What is an emergency fund?"})
    assert answer.json()["data"]["sources"]
    renewed = await client.post("/api/v1/auth/refresh", json={"refreshToken": tokens["refreshToken"]})
    assert renewed.status_code == 200


async def test_who_was_erased_after_the_backup_does_not_come_back_with_it(
    start_server: Start, tmp_path: Path
) -> None:
    server = await start_server(**SETTINGS)
    tokens = await sign_up(server)
    await sign_up(server, "bob@example.com")
    await run("backup", str(tmp_path / "backup.tar.gz"), data_dir=tmp_path)
    async with as_ann(server, tokens) as client:
        body = {"password": PASSWORD}
        erased = await client.request("DELETE", "/api/v1/auth/me", json=body)
    await server.end()
    assert erased.status_code == 200

    await run("restore", "--replace", str(tmp_path / "backup.tar.gz"), data_dir=tmp_path)
    again = await start_server(**SETTINGS)
    async with as_ann(again, tokens) as client:
        sign_ins = [
            await client.post("/api/v1/auth/signin", json={"email": email, "password": PASSWORD})
            for email in ("ann@example.com", "bob@example.com")
        ]
        with_the_old_token = (await client.get("/api/v1/auth/me")).status_code
    assert [answer.status_code for answer in sign_ins] == [401, 200]
    assert with_the_old_token == 401
