"""A MongoDB for the tests: the one that the environment names, else ``mongod``, else mongo-java-server.

mongo-java-server is a re-implementation that speaks MongoDB's protocol and keeps everything in memory.
"""

import atexit
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pymongo import MongoClient

from engines import CACHE, missing

MISSING = "no MongoDB: run `make engines`, put mongod on PATH, or set FINASSIST_TEST_MONGODB_URL"


@contextmanager
def empty_mongodb() -> Iterator[str]:
    """The URL of a new database, dropped afterwards; skips the test when there is no server."""
    server = mongodb()
    if server is None:
        missing(MISSING)
    name = f"finassist_test_{secrets.token_hex(6)}"
    yield urlsplit(server)._replace(path=f"/{name}").geturl()
    _client(server).drop_database(name)


@cache
def mongodb() -> str | None:
    """The URL of a server that this session uses, None when there is none."""
    named = os.environ.get("FINASSIST_TEST_MONGODB_URL")
    if named:
        return named
    if shutil.which("mongod"):
        return _start_mongod()
    lib = CACHE / "mongo-java-server" / "lib"
    if lib.is_dir() and shutil.which("java"):
        return _start_mongo_java_server(lib)
    return None


def _start_mongo_java_server(lib: Path) -> str:
    engine = subprocess.Popen(
        [
            "java",
            "-XX:TieredStopAtLevel=1",  # tests end before the better compiler has paid for itself
            *_heap(),
            "-cp",
            f"{lib}/*{os.pathsep}{lib}",
            "MongoEngine",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    atexit.register(_end, engine)
    assert engine.stdout is not None
    url = engine.stdout.readline().strip()
    assert url, "mongo-java-server did not start"
    return url


def _heap() -> Sequence[str]:
    """Its size, and for the size of tests the collector that takes the least processor time."""
    large = os.environ.get("FINASSIST_TEST_MONGODB_HEAP")
    return [f"-Xmx{large}"] if large else ["-Xmx512m", "-XX:+UseSerialGC"]


def _start_mongod() -> str:
    folder = tempfile.mkdtemp(prefix="finassist-mongod-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    port = address.partition(":")[2]
    engine = subprocess.Popen(
        ["mongod", "--dbpath", folder, "--bind_ip", "127.0.0.1", "--port", port, "--replSet", "rs0"],
        stdout=subprocess.DEVNULL,
    )
    atexit.register(_end, engine)
    member = {"_id": "rs0", "members": [{"_id": 0, "host": address}]}
    with MongoClient[dict[str, Any]](f"mongodb://{address}/?directConnection=true") as client:
        client.admin.command("replSetInitiate", member)
    url = f"mongodb://{address}/?replicaSet=rs0"
    _client(url).admin.command("ping")
    return url


def _end(engine: subprocess.Popen[Any]) -> None:
    if engine.stdin is not None:
        engine.stdin.close()  # mongo-java-server ends with its standard input, also when we are killed
    else:
        engine.terminate()
    engine.wait()


@cache
def _client(server: str) -> MongoClient[dict[str, Any]]:
    client = MongoClient[dict[str, Any]](server)
    atexit.register(client.close)
    return client
