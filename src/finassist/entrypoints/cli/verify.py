"""``finassist verify``: name what does not fit together in the stores, and mend what can be mended."""

import argparse
import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from finassist.config import Settings

if TYPE_CHECKING:
    from finassist.application.operations.verification import Finding

_SHOWN_MAX: Final = 20
"""How many records are named of each check."""


def add_commands(commands: Any) -> None:
    """Add ``verify``."""
    verify = commands.add_parser(
        "verify", help="name records and files that do not fit together, while the service runs"
    )
    verify.add_argument("--repair", action="store_true", help="mend what can be mended safely")
    verify.set_defaults(run=_verify)


def _verify(settings: Settings, chosen: argparse.Namespace) -> int:
    return asyncio.run(_walk(settings, repair=chosen.repair))


async def _walk(settings: Settings, *, repair: bool) -> int:
    from finassist.composition.container import build_application
    from finassist.composition.verification import opened_stores

    finassist = build_application(settings)
    found: Counter[str] = Counter()
    mended = 0
    async with opened_stores(finassist):
        async for finding in finassist.verify(repair=repair):
            found[finding.fault.check] += 1
            mended += finding.mended
            if found[finding.fault.check] <= _SHOWN_MAX:
                print(_line(finding, repair=repair))
        checks = len(finassist.verify.names)
    for check, number in found.items():
        if number > _SHOWN_MAX:
            print(f"{check}: {number} in all")
    left = found.total() - mended
    print(f"{checks} checks, {found.total()} faults, {mended} mended.")
    return 1 if left else 0


def _line(finding: "Finding", *, repair: bool) -> str:
    fault = finding.fault
    if finding.mended:
        outcome = f"mended: {fault.repair}"
    elif fault.repair is None:
        outcome = "not mended by --repair"
    else:
        outcome = "no longer there" if repair else f"with --repair {fault.repair}"
    return f"{fault.check}: {fault.record} ({outcome})"
