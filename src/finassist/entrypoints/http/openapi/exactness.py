"""Corrections of Litestar's description of the routes, where the routes behave otherwise.

Parameters and bodies that may be left out are not null on the wire; redirects and 304 have no body; what is
required in JSON may be left out where a form brings it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from finassist.domain.auth.local_accounts import EMAIL_MAX, EMAIL_PATTERN, PASSWORD_MAX, PASSWORD_MIN
from finassist.domain.links import URL_MAX

EMAIL: Final = msgspec.Meta(
    extra_json_schema={"format": "email", "maxLength": EMAIL_MAX, "pattern": EMAIL_PATTERN}
)
PASSWORD: Final = msgspec.Meta(
    extra_json_schema={"format": "password", "minLength": PASSWORD_MIN, "maxLength": PASSWORD_MAX}
)
WEB_ADDRESS: Final = msgspec.Meta(
    extra_json_schema={"format": "uri", "maxLength": URL_MAX, "pattern": "^https?://[!-~]+$"}
)
"""Texts of bodies that ``rules`` check: what a schema can say of them."""

_NULL: Final = "null"
_LOCATION: Final[Mapping[str, Any]] = {
    "Location": {"description": "Where to go on.", "schema": {"type": "string", "format": "uri-reference"}}
}
EVENT_SCHEMA: Final[Mapping[str, Any]] = {
    "title": "StreamEvent",
    "description": "The stream as a text, of which each event has these fields.",
    "type": ["string", "object"],
    "required": ["id", "data"],
    "properties": {
        "id": {
            "type": "string",
            "pattern": "^[0-9]+$",
            "description": "Where to go on from: send it as `Last-Event-ID`.",
        },
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {
                "type": "object",
                "required": ["type", "conversationId", "messageId"],
                "properties": {
                    "type": {"enum": ["token", "tool_call", "tool_result", "done", "error"]},
                    "conversationId": {"type": "string"},
                    "messageId": {"type": "string"},
                },
            },
        },
    },
}
"""What every event of a turn has. Some tools take the ``schema`` of ``text/event-stream`` for one event,
others for the whole answer: it is right for both."""


def make_exact(operation: dict[str, Any]) -> None:
    """Put one operation right, in place."""
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _never_null(parameter["schema"])
    if (body := operation.get("requestBody")) is not None:
        for described in body["content"].values():
            if (schema := described["schema"]) != (exact := _never_null(schema)):
                described["schema"] = exact
                body["required"] = False
    for status, response in operation["responses"].items():
        if status.startswith("3"):
            response.pop("content", None)
            if status != "304":
                response.setdefault("headers", {}).update(_LOCATION)
        for media_type, described in response.get("content", {}).items():
            if media_type == "text/event-stream":
                described["schema"] = dict(EVENT_SCHEMA)


def require(schema: dict[str, Any], names: Sequence[str]) -> None:
    """Make fields of an object required in its schema, which says that they may be left out or null."""
    for name in names:
        field = dict(schema["properties"][name])
        [kind] = [kind for kind in field.pop("anyOf") if kind != {"type": _NULL}]
        field.pop("default", None)
        schema["properties"][name] = {**kind, **field}
        schema["required"] = [*schema["required"], name]


def _never_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without null among what it allows."""
    exact = dict(schema)
    if isinstance(exact.get("type"), list):
        [exact["type"]] = [kind for kind in exact["type"] if kind != _NULL]
    if "enum" in exact:
        exact["enum"] = [value for value in exact["enum"] if value is not None]
    kinds = exact.get("oneOf", ())
    if {"type": _NULL} in kinds:
        left = [kind for kind in kinds if kind != {"type": _NULL}]
        if len(left) == 1:
            del exact["oneOf"]
            return {**left[0], **exact}
        exact["oneOf"] = left
    return exact
