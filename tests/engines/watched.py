"""Servers that are programs of their own: they start, are waited for, and end when the tests do."""

import atexit
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence

import httpx2

# Ends the server when our end of its standard input closes, also when we are killed.
_WATCHED = ("sh", "-c", '"$@" </dev/null & cat >/dev/null; kill $!; wait', "sh")


def start_watched(
    arguments: Sequence[str], environ: Mapping[str, str], *, ready_url: str, seconds: float
) -> None:
    """Start a server and return when ``ready_url`` answers. Fails with the end of what the server said."""
    with tempfile.TemporaryFile() as log:
        engine = subprocess.Popen(
            [*_WATCHED, *arguments],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**os.environ, **environ},
        )
        atexit.register(_end, engine)
        deadline = time.monotonic() + seconds
        while not _answers(ready_url):
            if time.monotonic() > deadline or engine.poll() is not None:
                log.seek(0)
                raise AssertionError(f"nothing answers at {ready_url}:\n{log.read().decode()[-2000:]}")
            time.sleep(0.1)


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url, timeout=5).is_success
    except httpx2.HTTPError:
        return False


def _end(engine: subprocess.Popen[bytes]) -> None:
    assert engine.stdin is not None
    engine.stdin.close()
    engine.wait()
