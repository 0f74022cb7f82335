"""The last release and this version run on one database while hosts are upgraded one after the other."""

from pathlib import Path

import pytest

from outside.fuzz import THIS_VERSION, fuzz_side_by_side
from servers.model_server import serve_model
from soak.history import Chat, Outcome
from soak.releases import last_release
from soak.run import report, soak
from soak.services import SECRET_KEY, upgraded_hosts

OPERATIONS_MIN = 100
NEVER_SUCCEED = {
    "GET /oauth/authorize",  # the address of the page is that of the other host
    "POST /api/v1/ai/chat/stop",  # nothing runs under a key
    "POST /api/v1/auth/social",  # takes the token of an outer provider
}
"""Operations that no request of this test succeeds with, and why."""


@pytest.mark.timeout(240)
async def test_hosts_are_upgraded_one_after_the_other_under_load(store_url: str, tmp_path: Path) -> None:
    old = last_release(tmp_path / "release")
    async with upgraded_hosts(tmp_path / "data", store_url, old) as service:
        result = await soak(service, seconds=10, people=4)

    assert result.violations == [], report(result)
    assert result.history.faults
    assert any(result.history.of(Chat, Outcome.OK))


@pytest.mark.timeout(240)
async def test_every_operation_of_either_version_serves_the_records_that_the_other_made(
    store_url: str, tmp_path: Path
) -> None:
    versions = [last_release(tmp_path / "release"), Path(THIS_VERSION)]
    shared = {"DATABASE_URL": store_url, "SECRET_KEY": SECRET_KEY, "DATA_DIR": str(tmp_path / "data")}
    async with serve_model() as model:
        runs = await fuzz_side_by_side({**shared, **model.environ}, versions)

    assert [found.errors for found in runs] == [[], []]
    for found in runs:
        assert found.status == 0, found.report
        assert len(found.answers) > OPERATIONS_MIN
        assert {label for label, statuses in found.answers.items() if min(statuses) >= 400} <= NEVER_SUCCEED
