"""Where clients reach the service, for links back to it when PUBLIC_BASE_URL is unset."""

import re
from collections.abc import Mapping
from typing import Any, Final

from finassist.domain.errors import ValidationFailed
from finassist.entrypoints.http.requests.any_request import AnyRequest

_HOST: Final = re.compile(r"[A-Za-z0-9._:\[\]-]+")


def base_of(scope: Mapping[str, Any], public_base_url: str) -> str:
    """Where the client of a request reaches the service; empty when its host cannot be one."""
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    if public_base_url or _HOST.fullmatch(host) is None:
        return public_base_url
    return f"{scope['scheme']}://{host}"


def own_address(request: AnyRequest) -> str:
    """Scheme and host as the client wrote them. Raises ValidationFailed for a host that cannot be one."""
    host = request.headers.get("host", "")
    if _HOST.fullmatch(host) is None:
        raise ValidationFailed.of("host", "Must name this service.")
    return f"{request.scope['scheme']}://{host}"


def absolute_url(request: AnyRequest, url: str | None) -> str | None:
    """The address itself; a path of this service becomes an absolute URL that the client can follow."""
    return own_address(request) + url if url is not None and url.startswith("/") else url
