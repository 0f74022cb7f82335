"""/openapi.json is good to read and to generate clients from (contract section 11)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from litestar.routes import HTTPRoute

from finassist.config import Secret
from http_service import DEVICE, Service, Start

OPERATION_IDS = Path(__file__).parents[2] / "data" / "operation_ids.txt"
SHOWN = {
    "chat", "createShare", "eraseProfile", "getConfig", "getErasure", "getProfile", "giveFeedback",
    "launchApp", "listConversations", "listFiles", "listMessages", "listPublicPreprompts", "listShares",
    "previewShare", "signUp", "startCardSession", "uploadFile", "viewShare",
}  # fmt: skip
"""The main routes, whose answers are shown."""


@pytest.fixture
async def document(service: Service) -> dict[str, Any]:
    description: dict[str, Any] = (await service.client.get("/openapi.json")).json()
    return description


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield method, path, operation


def invalid(document: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    """What is wrong with a value of a schema of the document."""
    validator = jsonschema_rs.Draft202012Validator(
        {**schema, "components": document["components"]}, validate_formats=True
    )
    return [error.message for error in validator.iter_errors(value)]


def same_name(name: str) -> str:
    """What another language may make of a name."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


async def test_every_operation_has_a_short_imperative_summary(document: dict[str, Any]) -> None:
    summaries = [operation["summary"] for _, _, operation in operations(document)]
    for summary in summaries:
        assert re.fullmatch(r"[A-Z][a-z]+( [\w'-]+)+", summary), summary
        assert len(summary) <= 50, summary


async def test_descriptions_speak_to_users_of_the_interface(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        text = operation["description"]
        assert not re.search(r"\b(Raises|raises|Returns)\b|[a-z]_address|``", text), path
        assert not re.search(
            r"\b(NotFound|Forbidden|Conflict|[A-Z][a-z]+[A-Z]\w*(Failed|Refused))\b", text
        ), path
        assert text.endswith((".", "`")), path


async def test_every_route_brings_its_own_words(service: Service) -> None:
    for route in service.app.litestar.routes:
        assert isinstance(route, HTTPRoute)
        for handler in route.route_handlers:
            if handler.include_in_schema is not False:
                assert handler.summary, route.path
                assert handler.description, route.path


async def test_every_parameter_says_what_it_means(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), (path, parameter["name"])


async def test_every_tag_is_described_and_used(document: dict[str, Any]) -> None:
    used = {tag for _, _, operation in operations(document) for tag in operation["tags"]}
    assert {tag["name"] for tag in document["tags"]} == used
    assert all(tag["description"].endswith(".") for tag in document["tags"])


async def test_every_operation_says_whom_it_asks_for_and_every_header_what_it_is(
    document: dict[str, Any],
) -> None:
    """Both are optional to a reader, and required by the specification of OpenAPI or by its linters."""
    for _, path, operation in operations(document):
        assert "security" in operation, path
        for response in operation["responses"].values():
            assert all("schema" in header for header in response["headers"].values()), path


async def test_licence_and_server_are_named(document: dict[str, Any], start: Start) -> None:
    assert document["info"]["license"]["identifier"] == "MIT"
    assert document["servers"][0]["url"] == "/"
    elsewhere = await start({"public_base_url": "https://money.example.com"})
    served = (await elsewhere.client.get("/openapi.json")).json()["servers"]
    assert served[0]["url"] == "https://money.example.com"


async def test_every_body_has_an_example_that_is_right(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        if (body := operation.get("requestBody")) is not None:
            examples = [content for content in body["content"].values() if "example" in content]
            assert examples, path
            for content in examples:
                assert not invalid(document, content["schema"], content["example"]), path


async def test_the_answers_of_the_main_routes_are_shown_and_right(document: dict[str, Any]) -> None:
    shown = set()
    for _, path, operation in operations(document):
        for response in operation["responses"].values():
            for content in response.get("content", {}).values():
                if "example" in content:
                    shown.add(operation["operationId"])
                    assert not invalid(document, content["schema"], content["example"]), path
    assert shown >= SHOWN
    failure = document["components"]["schemas"]["ErrorEnvelope"]
    assert not invalid(document, failure, failure["examples"][0])


TAKE_SINGLE_USE = {"resetPassword": "token", "verifyEmail": "token", "finishAppLogin": "code"}
"""What an example has was never issued: a validation error of this field (contract section 13)."""


async def test_the_service_finds_nothing_wrong_with_the_examples_of_bodies(
    start: Start, document: dict[str, Any]
) -> None:
    service = await start({"backend_secret": Secret("the-backend-secret-of-these-tests")})
    alice = await service.token()
    for method, path, operation in operations(document):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        if "example" in content:
            modes = [name for mode in operation.get("security", ()) for name in mode]
            headers = (
                {"X-Backend-Secret": "the-backend-secret-of-these-tests"}
                if "backendSecret" in modes
                else DEVICE
            )
            response = await service.client.request(
                method,
                re.sub(r"\{\w+\}", "01a1fdab9f8c000078003712", path),
                json=content["example"],
                headers={**headers, **alice} if modes == ["bearer"] else headers,
            )
            error = response.json().get("error", {})
            single_use = TAKE_SINGLE_USE.get(operation["operationId"])
            if error.get("code") == "VALIDATION_ERROR" and single_use is not None:
                assert [detail["field"] for detail in error["details"]] == [single_use]
                continue
            assert error.get("code") not in ("VALIDATION_ERROR", "INTERNAL_ERROR"), (path, error)


async def test_names_stay_apart_in_languages_with_other_spellings(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    parts = [
        [operation["operationId"] for _, _, operation in operations(document)],
        list(schemas),
        *(list(schema.get("properties", ())) for schema in schemas.values()),
        *(
            [parameter["name"] for parameter in operation.get("parameters", ())]
            for _, _, operation in operations(document)
        ),
    ]
    for names in parts:
        assert len({same_name(name) for name in names}) == len(names), names


async def test_shapes_are_titled_as_they_are_named(document: dict[str, Any]) -> None:
    """Generators call a shape by its title, when it has one."""
    for name, schema in document["components"]["schemas"].items():
        assert schema.get("title", name) == name
        assert schema.get("description"), name


async def test_operations_that_were_published_keep_their_ids(document: dict[str, Any]) -> None:
    """Clients that were generated call operations by them: none changes or goes within a major version.
    Those that are new since the last release are not published yet."""
    ids = {f"{operation['operationId']} {method} {path}" for method, path, operation in operations(document)}
    assert set(OPERATION_IDS.read_text().splitlines()) - ids == set()
