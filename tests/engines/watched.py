"""Servers that are programs of their own: they start, are waited for, and end when the tests do."""

import atexit
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

import httpx2

from waiting import wait_until

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
        try:
            wait_until(lambda: engine.poll() is not None or _answers(ready_url), seconds=seconds)
            assert engine.poll() is None
        except AssertionError as error:
            log.seek(0)
            said = log.read().decode()[-2000:]
            raise AssertionError(f"nothing answers at {ready_url}:\n{said}") from error


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url, timeout=5).is_success
    except httpx2.HTTPError:
        return False


def _end(engine: subprocess.Popen[bytes]) -> None:
    assert engine.stdin is not None
    engine.stdin.close()
    engine.wait()
