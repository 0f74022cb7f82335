"""Headers of a response that are known before it is, and that its errors have too."""

from typing import Any


def send_headers(scope: Any, *headers: tuple[bytes, bytes]) -> None:
    """Add headers to the response of the request, whatever that will be."""
    scope["state"].setdefault("response_headers", []).extend(headers)
