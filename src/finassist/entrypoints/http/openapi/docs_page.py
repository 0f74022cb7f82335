"""The interface description as one plain HTML page that needs neither script nor network."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

import msgspec

from finassist.entrypoints.http.responses.content_security import source_of

_STYLE: Final = """
:root{color-scheme:light dark;--line:light-dark(#ddd,#444);--soft:light-dark(#f5f6f8,#1d1f23)}
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
h2{margin:2.5rem 0 .5rem;border-bottom:1px solid var(--line)}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:1rem 0}
details{border:1px solid var(--line);border-radius:4px;margin:.5rem 0;padding:.4rem .8rem}
summary{cursor:pointer;overflow-wrap:anywhere}
summary b{display:inline-block;width:4.5rem}
summary span{margin-left:.8rem;opacity:.75}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:.5rem 0;width:100%}
th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.2rem .8rem .2rem 0}
code,pre{font:14px/1.45 ui-monospace,monospace}
td{min-width:5rem}
.long{overflow-wrap:anywhere}
pre{background:var(--soft);border-radius:4px;padding:.6rem .8rem;overflow:auto;max-height:24rem}
""".strip()

DOCS_CONTENT_SECURITY_POLICY: Final = (
    f"default-src 'none'; style-src {source_of(_STYLE)}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Json = Mapping[str, Any]


def render_docs(document: Json) -> str:
    """The page for an OpenAPI document: its routes by tag, with examples, and the shapes that they use."""
    info = document["info"]
    return "".join(
        (
            "<!doctype html><html lang=en><meta charset=utf-8>",
            "<meta name=viewport content='width=device-width,initial-scale=1'>",
            f"<title>{escape(info['title'])}</title><style>{_STYLE}</style>",
            f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>{_paragraphs(info['description'])}",
            "<p>For programs: <a href=/openapi.json>openapi.json</a>. For people: each line opens. ",
            f"Licence: {escape(info['license']['name'])}.</p>",
            f"<nav>{''.join(_links(document))}</nav>",
            *_authentication(document["components"]["securitySchemes"]),
            *_routes(document),
            "<h2 id=about-shapes>Shapes</h2>",
            *(_shape(name, schema) for name, schema in sorted(document["components"]["schemas"].items())),
            "</html>",
        )
    )


def _links(document: Json) -> Iterator[str]:
    for title in ("Authenticating", *(tag["name"] for tag in document["tags"]), "Shapes"):
        yield f"<a href='#{_anchor(title)}'>{escape(title)}</a>"


def _anchor(title: str) -> str:
    return escape(f"about-{title.lower().replace(' ', '-')}", quote=True)


def _authentication(schemes: Mapping[str, Json]) -> Iterator[str]:
    yield "<h2 id=about-authenticating>Authenticating</h2>"
    rows = [
        (f"<code>{escape(name)}</code>", _sent_as(scheme), _text(scheme["description"]))
        for name, scheme in schemes.items()
    ]
    yield _table(("Way", "Header", "What it is"), rows)


def _sent_as(scheme: Json) -> str:
    header = "Authorization: Bearer …" if scheme["type"] == "http" else f"{scheme['name']}: …"
    return f"<code>{escape(header)}</code>"


def _routes(document: Json) -> Iterator[str]:
    by_tag: dict[str, list[str]] = {tag["name"]: [] for tag in document["tags"]}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for tag in operation["tags"]:
                by_tag[tag].append(_operation(method, path, operation))
    for tag in document["tags"]:
        yield f"<h2 id='{_anchor(tag['name'])}'>{escape(tag['name'])}</h2>{_paragraphs(tag['description'])}"
        yield from by_tag[tag["name"]]


def _operation(method: str, path: str, operation: Json) -> str:
    return "".join(
        (
            f"<details id='{escape(operation['operationId'], quote=True)}'>",
            f"<summary><b>{escape(method.upper())}</b> <code>{escape(path)}</code>",
            f"<span>{escape(operation['summary'])}</span></summary>",
            _paragraphs(operation["description"]),
            f"<p>Authentication: {_modes(operation)}. Operation id: ",
            f"<code>{escape(operation['operationId'])}</code>.</p>",
            _table(
                ("Parameter", "In", "Type", "Meaning"),
                [
                    (
                        _field(parameter["name"], parameter["required"]),
                        escape(parameter["in"]),
                        _type(parameter["schema"]),
                        _text(parameter["description"]),
                    )
                    for parameter in operation.get("parameters", ())
                ],
            ),
            *_body(operation),
            _table(
                ("Status", "Body", "Meaning"),
                [
                    (escape(status), _contents(response), _text(response["description"]))
                    for status, response in operation["responses"].items()
                ],
            ),
            *_answers(operation),
            "</details>",
        )
    )


def _modes(operation: Json) -> str:
    modes = [
        " and ".join(f"<code>{escape(way)}</code>" for way in mode) or "none"
        for mode in operation.get("security", ())
    ]
    return " or ".join(modes) or "none"


def _body(operation: Json) -> Iterator[str]:
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"<p>Body, <code>{escape(media)}</code>: {_type(content['schema'])}</p>{_example(content)}"


def _answers(operation: Json) -> Iterator[str]:
    for status, response in operation["responses"].items():
        for content in response.get("content", {}).values():
            if "example" in content:
                yield f"<p>For example, with status {escape(status)}:</p>{_example(content)}"


def _example(content: Json) -> str:
    if "example" not in content:
        return ""
    text = msgspec.json.format(msgspec.json.encode(content["example"]), indent=2).decode()
    return f"<pre>{escape(text)}</pre>"


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
        f"{_paragraphs(schema.get('description', ''))}{content}</details>"
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
    limits = [f"{key} <code class=long>{escape(str(schema[key]))}</code>" for key in _LIMITS if key in schema]
    return ", ".join((words, *limits))


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
    """Columns in which no row says anything are left out."""
    if not rows:
        return ""
    used = [index for index in range(len(head)) if any(row[index] for row in rows)]
    lines = "".join(f"<tr>{''.join(f'<td>{row[index]}</td>' for index in used)}</tr>" for row in rows)
    heads = "".join(f"<th>{head[index]}</th>" for index in used)
    return f"<div class=wide><table><tr>{heads}</tr>{lines}</table></div>"


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_text(part)}</p>" for part in text.split("\n\n") if part)


def _text(text: str) -> str:
    """Escaped text, with `code` set in its own type."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if index % 2 else piece for index, piece in enumerate(pieces))
