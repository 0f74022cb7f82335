"""The real engines that tests run against: each is found or started on first use, once a session.

``make engines`` provides what can be built. A test whose engine is missing is skipped and says so; in
continuous integration (``CI`` set) it fails, so that nothing is left out there unnoticed.
"""

import os
from pathlib import Path
from typing import NoReturn

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "finassist-engines"
"""Where `make engines` puts them."""


def missing(how_to_get_it: str) -> NoReturn:
    """End the test that needs an engine which is not there."""
    if os.environ.get("CI"):
        pytest.fail(how_to_get_it)
    pytest.skip(how_to_get_it)
