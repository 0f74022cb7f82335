"""A loopback server that speaks OpenAI's ``/v1/embeddings``, and fails as a test scripts it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from servers.latent_semantics import latent_semantics
from servers.loopback import serving, write_json
from servers.model_server import read_request

Embed = Callable[[Sequence[str]], list[list[float]]]


@dataclass
class Failing:
    """How the server fails. Without ``times`` it fails until it is told otherwise."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay: float = 0
    cut: bool = False
    change: Callable[[dict[str, Any]], object] | None = None  # spoils a good answer
    times: int | None = None


class EmbeddingServer:
    """The server. ``batches`` are the inputs it got; ``embed`` makes the vectors."""

    def __init__(self, embed: Embed) -> None:
        self.embed = embed
        self.batches: list[list[str]] = []
        self.heads: list[bytes] = []
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._failing = Failing()

    @property
    def environ(self) -> dict[str, str]:
        """Settings that make the service use this server."""
        return {"EMBEDDINGS_MODEL": "latent-semantics", "EMBEDDINGS_BASE_URL": self.url}

    @property
    def texts(self) -> list[str]:
        """Every text that was sent, in order."""
        return [text for batch in self.batches for text in batch]

    def fail(self, **how: Any) -> None:
        """Fail like this from now on."""
        self._failing = Failing(**how)

    def recover(self) -> None:
        """Answer well from now on."""
        self._failing = Failing()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while (request := await read_request(reader)) is not None:
                head, body = request
                self.heads.append(head)
                sent = json.loads(body)
                self.requests.append(sent)
                self.batches.append(sent["input"])
                how = self._next_failure()
                await asyncio.sleep(how.delay)
                if how.cut:
                    writer.transport.abort()
                    return
                await write_json(writer, how.status, self._body(how, sent["input"]), how.headers)
        except ConnectionError:
            pass
        finally:
            writer.close()

    def _next_failure(self) -> Failing:
        how = self._failing
        if how.times is not None:
            if how.times == 0:
                return Failing()
            how.times -= 1
        return how

    def _body(self, how: Failing, texts: Sequence[str]) -> bytes:
        if how.body is not None:
            return how.body
        if how.status != 200:
            return b'{"error": {"message": "scripted"}}'
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(self.embed(texts))
        ]
        answer: dict[str, Any] = {"object": "list", "data": data, "model": "latent-semantics"}
        if how.change is not None:
            how.change(answer)
        return json.dumps(answer).encode()


@asynccontextmanager
async def serve_embeddings(embed: Embed | None = None) -> AsyncIterator[EmbeddingServer]:
    """Run the server on loopback."""
    async with serving(EmbeddingServer(embed or latent_semantics().embed), path="/v1") as model:
        yield model
