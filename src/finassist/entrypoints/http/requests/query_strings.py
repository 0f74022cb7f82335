"""Query strings: percent-encoded UTF-8 without the character NUL."""

from urllib.parse import parse_qsl

from finassist.domain.errors import FieldError


def read_query(query_string: bytes) -> tuple[dict[str, list[str]], list[FieldError]]:
    """The values by their names, in their order, and what of them cannot be read."""
    query: dict[str, list[str]] = {}
    errors = []
    pairs = parse_qsl(query_string.decode("latin-1"), keep_blank_values=True, encoding="latin-1")
    for raw_name, raw_value in pairs:
        try:
            name, value = _utf8(raw_name), _utf8(raw_value)
        except UnicodeDecodeError:
            errors.append(FieldError(raw_name, "Must be valid UTF-8."))
            continue
        if "\0" in name or "\0" in value:
            errors.append(FieldError(name.replace("\0", ""), "Must not contain the character NUL."))
        query.setdefault(name, []).append(value)
    return query, errors


def _utf8(text: str) -> str:
    return text if text.isascii() else text.encode("latin-1").decode()
