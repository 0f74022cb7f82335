"""Files over HTTP, and a store for them that fails when told to."""

from pathlib import Path
from typing import Any, Unpack

import httpx2
from papers import pdf

from finassist.application.ports.language_model import FilePart, ModelRequest
from finassist.composition.adapters import AdapterOverrides
from finassist.domain.errors import StorageError
from http_service import Service, Start

FILES = "/api/v1/files"
PDF = pdf([["A statement"]])


async def send(
    service: Service,
    headers: dict[str, str],
    content: bytes = PDF,
    filename: str = "statement.pdf",
    mime_type: str = "application/pdf",
    **fields: str,
) -> httpx2.Response:
    """Upload a file; ``fields`` are the other parts of the form."""
    return await service.client.post(
        f"{FILES}/upload", files={"file": (filename, content, mime_type)}, data=fields, headers=headers
    )


async def uploaded(service: Service, headers: dict[str, str], **sent: Any) -> dict[str, Any]:
    """The record of an uploaded file."""
    response = await send(service, headers, **sent)
    assert response.status_code == 201, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


def stored(tmp_path: Path) -> list[Path]:
    """What the object store holds."""
    return sorted(file for file in (tmp_path / "objects").rglob("*") if file.is_file())


def received(tmp_path: Path) -> list[Path]:
    """What is on its way in."""
    return sorted((tmp_path / "spool").glob("*"))


def text_of(request: ModelRequest) -> str:
    """What a model that sees nothing is shown of the files of the question."""
    return "\n".join(part.text for part in request.messages[-1].parts if isinstance(part, FilePart))


class BrokenStore:
    """An object store whose ``broken`` verbs fail, in front of a real one."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._calls_left: dict[str, int] = {}
        self.broken: set[str] = set()

    def break_after(self, verb: str, calls: int) -> None:
        """Let the verb work so many times more."""
        self._calls_left[verb] = calls

    def __getattr__(self, verb: str) -> Any:
        if verb in self._calls_left:
            if self._calls_left[verb] == 0:
                self.broken.add(verb)
            self._calls_left[verb] -= 1
        if verb in self.broken:
            raise StorageError("The file store does not answer.")
        return getattr(self._store, verb)


async def with_broken_store(
    start: Start, **adapters: Unpack[AdapterOverrides]
) -> tuple[Service, BrokenStore]:
    """A service, and the store that it uses."""
    healthy = await start()
    store = BrokenStore(healthy.finassist.adapters.object_store)
    adapters["object_store"] = store
    return await start(**adapters), store
