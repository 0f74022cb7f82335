"""Every shell block of the README and of docs/ runs as printed, page by page, as somebody would run it who
reads the page from its top, in one folder and one terminal."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from papers import STATEMENT, pdf

from pictures import encoded, picture
from servers.oidc_server import OidcServer, serve_oidc
from waiting import until

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PRINTED_ADDRESS = "http://127.0.0.1:8000"

STEP = re.compile(
    r"^```\n(?P<settings>(?:[A-Z_]+=\S+ )*)make run(?: 2> (?P<log>\S+))?\n```$"
    r"|^```sh\n(?P<shell>.*?)^```(?:\n\n```json\n(?P<shown>.*?)^```)?",
    re.DOTALL | re.MULTILINE,
)
# Statuses go to a file. Variables stay from block to block, as they do in a terminal.
PRELUDE = """set -euo pipefail
curl() { command curl -w '%{stderr}%{http_code}\\n' "$@" 2>>.statuses; }
set -a
[ ! -f .variables ] || . ./.variables
"""
AFTERWARDS = "\nexport -p | grep -v ' SHELLOPTS=\\| BASHOPTS=' > .variables\n"

SAID = {
    "How large should my emergency fund be?": r"\[1\]",
    "difference between an index fund and an ETF": r'(?s)("type":"token".*){10}"type":"done"',
    "/messages/$MESSAGE/feedback": r'"rating":1',
    "How much did I pay for electricity?": r"71\.15",
    "python3 -m zipfile -l my-data.zip": r"messages\.json",
    '"preprompt_key": "first-budget"': r'"prepromptKey":"first-budget"',
}
"""What the output of a block must have that has this text."""


@dataclass
class Reader:
    """Who reads a page: the folder, the service that runs there now, and what is put in for printed names."""

    folder: Path
    port: int
    replaced: dict[str, str]
    server: asyncio.subprocess.Process | None = None

    async def start(self, settings: dict[str, str], log: str | None) -> None:
        """``make run`` with these settings, in place of the service that runs."""
        await self.stop()
        with (self.folder / (log or ".log")).open("wb") as errors:
            self.server = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "finassist", "serve", "--port", str(self.port)),
                env={"PATH": os.environ["PATH"], **settings},
                cwd=self.folder,
                stderr=errors,
            )
        async with httpx2.AsyncClient() as client:
            ready = f"http://127.0.0.1:{self.port}/health/ready"
            await until(lambda: client.get(ready), ignored=httpx2.TransportError)

    async def stop(self) -> None:
        if self.server is not None:
            self.server.send_signal(signal.SIGTERM)
            assert await self.server.wait() == 0

    def as_run(self, text: str) -> str:
        for printed, real in self.replaced.items():
            text = text.replace(printed, real)
        return text

    async def run(self, block: str) -> str:
        """Run a block; it succeeds, and its requests get 2xx except those whose status it names."""
        (self.folder / ".statuses").unlink(missing_ok=True)
        process = await asyncio.create_subprocess_exec(
            *("bash", "-c", PRELUDE + self.as_run(block) + AFTERWARDS),
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(60):
            written, _ = await process.communicate()
        output = written.decode()
        assert process.returncode == 0, f"{block}\n{output}"
        named = re.findall(r"^# (\d{3})\b", block, re.MULTILINE)
        assert [status for status in self._statuses() if status[0] != "2"] == named, f"{block}\n{output}"
        return output

    def _statuses(self) -> list[str]:
        file = self.folder / ".statuses"
        return re.findall(r"^(\d{3})$", file.read_text(), re.MULTILINE) if file.exists() else []


@asynccontextmanager
async def reading(folder: Path) -> AsyncIterator[Reader]:
    """A reader with what readers have: an installation, files of their own, and an account elsewhere."""
    (folder / ".venv").symlink_to(sys.prefix)
    (folder / "statement.pdf").write_bytes(pdf(STATEMENT))
    for name in ("photo.png", "quote.png"):
        (folder / name).write_bytes(encoded(picture(), "PNG"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with serve_oidc() as social:
        address = f"http://127.0.0.1:{port}"
        replaced = {PRINTED_ADDRESS: address, "https://accounts.google.com": social.issuer}
        (folder / ".variables").write_text(f"ID_TOKEN={google_token(social)}\n")
        reader = Reader(folder, port, replaced)
        yield reader
        await reader.stop()


def google_token(social: OidcServer) -> str:
    return social.token(aud="our-client-id", email="eve@example.com", email_verified=True, name="Eve")


def is_like(shown: Any, real: Any) -> bool:
    """Whether a printed answer is true: its fields exist, and their values are of the same kind."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(
            name in real and is_like(value, real[name]) for name, value in shown.items()
        )
    if isinstance(shown, list):
        return isinstance(real, list) and (not shown or (bool(real) and is_like(shown[0], real[0])))
    return type(shown) is type(real) or {type(shown), type(real)} == {int, float}


def last_answer(output: str) -> Any:
    """The last JSON document of what a block wrote."""
    decoder, found, place = json.JSONDecoder(), None, 0
    while (place := output.find("{", place)) >= 0:
        found, place = decoder.raw_decode(output, place)
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```sh" in page.read_text()], ids=lambda page: page.stem
)
async def test_a_page_runs_as_printed(page: Path, tmp_path: Path) -> None:
    async with reading(tmp_path) as reader:
        for step in STEP.finditer(page.read_text()):
            if step["shell"] is None:
                pairs = (setting.split("=", 1) for setting in reader.as_run(step["settings"]).split())
                await reader.start(dict(pairs), step["log"])
                continue
            if reader.server is None:
                await reader.start({}, None)
            output = await reader.run(step["shell"])
            for text, said in SAID.items():
                assert text not in step["shell"] or re.search(said, output), f"{step['shell']}\n{output}"
            if step["shown"] is not None:
                assert is_like(json.loads(step["shown"]), last_answer(output)), f"{step['shown']}\n{output}"


def test_all_that_the_blocks_should_say_is_in_a_page() -> None:
    shell = "".join(step["shell"] or "" for page in PAGES for step in STEP.finditer(page.read_text()))
    assert [text for text in SAID if text not in shell] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_request_is_printed_where_nothing_runs_it(page: Path) -> None:
    rest = STEP.sub("", page.read_text())
    assert re.findall(r"^.*\bcurl -.*$|^```(?:bash|console|shell)$", rest, re.MULTILINE) == []


def headings(page: Path) -> set[str]:
    """The anchors of a page, as its viewers make them of headings."""
    found = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_to_parts_of_pages_lead_to_headings(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", page.read_text())
    targets = [(page.parent / path if path else page, anchor) for path, anchor in links]
    assert [anchor for target, anchor in targets if anchor not in headings(target)] == []


def shown(page: str, language: str) -> str:
    """The one block of that language in a page."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    return str(block)


async def run_python(folder: Path, *arguments: str) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    written, _ = await process.communicate()
    assert process.returncode == 0
    return written


async def test_the_script_of_the_readme_prints_an_answer(tmp_path: Path) -> None:
    assert b"[1]" in await run_python(tmp_path, "-c", shown("README.md", "python"))


async def test_the_catalog_file_that_is_shown_can_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(shown("docs/setup/catalogs.md", "yaml"))
    written = await run_python(tmp_path, "-m", "finassist", "seed", "mine.yaml")
    assert written.count(b": 1 stored") >= 3
