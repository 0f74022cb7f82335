"""Environments of the peers: one each, in a cache outside the checkout, with pinned versions."""

import os
import subprocess
import sys
import venv
from hashlib import sha256
from pathlib import Path

from benchmarks.processes import Broken

_REQUIREMENTS = Path(__file__).with_name("requirements")


def environment(name: str) -> Path:
    """The folder of the programs of this peer's environment, which is made where it is missing.

    It is named after what is installed, and marked when all of that is, so what is there is current.
    """
    requirements = _REQUIREMENTS / f"{name}.txt"
    folder = cache() / folder_name(name, requirements.read_bytes(), sys.version_info[:2])
    programs = folder / "bin"
    complete = folder / "complete"
    if not complete.exists():
        print(f"{name}: installing into {folder}", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(programs / "python"), "-m", "pip", "install", "--quiet"]
        install = [*pip, "--requirement", str(requirements)]
        if subprocess.run(install, check=False).returncode:
            raise Broken(f"{name}: its packages cannot be had")
        complete.touch()
    return programs


def cache() -> Path:
    """Where environments are kept, beside the engines of the tests."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "finassist-peers"


def folder_name(name: str, requirements: bytes, python: tuple[int, ...]) -> str:
    """Another one for other requirements, and for another Python."""
    version = ".".join(map(str, python))
    return f"{name}-python{version}-{sha256(requirements).hexdigest()[:12]}"
