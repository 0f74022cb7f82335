"""What makes the interface description good to read, and clients that are generated from it good to use:
tags with a word on each, summaries, what every parameter means, examples, and a name for every shape.

It changes no meaning. What an operation takes and answers is read from its route; the examples are in
``examples.json``, by operation id.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

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
    "Hosted login": "The built-in identity provider: its page, OAuth 2.1 and OpenID Connect.",
    "Webhooks": "What an outer identity provider reports.",
    "Chat page": "The chat page that ships with the service.",
    "Operations": "For load balancers and monitoring.",
}
"""In the order in which a newcomer meets them."""

_SUMMARIES: Final[Mapping[str, str]] = {
    "answerCards": "Answer cards",
    "chat": "Ask the assistant",
    "continueShare": "Continue a share as one's own conversation",
    "createEmbed": "Add a quote image",
    "createEmbeds": "Add several quote images",
    "createShare": "Share a conversation",
    "deleteEmbed": "Delete a quote image",
    "eraseProfile": "Erase the caller",
    "exportData": "Export all data of the caller",
    "finishLogin": "Finish a redirect login",
    "followReply": "Go on with a streamed reply",
    "getConfig": "Get the links",
    "getAiHealth": "Describe the assistant",
    "getAuthHealth": "Describe the identity provider",
    "getCards": "Read the profile and its cards",
    "getChatPage": "Open the chat page",
    "getEmbed": "Get a quote image's record",
    "getEmbedImage": "Load a quote image",
    "getErasure": "Read the receipt of an erasure",
    "getLiveness": "Check that the process answers",
    "getLoginCompletion": "Show how a redirect login ended",
    "getMetrics": "Read the metrics",
    "getObject": "Load a stored file",
    "getOpenidConfiguration": "Discover the built-in provider",
    "getProfile": "Get the caller's profile",
    "getReadiness": "Check that requests are taken",
    "getShareAnalytics": "Count the views of a share",
    "getUserProfile": "Read the profile and its cards",
    "getWebFile": "Load a file of the chat page",
    "giveFeedback": "Rate a message",
    "grantTokens": "Exchange a code or refresh token",
    "launchApp": "Launch the app on a device",
    "listConversations": "List conversations",
    "listEmbedCategories": "List the categories of quote images",
    "listEmbeds": "List quote images",
    "listPreprompts": "List pre-prompts with their instructions",
    "listPublicPreprompts": "List pre-prompts",
    "listPublicSecondOpinionPreprompts": "List second-opinion cards",
    "listSecondOpinionPreprompts": "List second-opinion cards with their instructions",
    "previewShare": "Preview a share",
    "redirectToLogin": "Begin a redirect login in a browser",
    "refreshTokens": "Get new tokens",
    "reportLogin": "Report a login",
    "reportRegistration": "Report a registration",
    "resendOtp": "Send another code",
    "sendOtp": "Send a code to a phone",
    "setSocialUrls": "Set the links to social networks",
    "setSystemUrls": "Set the links to own pages",
    "signInSocial": "Sign in with another provider's token",
    "signIn": "Sign in",
    "signOut": "Sign out",
    "signUp": "Sign up",
    "startCardSession": "Begin a session of cards",
    "startLogin": "Begin a redirect login in an app",
    "stopReplyByKey": "Stop a reply by its idempotency key",
    "updateEmbed": "Change a quote image",
    "updateProfile": "Change the caller's profile",
    "updateShare": "Change a share",
    "verifyOtp": "Sign in with a code",
    "viewShare": "Read a share",
}
"""Where the operation's id, spelled out, would not do."""

_KIND_OF: Final = {"Preprompt": "pre-prompt", "SecondOpinionPreprompt": "second-opinion card"}

