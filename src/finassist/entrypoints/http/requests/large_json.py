"""Decoding large JSON beside the event loop without holding it up.

A decoder keeps the interpreter from all other threads until it has read the whole text: 30 MB of base64
take about 15 ms, 60 ms when its slashes are escaped, and 200 ms with one character beyond ASCII in it. Long
strings are therefore taken out and decoded in slices, and the text around them is limited.
"""

import secrets
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import msgspec

from finassist.domain.errors import ValidationFailed
from finassist.domain.files.content import MEGABYTE

_LONG: Final = 64 * 1024
_PARTS_MAX: Final = 1 << 16
_QUOTES_MAX: Final = 4 * _PARTS_MAX
_ESCAPE_MAX: Final = 6
_BACKSLASH: Final = b"\\"
_NOT_BASE64: Final = "Strings of more than 64 KB must be base64."


def decode_json(text: bytes, field: str) -> Any:
    """The decoded value. Of more than 1 MB of JSON at most 1 MB may be anything but strings of more than
    64 KB, and those are ASCII, as base64 is. Raises ValidationFailed, and what msgspec raises."""
    if len(text) <= MEGABYTE:
        return _decode(text, field)
    mark = secrets.token_hex(16)
    around, end = bytearray(), 0
    long_strings: list[str] = []
    for first, last in _long_strings(text, field):
        around += b"%s%s%d" % (text[end:first], mark.encode(), len(long_strings))
        long_strings.append(_decode_string(text, first, last, field))
        end = last
        if len(around) > MEGABYTE:
            break
    if len(around) + len(text) - end > MEGABYTE:
        raise ValidationFailed.of(field, "The JSON has more than 1 MB besides strings of more than 64 KB.")
    value = _decode(bytes(around + text[end:]), field)
    return _with_strings({f"{mark}{number}": each for number, each in enumerate(long_strings)}, value)


def _decode(text: bytes, field: str) -> Any:
    if text.count(b",") + text.count(b"[") + text.count(b"{") > _PARTS_MAX:
        raise ValidationFailed.of(field, "The JSON has too many parts.")
    return msgspec.json.decode(text)


def _long_strings(text: bytes, field: str) -> Iterator[tuple[int, int]]:
    """Where the contents of long strings begin and end."""
    quotes, first, before = 0, -1, -1
    while (quote := text.find(b'"', before + 1)) >= 0:
        quotes += 1
        if quotes > _QUOTES_MAX:
            raise ValidationFailed.of(field, "The JSON has too many parts.")
        if first < 0:
            first = quote + 1
        elif not _is_escaped(text, before + 1, quote):
            if quote - first > _LONG:
                yield first, quote
            first = -1
        before = quote
    if first >= 0:
        raise ValidationFailed.of(field, "Must be valid JSON.")


def _is_escaped(text: bytes, begin: int, quote: int) -> bool:
    """Whether there is an odd number of backslashes before the quote, from ``begin`` on."""
    if text[quote - 1] != _BACKSLASH[0]:
        return False
    between = text[max(begin, quote - _LONG) : quote]  # strings with longer runs are refused anyway
    return (len(between) - len(between.rstrip(_BACKSLASH))) % 2 == 1


def _decode_string(text: bytes, first: int, last: int, field: str) -> str:
    cuts = [first]
    while cuts[-1] < last:
        cuts.append(_cut(text, cuts[-1], last))
        if cuts[-1] == cuts[-2]:
            raise ValidationFailed.of(field, _NOT_BASE64)
    pieces = []
    for begin, end in pairwise(cuts):
        piece = msgspec.json.decode(b'"%s"' % text[begin:end], type=str)
        if not piece.isascii():
            raise ValidationFailed.of(field, _NOT_BASE64)
        pieces.append(piece)
    return "".join(pieces)


def _cut(text: bytes, begin: int, last: int) -> int:
    """Where a slice that begins there ends: not in an escape."""
    end = min(begin + _LONG, last)
    escape = text.rfind(_BACKSLASH, end - _ESCAPE_MAX, end) if end < last else -1
    return end if escape < 0 else begin + len(text[begin : escape + 1].rstrip(_BACKSLASH))


def _with_strings(strings: dict[str, str], value: Any) -> Any:
    """The value with the long strings in their places; those that are keys are no fields of anything."""
    if isinstance(value, str):
        return strings.get(value, value)
    parts = [value]
    while parts:
        part = parts.pop()
        items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, item in items:
            if isinstance(item, str):
                part[key] = strings.get(item, item)
            else:
                parts.append(item)
    return value
