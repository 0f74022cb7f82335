"""One secret for all processes that start on a new folder."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from finassist.adapters.system.secret_file import load_or_create_secret


def test_processes_that_race_get_the_same_secret(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        secrets = set(pool.map(load_or_create_secret, [tmp_path] * 16))
    assert len(secrets) == 1
