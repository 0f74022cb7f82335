"""A loopback server that speaks OpenAI's ``/v1/embeddings``, and fails as a test scripts it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from servers.latent_semantics import latent_semantics
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

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
                await self._respond(writer, how, sent["input"])
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

    async def _respond(self, writer: asyncio.StreamWriter, how: Failing, texts: Sequence[str]) -> None:
        body = self._body(how, texts)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **how.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {how.status} Scripted\r\n{lines}\r\n".encode() + body)
        await writer.drain()

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
    model = EmbeddingServer(embed or latent_semantics().embed)
    server = await asyncio.start_server(model.answer, "127.0.0.1", 0, limit=2**26)
    model.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield model
    finally:
        server.close()
