"""/openapi.json tells the truth about every route (contract section 11)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from litestar.routes import HTTPRoute

from finassist.entrypoints.http.requests.security import require_backend_secret
from http_service import Service

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture
async def document(service: Service) -> dict[str, Any]:
    response = await service.client.get("/openapi.json")
    assert response.status_code == 200
    description: dict[str, Any] = response.json()
    return description


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                yield method, path, operation


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"]
        for value in part.values():
            yield from references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


async def test_every_route_is_described_and_nothing_else(service: Service, document: dict[str, Any]) -> None:
    routes = {
        (method.lower(), route.path_format)
        for route in service.app.litestar.routes
        for method in route.methods
        if method != "OPTIONS"
    }
    described = {(method, path) for method, path, _ in operations(document)}
    pages = {("get", "/openapi.json"), ("get", "/docs"), ("get", "/docs/{file}")}
    assert routes == described | pages


async def test_the_version_is_the_published_one(document: dict[str, Any]) -> None:
    assert document["info"]["version"] == "1.0.0"


async def test_all_references_lead_somewhere_and_names_are_short(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for reference in references(document):
        assert reference.removeprefix("#/components/schemas/") in schemas
    assert all(name.isalnum() for name in schemas)


async def test_every_operation_says_what_it_does_under_a_name_of_its_own(document: dict[str, Any]) -> None:
    found = list(operations(document))
    for _, _, operation in found:
        assert operation["description"].strip()
        assert operation["tags"]
        assert operation["operationId"].isalnum()
    assert len({operation["operationId"] for _, _, operation in found}) == len(found)


async def test_every_failure_is_the_error_envelope(document: dict[str, Any]) -> None:
    envelope = {"$ref": "#/components/schemas/ErrorEnvelope"}
    oauth = {"oneOf": [{"$ref": "#/components/schemas/TokenRefusal"}, envelope]}
    for _, path, operation in operations(document):
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                schema = response["content"]["application/json"]["schema"]
                assert schema == (oauth if (path, status) == ("/oauth/token", "400") else envelope), path


async def test_nothing_on_the_wire_but_json_can_be_null(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            assert "null" not in json.dumps(parameter["schema"]), (path, parameter["name"])


async def test_a_body_that_may_be_left_out_is_not_null(document: dict[str, Any]) -> None:
    bodies = {
        path: document["paths"][path][method]["requestBody"]
        for method, path in [
            ("post", "/api/v1/auth/signout"),
            ("post", "/api/v1/auth/login/social"),
            ("delete", "/api/v1/auth/me"),
        ]
    }
    for path, body in bodies.items():
        assert body["required"] is False, path
        assert set(body["content"]["application/json"]["schema"]) == {"$ref"}, path


async def test_redirects_have_an_address_and_no_body(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        for status, response in operation["responses"].items():
            if status.startswith("3"):
                assert "content" not in response, path
                assert ("Location" in response["headers"]) == (status != "304"), path


async def test_texts_that_rules_check_carry_their_formats(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    signup = schemas["SignUpRequest"]["properties"]
    assert (signup["email"]["format"], signup["email"]["maxLength"]) == ("email", 254)
    assert (signup["password"]["minLength"], signup["password"]["maxLength"]) == (8, 1024)
    assert schemas["SocialMediaUrlsBody"]["properties"]["networkPage"]["format"] == "uri"


async def test_an_image_or_its_address_is_required_of_an_embed(document: dict[str, Any]) -> None:
    content = document["paths"]["/api/v1/visual-embeds"]["post"]["requestBody"]["content"]
    schemas = document["components"]["schemas"]
    form = schemas[content["multipart/form-data"]["schema"]["$ref"].rsplit("/", 1)[1]]
    assert schemas["QuoteImageBody"]["required"] == ["categoryId", "imageUrl"]
    assert form["required"] == ["image", "categoryId"]
    assert form["properties"]["categoryId"]["maxLength"] == 100


async def test_the_standards_of_the_hosted_page_are_described(document: dict[str, Any]) -> None:
    authorize = document["paths"]["/oauth/authorize"]
    assert {each["name"] for each in authorize["get"]["parameters"] if each["required"]} == {
        "client_id", "redirect_uri",
    }  # fmt: skip
    assert set(authorize["get"]["responses"]["400"]["content"]) == {"application/json", "text/html"}
    assert {"303", "400", "401", "409", "429"} <= set(authorize["post"]["responses"])
    for path in ("/oauth/authorize", "/oauth/token"):
        content = document["paths"][path]["post"]["requestBody"]["content"]
        assert set(content) == {"application/x-www-form-urlencoded"}


async def test_every_operation_lists_the_failures_that_its_form_implies(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        expected = {"400", "500", "503"}
        if "requestBody" in operation:
            expected |= {"413"} if path.startswith("/oauth/") else {"413", "415"}
        if {"device": []} in operation.get("security", ()):
            expected |= {"401", "429"}
        if {"backendSecret": []} in operation.get("security", ()):
            expected |= {"401", "429"}
        if "{" in path:
            expected |= {"403", "404"} if {"bearer": []} in operation.get("security", ()) else {"404"}
        assert expected <= set(operation["responses"]), (method, path)


async def test_the_security_of_a_route_is_what_the_route_asks_for(
    service: Service, document: dict[str, Any]
) -> None:
    modes: dict[str, list[dict[str, list[str]]]] = {
        "anybody": [{}, {"bearer": []}, {"device": []}],
        "caller": [{"bearer": []}, {"device": []}],
        "registered": [{"bearer": []}],
    }
    for route in service.app.litestar.routes:
        assert isinstance(route, HTTPRoute)
        for handler in route.route_handlers:
            accepts = handler.opt.get("accepts")
            for method in handler.http_methods & {name.upper() for name in METHODS}:
                operation = document["paths"].get(route.path_format, {}).get(method.lower(), {})
                if accepts is not None:
                    assert operation["security"] == modes[accepts], route.path
                elif require_backend_secret in (handler.guards or ()):
                    assert operation["security"] == [{"backendBearer": []}, {"backendSecret": []}], route.path
                else:
                    assert {"device": []} not in operation.get("security", ()), route.path
                    assert {"backendSecret": []} not in operation.get("security", ()), route.path


async def test_both_ways_to_authenticate_are_described(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    assert (schemes["bearer"]["type"], schemes["bearer"]["scheme"]) == ("http", "bearer")
    assert (schemes["device"]["type"], schemes["device"]["name"]) == ("apiKey", "x-device-id")


async def test_parameters_and_bodies_carry_their_limits(document: dict[str, Any]) -> None:
    listing = document["paths"]["/api/v1/user/conversations"]["get"]
    parameters = {parameter["name"]: parameter for parameter in listing["parameters"]}
    assert set(parameters) == {
        "q", "status", "type", "pinned", "tag", "limit", "offset", "x-platform", "X-Device-Token",
    }  # fmt: skip
    assert (parameters["limit"]["schema"]["minimum"], parameters["limit"]["schema"]["maximum"]) == (1, 100)
    assert parameters["limit"]["schema"]["default"] == 20
    assert parameters["tag"]["schema"]["items"] == {"type": "string", "minLength": 1, "maxLength": 50}
    launch = document["paths"]["/app/launch"]["get"]["parameters"]
    assert {p["name"]: p["required"] for p in launch} == {
        "x-device-id": True, "x-platform": True, "x-user-id": False, "x-user-email": False,
        "x-user-phone": False, "X-Device-Token": False,
    }  # fmt: skip
    tags = document["components"]["schemas"]["ConversationPatch"]["properties"]["tags"]
    assert (tags["maxItems"], tags["items"]["maxLength"]) == (16, 50)


async def test_parameters_say_all_limits_that_are_checked(document: dict[str, Any]) -> None:
    follow = document["paths"]["/api/v1/ai/chat/{messageId}/stream"]["get"]["parameters"]
    for parameter in follow:
        if parameter["name"] in ("Last-Event-ID", "after"):
            assert (parameter["schema"]["minimum"], parameter["schema"]["maximum"]) == (0, 10**18 - 1)


async def test_an_event_of_a_stream_is_described_as_what_it_is(document: dict[str, Any]) -> None:
    follow = document["paths"]["/api/v1/ai/chat/{messageId}/stream"]["get"]["responses"]["200"]
    assert follow["content"]["text/event-stream"]["schema"] == {"$ref": "#/components/schemas/StreamEvent"}
    event = document["components"]["schemas"]["StreamEvent"]
    assert event["required"] == ["id", "data"]
    assert event["properties"]["data"]["contentSchema"]["properties"]["type"]["enum"] == [
        "token", "tool_call", "tool_result", "done", "error",
    ]  # fmt: skip


async def test_a_streamed_turn_is_described_as_an_event_stream(document: dict[str, Any]) -> None:
    chat = document["paths"]["/api/v1/ai/chat"]["post"]["responses"]["200"]
    follow = document["paths"]["/api/v1/ai/chat/{messageId}/stream"]["get"]["responses"]["200"]
    assert set(chat["content"]) == {"application/json", "text/event-stream"}
    assert set(follow["content"]) == {"text/event-stream"}
    for response in (chat, follow):
        assert {"X-Conversation-Id", "X-Message-Id", "X-Request-Id"} <= set(response["headers"])


async def test_a_chat_request_is_described_with_the_names_of_the_specification(
    document: dict[str, Any],
) -> None:
    assert set(document["components"]["schemas"]["ChatRequest"]["properties"]) == {
        "message", "conversation_id", "model", "preprompt_key", "type", "inputType", "attachments",
        "replaces",
    }  # fmt: skip


async def test_a_share_is_described_as_json_and_as_a_page(document: dict[str, Any]) -> None:
    success = document["paths"]["/api/v1/public/share/{shareId}"]["get"]["responses"]["200"]
    assert set(success["content"]) == {"application/json", "text/html"}
