"""The wheel is all that is needed: installed elsewhere, away from the checkout, it serves and answers."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from e2e.conftest import ServerProcess

ROOT = Path(__file__).parents[2]
PAGES = ("/", "/web/app.js", "/docs", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js")


def run(*command: str | Path, cwd: Path) -> str:
    """Run to the end; returns what was written."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel. Its dependencies are looked for among those of this environment, and
    never fetched; the checkout, which this one knows by a .pth file, stays out of sight there."""
    folder = tmp_path_factory.mktemp("elsewhere")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "-w", folder, ROOT, cwd=folder)
    (wheel,) = folder.glob("finassist-*.whl")
    venv.create(folder / "env")
    (packages,) = (folder / "env" / "lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    run(*pip, "--python", folder / "env", "install", "--no-index", wheel, cwd=folder)
    return folder


def test_what_runs_is_the_wheel_and_not_the_checkout(installed: Path) -> None:
    place = run(
        installed / "env/bin/python", "-c", "import finassist; print(finassist.__file__)", cwd=installed
    )
    assert place.startswith(str(installed / "env"))


async def test_it_serves_the_page_and_answers_with_sources(installed: Path) -> None:
    server = await ServerProcess.start({}, python=installed / "env/bin/python", cwd=installed)
    try:
        async with server.client() as client:
            pages = [await client.get(path) for path in PAGES]
            answer = await client.post("/api/v1/ai/chat", json={"message": "What is an emergency fund?"})
    finally:
        assert await server.end() == 0
    assert [page.status_code for page in pages] == [200] * len(PAGES)
    assert answer.json()["data"]["sources"]


def test_its_commands_find_what_ships(installed: Path) -> None:
    seeded = run(installed / "env/bin/finassist", "seed", cwd=installed)
    assert "preprompts.yaml: preprompts: " in seeded
    run(installed / "env/bin/finassist", "backup", "backup.tar.gz", cwd=installed)


@pytest.mark.parametrize("example", ["ask.py", "stream.py", "own_model.py", "attachments.py"])
def test_the_examples_run_with_it(example: str, installed: Path) -> None:
    assert run(installed / "env/bin/python", ROOT / "examples" / example, cwd=installed).strip()


def shown_tests() -> dict[str, str]:
    """The files that docs/testing.md shows, by the names in their first lines."""
    page = (ROOT / "docs" / "testing.md").read_text()
    blocks = re.findall(r"^```(?:python|ini)\n# (\S+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return dict(blocks)


def test_the_shown_tests_are_short() -> None:
    lines = {
        name: len([line for line in text.splitlines() if line.strip()])
        for name, text in shown_tests().items()
    }
    assert len([name for name in lines if name.startswith("test_")]) == 3
    assert max(lines.values()) < 25


def test_the_tests_that_the_page_about_testing_shows_pass_with_it(installed: Path, tmp_path: Path) -> None:
    for name, text in shown_tests().items():
        (tmp_path / name).write_text(text)
    said = run(
        *(
            installed / "env/bin/python",
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:schemathesis",
            "-ra",
        ),
        cwd=tmp_path,
    )
    assert "4 passed, 1 skipped" in said, said
    place = run(
        *(installed / "env/bin/python", "-c", "import finassist.testing; print(finassist.testing.__file__)"),
        cwd=tmp_path,
    )
    assert place.startswith(str(installed / "env"))
