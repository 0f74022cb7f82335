"""The caller's files (spec "Files", contract section 10)."""

from typing import Annotated, Final

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter, SkipValidation

from finassist.application.files.records import DeleteFile, GetFile, LinkedFile, ListFiles, UploadFile
from finassist.application.ports.files import Spool
from finassist.domain.errors import FieldError, ValidationFailed
from finassist.domain.files.content import FILE_BYTES_MAX, MEGABYTE, FileKind
from finassist.domain.ids import ID_PATTERN, is_id
from finassist.entrypoints.http.openapi.description import REGISTERED_ERRORS, raises
from finassist.entrypoints.http.requests.addresses import absolute_url
from finassist.entrypoints.http.requests.security import AS_REGISTERED, CallerRequest
from finassist.entrypoints.http.requests.uploads import UploadForm, receive_upload
from finassist.entrypoints.http.responses.envelope import (
    Envelope,
    Limit,
    Offset,
    PageView,
    Timestamp,
    View,
    ok,
    page_fields,
)

UPLOAD_BODY_MAX: Final = 21 * MEGABYTE

_FILE_PART: Final = "file"
_CONVERSATION_PART: Final = "conversationId"
_CONVERSATION_PARTS: Final = (_CONVERSATION_PART, "conversation_id")
_FORM: Final = {
    "type": "object",
    "required": [_FILE_PART],
    "properties": {
        _FILE_PART: {
            "type": "string",
            "format": "binary",
            "description": "JPEG, PNG, GIF, WebP (at most 10 MB) or PDF (at most 20 MB).",
        },
        _CONVERSATION_PART: {
            "type": "string",
            "pattern": ID_PATTERN,
            "description": "The conversation of the caller's that the file belongs to.",
        },
    },
}

FileId = Annotated[
    str, PathParameter(name="fileId", pattern=ID_PATTERN, max_length=24, description="The file's id.")
]
_PDF: Final = (
    "%PDF-1.4\n"
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n"
    "trailer<</Root 1 0 R>>\n"
    "%%EOF\n"
)
"""The smallest PDF, for the example of an upload."""


class FileView(View):
    """A file. ``size`` is in bytes, ``width`` and ``height`` in pixels; ``url`` is good for 15 minutes."""

    id: str
    user_id: str
    conversation_id: str | None
    filename: str
    mime_type: str
    size: int
    kind: FileKind
    url: str
    width: int | None
    height: int | None
    created_at: Timestamp
    updated_at: Timestamp


class FilePage(PageView):
    """Some of the caller's files."""

    files: list[FileView]


class DeletedFile(View):
    """Which file is gone."""

    deleted: bool
    file_id: str


class FileController(Controller):
    """``/api/v1/files``."""

    path = "/api/v1/files"
    tags = ("Files",)
    opt = AS_REGISTERED["opt"]
    security = AS_REGISTERED["security"]

    @post(
        "/upload",
        summary="Upload a file",
        description=(
            "Store a file of the caller: a JPEG, PNG, GIF or WebP of at most 10 MB, or a PDF of at most "
            "20 MB.\n\n"
            "The type is detected from the content and must agree with the declared one. Images lose "
            "their metadata (EXIF, GPS). Unsafe characters of the name are replaced. With "
            "`conversationId` the file belongs to that conversation of the caller."
        ),
        request_example={
            "file": _PDF,
            "conversationId": "01a1fdab9f8c000078003712",
        },
        request_max_body_size=UPLOAD_BODY_MAX,
        opt={"form": _FORM},
        responses=raises(
            *REGISTERED_ERRORS,
            "PAYLOAD_TOO_LARGE",
            "UNSUPPORTED_MEDIA_TYPE",
            "NOT_FOUND",
            "FORBIDDEN",
            "RATE_LIMIT_EXCEEDED",
            "STORAGE_ERROR",
        ),
    )
    async def upload_file(
        self,
        request: CallerRequest,
        upload_file: NamedDependency[UploadFile],
        spool: NamedDependency[SkipValidation[Spool]],
    ) -> Envelope[FileView]:
        async with receive_upload(
            request, spool, file_part=_FILE_PART, text_parts=_CONVERSATION_PARTS, bytes_max=FILE_BYTES_MAX
        ) as form:
            errors = [*form.errors, *_conversation_errors(form)]
            if form.file is None:
                raise ValidationFailed(errors)
            kept = await upload_file(request.user, form.file, form.text, also_wrong=errors)
        return ok(file_view(kept, request))

    @get(
        summary="List files",
        description=(
            "The caller's files, newest first: uploaded files and files that were sent with a message."
        ),
        responses=raises(*REGISTERED_ERRORS, "NOT_FOUND", "FORBIDDEN"),
    )
    async def list_files(
        self,
        request: CallerRequest,
        list_files: NamedDependency[ListFiles],
        conversation_id: Annotated[
            str | None,
            QueryParameter(
                name="conversationId",
                pattern=ID_PATTERN,
                max_length=24,
                description="Only the files of this conversation of the caller's.",
            ),
        ] = None,
        other_spelling: Annotated[
            str | None,
            QueryParameter(
                name="conversation_id", pattern=ID_PATTERN, max_length=24, include_in_schema=False
            ),
        ] = None,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Envelope[FilePage]:
        if None not in (conversation_id, other_spelling) and conversation_id != other_spelling:
            raise ValidationFailed.of("conversation_id", "Must not differ from conversationId.")
        conversation_id = conversation_id or other_spelling
        page, linked = await list_files(request.user, conversation_id, limit=limit, offset=offset)
        return ok(
            FilePage(
                files=[file_view(file, request) for file in linked],
                **page_fields(page),
            )
        )

    @get(
        "/{fileId:str}",
        summary="Get a file",
        description=(
            "The metadata of one of the caller's files, with an address that serves its content for 15 "
            "minutes."
        ),
        responses=raises(*REGISTERED_ERRORS, "NOT_FOUND", "FORBIDDEN", "STORAGE_ERROR"),
    )
    async def get_file(
        self, request: CallerRequest, file_id: FileId, get_file: NamedDependency[GetFile]
    ) -> Envelope[FileView]:
        return ok(file_view(await get_file(request.user, file_id), request))

    @delete(
        "/{fileId:str}",
        summary="Delete a file",
        description=(
            "Delete one of the caller's files for good. Messages that it was sent with keep its name; "
            "later replies do not use it."
        ),
        status_code=200,
        responses=raises(*REGISTERED_ERRORS, "NOT_FOUND", "FORBIDDEN", "STORAGE_ERROR"),
    )
    async def delete_file(
        self, request: CallerRequest, file_id: FileId, delete_file: NamedDependency[DeleteFile]
    ) -> Envelope[DeletedFile]:
        deleted = await delete_file(request.user, file_id)
        return ok(DeletedFile(deleted=True, file_id=deleted.id))


def _conversation_errors(form: UploadForm) -> list[FieldError]:
    if form.text is None or is_id(form.text):
        return []
    return [FieldError(form.text_part, "Must be 24 lower-case hexadecimal characters.")]


def file_view(linked: LinkedFile, request: CallerRequest) -> FileView:
    """The record of one of the caller's files."""
    file = linked.file
    return FileView(
        id=file.id,
        user_id=request.user.user_id,
        conversation_id=file.conversation_id,
        filename=file.filename,
        mime_type=file.mime_type,
        size=file.size,
        kind=file.kind,
        url=absolute_url(request, linked.url) or linked.url,
        width=file.width,
        height=file.height,
        created_at=Timestamp.of(file.created_at),
        updated_at=Timestamp.of(file.updated_at),
    )
