"""Improves the API description for readers and for generated clients: tags in order with a description each,
a name for every shape, no values that are defaults anyway.

It does not change the meaning. The texts of an operation are at its route.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from finassist.entrypoints.http.responses.envelope import ERROR_EXAMPLE

_TAGS: Final[Mapping[str, str]] = {
    "App": "The first call of every client, and the links that clients show.",
    "Chat": "Ask, watch the reply come in, go on with it after a lost connection, stop it.",
    "Conversations": "The caller's history: search, rename, pin, archive, delete; messages and feedback.",
    "Files": "Files to ask about, kept until they are deleted.",
    "Personalisation": "Cards with questions about the caller's situation; the answers go into replies.",
    "Sharing": "Publish a conversation at an address, with personal data replaced; read and continue one.",
    "Authentication": "Sign up, in and out; sign in by text message or with another provider; new tokens.",
    "Account": "Read and change one's profile, take one's data along, be erased.",
    "Pre-prompts": "Labels that stand for a hidden instruction of the operator's.",
    "Second opinion": "Cards that begin a conversation of the type `second_opinion`.",
    "Visual embeds": "Quote images that replies show.",
    "OAuth": "The built-in identity provider: its login page, OAuth 2.1 and OpenID Connect.",
    "Administration": "The allowances of users and guests.",
    "Webhooks": "What an outer identity provider reports.",
    "Chat page": "The chat page that ships with the service.",
    "Operations": "For load balancers and monitoring.",
}
"""In the order in which a newcomer meets them."""

_BINARY: Final = ("*/*", "application/octet-stream", "application/zip", "image/")
_FORMS: Final = ("multipart/form-data", "application/x-www-form-urlencoded")
_ENVELOPE_TITLE = re.compile(r"Envelope\[(list\[)?(\w+)\]?\]")
_FALSY_DEFAULTS: Final = ("allowEmptyValue", "allowReserved", "deprecated")

Json = dict[str, Any]


def present(document: Json, address: str) -> None:
    """Make the description good to read, in place. ``address`` is where the service is reached, empty when
    it is not set."""
    document["info"]["license"] = {"name": "MIT", "identifier": "MIT"}
    document["servers"] = [{"url": address or "/", "description": "The service that this describes."}]
    schemas = document["components"]["schemas"]
    for operation in _operations(document):
        _present_operation(operation, schemas)
    used = {tag for operation in _operations(document) for tag in operation["tags"]}
    document["tags"] = [{"name": tag, "description": text} for tag, text in _TAGS.items() if tag in used]
    for name, schema in schemas.items():
        _present_schema(name, schema)


def _operations(document: Json) -> Iterator[Json]:
    return (operation for path in document["paths"].values() for operation in path.values())


def _present_operation(operation: Json, schemas: Json) -> None:
    name = operation["operationId"]
    _drop_defaults(operation)
    for parameter in operation.get("parameters", ()):
        _present_parameter(parameter)
    contents = operation.get("requestBody", {}).get("content", {})
    for media_type in contents.keys() & _FORMS:
        form = f"{name[0].upper()}{name[1:]}".removesuffix("Form") + "Form"
        _name_shape(contents[media_type], form, schemas)
    operation.setdefault("security", [])
    for response in operation["responses"].values():
        for header in response.get("headers", {}).values():
            header.setdefault("schema", {"type": "string"})
            _drop_defaults(header)
        for media_type, content in response.get("content", {}).items():
            if media_type == "text/event-stream":
                _name_shape(content, content["schema"]["title"], schemas)
            elif media_type.startswith(_BINARY):
                content["schema"] = {"type": "string", "format": "binary"}


def _present_parameter(parameter: Json) -> None:
    _drop_defaults(parameter)
    schema = parameter["schema"]
    if set(schema.get("enum", ())) - {None} == {"true", "false"}:
        parameter["schema"] = {"type": "boolean"}


def _drop_defaults(part: Json) -> None:
    for key in _FALSY_DEFAULTS:
        if part.get(key) is False:
            del part[key]


def _name_shape(content: Json, name: str, schemas: Json) -> None:
    """Generated clients call a shape without a name after its place, and users have to construct it."""
    if "$ref" not in content["schema"]:
        schemas[name] = {"title": name, "description": "The fields of the form.", **content["schema"]}
        content["schema"] = {"$ref": f"#/components/schemas/{name}"}


def _present_schema(name: str, schema: Json) -> None:
    if _ENVELOPE_TITLE.fullmatch(schema.get("title", "")):
        schema["description"] = "A success."
        schema["title"] = name
    if name == "ErrorEnvelope":
        schema["examples"] = [ERROR_EXAMPLE]
    for field, kind in schema.get("properties", {}).items():
        if kind.get("default", ...) is None:
            del kind["default"]  # some generators require what has a default, and null is what is left out
        for option in kind.get("anyOf", ()):
            if "enum" in option or option.get("type") == "object":
                option.setdefault("title", f"{field[0].upper()}{field[1:]}")
