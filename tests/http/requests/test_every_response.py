"""What holds for every answer (contract section 1)."""

import re

import httpx2
import pytest
import structlog

from http_service import DEVICE, Service, Start

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

ANSWERS = [
    ("GET", "/health/live", 200),
    ("GET", "/app/config", 200),
    ("GET", "/app/launch", 400),
    ("GET", "/api/v1/user/conversations", 401),
    ("GET", "/no/such/route", 404),
    ("GET", "/docs/no-such-page", 404),
    ("DELETE", "/app/config", 405),
]


class BrokenProbe:
    async def write(self) -> None:
        raise RuntimeError("the-inner-truth")


def check_envelope(response: httpx2.Response) -> None:
    body = response.json()
    assert body["success"] is (response.status_code < 400)
    assert set(body) == {"success", "data" if body["success"] else "error", "meta"}
    assert TIMESTAMP.fullmatch(body["meta"]["timestamp"])
    assert re.fullmatch("[a-f0-9]{24}", body["meta"]["requestId"])
    assert body["meta"]["requestId"] == response.headers["X-Request-Id"]
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(("method", "path", "status"), ANSWERS)
async def test_every_answer_is_an_envelope(
    client: httpx2.AsyncClient, method: str, path: str, status: int
) -> None:
    response = await client.request(method, path)
    assert response.status_code == status
    check_envelope(response)


@pytest.mark.parametrize(
    ("method", "path"),
    [(method, path) for method, path, _ in ANSWERS] + [("GET", "/docs"), ("OPTIONS", "/app/config")],
)
async def test_every_response_carries_the_security_headers(
    client: httpx2.AsyncClient, method: str, path: str
) -> None:
    headers = (await client.request(method, path)).headers
    assert headers.get_list("X-Content-Type-Options") == ["nosniff"]
    assert headers.get_list("Referrer-Policy") == ["no-referrer"]
    assert headers.get_list("Cross-Origin-Opener-Policy") == ["same-origin"]
    assert "Strict-Transport-Security" not in headers
    assert len(headers.get_list("X-Request-Id")) == 1


@pytest.mark.parametrize("path", ["/health/live", "/nowhere"])
async def test_where_the_public_address_is_https_browsers_are_told_to_stay_with_it(
    start: Start, path: str
) -> None:
    service = await start({"public_base_url": "https://api.example.org"})
    headers = (await service.client.get(path)).headers
    assert headers.get_list("Strict-Transport-Security") == ["max-age=31536000"]


async def test_private_data_and_failures_are_not_cached(client: httpx2.AsyncClient) -> None:
    for path in ("/api/v1/user/conversations", "/app/launch", "/api/v1/user/conversations?limit=0"):
        assert (await client.get(path, headers=DEVICE)).headers.get_list("Cache-Control") == ["no-store"]


async def test_request_ids_are_the_servers_own_and_never_repeat(client: httpx2.AsyncClient) -> None:
    responses = [await client.get("/health/live", headers={"X-Request-Id": "mine"}) for _ in range(20)]
    ids = [response.headers["X-Request-Id"] for response in responses]
    assert len(set(ids)) == 20
    assert ids == sorted(ids)


async def test_a_wrong_method_is_405_and_says_which_are_right(client: httpx2.AsyncClient) -> None:
    response = await client.post("/app/config")
    assert response.json()["error"]["code"] == "METHOD_NOT_ALLOWED"
    assert "GET" in response.headers["Allow"].split(", ")


async def test_every_route_says_what_it_answers_to(service: Service) -> None:
    for route in service.app.litestar.routes:
        path = re.sub(r"\{.*?\}", "0" * 24, route.path_format)
        response = await service.client.options(path)
        expected = {*route.methods, *({"HEAD"} if "GET" in route.methods else ())}
        assert set(response.headers["Allow"].split(", ")) == expected, path


@pytest.mark.parametrize(
    "path", ["/health/live", "/app/config", "/docs", "/metrics", "/api/v1/user/conversations", "/no/such"]
)
async def test_head_is_get_without_the_body(client: httpx2.AsyncClient, path: str) -> None:
    asked, fetched = await client.head(path), await client.get(path)
    assert asked.status_code == fetched.status_code
    assert asked.content == b""
    own = {"x-request-id", "content-length"}  # figures and times differ from one answer to the next
    assert {name for name in asked.headers if name not in own} == {
        name for name in fetched.headers if name not in own
    }
    assert asked.headers["Content-Type"] == fetched.headers["Content-Type"]


async def test_head_of_a_route_without_get_is_405(client: httpx2.AsyncClient) -> None:
    response = await client.head("/api/v1/ai/chat")
    assert (response.status_code, response.headers["Allow"]) == (405, "OPTIONS, POST")


async def test_head_of_an_export_makes_none(service: Service) -> None:
    response = await service.client.head("/api/v1/auth/me/export", headers=DEVICE)
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["Content-Type"] == "application/zip"


async def test_an_unexpected_exception_is_a_500_that_tells_nothing_but_is_logged(start: Start) -> None:
    service = await start(database_probe=BrokenProbe())
    with structlog.testing.capture_logs() as logs:
        response = await service.client.get("/health/ready")
    assert response.status_code == 500
    check_envelope(response)
    assert response.json()["error"] == {"code": "INTERNAL_ERROR", "message": "An unexpected error occurred."}
    [error] = [line for line in logs if line["log_level"] == "error"]
    assert str(error["exc_info"]) == "the-inner-truth"


async def test_a_refusal_for_want_of_credentials_names_the_scheme(client: httpx2.AsyncClient) -> None:
    response = await client.get("/api/v1/user/conversations")
    assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_cors_is_off_unless_origins_are_set(service: Service) -> None:
    response = await service.client.get("/app/config", headers={"Origin": "https://app.example.com"})
    assert not [name for name in response.headers if name.startswith("access-control")]


async def test_an_allowed_origin_may_read_the_headers_that_clients_need(start: Start) -> None:
    service = await start({"cors_allowed_origins": ("https://app.example.com",)})
    response = await service.client.get("/app/config", headers={"Origin": "https://app.example.com"})
    assert response.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
    exposed = response.headers["Access-Control-Expose-Headers"].lower()
    assert all(name in exposed for name in ("x-request-id", "x-conversation-id", "retry-after", "ratelimit"))
    preflight = await service.client.options(
        "/api/v1/ai/chat",
        headers={
            "Origin": "https://app.example.com",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, x-device-id, content-type",
        },
    )
    assert preflight.status_code == 204
    assert preflight.headers["Access-Control-Allow-Origin"] == "https://app.example.com"


@pytest.mark.parametrize(
    ("origin", "method"), [("https://evil.example.com", "POST"), ("https://app.example.com", "TRACE")]
)
async def test_a_refused_preflight_is_an_envelope(start: Start, origin: str, method: str) -> None:
    service = await start({"cors_allowed_origins": ("https://app.example.com",)})
    response = await service.client.options(
        "/api/v1/ai/chat", headers={"Origin": origin, "Access-Control-Request-Method": method}
    )
    assert response.status_code == 400
    check_envelope(response)
    assert not [name for name in response.headers if name.startswith("access-control")]


async def test_a_foreign_origin_gets_no_cors_headers(start: Start) -> None:
    service = await start({"cors_allowed_origins": ("https://app.example.com",)})
    response = await service.client.get("/app/config", headers={"Origin": "https://evil.example.com"})
    assert "Access-Control-Allow-Origin" not in response.headers
