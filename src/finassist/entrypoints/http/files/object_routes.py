"""Files behind signed links, when the service keeps them itself (contract section 10)."""

from typing import Annotated, Final

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter, QueryParameter
from litestar.response import Stream

from finassist.application.files.objects import LINK_PATH, FollowObjectLink, ObjectLink, disposition
from finassist.entrypoints.http.openapi.description import raises

_FILE: Final = ResponseSpec(
    data_container=bytes,
    media_type="*/*",
    generate_examples=False,
    description="The file, as the type that its link names.",
)
_POLICY: Final = "default-src 'none'; sandbox"


class ObjectController(Controller):
    """``/objects``; the links are made by the service and opaque to clients."""

    path = LINK_PATH
    tags = ("Files",)

    @get(
        "/{key:path}",
        summary="Load a stored file",
        description=(
            "Read a stored file by a signed link. Forged and expired links, and links to deleted files, "
            "are not found."
        ),
        responses=raises("VALIDATION_ERROR", "NOT_FOUND", "STORAGE_ERROR") | {200: _FILE},
    )
    async def get_object(
        self,
        follow_object_link: NamedDependency[FollowObjectLink],
        key: Annotated[str, PathParameter(description="The file's key.")],
        filename: Annotated[str, QueryParameter(max_length=255, description="The name to save it under.")],
        content_type: Annotated[
            str, QueryParameter(name="type", max_length=255, description="The type to serve it as.")
        ],
        expires: Annotated[int, QueryParameter(ge=0, description="Seconds since 1970.")],
        signature: Annotated[str, QueryParameter(max_length=128, description="What makes the link valid.")],
    ) -> Stream:
        link = ObjectLink(
            key=key.removeprefix("/"), filename=filename, content_type=content_type, expires=expires
        )
        content = await follow_object_link(link, signature)
        return Stream(
            content,
            media_type=content_type,
            headers={
                "Content-Disposition": disposition(filename, content_type),
                "Content-Security-Policy": _POLICY,
            },
        )
