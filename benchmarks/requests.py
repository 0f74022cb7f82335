"""HTTP requests as bytes, ready to send."""

from collections.abc import Mapping


def get(path: str, headers: Mapping[str, str] | None = None) -> bytes:
    """A GET."""
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\n{_lines(headers)}\r\n".encode()


def post(path: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """A POST of JSON."""
    described = f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return f"POST {path} HTTP/1.1\r\nhost: localhost\r\n{described}{_lines(headers)}\r\n".encode() + body


def _lines(headers: Mapping[str, str] | None) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
