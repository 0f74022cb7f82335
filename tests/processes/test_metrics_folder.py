"""The folder of the workers' figures goes with the service, also when the service was killed."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from finassist.entrypoints.server.metrics_folder import metrics_folder

SERVICE = """
import sys
from finassist.entrypoints.server.metrics_folder import metrics_folder

with metrics_folder() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_service_left_is_removed_by_the_next_and_nothing_of_one_that_runs(parent: Path) -> None:
    command = [sys.executable, "-c", SERVICE]
    service = subprocess.Popen(
        command, env={"TMPDIR": str(parent), "PYTHONPATH": ":".join(sys.path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with service:
        assert service.stdout is not None
        running = Path(service.stdout.readline().strip())
        with metrics_folder() as ours:
            assert set(parent.iterdir()) == {running, ours}
        service.kill()
    assert set(parent.iterdir()) == {running}
    with metrics_folder() as ours:
        assert set(parent.iterdir()) == {ours}
    assert set(parent.iterdir()) == set()


def test_a_link_in_the_place_of_a_folder_is_left_alone(parent: Path) -> None:
    (parent / "elsewhere").mkdir()
    (parent / "elsewhere" / "lock").touch()
    (parent / "finassist-metrics-link").symlink_to(parent / "elsewhere")
    with metrics_folder():
        assert (parent / "elsewhere" / "lock").exists()
