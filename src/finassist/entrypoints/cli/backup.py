"""``finassist backup`` and ``finassist restore``: the embedded data in one archive."""

import argparse
import asyncio
import sys
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassist import __version__
from finassist.config import Settings
from finassist.domain.errors import ServiceUnavailable

if TYPE_CHECKING:
    from finassist.composition.backups import Manifest


def add_commands(commands: Any) -> None:
    """Add both commands to the command line."""
    backup = commands.add_parser(
        "backup", help="copy the embedded data into an archive, while the service runs"
    )
    backup.add_argument("target", type=Path, metavar="FILE|DIR", help="a new file, or a folder for one")
    backup.set_defaults(run=_backup)

    restore = commands.add_parser("restore", help="restore the data of an archive into DATA_DIR")
    restore.add_argument("archive", type=Path, metavar="FILE")
    restore.add_argument("--replace", action="store_true", help="replace existing data, which is moved aside")
    restore.set_defaults(run=_restore, restores=True)


def _backup(settings: Settings, chosen: argparse.Namespace) -> int:
    from finassist.composition.backups import embedded_data, write_backup

    now = datetime.now(UTC)
    target: Path = chosen.target
    if target.is_dir():
        target /= f"finassist-{now:%Y%m%d-%H%M%S}.tar.gz"
    manifest = write_backup(embedded_data(settings), target, program=__version__, now=now)
    print(f"{target}: {len(manifest.files)} files, {manifest.bytes / 2**20:.1f} MB before compression.")
    print("It contains personal data and the keys that sign tokens and links: protect it accordingly.")
    for note in _elsewhere(settings):
        print(f"Not included: {note}.")
    return 0


def _restore(settings: Settings, chosen: argparse.Namespace) -> int:
    from finassist.composition.backups import embedded_data, finish_restore, restore_backup

    now, data = datetime.now(UTC), embedded_data(settings)
    manifest, replaced = restore_backup(data, chosen.archive, replace=chosen.replace, now=now)
    print(f"{len(manifest.files)} files restored from the backup of {manifest.created_at}.")
    for folder in replaced:
        print(f"The replaced data is in {folder}: delete it when you no longer need it.")
    if settings.sqlite_path is not None:
        records = [folder / settings.sqlite_path.name for folder in replaced]
        _erase_again(settings, settings.sqlite_path, [each for each in records if each.exists()], manifest)
    finish_restore(data)
    if "secret_key" not in manifest.files and settings.secret_key is None:
        print("SECRET_KEY was set when the backup was made: set the same value here.")
    return 0


def _erase_again(settings: Settings, restored: Path, replaced: Sequence[Path], manifest: "Manifest") -> None:
    """Erase users again who were erased after the backup, as far as the replaced records name them."""
    from finassist.composition.backups import erased_since, identities_of

    hashes: set[str] = set()
    for records in replaced:
        try:
            hashes |= erased_since(records, datetime.fromisoformat(manifest.created_at))
        except ServiceUnavailable as error:
            message = "Users who were erased after the backup could not be erased again"
            print(f"{message}: {error.message}", file=sys.stderr)
    if hashes:
        number = asyncio.run(_erase(settings, hashes, identities_of(restored)))
        print(f"Users erased again because they were erased after the backup: {number}.")


async def _erase(settings: Settings, hashes: Collection[str], identities: Sequence[tuple[Any, ...]]) -> int:
    from finassist.application.erasure.admission import identity_hash
    from finassist.composition.container import open_container

    async with open_container(settings) as finassist:
        fingerprints = finassist.adapters.fingerprints
        erased = {
            user_id
            for user_id, issuer, subject in identities
            if identity_hash(fingerprints, issuer, subject) in hashes
        }
        for user_id in erased:
            await finassist.erase_again(user_id)
        await finassist.workers.erasure_runner()
    return len(erased)


def _elsewhere(settings: Settings) -> Iterator[str]:
    if settings.sqlite_path is None:
        yield "the records and the signing keys, which are in the database of DATABASE_URL"
    if settings.object_store_url:
        yield "files, which are in the bucket of OBJECT_STORE_URL"
    if settings.vector_store_url:
        yield "the knowledge base, which is in VECTOR_STORE_URL"
    if settings.secret_key is not None:
        yield "SECRET_KEY, which is set: keep it with your settings"
