"""What a type checker says of a script: mypy, as it comes, on scripts that are right and wrong."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SCRIPT = """
from finassist import Caller, ChatMessage, Message, Settings, TurnStream, open_container
from finassist.ports import Clock, ModelCapabilities, UserRepository

class Model:
    provider = "mine"

async def script(caller: Caller) -> None:
    async with open_container(Settings()) as finassist:
        turn: TurnStream = await finassist.send_message(caller, ChatMessage(message="Hi"))
        users: UserRepository = finassist.adapters.users
        await finassist.no_such(1)  # E: "Finassist" has no attribute "no_such"
        await finassist.send_message(caller, "Hi")  # E: Argument 2 .* has incompatible type "str"
        await finassist.send_message(caller)  # E: Missing positional argument "message"
        message: Message = await finassist.send_message(caller, ChatMessage(message="Hi"))  # E: TurnStream
        finassist.adapters.nothing  # E: "Adapters" has no attribute "nothing"
        clock: Clock = finassist.adapters.ids  # E: Incompatible types in assignment
    open_container(no_such=1)  # E: Unexpected keyword argument "no_such" for "open_container"
    open_container(language_model=Model())  # E: incompatible type "Model"; expected "LanguageModel"
    open_container(language_model=None)  # E: incompatible type "None"; expected "LanguageModel"
    open_container(embedder=None)
"""


def check(*scripts: Path) -> subprocess.CompletedProcess[str]:
    """Run mypy, with nothing but ``--strict``."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "", *scripts],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(300)  # with no cache, mypy reads every library that the service uses
def test_mypy_accepts_what_is_there_and_rejects_what_is_not(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    ended = check(script)
    found = dict(re.findall(r"^.*script\.py:(\d+): error: (.*)$", ended.stdout, re.MULTILINE))
    expected = {
        str(number): line.partition("# E: ")[2]
        for number, line in enumerate(SCRIPT.splitlines(), 1)
        if "# E: " in line
    }
    assert found.keys() == expected.keys(), ended.stdout + ended.stderr
    wrong = {line: text for line, text in expected.items() if not re.search(text, found[line])}
    assert wrong == {}, ended.stdout


@pytest.mark.timeout(300)
def test_the_scripts_that_pages_show_type_check(tmp_path: Path) -> None:
    scripts = []
    for page in (ROOT / "README.md", ROOT / "docs" / "embedding.md", ROOT / "docs" / "testing.md"):
        shown = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        assert shown, page
        for number, text in enumerate(shown):
            script = tmp_path / f"{page.stem.lower()}_{number}.py"
            script.write_text(text)
            scripts.append(script)
    ended = check(*scripts)
    assert ended.returncode == 0, ended.stdout
