"""From the start of the process to the first 200 of ``/health/ready``."""

import statistics
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.processes import Server, companion, service
from benchmarks.report import Figure, Section

ROUNDS = 5
SECONDS = 2.0

_NOTES = """\
From the start of the process to the first 200 of `GET /health/ready`, with default settings. A fresh
`DATA_DIR` gets its database, keys and the starter articles; an existing one has them. The baseline is the
bare Litestar route's process."""


def measure(directory: Path) -> Section:
    """Start everything in turns."""
    times: dict[str, list[float]] = {"route": [], "fresh": [], "existing": []}
    for number in range(ROUNDS):
        data_dir = directory / f"start-{number}"
        times["route"].append(_time(companion("baselines", "route")))
        times["fresh"].append(_time(service(data_dir)))
        times["existing"].append(_time(service(data_dir)))
    medians = {name: statistics.median(measured) for name, measured in times.items()}
    figures = [
        Figure(
            what=f"start to ready: {name} DATA_DIR",
            measured=f"{medians[name]:.2f} s",
            baseline=f"route {medians['route']:.2f} s",
            compared=f"{medians[name] - medians['route']:+.2f} s",
            target=f"below {SECONDS:g} s",
            met=medians[name] < SECONDS,
        )
        for name in ("fresh", "existing")
    ]
    return Section(title="Start", notes=_NOTES, figures=figures)


def _time(start: AbstractContextManager[Server]) -> float:
    with start as server:
        return server.seconds_to_ready
