"""The last release and this version run on one database while hosts are upgraded one after the other."""

from pathlib import Path

import pytest

from soak.history import Chat, Outcome
from soak.releases import last_release
from soak.run import report, soak
from soak.services import upgraded_hosts


@pytest.mark.timeout(240)
async def test_hosts_are_upgraded_one_after_the_other_under_load(store_url: str, tmp_path: Path) -> None:
    old = last_release(tmp_path / "release")
    async with upgraded_hosts(tmp_path / "data", store_url, old) as service:
        result = await soak(service, seconds=10, people=4)

    assert result.violations == [], report(result)
    assert result.history.faults
    assert any(result.history.of(Chat, Outcome.OK))
