"""Exporting the caller's data (contract section 3, "Export and erasure")."""

from typing import Final

from litestar import Controller, get
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.response import Stream

from finassist.application.data_export import ReadOwnedRecords
from finassist.entrypoints.http.conversations.parameters import Superseded
from finassist.entrypoints.http.data_export.writing import Export
from finassist.entrypoints.http.openapi.description import CALLER_ERRORS, raises
from finassist.entrypoints.http.requests.audit import ALWAYS
from finassist.entrypoints.http.requests.security import AS_CALLER, CallerRequest

_ZIP: Final = "application/zip"
_ARCHIVE: Final = ResponseSpec(
    data_container=bytes, media_type=_ZIP, generate_examples=False, description="The archive."
)
_DISPOSITION: Final = ResponseHeader(
    name="Content-Disposition", description="An attachment, with a name.", documentation_only=True
)


class ExportController(Controller):
    """``/api/v1/auth/me/export``."""

    path = "/api/v1/auth/me/export"
    tags = ("Account",)
    opt = AS_CALLER["opt"]
    security = AS_CALLER["security"]

    @get(
        summary="Export all data of the caller",
        description=(
            "Download all of the caller's data as a ZIP archive, which is made while it is sent: JSON for "
            "each kind of record, Markdown transcripts of the conversations that are not deleted, the "
            "files themselves, and a README.txt that explains it. Files that cannot be read are listed in "
            "MISSING.txt. Messages that were replaced by a later question are in it with "
            "`include=superseded`, with that `status`."
        ),
        responses=raises(*CALLER_ERRORS, "NOT_FOUND") | {200: _ARCHIVE},
        response_headers=[_DISPOSITION],
        audited=ALWAYS,
    )
    async def export_data(
        self,
        request: CallerRequest,
        read_owned_records: NamedDependency[ReadOwnedRecords],
        include: Superseded = None,
    ) -> Stream:
        owned = await read_owned_records(request.user, with_superseded=include is not None)
        export = Export(owned)
        disposition = f'attachment; filename="{export.filename}"'
        return Stream(export.pieces(), media_type=_ZIP, headers={"Content-Disposition": disposition})
