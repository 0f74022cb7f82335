"""Many large files at once: what the service's memory grows by while it receives them."""

import asyncio
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.lists import stores
from benchmarks.processes import Broken, Server, service
from benchmarks.report import Figure, Section

UPLOADS = 50
FILE_MB = 20
GROWTH_MB = 400.0

_MEGABYTE = 2**20
_PIECE = 64 * 1024
_BOUNDARY = b"benchmark"
_SAMPLE_SECONDS = 0.02
_PATIENCE_SECONDS = 600

_NOTES = f"""\
{UPLOADS} users upload a PDF of {FILE_MB} MB each, all at once, as fast as the service takes them. Memory is
the resident set, looked at every {_SAMPLE_SECONDS * 1000:.0f} ms: the highest during the uploads less the one
before. The baseline is what the files themselves weigh. Files are looked into by processes of their own;
their memory is shown apart."""


def measure(directory: Path) -> Section:
    """Growth of memory, and uploads per second."""
    data_dir = directory / "uploads"
    users = asyncio.run(stores.build(data_dir, guests=0, registered=UPLOADS, conversations=UPLOADS))
    authorizations = [user.headers["authorization"] for user in users]
    with service(data_dir, TRUSTED_PROXIES="127.0.0.1") as server:
        asyncio.run(_upload_all(server.port, authorizations[:1]))
        peak = _Peak(server)
        started = time.perf_counter()
        with peak:
            asyncio.run(_upload_all(server.port, authorizations))
        seconds = time.perf_counter() - started
    grown, files = peak.growth / _MEGABYTE, UPLOADS * FILE_MB
    return Section(
        title="Uploads",
        notes=_NOTES,
        figures=[
            Figure(
                what=f"memory, {UPLOADS} uploads of {FILE_MB} MB at once",
                measured=f"+{grown:.0f} MB",
                baseline=f"files {files} MB",
                compared=f"{grown / files:.2f} times",
                target=f"below {GROWTH_MB:g} MB",
                met=grown < GROWTH_MB,
            ),
            Figure(
                what="memory of the processes that look into files",
                measured=f"{peak.children / _MEGABYTE:.0f} MB",
            ),
            Figure(what="uploads per second", measured=f"{UPLOADS / seconds:.1f}/s"),
        ],
    )


class _Peak:
    """The most memory that a server and its children have had since it was entered, in bytes."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.growth = self.children = 0

    def __enter__(self) -> None:
        self._before = self._server.memory()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_SAMPLE_SECONDS):
            self.growth = max(self.growth, self._server.memory() - self._before)
            self.children = max(self.children, _memory_of_children(self._server.pid))


def _memory_of_children(pid: int) -> int:
    shown = subprocess.run(["ps", "-o", "rss=", "--ppid", str(pid)], capture_output=True, check=False)
    return sum(map(int, shown.stdout.split())) * 1024


async def _upload_all(port: int, authorizations: Sequence[str]) -> None:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        uploads = (_upload(port, each, f"192.0.2.{at}") for at, each in enumerate(authorizations))
        await asyncio.gather(*uploads)


async def _upload(port: int, authorization: str, address: str) -> None:
    content = memoryview(_CONTENT)
    head = b'--%b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n' % _BOUNDARY
    head += b"Content-Type: application/pdf\r\n\r\n"
    tail = b"\r\n--%b--\r\n" % _BOUNDARY
    length = len(head) + len(content) + len(tail)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"POST /api/v1/files/upload HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n"
        f"x-forwarded-for: {address}\r\n"
        f"content-type: multipart/form-data; boundary={_BOUNDARY.decode()}\r\n"
        f"content-length: {length}\r\nconnection: close\r\n\r\n".encode()
    )
    writer.write(head)
    for start in range(0, len(content), _PIECE):
        writer.write(content[start : start + _PIECE])
        await writer.drain()
    writer.write(tail)
    answer = await reader.read()
    writer.close()
    if not answer.startswith(b"HTTP/1.1 201 "):
        raise Broken(f"an upload was answered with {answer[:500]!r}")


def _made() -> bytes:
    """A PDF that holds one large stream and an empty page."""
    start = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    start += b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    start += b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n"
    end = b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    size = FILE_MB * _MEGABYTE - len(start) - len(end) - 64
    return start + b"4 0 obj<</Length %d>>stream\n" % size + b"\x55" * size + end


_CONTENT = _made()
