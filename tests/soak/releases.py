"""The last release, to run it beside this version.

``last_release.tar.xz`` beside this file is the package of that release. It is part of the repository,
because neither a clone without history nor the source distribution could build it. It lacks what a chat
without search reads nothing of, which is taken from the checkout. ``PYTHONPATH=tests python -m
soak.releases COMMIT`` makes the archive of a release.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[2]
ARCHIVE = Path(__file__).with_name("last_release.tar.xz")
_PACKAGE = "src/finassist"
_LEFT_OUT = tuple(
    f"{_PACKAGE}/{folder}/"
    for folder in (
        "data/knowledge",
        "data/quote_images",
        "data/sentence_encoder",
        "entrypoints/http/openapi/swagger_ui",
    )
)
_LARGE: Final = f"{_PACKAGE}/data/retrieval"
_LARGE_SUFFIXES: Final = {".npz", ".gz"}


def last_release(folder: Path) -> Path:
    """Unpack it, and return what belongs on PYTHONPATH."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    for name in _LEFT_OUT:
        shutil.copytree(ROOT / name, folder / name, copy_function=os.symlink)
    for file in (ROOT / _LARGE).iterdir():
        if file.suffix in _LARGE_SUFFIXES:
            (folder / _LARGE / file.name).symlink_to(file)
    return folder / "src"


def pack(commit: str) -> int:
    """Write the archive of that commit; returns its size in bytes."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        tree = subprocess.run(["git", "archive", commit, _PACKAGE], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "--extract"], cwd=folder, input=tree.stdout, check=True)
        with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
            for file in sorted((folder / _PACKAGE).rglob("*")):
                name = str(file.relative_to(folder))
                if file.is_file() and not _is_left_out(name):
                    archive.add(file, name, filter=_of_nobody)
    return ARCHIVE.stat().st_size


def _is_left_out(name: str) -> bool:
    is_large = name.startswith(_LARGE) and Path(name).suffix in _LARGE_SUFFIXES
    return is_large or name.startswith(_LEFT_OUT)


def _of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same bytes on whatever machine it is packed."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    sys.stdout.write(f"{ARCHIVE}: {pack(sys.argv[1])} bytes\n")
