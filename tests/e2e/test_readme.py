"""Every shell block of the README's story runs as printed, but for the port."""

import asyncio
import os
import re
import sys
from pathlib import Path

from e2e.conftest import Start

README = Path(__file__).parents[2] / "README.md"
PRINTED_ADDRESS = "http://127.0.0.1:8000"


def blocks(section: str) -> list[str]:
    """The shell blocks of a section."""
    text = README.read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", text, re.DOTALL)


async def run(script: str, **environ: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", script),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **environ},
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, script
    return output.decode()


async def test_the_five_calls_of_the_readme_run_as_printed(start_server: Start) -> None:
    server = await start_server()
    outputs = [await run(block.replace(PRINTED_ADDRESS, server.address)) for block in blocks("Five calls")]

    launch, buffered, streamed, conversations, feedback = outputs
    assert '"isOnboardingRequired":true' in launch
    assert "[1]" in buffered
    assert streamed.count('"type":"token"') > 10
    assert streamed.count('"type":"done"') == 1
    assert '"total":2' in conversations
    assert '"rating":1' in feedback


async def test_an_account_runs_as_printed(start_server: Start, tmp_path: Path) -> None:
    server = await start_server()
    folder = f"cd {tmp_path}\n"
    launched, answered, shared = [
        await run(folder + block.replace(PRINTED_ADDRESS, server.address))
        for block in blocks("With an account")
    ]

    assert '"isLoggedIn":true' in launched
    assert "71.15" in answered
    assert '"content":"How much did I pay for electricity?"' in shared
    assert '"filename":"expenses.txt"' in shared


async def test_leaving_runs_as_printed(start_server: Start, tmp_path: Path) -> None:
    server = await start_server()
    folder = f"cd {tmp_path}\n"
    exported, erased = [
        await run(folder + block.replace(PRINTED_ADDRESS, server.address)) for block in blocks("Leave again")
    ]

    assert "messages.json" in exported
    assert '"status":"' in erased


async def test_the_cycle_of_a_catalog_runs_as_printed(start_server: Start, tmp_path: Path) -> None:
    server = await start_server(BACKEND_SECRET="choose-a-long-one")
    finassist = f"{sys.executable} -m finassist"
    outputs = [
        await run(
            block.replace(PRINTED_ADDRESS, server.address).replace(".venv/bin/finassist", finassist),
            DATA_DIR=str(tmp_path),
        )
        for block in blocks("Run your own catalog")
    ]

    seeded, created, answered, changed, configured = outputs
    assert "preprompts: 12 stored" in seeded
    record, labels = created.split('{"success":true')[1:]
    assert '"maskedValue":"Ask for the monthly income first.' in record
    assert '"publicValue":"My first budget"' in labels
    assert "maskedValue" not in labels
    assert '"prepromptKey":"first-budget"' in answered
    _, edited, deleted, restored = changed.split('{"success":')
    assert '"description":"Three ways to begin"' in edited
    assert '"deleted":true' in deleted
    assert '"isDeleted":false' in restored
    assert '"faqs":"https://help.example.com/faq"' in configured
