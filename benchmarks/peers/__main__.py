"""Measure other backends beside the service, and write it into ``docs/benchmarks.md``."""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import machine, report
from benchmarks.peers.compared import measure
from benchmarks.peers.programs import PEERS
from benchmarks.processes import Broken, raise_open_files


def main() -> int:
    """Exit status 1 when something broke."""
    usual = [name for name, peer in PEERS.items() if not peer.is_large]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument(
        "peers",
        nargs="*",
        metavar="PEER",
        help=f"of {', '.join(PEERS)}: only these, not written. Without any: {', '.join(usual)}",
    )
    parser.add_argument("--write", action="store_true", help="write what the named peers brought, too")
    arguments = parser.parse_args()
    if unknown := set(arguments.peers) - set(PEERS):
        parser.error(f"no such peer: {', '.join(sorted(unknown))}")
    raise_open_files()
    try:
        with TemporaryDirectory(prefix="finassist-peers-") as directory:
            names = arguments.peers or usual
            section = measure(Path(directory), names, machine.describe(), datetime.now(UTC).date())
    except Broken as error:
        print(error, file=sys.stderr)
        return 1
    print(report.summary([section]))
    if arguments.write or not arguments.peers:
        page = report.PAGE.read_text(encoding="utf-8")
        report.PAGE.write_text(report.with_chapter(page, section), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
