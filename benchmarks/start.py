"""From the start of the process to the first 200 of ``/health/ready``."""

import statistics
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.processes import Server, companion, service
from benchmarks.report import Figure, Section

ROUNDS = 5
SECONDS = 1.2
PROVIDER_SECONDS = 0.9

_NOTES = """\
From the start of the process to the first 200 of `GET /health/ready`, with default settings. A fresh
`DATA_DIR` gets its database, keys and the starter articles with their vectors; an existing one has them. A
configured provider is OpenAI with a key. The baseline is the bare Litestar route's process."""

_PROVIDER = {"LLM_PROVIDER": "openai", "LLM_MODEL": "benchmark", "OPENAI_API_KEY": "benchmark"}


def measure(directory: Path) -> Section:
    """Start everything in turns."""
    times: dict[str, list[float]] = {"route": [], "fresh": [], "existing": [], "provider": []}
    for number in range(ROUNDS):
        data_dir = directory / f"start-{number}"
        times["route"].append(_time(companion("baselines", "route")))
        times["fresh"].append(_time(service(data_dir)))
        times["existing"].append(_time(service(data_dir)))
        times["provider"].append(_time(service(data_dir, **_PROVIDER)))
    medians = {name: statistics.median(measured) for name, measured in times.items()}
    figures = [
        Figure(
            what=f"start to ready: {described}",
            measured=f"{medians[name]:.2f} s",
            baseline=f"route {medians['route']:.2f} s",
            compared=f"{medians[name] - medians['route']:+.2f} s",
            target=f"below {seconds:g} s",
            met=medians[name] < seconds,
        )
        for name, described, seconds in (
            ("fresh", "fresh DATA_DIR", SECONDS),
            ("existing", "existing DATA_DIR", SECONDS),
            ("provider", "existing DATA_DIR, a configured provider", PROVIDER_SECONDS),
        )
    ]
    return Section(title="Start", notes=_NOTES, figures=figures)


def _time(start: AbstractContextManager[Server]) -> float:
    with start as server:
        return server.seconds_to_ready
