"""The garbage collector rests during a start, and works afterwards."""

import os
import signal
import subprocess
import sys
from pathlib import Path

SERVED = """
import gc, signal, sys
from finassist.entrypoints.cli.main import main

def tell(*_):
    print("collects:", gc.isenabled(), "frozen:", gc.get_freeze_count() > 100_000, flush=True)

signal.signal(signal.SIGUSR1, tell)
sys.exit(main(["serve", "--port", "0"]))
"""


def test_a_service_collects_garbage_once_it_is_ready_and_leaves_out_what_its_start_made(
    tmp_path: Path,
) -> None:
    settings = {
        "DATA_DIR": str(tmp_path),
        "LOG_FORMAT": "json",
        "BACKEND_SECRET": "for-this-test-alone-00000000000000",
        "RAG_ENABLED": "false",
    }
    with subprocess.Popen(
        [sys.executable, "-c", SERVED],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as service:
        assert service.stdout is not None
        assert any('"listening"' in line for line in service.stdout)
        service.send_signal(signal.SIGUSR1)
        told = next(line for line in service.stdout if line.startswith("collects:"))
        service.terminate()
    assert told == "collects: True frozen: True\n"
