"""A loopback server that takes text messages as Twilio's REST API does, and answers as a test says."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from servers.loopback import serving


@dataclass
class SmsServer:
    """``requests`` are path, credentials and form of what came in; ``body`` None never answers."""

    url: str = ""
    status: int = 201
    body: bytes | None = b'{"sid": "SM1", "status": "queued"}'
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
            sent = [line for line in head.splitlines() if line.lower().startswith("authorization: basic ")]
            form = (await reader.readexactly(int(lines["content-length"]))).decode()
            self.requests.append(
                (
                    head.split(" ")[1],
                    b64decode(sent[0].rpartition(" ")[2]).decode() if sent else "",
                    {name: values[0] for name, values in parse_qs(form).items()},
                )
            )
            if self.body is None:
                await reader.read()
                return
            writer.write(
                f"HTTP/1.1 {self.status} Scripted\r\nContent-Type: application/json\r\n"
                f"Location: {self.url}/elsewhere\r\n"
                f"Content-Length: {len(self.body)}\r\nConnection: close\r\n\r\n".encode()
                + self.body
            )
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serve_sms() -> AsyncIterator[SmsServer]:
    """Run the server on loopback."""
    async with serving(SmsServer()) as sms:
        yield sms
