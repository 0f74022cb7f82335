"""The command line with an embedder, and with Weaviate."""

import asyncio
import io
import json
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from finassist import open_container
from finassist.config import Settings
from finassist.domain.knowledge import Article
from finassist.entrypoints.cli.main import main
from finassist.entrypoints.cli.progress import ProgressBar
from servers.embedding_server import EmbeddingServer, serve_embeddings

pytestmark = pytest.mark.usefixtures("data_dir")

ARTICLE = {"id": "zebra-fund", "title": "Zebra funds", "body": "A zebra fund keeps striped savings apart."}


@pytest.fixture
def small_base(data_dir: Path) -> None:
    """A knowledge base with one article in place of those that ship, which take seconds to embed."""
    article = Article(id="loan", title="Loans", body="A mortgage is a loan that a house secures.")

    async def start() -> None:
        async with open_container(Settings(data_dir=data_dir), starter_articles=lambda: [article]):
            pass

    asyncio.run(start())


@pytest.fixture
def server(small_base: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """An embedder in a thread of its own, because commands have their own event loop."""
    ready = threading.Event()
    running: list[EmbeddingServer] = []
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        async with serve_embeddings() as opened:
            running.append(opened)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    for name, text in running[0].environ.items():
        monkeypatch.setenv(name, text)
    yield running[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


def write_lines(path: Path, *lines: object) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_added_articles_have_their_vectors_at_once(
    server: EmbeddingServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["knowledge", "add", write_lines(tmp_path / "a.jsonl", ARTICLE)]) == 0
    assert capsys.readouterr().out == "1 article stored.\n"
    assert sum("striped savings" in text for text in server.texts) == 1
    asked = len(server.texts)
    assert main(["knowledge", "embed"]) == 0
    assert capsys.readouterr().out == "All articles have vectors.\n"
    assert len(server.texts) == asked
    assert main(["knowledge", "search", "zebra", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == "zebra-fund"
    assert server.texts[-1] == "zebra"


def test_a_failing_embedder_is_named_and_the_articles_stay(
    server: EmbeddingServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fail(status=401)
    assert main(["knowledge", "add", write_lines(tmp_path / "a.jsonl", ARTICLE)]) == 1
    answer = capsys.readouterr()
    assert answer.out == "1 article stored.\n"
    assert "The embedder failed: auth." in answer.err
    assert main(["check-config"]) == 1
    assert "EMBEDDINGS_MODEL: The embedder failed: auth." in capsys.readouterr().err
    server.recover()
    assert main(["knowledge", "embed"]) == 0
    assert main(["check-config"]) == 0
    assert capsys.readouterr().err == ""


def test_vectors_of_another_model_are_replaced(
    server: EmbeddingServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["knowledge", "add", write_lines(tmp_path / "a.jsonl", ARTICLE)]) == 0
    monkeypatch.setenv("EMBEDDINGS_MODEL", "newer")
    asked = len(server.texts)
    assert main(["knowledge", "embed"]) == 0
    assert sum("striped savings" in text for text in server.texts[asked:]) == 1
    assert main(["check-config"]) == 0


def test_embedding_needs_an_embedder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EMBEDDINGS_MODEL", "none")
    assert main(["knowledge", "embed"]) == 2
    assert capsys.readouterr().err.startswith("EMBEDDINGS_MODEL: ")


def test_the_evaluation_measures_the_search_with_vectors(
    server: EmbeddingServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"id": "1", "question": "What is a zebra fund?", "answer": "A zebra fund keeps striped savings."}
    assert main(["knowledge", "eval", write_lines(tmp_path / "q.jsonl", line)]) == 0
    assert "recall@1   1.000" in capsys.readouterr().out
    assert server.texts == [line["answer"], "What is a zebra fund"]


def test_check_config_says_what_the_server_of_vectors_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VECTOR_STORE_URL", "weaviate://127.0.0.1:9")
    assert main(["check-config"]) == 1
    assert "VECTOR_STORE_URL: The knowledge base's server could not be used" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "weaviate", None)
    for module in [name for name in sys.modules if name.startswith("finassist.adapters.vectors.")]:
        monkeypatch.delitem(sys.modules, module)
    assert main(["check-config"]) == 2
    assert "install finassist[weaviate]" in capsys.readouterr().err


class Terminal(io.StringIO):
    """A terminal that remembers."""

    def isatty(self) -> bool:
        return True


def test_progress_shows_on_a_terminal_only_and_goes_in_the_end() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        with ProgressBar("embedding", stream) as progress:
            progress(5, 10)
            progress(10, 10)
    assert pipe.getvalue() == ""
    lines = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", terminal.getvalue()).splitlines()
    assert [line.split()[0] for line in lines if line.strip()] == ["embedding", "embedding"]
    assert [re.findall(r"\d+/\d+", line) for line in lines if line.strip()] == [["5/10"], ["10/10"]]
    assert terminal.getvalue().endswith("\r\x1b[1A\x1b[2K"), "its line is cleared"


def test_progress_of_nothing_is_not_shown() -> None:
    terminal = Terminal()
    with ProgressBar("embedding", terminal) as progress:
        progress(0, 0)
    assert terminal.getvalue() == ""
