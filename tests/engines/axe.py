"""axe-core, which finds what keeps people from using a page; ``make engines`` fetches it."""

from typing import Final

from engines import CACHE, missing

MISSING: Final = "no axe-core: run `make engines`, with npm on PATH"


def axe_script() -> str:
    """The script that defines ``axe``; skips the test when it is not there."""
    path = CACHE / "axe-core" / "axe.min.js"
    if not path.is_file():
        missing(MISSING)
    return path.read_text()
