"""Responses that clients cache and revalidate: ETag and 304."""

import hashlib
from typing import Annotated, Any, Final

import msgspec
from litestar import Response
from litestar.datastructures import ResponseHeader
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter

from finassist.entrypoints.http.responses.envelope import ok

IfNoneMatch = Annotated[
    str | None,
    HeaderParameter(name="If-None-Match", description="ETags of responses that the client has."),
]
NOT_MODIFIED: Final = {
    304: ResponseSpec(data_container=None, description="What the client has is still right; no body.")
}
ETAG: Final = ResponseHeader(
    name="ETag", description="Changes with `data`; `meta` is not part of it.", documentation_only=True
)

CACHE_CONTROL: Final = "public, no-cache"
"""Kept by everybody, and asked for again each time."""


FOR_A_MINUTE: Final = "public, max-age=60"


def cacheable(data: object, if_none_match: str | None, cache_control: str = CACHE_CONTROL) -> Response[Any]:
    """The answer with an ETag that stands for ``data``, or 304 for a client that has it already."""
    digest = hashlib.sha256(msgspec.json.encode(data)).hexdigest()[:32]
    headers = {"ETag": f'W/"{digest}"', "Cache-Control": cache_control}
    if if_none_match is not None and has_current(if_none_match, digest):
        return Response(None, status_code=304, headers=headers)
    return Response(ok(data), headers=headers)


def has_current(if_none_match: str, digest: str) -> bool:
    """Whether the list of ETags has this one; weak and strong ones compare alike."""
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return not tags.isdisjoint(("*", f'"{digest}"'))
