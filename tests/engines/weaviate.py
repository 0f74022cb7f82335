"""A Weaviate for the tests: one server a session, its data in a folder that goes with it.

``make engines`` builds it, with Go.
"""

import atexit
import secrets
import shutil
import socket
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from engines import CACHE, missing
from engines.watched import start_watched

MISSING = "no Weaviate: run `make engines`, which needs Go"

_START_SECONDS = 60


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
    start_watched(
        [str(program), "--host", "127.0.0.1", "--port", http, "--scheme", "http"],
        settings,
        ready_url=f"http://127.0.0.1:{http}/v1/.well-known/ready",
        seconds=_START_SECONDS,
    )
    return f"weaviate://127.0.0.1:{http}?grpc={grpc}"


def _free_ports(count: int) -> list[str]:
    with ExitStack() as stack:
        free = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [str(each.getsockname()[1]) for each in free]
