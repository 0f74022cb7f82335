"""Every shell block of the README's story runs as printed, but for the port."""

import asyncio
import re
from pathlib import Path

from e2e.conftest import Start

README = Path(__file__).parents[2] / "README.md"
PRINTED_ADDRESS = "http://127.0.0.1:8000"


def blocks() -> list[str]:
    return re.findall(r"```sh\n(.*?)```", README.read_text(), re.DOTALL)


async def run(script: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "bash", "-euo", "pipefail", "-c", script, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, script
    return output.decode()


async def test_the_five_calls_of_the_readme_run_as_printed(start_server: Start) -> None:
    server = await start_server()
    outputs = [await run(block.replace(PRINTED_ADDRESS, server.address)) for block in blocks()]

    launch, buffered, streamed, conversations, feedback = outputs
    assert '"isOnboardingRequired":true' in launch
    assert "[1]" in buffered
    assert streamed.count('"type":"token"') > 10
    assert streamed.count('"type":"done"') == 1
    assert '"total":2' in conversations
    assert '"rating":1' in feedback
