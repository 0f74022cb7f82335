"""The marker ``engine`` for tests that need another process, the order of tests, and the settings of a fresh
installation."""

import gc
import multiprocessing.process
import os
import platform
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest

from finassist.config import Secret, Settings

TESTS = Path(__file__).parent

FOLDERS = frozenset({"e2e", "outside", "processes", "soak"})
"""Every test in these folders starts a server, a browser or a worker."""

FIXTURES = frozenset({"call_from_processes", "decoder", "pool", "start_server"})
"""Fixtures that start a process."""

PARAMETERS = ("mongodb", "keycloak", "weaviate", "s3")
"""A parameter whose name contains one of these selects a server of ``tests/engines``."""

SLOW_TO_START, ENGINE_SECONDS, PROCESS_SECONDS = ("keycloak", "weaviate"), 400, 300
"""The first test of such a server waits for its start, minutes on a busy machine; other processes start in a
minute there, and some tests start several."""

IMPORTS = frozenset({"documents", "engines", "file_service", "papers", "pictures"})
"""A module that imports from one of these starts engines, or sends files, which other processes decode."""

LONGEST = ("soak", "outside", "e2e", "processes", "contract")
"""Folders whose tests take long, also because they wait: they begin first."""

platform.processor()  # cached here: vendors' clients ask for it, and it runs ``uname``

gc.disable()  # until all tests are imported: hardly anything of that is garbage

# One thread for NumPy, which is imported later: tests run side by side, and threads that wait for others of
# their own product spin meanwhile.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Run the tests of a group in one process."""
    from grouping import GroupScheduling

    return GroupScheduling(config, log)


@pytest.hookimpl(tryfirst=True)  # before the tests of other markers are left out
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Mark the tests that need another process and show it; the others carry ``@pytest.mark.engine``."""
    items.sort(key=begins)
    for item in items:
        if needs_engine(item):
            item.add_marker("engine")
        if any(name in parameters_of(item) for name in SLOW_TO_START):
            item.add_marker(pytest.mark.timeout(ENGINE_SECONDS))
        elif FOLDERS.intersection(item.path.relative_to(TESTS).parts):
            item.add_marker(pytest.mark.timeout(PROCESS_SECONDS))


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what is there for the whole run, and come less often: it takes a
    tenth of the time of short tests."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 100)


def begins(item: pytest.Function) -> int:
    """The place of a test's folder in the order in which tests begin."""
    folder = item.path.relative_to(TESTS).parts[0]
    return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)


def needs_engine(item: pytest.Function) -> bool:
    """Whether folder, fixtures, parameters or imports of a test say that it starts a process."""
    folders = item.path.relative_to(TESTS).parts[:-1]
    return bool(
        FOLDERS.intersection(folders)
        or FIXTURES.intersection(getattr(item, "fixturenames", ()))
        or any(name in parameters_of(item) for name in PARAMETERS)
        or imports_an_engine(item.module)
    )


def parameters_of(item: pytest.Function) -> str:
    """The parameters of a test, as its name shows them."""
    callspec = getattr(item, "callspec", None)
    return callspec.id if callspec else ""


@cache
def imports_an_engine(module: ModuleType) -> bool:
    """Whether a module uses something of one that starts a process."""
    return not IMPORTS.isdisjoint(map(origin, vars(module).values()))


def origin(value: object) -> str:
    """The top-level package that a value of a module comes from."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return str(name).partition(".")[0]


@pytest.fixture(params=["sqlite", "mongodb"])
def store_url(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The URL of an empty database, of either kind. Services of this process wait for MongoDB as long as a
    busy machine takes."""
    from stores import PATIENT_SECONDS, copy_empty_database  # what this and others import takes its time

    if request.param == "sqlite":
        copy_empty_database(tmp_path / "records.db")
        yield f"sqlite:///{tmp_path / 'records.db'}"
    else:
        from engines.mongodb import empty_mongodb
        from finassist.adapters.mongo import MongoDatabase

        limits = MongoDatabase.__init__.__kwdefaults__ or {}
        assert "call_seconds" in limits
        monkeypatch.setitem(limits, "call_seconds", PATIENT_SECONDS)
        with empty_mongodb() as url:
            yield url


@pytest.fixture
def database(store_url: str) -> dict[str, Any]:
    """Settings of an empty database, of either kind; ``raw_records.texts_of`` reads all of it."""
    return {
        "database_url": store_url,
        "secret_key": Secret("a secret key for the tests of the service"),
    }


@pytest.fixture(autouse=True)
def _no_process_without_the_marker(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Fail a test of ``tests/unit`` or ``make test-fast`` that starts a process and is not marked."""
    checked = "unit" in request.path.parts or "not engine" in request.config.option.markexpr
    if not checked or request.node.get_closest_marker("engine"):
        yield
        return
    started: list[Any] = []

    def refuse(*arguments: Any, **_: Any) -> NoReturn:
        started.append(arguments[1:2])
        raise PermissionError("This test starts a process: mark it with @pytest.mark.engine.")

    monkeypatch.setattr(subprocess.Popen, "_execute_child", refuse)
    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", refuse)
    yield
    assert not started, f"This test starts a process, mark it with @pytest.mark.engine: {started}"


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a fresh installation, which does not exist yet; no other setting is set."""
    for name in Settings.__dataclass_fields__:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"
