"""Servers of the tests of the chat page: they start in a fraction of the time, because it is the page that is
tested."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from e2e.conftest import ServerProcess, Start, servers_in


@pytest.fixture
async def start_server(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts servers that share ``tmp_path`` as their DATA_DIR, forks of one process, and ends them after the
    test."""
    async with servers_in(tmp_path, ServerProcess.fork) as start:
        yield start
