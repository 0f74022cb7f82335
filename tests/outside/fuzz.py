"""Schemathesis against a real server process: every operation of /openapi.json, with every check.

``make fuzz`` sends more than 10,000 requests and prints how many each operation got, with which answers; the
test in this folder sends fewer, always the same.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

import finassist
from outside.world import BACKEND_SECRET, WEBHOOK_SECRET
from waiting import until

HERE = Path(__file__).parent
SETTINGS = {
    "BACKEND_SECRET": BACKEND_SECRET,
    "WEBHOOK_SECRET": WEBHOOK_SECRET,
    # What is limited is tested elsewhere; here nearly every answer would be 429.
    "CHAT_RATE_PER_MINUTE": "1000000",
    "FREE_MESSAGE_THRESHOLD": "1000000",
    "NEW_GUESTS_PER_ADDRESS_PER_HOUR": "0",
    "OTP_RESEND_COOLDOWN_SECONDS": "0",
    "ACCESS_TOKEN_TTL_SECONDS": "86400",
    "TRUSTED_PROXIES": "127.0.0.1",
    "SECURITY_CONTACT": "mailto:security@example.org",
    "LOG_FORMAT": "json",
}
FULL = ("--phases", "examples,coverage,fuzzing,stateful")
SHORT = ("--phases", "coverage")
GOOD = "--phases examples,fuzzing --mode positive --max-examples 2 --checks not_a_server_error".split()
THIS_VERSION = str(Path(finassist.__file__).parents[1])


@dataclass(frozen=True)
class Fuzzed:
    """What a run found. ``answers`` counts by operation and status, ``requests`` is what the server answered,
    ``errors`` what it wrote of unexpected exceptions; ``report`` is Schemathesis' own."""

    status: int
    report: str
    answers: dict[str, Counter[int]]
    requests: int
    errors: list[str]


async def fuzz(*arguments: str) -> Fuzzed:
    """Fuzz a new server as a registered user and as a guest, at once."""
    with tempfile.TemporaryDirectory(prefix="finassist-fuzz-") as name:
        folder = Path(name)
        async with _served(folder, {"DATA_DIR": str(folder / "data")}) as address:
            runs = await asyncio.gather(
                _schemathesis(address, folder, "registered", arguments),
                _schemathesis(address, folder, "guest", (*arguments, *_for_guests(address))),
            )
        return _found(folder, runs)


async def fuzz_side_by_side(settings: dict[str, str], versions: Sequence[Path]) -> Sequence[Fuzzed]:
    """Send a few good requests to every operation of servers of these two versions, which share what the
    settings name: every other request to one is about a record that the other has made."""
    with tempfile.TemporaryDirectory(prefix="finassist-fuzz-") as name:
        folders = [Path(name, version) for version in ("older", "newer")]
        async with AsyncExitStack() as stack:
            addresses = []
            for folder, version in zip(folders, versions, strict=True):
                folder.mkdir()
                started = _served(folder, {**settings, "PYTHONPATH": str(version)})
                addresses.append(await stack.enter_async_context(started))
            runs = await asyncio.gather(
                _schemathesis(addresses[0], folders[1], "one-of-both", GOOD, records_at=addresses[1]),
                _schemathesis(addresses[1], folders[0], "the-other", GOOD, records_at=addresses[0]),
            )
        # What a run counted is where it made its records: beside the log of the other server.
        return [_found(folder, [run]) for folder, run in zip(folders[::-1], runs, strict=True)]


@asynccontextmanager
async def _served(folder: Path, settings: dict[str, str]) -> AsyncIterator[str]:
    """The address of a server that writes its log into the folder."""
    log = folder / "server.log"
    output = os.open(log, os.O_CREAT | os.O_WRONLY)
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "finassist", "serve", "--port", "0"),
        env={"PATH": os.environ["PATH"], "PYTHONPATH": THIS_VERSION, **SETTINGS, **settings},
        stderr=output,
    )
    os.close(output)
    try:
        yield await _listening(log)
    finally:
        if server.returncode is None:
            server.terminate()
        await server.wait()


async def _listening(log: Path) -> str:
    def address() -> str:
        listening = [event for event in _events(log) if event["event"] == "listening"]
        return f"http://{listening[0]['host']}:{listening[0]['port']}" if listening else ""

    return await until(address)


async def _schemathesis(
    address: str, folder: Path, who: str, arguments: Sequence[str], *, records_at: str | None = None
) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml")),
        *("run", f"{address}/openapi.json", "--no-color", *arguments),
        env={**os.environ, "FUZZ_AS": who, "FUZZ_ADDRESS": records_at or address,
             "FUZZ_FOLDER": str(folder),
             "PYTHONPATH": os.pathsep.join((str(HERE.parent), str(HERE.parent / "support"))),
             "PYTHONHASHSEED": "0"},
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await process.communicate()
    return process.returncode or 0, f"As {who}:\n{output.decode(errors='replace')}"


def _for_guests(address: str) -> Iterator[str]:
    """The operations that guests may call as well as registered users, and those of the backend, whose
    secret is shown in the other header."""
    for item in httpx2.get(f"{address}/openapi.json").json()["paths"].values():
        for operation in item.values():
            ways = operation.get("security", ())
            if {} not in ways and ({"device": []} in ways or {"backendSecret": []} in ways):
                yield f"--include-operation-id={operation['operationId']}"


def _events(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def _found(folder: Path, runs: Sequence[tuple[int, str]]) -> Fuzzed:
    answers: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for counted in folder.glob("*.counted.json"):
        for label, status, count in json.loads(counted.read_text()):
            answers[label][status] += count
    events = _events(folder / "server.log")
    return Fuzzed(
        status=max(status for status, _ in runs),
        report="\n".join(report for _, report in runs),
        answers=dict(sorted(answers.items())),
        requests=sum(event["event"] == "request" for event in events),
        errors=[json.dumps(event) for event in events if event.get("level") in ("error", "critical")],
    )


def main() -> int:
    """Fuzz at length; returns the exit status."""
    found = asyncio.run(fuzz(*FULL, *sys.argv[1:]))
    print(found.report)
    for label, statuses in found.answers.items():
        named = ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items()))
        print(f"{statuses.total():6} {label}: {named}")
    generated = sum(statuses.total() for statuses in found.answers.values())
    print(f"{generated:6} generated requests, {found.requests} answered in all")
    print("\n".join(found.errors[:20]))
    return found.status or bool(found.errors)


if __name__ == "__main__":
    sys.exit(main())
