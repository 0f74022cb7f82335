"""An S3 server for the tests: ``rclone serve s3``, which checks signatures; one a session.

It comes with the development dependencies.
"""

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from engines import missing

MISSING = "no rclone: it comes with the development dependencies, `make .venv/installed-dev`"

ACCESS_KEY = "AKIAFINASSISTTESTS00"
SECRET = "a secret of the tests"
BUCKET = "finassist-tests"


def s3_server() -> str:
    """The address of the server, which has the bucket; skips the test when there is none."""
    program = shutil.which("rclone", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        missing(MISSING)
    return _start(program)


@cache
def _start(program: str) -> str:
    folder = Path(tempfile.mkdtemp(prefix="finassist-s3-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / BUCKET).mkdir()
    server = subprocess.Popen(
        [
            *(program, "serve", "s3", "--config", "/dev/null"),
            *("--addr", "127.0.0.1:0", "--auth-key", f"{ACCESS_KEY},{SECRET}", str(folder)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.kill)
    assert server.stderr is not None
    for line in server.stderr:
        if started := re.search(r"http://127\.0\.0\.1:[0-9]+", line):
            return started.group()
    raise AssertionError("rclone ended instead of serving")
