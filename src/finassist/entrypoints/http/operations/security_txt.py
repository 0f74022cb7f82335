"""Whom to tell about a weakness (RFC 9116)."""

from datetime import timedelta
from typing import Final

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from finassist.application.ports.system import Clock
from finassist.domain.errors import NotFound
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.injection import finassist_of

PATH: Final = "/.well-known/security.txt"

_GOOD_FOR: Final = timedelta(days=180)
"""The RFC recommends less than a year. Who runs the service vouches for the contact as long as it runs."""
_CACHED: Final = {"Cache-Control": "public, max-age=86400"}


@get(
    PATH,
    summary="Tell whom to report weaknesses to",
    description=("The addresses of SECURITY_CONTACT, as RFC 9116 has them. Without any it is not found."),
    tags=["Operations"],
    media_type="text/plain",
    responses=raises("NOT_FOUND"),
)
async def get_security_txt(
    request: AnyRequest, clock: NamedDependency[SkipValidation[Clock]]
) -> Response[str]:
    settings = finassist_of(request).settings
    if not settings.security_contact:
        raise NotFound("security contact")
    today = clock.now().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    lines = [
        *(f"Contact: {address}" for address in settings.security_contact),
        f"Expires: {(today + _GOOD_FOR).isoformat()}Z",
        *([f"Canonical: {settings.public_base_url}{PATH}"] if settings.public_base_url else []),
    ]
    return Response("".join(f"{line}\n" for line in lines), media_type="text/plain", headers=_CACHED)
