"""``python -m benchmarks.counted.opcodes serve …``: the service, with every opcode of Python counted.

SIGUSR1 writes the number since the start into the file that ``OPCODES_FILE`` names.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from finassist.entrypoints.cli.main import main

_counts: dict[int, int] = {}


def _trace(frame: FrameType, event: str, _: Any) -> Any:
    frame.f_trace_opcodes = True
    frame.f_trace_lines = False
    if event == "opcode":
        _counts[threading.get_ident()] = _counts.get(threading.get_ident(), 0) + 1
    return _trace


def _write(*_: Any) -> None:
    file = Path(os.environ["OPCODES_FILE"])
    file.with_suffix(".new").write_text(str(sum(_counts.values())))
    file.with_suffix(".new").replace(file)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _write)
    threading.settrace(_trace)
    sys.settrace(_trace)
    sys.exit(main())
