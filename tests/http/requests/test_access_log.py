"""One log line a request, with nothing in it that the caller sent."""

from typing import Any

import httpx2
import structlog

from finassist.entrypoints.server.logging import add_request_id
from http_service import DEVICE, Service

CANARIES = {
    "device": "canary-device",
    "email": "canary@example.com",
    "phone": "+4915112345678",
    "token": "canary-token",
    "body": "canary-body",
    "query": "canary-query",
}


async def logged(
    client: httpx2.AsyncClient, method: str, path: str, **request: Any
) -> list[dict[str, object]]:
    with structlog.testing.capture_logs(processors=[add_request_id]) as logs:
        await client.request(method, path, **request)
    return [dict(line) for line in logs]


async def test_a_request_is_one_line_with_the_template_of_its_route(service: Service) -> None:
    path = f"/api/v1/user/conversations/{'a' * 24}/messages"
    [line] = await logged(service.client, "GET", f"{path}?limit=5", headers=DEVICE)
    assert line.pop("duration_ms") is not None
    assert len(str(line.pop("request_id"))) == 24
    assert line == {
        "event": "request",
        "log_level": "info",
        "method": "GET",
        "route": "/api/v1/user/conversations/{conversationId}/messages",
        "status": 404,
        "caller": "guest",
    }


async def test_the_line_has_the_requests_id_and_the_kind_of_its_caller(service: Service) -> None:
    alice = await service.token("alice")
    for headers, kind in (({}, "none"), (DEVICE, "guest"), (alice, "registered")):
        [line] = await logged(service.client, "GET", "/api/v1/user/conversations", headers=headers)
        assert line["caller"] == kind


async def test_paths_that_no_route_matches_are_not_logged(client: httpx2.AsyncClient) -> None:
    for method, path in (("GET", "/canary/path"), ("DELETE", "/app/config")):
        [line] = await logged(client, method, path)
        assert line["route"] == "unmatched"
        assert "canary" not in repr(line)


async def test_nothing_that_the_caller_sent_is_logged(service: Service) -> None:
    device = {
        "x-device-id": CANARIES["device"],
        "x-platform": "ios",
        "x-user-email": CANARIES["email"],
        "x-user-phone": CANARIES["phone"],
    }
    token = {"Authorization": f"Bearer {CANARIES['token']}"}
    body = {"message": CANARIES["body"], "rating": CANARIES["body"], "title": CANARIES["body"]}
    query = f"?q={CANARIES['query']}&limit={CANARIES['query']}"
    lines = []
    for headers in (device, {**device, **token}):
        for method, path in (
            ("GET", f"/app/launch{query}"),
            ("GET", f"/api/v1/user/conversations{query}"),
            ("POST", f"/api/v1/ai/chat{query}"),
            ("PATCH", f"/api/v1/user/conversations/{CANARIES['query']}"),
            ("POST", f"/api/v1/user/messages/{'a' * 24}/feedback{query}"),
        ):
            lines += await logged(service.client, method, path, headers=headers, json=body)
    assert len(lines) >= 10
    for canary in CANARIES.values():
        assert canary not in repr(lines)
