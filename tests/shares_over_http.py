"""Sharing over HTTP, as several test files do it."""

from typing import Any

import httpx2

from http_service import Service

SHARE = "/api/v1/share"
PUBLIC = "/api/v1/public/share"


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
