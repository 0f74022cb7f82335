"""The OpenAPI description of the routes, and its route /openapi.json (contract section 11)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Litestar, MediaType, Response, Router, get
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, OpenAPIFormat, OpenAPIType, Schema, SecurityScheme
from litestar.plugins import OpenAPISchemaPlugin
from litestar.routes import HTTPRoute
from litestar.typing import FieldDefinition

from finassist.domain.users import Platform
from finassist.entrypoints.http.oauth.shapes import StandardShape
from finassist.entrypoints.http.openapi.docs_page import docs_page
from finassist.entrypoints.http.openapi.exactness import make_exact, require
from finassist.entrypoints.http.openapi.examples import show_examples
from finassist.entrypoints.http.openapi.presentation import present
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.audit import operation_id_of
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.forms import DATA_PART
from finassist.entrypoints.http.requests.injection import finassist_of
from finassist.entrypoints.http.requests.security import DEVICE_TOKEN
from finassist.entrypoints.http.requests.validation import limits_of
from finassist.entrypoints.http.responses.envelope import ErrorEnvelope, Link, Timestamp, View
from finassist.entrypoints.http.responses.errors import STATUS_OF

CALLER_ERRORS: Final = (
    "VALIDATION_ERROR",
    "UNAUTHORIZED",
    "RATE_LIMIT_EXCEEDED",
    "IDENTITY_PROVIDER_ERROR",
)
"""The errors of a route that requires a caller, before its use case runs."""

REGISTERED_ERRORS: Final = ("VALIDATION_ERROR", "UNAUTHORIZED", "IDENTITY_PROVIDER_ERROR")
"""The errors of a route for registered users that has no limit of calls, before its use case runs."""

BODY_ERRORS: Final = ("VALIDATION_ERROR", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE")
"""The errors of a route with a JSON body, before its use case runs."""

HTTP_PACKAGE: Final = "finassist.entrypoints.http"
_EVENT_STREAM: Final = "text/event-stream"
EVENTS: Final = ResponseSpec(
    data_container=str,
    media_type=_EVENT_STREAM,
    generate_examples=False,
    description=(
        "Server-sent events. Each `data` is a JSON object whose `type` is `token`, `tool_call`, "
        "`tool_result`, `done` or `error`; one of the last two ends the stream."
    ),
)
"""The success of a route that streams a turn."""

_HEADERS_OF_ALL: Final[Mapping[str, Any]] = {
    "X-Request-Id": {"description": "`meta.requestId`.", "schema": {"type": "string"}},
}
_RETRY_AFTER: Final[Mapping[str, Any]] = {
    "Retry-After": {
        "description": "Seconds until a retry can succeed, when waiting helps.",
        "schema": {"type": "integer"},
    }
}
_HEADERS_OF: Final[Mapping[str, Mapping[str, Any]]] = {
    "401": {"WWW-Authenticate": {"schema": {"type": "string", "const": "Bearer"}}},
    "429": _RETRY_AFTER,
    "503": _RETRY_AFTER,
}
_HEADERS_OF_A_TURN: Final[Mapping[str, Any]] = {
    "X-Conversation-Id": {"schema": {"type": "string"}},
    "X-Message-Id": {"description": "The reply that is being written.", "schema": {"type": "string"}},
}
_LIMITS: Final = ("minimum", "maximum", "minLength", "maxLength", "pattern", "items")
_ENVELOPE_NAME = re.compile(rb"\bEnvelope_(list_)?[\w.]*?(\w+)_(?=\")")
_ALWAYS: Final = ("VALIDATION_ERROR", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE")
"""Every route refuses a query that cannot be parsed, and a malformed host."""
_PLATFORM_HEADER: Final[Mapping[str, Any]] = {
    "name": "x-platform",
    "in": "header",
    "required": False,
    "description": "Where the client runs; for guests.",
    "schema": {"$ref": f"#/components/schemas/{Platform.__name__}"},
}
_DEVICE_TOKEN_HEADER: Final[Mapping[str, Any]] = {
    "name": DEVICE_TOKEN,
    "in": "header",
    "required": False,
    "description": "The device's secret. Once it was sent, the guest is reached and claimed with it alone.",
    "schema": {"type": "string"},
}
_GIVEN_DEVICE_TOKEN: Final[Mapping[str, Any]] = {
    DEVICE_TOKEN: {
        "description": "The device's secret, once: with the response to its first launch or chat.",
        "schema": {"type": "string"},
    }
}


def raises(*codes: str) -> dict[int, ResponseSpec]:
    """The documented failures of a route, by the codes of its errors; what every route can answer is
    added."""
    by_status: defaultdict[int, list[str]] = defaultdict(list)
    for code in dict.fromkeys((*codes, *_ALWAYS)):
        by_status[STATUS_OF[code]].append(code)
    return {
        status: ResponseSpec(
            data_container=ErrorEnvelope,
            generate_examples=False,
            description=f"{HTTPStatus(status).phrase}: {', '.join(f'`{code}`' for code in listed)}",
        )
        for status, listed in sorted(by_status.items())
    }


class TimestampSchema(OpenAPISchemaPlugin):
    """Documents ``Timestamp`` and ``Link`` as what they are on the wire."""

    @staticmethod
    def is_plugin_supported_type(value: Any) -> bool:
        return value in (Timestamp, Link)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        is_time = field_definition.annotation is Timestamp
        return Schema(
            type=OpenAPIType.STRING, format=OpenAPIFormat.DATE_TIME if is_time else OpenAPIFormat.URI
        )


@lru_cache(maxsize=1)
def _document(app: Litestar, public_base_url: str) -> dict[str, Any]:
    """The interface description: what Litestar read from the routes, with shorter names, exact shapes,
    and what holds for groups of routes."""
    text = msgspec.json.encode(app.openapi_schema.to_schema())
    document: dict[str, Any] = msgspec.json.decode(_ENVELOPE_NAME.sub(_envelope_name, text))
    document["paths"] = dict(sorted(document["paths"].items()))
    for handler, operation in _described(app, document["paths"]):
        _describe_limits(handler, operation)
        _describe_forms(handler, operation)
        _describe_pages(handler, operation)
        _describe_given_token(handler, operation)
        show_examples(handler, operation)
    for operation in (operation for path in document["paths"].values() for operation in path.values()):
        _describe_device(operation)
        _describe_streaming(operation)
        make_exact(operation)
        for status, response in operation["responses"].items():
            response.setdefault("headers", {}).update(_HEADERS_OF.get(status, {}), **_HEADERS_OF_ALL)
    schemas = document["components"]["schemas"]
    schemas.update((name, schema) for name, schema in _exact_schemas().items() if name in schemas)
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document).replace(b"``", b"`"))
    present(plain, public_base_url)
    return plain


def _envelope_name(found: re.Match[bytes]) -> bytes:
    return found[2] + (b"ListEnvelope" if found[1] else b"Envelope")


def _described(app: Litestar, paths: Mapping[str, Any]) -> Iterator[tuple[HTTPRouteHandler, dict[str, Any]]]:
    """The handlers that are in the description, each with its operation."""
    for route in app.routes:
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            for method in handler.http_methods:
                if (operation := paths.get(route.path_format, {}).get(method.lower())) is not None:
                    yield handler, operation


def _describe_limits(handler: HTTPRouteHandler, operation: dict[str, Any]) -> None:
    """The limits of parameters, as they are checked; Litestar leaves out some."""
    limits = limits_of(handler)
    for parameter in operation.get("parameters", ()):
        checked = limits.get(parameter["name"], {})
        parameter["schema"].update((name, checked[name]) for name in _LIMITS if name in checked)


def _describe_device(operation: dict[str, Any]) -> None:
    """The headers that may come with the one that names the device."""
    parameters = operation.setdefault("parameters", [])
    if {"device": []} in operation.get("security", ()):
        parameters += (_PLATFORM_HEADER, _DEVICE_TOKEN_HEADER)
    elif any(parameter["name"] == "x-device-id" for parameter in parameters):
        parameters.append(_DEVICE_TOKEN_HEADER)


def _describe_given_token(handler: HTTPRouteHandler, operation: dict[str, Any]) -> None:
    if handler.opt.get("gives_device_token"):
        for response in operation["responses"].values():
            response.setdefault("headers", {}).update(_GIVEN_DEVICE_TOKEN)


def _describe_pages(handler: HTTPRouteHandler, operation: dict[str, Any]) -> None:
    """What a route takes and returns besides what its handler declares: ``opt`` has ``pages``, the statuses
    that are pages for people too, and the ``query`` and ``url_form`` that it reads by itself."""
    for status in handler.opt.get("pages", ()):
        content = operation["responses"][str(status)].setdefault("content", {})
        content["text/html"] = {"schema": {"type": "string"}}
    if (query := handler.opt.get("query")) is not None:
        operation.setdefault("parameters", []).extend(query)
    if (form := handler.opt.get("url_form")) is not None:
        content = {RequestEncodingType.URL_ENCODED: {"schema": form}}
        operation["requestBody"] = {"required": True, "content": content}


def _describe_forms(handler: HTTPRouteHandler, operation: dict[str, Any]) -> None:
    """Forms with a file: instead of the JSON that a handler declares, and where it declares no body."""
    if (file_part := handler.opt.get("file_part")) is not None:
        content = operation["requestBody"]["content"]
        text_parts = handler.opt.get("text_parts", ())
        content[RequestEncodingType.MULTI_PART] = {
            "schema": _text_form_schema(file_part, text_parts)
            if text_parts
            else _form_schema(file_part, content[RequestEncodingType.JSON]["schema"])
        }
    if (form := handler.opt.get("form")) is not None:
        content = {RequestEncodingType.MULTI_PART: {"schema": form}}
        operation["requestBody"] = {"required": True, "content": content}


_FILE_SCHEMA: Final[Mapping[str, Any]] = {"type": "string", "format": "binary", "description": "The file."}


def _text_form_schema(file_part: str, text_parts: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """A form whose texts may all be left out changes something: its file may be, too."""
    texts = {
        name: {"type": "string", "description": "As in a JSON body.", **limits}
        for name, limits in text_parts.items()
    }
    # An empty part is one that was left out: whose text has a minimum must be there.
    required = [name for name, limits in text_parts.items() if "minLength" in limits]
    return {
        "type": "object",
        **({"required": [file_part, *required]} if required else {}),
        "properties": {file_part: _FILE_SCHEMA, **texts},
    }


def _form_schema(file_part: str, json_schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {
            file_part: _FILE_SCHEMA,
            DATA_PART: {
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": json_schema,
                "description": "The same object as in a JSON body, as text.",
            },
        },
    }


def _describe_streaming(operation: dict[str, Any]) -> None:
    """Describe both responses of a route that can stream; the response that streams names its turn."""
    replies: dict[str, dict[str, Any]] = operation["responses"]
    success = next((reply for status, reply in replies.items() if status[0] == "2"), {})
    if any(parameter["name"] == "X-Stream-Response" for parameter in operation.get("parameters", ())):
        success["content"][_EVENT_STREAM] = {"schema": {"type": "string"}}
        success["description"] = f"The reply as JSON or, when a stream is asked for: {EVENTS.description}"
    if _EVENT_STREAM in success.get("content", {}):
        success.setdefault("headers", {}).update(_HEADERS_OF_A_TURN)


def _exact_schemas() -> dict[str, Any]:
    """The schemas of our structs by msgspec, which enforces the constraints within lists and unions that
    Litestar leaves out."""
    shapes = [*_descendants(View), *_descendants(Body), *_descendants(StandardShape)]
    _, schemas = msgspec.json.schema_components(
        [shape for shape in shapes if shape.__module__.startswith(HTTP_PACKAGE)],  # others may share names
        schema_hook=_schema_of_text,
        ref_template="#/components/schemas/{name}",
    )
    for shape in shapes:
        require(schemas.get(shape.__name__, {}), getattr(shape, "needed_in_json", ()))
    return schemas


def _descendants(base: type) -> Iterator[Any]:
    shape: Any
    for shape in base.__subclasses__():
        yield shape
        yield from _descendants(shape)


def _schema_of_text(kind: type) -> dict[str, Any]:
    return {"type": "string", "format": "date-time" if kind is Timestamp else "uri"}


@get("/openapi.json", include_in_schema=False, sync_to_thread=False)
def get_openapi(request: AnyRequest) -> Response[bytes]:
    """The interface description, without the envelope."""
    document = _document(request.app, finassist_of(request).settings.public_base_url)
    return Response(msgspec.json.encode(document), media_type=MediaType.JSON)


class _Documents(Router):
    """Serves our documents and nothing else: Litestar would register pages of its own here, one of which
    answers unknown paths without the envelope."""

    def __init__(self) -> None:
        self._ours = (get_openapi, *docs_page())
        super().__init__("/", route_handlers=self._ours, include_in_schema=False)

    def register(self, value: Any) -> Any:
        return super().register(value) if value in self._ours else []


_SECURITY_SCHEMES: Final = {
    "bearer": SecurityScheme(
        type="http",
        scheme="bearer",
        bearer_format="JWT",
        description="The access token of a user, as signing up or in gives it.",
    ),
    "device": SecurityScheme(
        type="apiKey",
        name="x-device-id",
        security_scheme_in="header",
        description=(
            "A guest: the id that a client made up for its device, 1 to 128 printable ASCII characters. "
            "Anyone who knows it acts as the guest, unless the client has sent the `X-Device-Token` that it "
            "was given, which every request as the guest needs from then on. `x-platform` may be sent with "
            "it; a bearer token takes precedence."
        ),
    ),
    "backendBearer": SecurityScheme(
        type="http", scheme="bearer", description="BACKEND_SECRET, for administrators."
    ),
    "backendSecret": SecurityScheme(
        type="apiKey",
        name="x-backend-secret",
        security_scheme_in="header",
        description="BACKEND_SECRET, for administrators.",
    ),
    "webhookSecret": SecurityScheme(
        type="apiKey",
        name="x-webhook-secret",
        security_scheme_in="header",
        description="WEBHOOK_SECRET, where it is set.",
    ),
}


def openapi_config() -> OpenAPIConfig:
    """Title, version and the ways to authenticate."""
    return OpenAPIConfig(
        title="finassist",
        version="1.0.0",
        description=(
            "Answers personal-finance questions.\n\n"
            "Every JSON response is an envelope: `success`, then `data` or `error`, and `meta`. An error has "
            "a `code` for programs and a `message` for people; a `VALIDATION_ERROR` lists every offending "
            "field. Unknown fields of requests are ignored; responses may get new ones.\n\n"
            "To chat, a guest needs nothing but a made-up device id; files to keep, shares and the profile "
            "need an account. Launching the app with its token makes the guest's conversations the "
            "account's.\n\n"
            "Lists take `limit` and `offset`, and return `total` and `hasMore`. Times are UTC."
        ),
        components=Components(security_schemes={**_SECURITY_SCHEMES}),
        operation_id_creator=operation_id_of,
        render_plugins=[JsonRenderPlugin()],
        openapi_router=_Documents(),
    )
