"""Several processes on one database, of either kind, answer as one (contract section 4, "exact")."""

import asyncio
import os
import re
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx2

from e2e.conftest import ServerProcess, Start, followed, open_stream, text_of, until_saved
from servers.model_server import ModelServer
from waiting import until

CHAT = "/api/v1/ai/chat"
STREAM = {"Stream": "true"}
FILE_BYTES_MAX = 6 * 2**20
"""The longest file of a service whose disk is full: a little more than a new one has."""


async def test_another_process_resumes_and_stops_a_turn(
    start_server: Start, model_server: Any, database: dict[str, str]
) -> None:
    model_server.behave(texts=["shared words ", "never said"], pause_after=1)
    one = await start_server(**model_server.environ, **database)
    two = await start_server(**model_server.environ, **database)
    async with (
        one.client() as here,
        two.client() as there,
        open_stream(here, "POST", CHAT, json={"message": "talk"}, headers=STREAM) as (response, events),
    ):
        await anext(events)
        message_id = response.headers["x-message-id"]
        conversation_id = response.headers["x-conversation-id"]
        busy = await there.post(CHAT, json={"message": "again", "conversation_id": conversation_id})
        async with open_stream(there, "GET", f"{CHAT}/{message_id}/stream") as (_, resumed):
            assert (await anext(resumed))["content"] == "shared words "
            stopped = await there.post(f"{CHAT}/{message_id}/stop")
            ends = [await anext(events), await anext(resumed)]

    assert (busy.status_code, busy.json()["error"]["code"]) == (409, "CONFLICT")
    assert stopped.json()["data"]["status"] == "stopped"
    assert [(end["type"], end["finishReason"]) for end in ends] == [("done", "stopped")] * 2


async def test_two_processes_share_one_rate_limit(start_server: Start, database: dict[str, str]) -> None:
    servers = [await start_server(FREE_MESSAGE_THRESHOLD="1000", **database) for _ in range(2)]
    async with servers[0].client() as here, servers[1].client() as there:
        await here.get("/app/launch")
        answers = await asyncio.gather(
            *(client.post(CHAT, json={"message": "hello"}) for client in (here, there) * 50)
        )

    statuses = [answer.status_code for answer in answers]
    assert (statuses.count(200), statuses.count(429)) == (20, 80)


async def test_one_message_left_and_fifty_requests_over_two_processes_give_one_answer(
    start_server: Start, database: dict[str, str]
) -> None:
    environ = {"FREE_MESSAGE_THRESHOLD": "1", "CHAT_RATE_PER_MINUTE": "1000"}
    servers = [await start_server(**environ, **database) for _ in range(2)]
    async with servers[0].client() as here, servers[1].client() as there:
        await here.get("/app/launch")
        answers = await asyncio.gather(
            *(client.post(CHAT, json={"message": "hello"}) for client in (here, there) * 25)
        )

    assert sorted(answer.status_code for answer in answers) == [200] + [429] * 49


async def test_workers_answer_as_one_and_end_together(start_server: Start, database: dict[str, str]) -> None:
    server = await start_server("--workers", "2", **database)
    async with server.client() as client:
        assert (await client.get("/health/ready")).status_code == 200
        assert (await client.post(CHAT, json={"message": "hello"})).status_code == 200
    assert await server.end() == 0
    for pid in server.workers():
        assert not os.path.exists(f"/proc/{pid}")


async def test_the_figures_of_all_workers_are_added_up(start_server: Start, database: dict[str, str]) -> None:
    server = await start_server("--workers", "2", **database)
    for _ in range(20):
        async with server.client() as client:  # a new connection may reach either worker
            assert (await client.get("/app/config")).status_code == 200
    async with server.client() as client:
        page = (await client.get("/metrics")).text

    counted = re.search(
        r'http_request_duration_seconds_count\{method="GET",route="/app/config",status="200"\} (\d+)', page
    )
    assert counted is not None
    assert int(counted[1]) == 20


