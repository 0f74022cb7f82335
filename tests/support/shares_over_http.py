"""Sharing over HTTP, as several test files do it."""

import json
import sqlite3
from typing import Any

import httpx2

from finassist.domain.conversations.message import (
    Attachment,
    ListedMessage,
    ShownQuoteImage,
    Source,
    ToolCall,
)
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from http_service import Service

SHARE = "/api/v1/share"
PUBLIC = "/api/v1/public/share"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
"""What browsers send as ``Accept``."""


async def share(service: Service, headers: dict[str, str], **body: Any) -> dict[str, Any]:
    """Share a new conversation, unless one is named."""
    if "conversationId" not in body:
        body["conversationId"] = (await service.ask("What is a bond?", headers))["conversationId"]
    response = await service.client.post(SHARE, json=body, headers=headers)
    assert response.status_code == 201, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def view(service: Service, share_id: str) -> httpx2.Response:
    return await service.client.get(f"{PUBLIC}/{share_id}")


async def continued(
    service: Service, share_id: str, headers: dict[str, str] | None = None, agent: str = "agent"
) -> httpx2.Response:
    return await service.client.post(
        f"{PUBLIC}/{share_id}/continue", headers={"User-Agent": agent, **(headers or {})}
    )


async def messages_of(service: Service, conversation: str, headers: dict[str, str]) -> list[dict[str, Any]]:
    path = f"/api/v1/user/conversations/{conversation}/messages"
    response = await service.client.get(path, headers=headers)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["data"]["messages"]
    return found


async def dress(service: Service, shared: dict[str, Any], **fields: Any) -> None:
    """Give the first message of a share what only other parts of the service can give it."""
    shown = ListedMessage._fields
    changes = {
        name: f"shown = json_set(shown, '$[{shown.index(name)}]', json(?))"
        if name in shown
        else f"{name} = ?"
        for name in fields
    }

    def unit(connection: sqlite3.Connection) -> None:
        for name, value in fields.items():
            values = (json.dumps(value) if name in shown else value, shared["messageIds"][0])
            connection.execute(f"UPDATE messages SET {changes[name]} WHERE id = ?", values)

    await service.database.write(unit)


def plain(entity: Any) -> dict[str, Any]:
    return {name: getattr(entity, name) for name in entity.__dataclass_fields__}


FILE_ID = "f" * 24
ATTACHMENT = plain(Attachment(file_id=FILE_ID, filename="plan.pdf", mime_type="application/pdf", size=77))
EMBED = plain(
    ShownQuoteImage(
        id="e" * 24, category_key="Debt_Fix_Income", image_url="https://img.example.org/a.png", quote_text="Q"
    )
)
SOURCE = plain(
    Source(index=1, id="bonds", title="Bonds", url="https://example.org/b", snippet="A loan.", score=0.5)
)
TOOL_CALL = plain(
    ToolCall(
        id="call-secret", name="tool-secret", arguments={"a": "argument-secret"}, called_at=1,
        result="result-secret", returned_at=2,
    )
)  # fmt: skip


async def keep_file(service: Service, owner_id: str) -> None:
    now = service.clock.now()
    await service.finassist.adapters.files.add(
        StoredFile(
            id=FILE_ID,
            owner_id=owner_id,
            conversation_id=None,
            filename="plan.pdf",
            mime_type="application/pdf",
            size=77,
            kind=FileKind.PDF,
            created_at=now,
            updated_at=now,
        )
    )
