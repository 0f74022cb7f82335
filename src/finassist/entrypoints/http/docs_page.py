"""The interface description as one plain HTML page that needs neither script nor network."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from finassist.entrypoints.http.content_security import source_of

_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
h2{margin-top:2.5rem;border-bottom:1px solid #ccc}
details{border:1px solid #ddd;border-radius:4px;margin:.5rem 0;padding:.4rem .8rem}
summary{cursor:pointer}
summary b{display:inline-block;width:4.5rem}
table{border-collapse:collapse;margin:.5rem 0;width:100%}
th,td{text-align:left;vertical-align:top;border-bottom:1px solid #eee;padding:.2rem .8rem .2rem 0}
code{font:14px ui-monospace,monospace}
""".strip()

DOCS_CONTENT_SECURITY_POLICY: Final = (
    f"default-src 'none'; style-src {source_of(_STYLE)}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Json = Mapping[str, Any]


def render_docs(document: Json) -> str:
    """The page for an OpenAPI document: its routes by tag, and the shapes that they use."""
    info = document["info"]
    return "".join(
        (
            "<!doctype html><html lang=en><meta charset=utf-8>",
            "<meta name=viewport content='width=device-width,initial-scale=1'>",
            f"<title>{escape(info['title'])}</title><style>{_STYLE}</style>",
            f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{_text(info['description'])}</p>",
            "<p>For programs: <a href=/openapi.json>openapi.json</a>. ",
            "For people: each line opens.</p>",
            *_routes(document),
            "<h2>Shapes</h2>",
            *(_shape(name, schema) for name, schema in document["components"]["schemas"].items()),
            "</html>",
        )
    )


def _routes(document: Json) -> Iterator[str]:
    by_tag: dict[str, list[str]] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for tag in operation.get("tags", ["Other"]):
                by_tag.setdefault(tag, []).append(_operation(method, path, operation))
    for tag, operations in by_tag.items():
        yield f"<h2>{escape(tag)}</h2>"
        yield from operations


def _operation(method: str, path: str, operation: Json) -> str:
    modes = [" and ".join(mode) or "nothing" for mode in operation.get("security", ())]
    body = operation.get("requestBody", {}).get("content", {})
    return "".join(
        (
            f"<details><summary><b>{escape(method.upper())}</b> <code>{escape(path)}</code></summary>",
            f"<p>{_text(operation.get('description', ''))}</p>",
            f"<p>Authentication: {escape(' or '.join(modes) or 'none')}</p>",
            _table(
                ("Parameter", "In", "Type", "Meaning"),
                [
                    (
                        _field(parameter["name"], parameter["required"]),
                        escape(parameter["in"]),
                        _type(parameter["schema"]),
                        _text(parameter.get("description", "")),
                    )
                    for parameter in operation.get("parameters", ())
                ],
            ),
            *(
                f"<p>Body, <code>{escape(media)}</code>: {_type(content['schema'])}</p>"
                for media, content in body.items()
            ),
            _table(
                ("Status", "Body", "Meaning"),
                [
                    (escape(status), _contents(response), _text(response["description"]))
                    for status, response in operation["responses"].items()
                ],
            ),
            "</details>",
        )
    )


def _field(name: str, required: bool) -> str:
    return f"<code>{escape(name)}</code>{'' if required else ' (optional)'}"


def _contents(response: Json) -> str:
    return " or ".join(_type(content["schema"]) for content in response.get("content", {}).values())


def _shape(name: str, schema: Json) -> str:
    required = schema.get("required", ())
    rows = [
        (
            _field(field, field in required),
            _type(kind),
            _text(kind.get("description", "")),
        )
        for field, kind in schema.get("properties", {}).items()
    ]
    content = _table(("Field", "Type", "Meaning"), rows) if rows else f"<p>{_type(schema)}</p>"
    anchor = escape(name, quote=True)
    return (
        f"<details id='{anchor}'><summary><code>{escape(name)}</code></summary>"
        f"<p>{_text(schema.get('description', ''))}</p>{content}</details>"
    )


def _type(schema: Json) -> str:
    """A schema in a few words; shapes are links."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[1], quote=True)
        return f"<a href='#{name}'>{name}</a>"
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            return " or ".join(_type(option) for option in schema[key])
    if "enum" in schema:
        return " | ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if "const" in schema:
        return f"<code>{escape(str(schema['const']))}</code>"
    kinds = schema.get("type", "any")
    words = " or ".join(kinds) if isinstance(kinds, list) else kinds
    if "items" in schema:
        words = f"{words} of {_type(schema['items'])}"
    limits = [f"{key} {schema[key]}" for key in _LIMITS if key in schema]
    return ", ".join((words, *map(escape, limits)))


_LIMITS: Final = (
    "format",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "default",
)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr>{lines}</table>"


def _text(text: str) -> str:
    """Escaped text, with `code` set in its own type."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if index % 2 else piece for index, piece in enumerate(pieces))