_MEANINGS: Final[Mapping[str, str]] = {
    "Idempotency-Key": "The key that the request to stop was sent with.",
    "Last-Event-ID": "The number of the last event that arrived; before `after`, when both are sent.",
    "Stream": "The same as `X-Stream-Response`.",
    "X-Stream-Response": "`true` streams the reply as server-sent events; else it is answered at once.",
    "after": "The number of the last event that arrived; 0 is the beginning.",
    "code": "What the provider gave for the login.",
    "conversationId": "The conversation's id.",
    "embedId": "The quote image's id.",
    "error": "Why the provider refused.",
    "error_description": "The same for people.",
    "file": "The file's name.",
    "fileId": "The file's id.",
    "filename": "The name to save it under.",
    "id": "The record's id.",
    "key": "The card's key.",
    "messageId": "The message's id.",
    "pinned": "Only pinned ones, or only others.",
    "receiptId": "The id that the erasure was answered with.",
    "shareId": "The share's id, the end of its address.",
    "signature": "What makes the link valid.",
    "state": "Comes back unchanged at the end of the login.",
    "status": "Only those in this state.",
    "type": "Only those of this type.",
    "x-device-id": "The device, 1 to 128 printable ASCII characters; the client makes it up once.",
    "x-platform": "Where the client runs.",
    "x-user-email": "A hint at who the user may be; proves nothing.",
    "x-user-id": "A hint at who the user may be; proves nothing.",
    "x-user-phone": "A hint at who the user may be; proves nothing.",
}
"""Parameters by name, where the route does not say what they mean."""

_BINARY: Final = ("*/*", "application/octet-stream", "application/zip", "image/")
_FORMS: Final = ("multipart/form-data", "application/x-www-form-urlencoded")
_ENVELOPE_TITLE = re.compile(r"Envelope\[(list\[)?(\w+)\]?\]")
_FOR_PROGRAMMERS = re.compile(r"(?:^|(?<=\n\n)|(?<=[.:;)`]\s))(?:Raises|Returns)\b.*?(?=\n\n|\Z)", re.DOTALL)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
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
    operation["summary"] = _SUMMARIES.get(name) or _spell_out(name)
    operation["description"] = plainly(operation["description"])
    _drop_defaults(operation)
    for parameter in operation.get("parameters", ()):
        _present_parameter(parameter)
    contents = operation.get("requestBody", {}).get("content", {})
    for media_type in contents.keys() & _FORMS:
        form = f"{name[0].upper()}{name[1:]}".removesuffix("Form") + "Form"
        _name_shape(contents[media_type], form, schemas)
    examples = _examples().get(name, {})
    if "request" in examples:
        next(iter(contents.values()))["example"] = examples["request"]
    operation.setdefault("security", [])
    for status, response in operation["responses"].items():
        for header in response.get("headers", {}).values():
            header.setdefault("schema", {"type": "string"})
            _drop_defaults(header)
        for media_type, content in response.get("content", {}).items():
            if media_type == "text/event-stream":
                _name_shape(content, content["schema"]["title"], schemas)
            elif media_type.startswith(_BINARY):
                content["schema"] = {"type": "string", "format": "binary"}
            elif "response" in examples and status.startswith("2") and media_type == "application/json":
                content["example"] = examples["response"]


def plainly(description: str) -> str:
    """What a docstring says to users of the interface: without the exceptions that it tells programmers,
    in lines as long as its paragraphs."""
    kept = _FOR_PROGRAMMERS.sub("", description)
    return "\n\n".join(" ".join(part.split()) for part in kept.split("\n\n") if part.strip())


def _spell_out(name: str) -> str:
    """``archiveConversation`` -> ``Archive a conversation``, ``listFiles`` -> ``List files``."""
    verb, *words = _CAPITAL.split(name)
    thing = _KIND_OF.get("".join(words)) or " ".join(words).lower()
    article = "" if thing.endswith("s") or not thing else "an " if thing[0] in "aeio" else "a "
    return f"{verb.capitalize()} {article}{thing}".strip()


def _present_parameter(parameter: Json) -> None:
    _drop_defaults(parameter)
    parameter.setdefault("description", _MEANINGS.get(parameter["name"], ""))
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
        schema["examples"] = [_examples()["error"]]
    for field, kind in schema.get("properties", {}).items():
        if kind.get("default", ...) is None:
            del kind["default"]  # some generators require what has a default, and null is what is left out
        for option in kind.get("anyOf", ()):
            if "enum" in option or option.get("type") == "object":
                option.setdefault("title", f"{field[0].upper()}{field[1:]}")


@cache
def _examples() -> Mapping[str, Any]:
    examples: Mapping[str, Any] = msgspec.json.decode((Path(__file__).parent / "examples.json").read_bytes())
    return examples
