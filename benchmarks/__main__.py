"""Measure, print the tables, and write ``docs/benchmarks.md``."""

import argparse
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import attacks, identity, machine, mongodb, report, start, uploads
from benchmarks.chats import burst, many, paced
from benchmarks.counted import quick, work
from benchmarks.lists import reads, users
from benchmarks.peers import compared as peers
from benchmarks.processes import Broken, raise_open_files
from benchmarks.report import Section
from benchmarks.retrieval import gaps, search, vectors

_PARTS: dict[str, Callable[[Path], Section]] = {
    "chat": burst.measure,
    "paced": paced.measure,
    "many": many.measure,
    "work": work.measure,
    "gaps": gaps.measure,
    "reads": reads.measure_beside_route,
    "growth": reads.measure_growth,
    "users": users.measure,
    "start": start.measure,
    "mongodb": mongodb.measure,
    "identity": identity.measure,
    "uploads": uploads.measure,
    "attacks": attacks.measure,
    "search": search.measure,
    "vectors": vectors.measure,
}


def main() -> int:
    """Exit status 0, whether targets are met or missed; 1 when something broke, or ``--quick`` found more
    work than is committed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(_PARTS)}: only these, not written"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="count instructions and syncs, and compare them with the committed",
    )
    parser.add_argument("--accept", action="store_true", help="with --quick: commit to what is counted now")
    arguments = parser.parse_args()
    chosen = arguments.parts
    if unknown := set(chosen) - set(_PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    raise_open_files()
    try:
        if arguments.quick:
            section = quick.measure(accept=arguments.accept)
            print(report.summary([section]))
            return int(any(figure.met is False for figure in section.figures))
        sections = _measure(chosen or list(_PARTS))
    except Broken as error:
        print(error, file=sys.stderr)
        return 1
    print(report.summary(sections))
    if not chosen:
        kept = report.chapter_of(report.PAGE.read_text(encoding="utf-8"), peers.TITLE)
        page = report.document(sections, machine.describe(), datetime.now(UTC).date(), kept)
        report.PAGE.write_text(page, encoding="utf-8")
    return 0


def _measure(names: list[str]) -> list[Section]:
    sections = []
    with TemporaryDirectory(prefix="finassist-benchmarks-") as directory:
        for name in names:
            started = time.monotonic()
            sections.append(_PARTS[name](Path(directory)))
            print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    return sections


if __name__ == "__main__":
    sys.exit(main())
