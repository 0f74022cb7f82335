"""The machine that a run was made on, without names and paths."""

import os
import platform
import sqlite3
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile

_PACKAGES = ("litestar", "uvicorn", "uvloop", "httptools", "msgspec", "openai", "httpx2", "pymongo", "beanie")
_SYNCS = 200


def describe() -> dict[str, str]:
    """What matters to the figures, in words."""
    return {
        "CPU": f"{_cpu_model()}, {_cores()} cores",
        "Memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "System": f"{platform.system()} {platform.machine()}",
        "Disk": f"{_sync_ms():.2f} ms to write and sync 4 KiB",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "SQLite": sqlite3.sqlite_version,
        "Libraries": ", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    }


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _cpu_model() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _sync_ms() -> float:
    times = []
    with TemporaryFile(buffering=0) as file:
        for _ in range(_SYNCS):
            file.write(bytes(4096))
            started = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000
