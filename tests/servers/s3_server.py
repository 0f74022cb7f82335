"""An S3 server on loopback that fails as it is told, for what a real one cannot be made to do."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from servers.loopback import serving

_HEAD = re.compile(rb"^(?P<name>[^:\r\n]+): *(?P<value>[^\r\n]*)", re.MULTILINE)
_BEGUN = "<InitiateMultipartUploadResult><UploadId>upload-1</UploadId></InitiateMultipartUploadResult>"


@dataclass(frozen=True)
class Answer:
    """What the server says. ``promised`` is the length that it announces, when that is a lie."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    promised: int | None = None


def refusal(status: int, code: str) -> Answer:
    """An error as S3 tells it."""
    return Answer(status, f"<Error><Code>{code}</Code><Message>No.</Message></Error>".encode())


class ScriptedS3:
    """Takes everything, until ``answer`` gives something else for a request (None: as usual).

    ``requests`` are the operations that came in, in order: ``PUT``, ``POST uploads``, ``PUT part 2``,
    ``POST complete``, ``DELETE upload``, ...
    """

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.answer: Callable[[str], Answer | None] = lambda operation: None
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                await self._respond(line, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _respond(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method, target, _ = line.decode().split()
        head = await reader.readuntil(b"\r\n\r\n")
        headers = {m["name"].lower(): m["value"] for m in _HEAD.finditer(head)}
        if headers.get(b"expect") == b"100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        await reader.readexactly(int(headers.get(b"content-length", b"0")))
        operation = _operation(method, target)
        self.requests.append(operation)
        answer = self.answer(operation) or _usual(operation)
        length = len(answer.body) if answer.promised is None else answer.promised
        fields = {"Content-Length": str(length), "ETag": '"etag"', **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} Whatever", *(f"{name}: {fields[name]}" for name in fields)]
        writer.write("\r\n".join([*lines, "", ""]).encode() + answer.body)
        await writer.drain()
        if answer.promised is not None:
            writer.close()


def _operation(method: str, target: str) -> str:
    query = parse_qs(urlsplit(target).query, keep_blank_values=True)
    if "partNumber" in query:
        return f"{method} part {query['partNumber'][0]}"
    if "uploads" in query:
        return f"{method} uploads"
    if "uploadId" in query:
        return f"{method} {'complete' if method == 'POST' else 'upload'}"
    return method


def _usual(operation: str) -> Answer:
    if operation == "POST uploads":
        return Answer(body=_BEGUN.encode())
    if operation == "POST complete":
        return Answer(body=b"<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>")
    return Answer(204) if operation.startswith("DELETE") else Answer()


@asynccontextmanager
async def scripted_s3() -> AsyncIterator[ScriptedS3]:
    """A running server."""
    async with serving(ScriptedS3()) as script:
        yield script
