"""``finassist move``: the records of a running service from SQLite to MongoDB, or back."""

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from finassist.application.operations.moving.records import LAST_STEP
from finassist.config import Settings
from finassist.entrypoints.cli.progress import ProgressBar

if TYPE_CHECKING:
    from finassist.application.operations.moving.records import MoveRecords


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``move``."""
    move = commands.add_parser(
        "move", help="copy all records to another database, while the service runs; --finish switches over"
    )
    move.add_argument(
        "--to", metavar="DATABASE_URL", help="mongodb://HOST/NAME, or sqlite:///PATH of a new file"
    )
    move.add_argument(
        "--objects", metavar="s3://…|DIR", help="copy the files too, to this bucket or into this folder"
    )
    move.add_argument(
        "--knowledge",
        metavar="weaviate://…|DIR",
        help="copy your own articles too, to this server or into another DATA_DIR",
    )
    move.add_argument(
        "--finish",
        action="store_true",
        help="compare both databases, refuse writes for the last changes, and keep refusing them here",
    )
    move.add_argument(
        "--abandon", action="store_true", help="give the move up, also a finished one: take writes here again"
    )
    move.set_defaults(run=_move, parser=move)


def _move(settings: Settings, chosen: argparse.Namespace) -> int:
    if chosen.abandon:
        asyncio.run(_abandon(settings))
        print("The move is given up: writes are taken here. Remove what was copied before you move again.")
        return 0
    if chosen.to is None:
        chosen.parser.error("--to is required")
    if chosen.knowledge is not None:
        from finassist.composition.moving import move_knowledge

        print(f"{asyncio.run(move_knowledge(settings, chosen.knowledge))} articles of your own copied.")
    return asyncio.run(_run(settings, chosen))


async def _abandon(settings: Settings) -> None:
    from finassist.composition.moving import source_of

    source = source_of(settings)
    await source.open()
    try:
        await source.abandon()
    finally:
        await source.close()


async def _run(settings: Settings, chosen: argparse.Namespace) -> int:
    from finassist.composition.moving import move_between, target_settings

    target = target_settings(settings, chosen.to, chosen.objects)
    with Bars() as bars:
        move = move_between(settings, target, chosen.objects, bars)
        async with move.opened():
            await move.begin()
            if chosen.finish:
                return await _finish(settings, target, move)
            copied = await move.copy()
            changed = await move.catch_up()
    print(f"{copied} records copied, then {changed} that had changed. The service goes on here.")
    _print_missing(move)
    print("Call it again at any time to take what has changed since, and with --finish to switch over.")
    return 0


async def _finish(settings: Settings, target: Settings, move: "MoveRecords") -> int:
    finished = await move.finish()
    if not finished.records:
        print("The move was complete already: start the service on the new database.")
        return 0
    for kind, number in sorted(finished.records.items()):
        print(f"{kind}\t{number}")
    print(f"{sum(finished.records.values())} records are the same in both databases.")
    _print_missing(move)
    print(
        f"Writes have been refused for {finished.refused_seconds:.1f} seconds, and are refused here from now "
        "on: start the service on the new database."
    )
    if target.sqlite_path is not None:
        print(f"DATA_DIR={target.data_dir}, with the signing keys; DATABASE_URL={target.database_url}")
    elif settings.secret_key is not None:
        print("SECRET_KEY has to be the one that the service has had here.")
    return 0


def _print_missing(move: "MoveRecords") -> None:
    if move.objects is not None and move.objects.missing:
        print(f"{len(move.objects.missing)} files that records name are not in the store.", file=sys.stderr)


class Bars:
    """A progress bar for one kind of records after the other."""

    def __init__(self) -> None:
        self._what = ""
        self._bar: ProgressBar | None = None

    def __enter__(self) -> "Bars":
        return self

    def __call__(self, what: str, done: int, of: int) -> None:
        """Show how far this is."""
        if what != self._what:
            self._end()
            self._what, self._bar = what, ProgressBar(what)
            if what == LAST_STEP and not done:
                print("Writes are refused from now on.", file=sys.stderr)
        assert self._bar is not None
        self._bar(done, of)

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
