"""A Weaviate for the tests: one server a session, its data in a folder that goes with it.

``make engines`` builds it, with Go.
"""

import atexit
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import httpx2

from engines import missing

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "finassist-engines"

MISSING = "no Weaviate: run `make engines`, which needs Go"

_START_SECONDS = 60
# Ends the server when our end of its standard input closes, also when we are killed.
_WATCHED = ("sh", "-c", '"$@" </dev/null & cat >/dev/null; kill $!; wait', "sh")


def weaviate_url() -> str:
    """``weaviate://`` of the server of this session; skips the test when there is none."""
    url = weaviate()
    if url is None:
        missing(MISSING)
    return url


def new_name() -> str:
    """A name that no collection has."""
    return f"Test{secrets.token_hex(6)}"


@cache
def weaviate() -> str | None:
    """The server that this session uses, None when there is none."""
    program = CACHE / "weaviate" / "weaviate-server"
    return _start(program) if program.exists() else None


def _start(program: Path) -> str:
    folder = tempfile.mkdtemp(prefix="finassist-weaviate-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    http, grpc, gossip, data, raft, raft_calls, profiling = _free_ports(7)
    settings = {
        "PERSISTENCE_DATA_PATH": folder,
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_BIND_ADDR": "127.0.0.1",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        "CLUSTER_GOSSIP_BIND_PORT": gossip,
        "CLUSTER_DATA_BIND_PORT": data,
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "RAFT_PORT": raft,
        "RAFT_INTERNAL_RPC_PORT": raft_calls,
        "GRPC_PORT": grpc,
        "GO_PROFILING_PORT": profiling,
        "DISABLE_TELEMETRY": "true",
        # Built with Go 1.26 it does not find fresh objects by their words otherwise.
        "USE_BLOCKMAX_WAND": "false",
        "USE_INVERTED_SEARCHABLE": "false",
    }
    with tempfile.TemporaryFile() as log:
        engine = subprocess.Popen(
            [*_WATCHED, str(program), "--host", "127.0.0.1", "--port", http, "--scheme", "http"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**os.environ, **settings},
        )
        atexit.register(_end, engine)
        deadline = time.monotonic() + _START_SECONDS
        while not _answers(f"http://127.0.0.1:{http}/v1/.well-known/ready"):
            if time.monotonic() > deadline or engine.poll() is not None:
                log.seek(0)
                raise AssertionError(f"Weaviate did not start:\n{log.read().decode()[-2000:]}")
            time.sleep(0.1)
    return f"weaviate://127.0.0.1:{http}?grpc={grpc}"


def _free_ports(count: int) -> list[str]:
    with ExitStack() as stack:
        free = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [str(each.getsockname()[1]) for each in free]


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url, timeout=5).is_success
    except httpx2.HTTPError:
        return False


def _end(engine: subprocess.Popen[bytes]) -> None:
    assert engine.stdin is not None
    engine.stdin.close()
    engine.wait()