async def test_a_killed_worker_loses_nothing_that_was_acknowledged(
    start_server: Start, model_server: ModelServer, database: dict[str, str]
) -> None:
    model_server.behave(texts=["kept words ", "never said"], pause_after=1)
    limits = {"FREE_MESSAGE_THRESHOLD": "100", "CHAT_RATE_PER_MINUTE": "1000"}
    server = await start_server("--workers", "2", **model_server.environ, **limits, **database)
    clients = [server.client() for _ in range(20)]
    first = await clients[0].get("/app/launch")
    assert first.status_code == 200
    turns = await asyncio.gather(*(begin(client) for client in clients))
    await until_all_saved(clients[0], "kept words ", len(turns))
    os.kill(server.workers()[0], signal.SIGKILL)
    model_server.resume()
    ends = await asyncio.gather(*(followed(server.client, message_id) for message_id in turns))
    used = (await server.client().get("/app/launch")).json()
    for client in clients:
        await client.aclose()

    for events in ends:
        assert events[-1]["type"] in ("done", "error")
        assert text_of(events).startswith("kept words ")
        if events[-1]["type"] == "error":
            assert events[-1]["code"] == "INTERRUPTED"
    assert used["data"]["appLaunchResponseData"]["freeThreshold"]["used"] == 20


async def test_a_worker_that_dies_while_the_database_is_locked_is_replaced(
    start_server: Start, tmp_path: Path
) -> None:
    server = await start_server("--workers", "2")
    await until_listening(server, 2)
    async with server.client() as client:
        await client.get("/app/launch")
    with ExitStack() as stack:
        for name in ("finassist.db", "knowledge.db"):
            intruder = stack.enter_context(closing(sqlite3.connect(tmp_path / name, isolation_level=None)))
            intruder.execute("BEGIN EXCLUSIVE")
        os.kill(server.workers()[0], signal.SIGKILL)
        await until_listening(server, 3)
        async with server.client() as client:
            assert (await client.get("/api/v1/user/conversations")).status_code == 200
    async with server.client() as client:
        assert (await client.post(CHAT, json={"message": "hello"})).status_code == 200


@contextmanager
def full_disk(database: Path) -> Iterator[None]:
    """Let the log of a database be longer than processes with a limit may make a file."""
    with (
        closing(sqlite3.connect(database, isolation_level=None)) as reader,
        closing(sqlite3.connect(database, isolation_level=None)) as writer,
    ):
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM users").fetchone()  # so that nothing of the log is written over
        writer.execute("CREATE TABLE filling (content BLOB)")
        writer.execute("INSERT INTO filling VALUES (zeroblob(?))", (2 * FILE_BYTES_MAX,))
        yield
        reader.execute("COMMIT")
        writer.execute("DROP TABLE filling")
        for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            writer.execute(statement)


async def test_a_worker_that_dies_while_the_disk_is_full_is_replaced(tmp_path: Path) -> None:
    limited = tmp_path / "python"
    limited.write_text(f'#!/bin/sh\nulimit -S -f {FILE_BYTES_MAX // 512}\nexec {sys.executable} "$@"\n')
    limited.chmod(0o700)
    environ = {"DATA_DIR": str(tmp_path), "RAG_ENABLED": "false"}
    server = await ServerProcess.start(environ, "--workers", "2", python=limited)
    try:
        await until_listening(server, 2)
        async with server.client() as client:
            await client.get("/app/launch")
        with full_disk(tmp_path / "finassist.db"):
            os.kill(server.workers()[0], signal.SIGKILL)
            await until_listening(server, 3)
            async with server.client() as client:
                statuses = [
                    (await client.post(CHAT, json={"message": "hello"})).status_code,
                    (await client.get("/health/ready")).status_code,
                    (await client.get("/health/live")).status_code,
                    (await client.get("/api/v1/user/conversations")).status_code,
                ]
        assert statuses == [503, 503, 200, 200]
        async with server.client() as client:
            assert (await client.post(CHAT, json={"message": "hello"})).status_code == 200
    finally:
        await server.end()


async def until_listening(server: ServerProcess, workers: int) -> None:
    def listening() -> bool:
        assert server.process.returncode is None, server.logs
        return len(server.workers()) >= workers

    await until(listening)


async def until_all_saved(client: httpx2.AsyncClient, text: str, replies: int) -> None:
    """Return when the database has the text of so many replies, each in a conversation of its own."""
    conversations = "/api/v1/user/conversations"
    page = (await client.get(conversations, params={"limit": replies})).json()["data"]
    assert len(page["conversations"]) == replies
    for begun in page["conversations"]:
        await until_saved(client, begun["id"], text)


async def begin(client: httpx2.AsyncClient) -> str:
    """Ask, hear the first word, and let the stream be: the message's id."""
    request = client.build_request("POST", CHAT, json={"message": "talk"}, headers=STREAM)
    response = await client.send(request, stream=True)
    async for line in response.aiter_lines():
        if line.startswith("data: "):
            break
    return str(response.headers["x-message-id"])
