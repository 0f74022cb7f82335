"""A mixed load while processes are killed and frozen, and databases and the model are out of reach:
nothing that was acknowledged is lost, nothing happens twice, nothing is stuck. `make soak` does the same
for as long as it is told to."""

from pathlib import Path

import pytest

from soak.history import Chat, Outcome
from soak.run import report, service_of, soak

SECONDS, FAULTS = 6, 2


@pytest.mark.timeout(240)
@pytest.mark.parametrize("store", ["sqlite", "mongodb", "hosts"])
async def test_what_clients_saw_holds_whatever_is_broken_meanwhile(store: str, tmp_path: Path) -> None:
    async with service_of(store, tmp_path) as service:
        result = await soak(service, seconds=SECONDS, people=6, faults_min=FAULTS)

    assert result.violations == [], report(result)
    assert len(result.history.faults) >= FAULTS
    assert any(result.history.of(Chat, Outcome.OK))
