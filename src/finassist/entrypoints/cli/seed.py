"""``finassist seed``: catalogs from files (contract section 12)."""

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from finassist.config import Settings

if TYPE_CHECKING:
    from finassist.entrypoints.seeding.seeds import Seeds


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``seed``."""
    seed = commands.add_parser(
        "seed", help="load catalogs; without FILE, the missing records of the shipped ones"
    )
    seed.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="YAML or JSON; its values replace stored ones"
    )
    seed.set_defaults(run=_seed)


def _seed(settings: Settings, chosen: argparse.Namespace) -> int:
    from finassist.composition.seeding import shipped_seeds
    from finassist.entrypoints.seeding.seeds import check_seeds

    given = [(str(path), path) for path in chosen.files]
    shipped = [(file.name, file) for file in shipped_seeds()]
    seeds = check_seeds(given or shipped)
    asyncio.run(_store(settings, seeds, only_missing=not given))
    return 0


async def _store(settings: Settings, seeds: "dict[str, Seeds]", *, only_missing: bool) -> None:
    from finassist.composition.container import open_container
    from finassist.entrypoints.seeding.seeds import SEED_KINDS

    async with open_container(settings) as finassist:
        for name, kinds in seeds.items():
            for kind in SEED_KINDS:
                if kind.name in kinds:
                    stored = await kind.store(finassist, kinds[kind.name], only_missing)
                    print(f"{name}: {kind.name}: {stored} stored")
