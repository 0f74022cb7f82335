"""Pre-prompts: the main catalog (spec "Pre-prompts", contract section 7)."""

from typing import Annotated, TypeVar

from litestar import Controller, Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import JSONBody, PathParameter

from finassist.application.preprompts import (
    CreatePreprompt,
    DeletePreprompt,
    ListPreprompts,
    UpdatePreprompt,
)
from finassist.domain.ids import ID_PATTERN
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.preprompts.bodies import (
    PrepromptBody,
    PrepromptPatch,
)
from finassist.entrypoints.http.preprompts.views import (
    RESTORED,
    AlsoIncludeDeleted,
    DeletedPreprompt,
    IncludeDeleted,
    PrepromptPage,
    PrepromptView,
    PublicPrepromptView,
    admin_page,
    asked_for_deleted,
    created,
    deleted,
    public_views,
)
from finassist.entrypoints.http.requests.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.responses.caching import ETAG, NOT_MODIFIED, IfNoneMatch, cacheable
from finassist.entrypoints.http.responses.envelope import (
    Envelope,
    Offset,
    OptionalLimit,
    PageView,
    ok,
    page_fields,
    view,
)

T = TypeVar("T")


_ALL = "The main catalog, oldest first; all of it unless a limit is sent."
PrepromptId = Annotated[str, PathParameter(name="id", pattern=ID_PATTERN, max_length=24)]


class PublicPrepromptPage(PageView):
    """Some labels of the catalog, or all of them."""

    preprompts: list[PublicPrepromptView]


class PrepromptController(Controller):
    """``/api/v1/preprompts`` and its public list."""

    path = "/api/v1"
    tags = ("Pre-prompts",)

    @post(
        "/preprompts",
        description=(
            "Add a pre-prompt to the main catalog. A deleted one with the same key comes back with the "
            "new values (200)."
        ),
        responses={**RESTORED, **raises(*BACKEND_ERRORS, *BODY_ERRORS, "CONFLICT")},
        **AS_BACKEND,
    )
    async def create_preprompt(
        self, data: JSONBody[PrepromptBody], create_preprompt: NamedDependency[CreatePreprompt]
    ) -> Response[Envelope[PrepromptView]]:
        return created(*await create_preprompt(data.values()))

    @get(
        "/preprompts",
        description=_ALL,
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR"),
        **AS_BACKEND,
    )
    async def list_preprompts(
        self,
        list_preprompts: NamedDependency[ListPreprompts],
        include_deleted: IncludeDeleted = None,
        also_include_deleted: AlsoIncludeDeleted = None,
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Envelope[PrepromptPage]:
        which = asked_for_deleted(include_deleted, also_include_deleted)
        return ok(admin_page(await list_preprompts(include_deleted=which, limit=limit, offset=offset)))

    @put(
        "/preprompts/{id:str}",
        description=(
            "Change what is named of a pre-prompt of the main catalog; a deleted one comes back. Its key "
            "may not be that of any other, deleted ones included."
        ),
        responses=raises(*BACKEND_ERRORS, *BODY_ERRORS, "NOT_FOUND", "CONFLICT"),
        **AS_BACKEND,
    )
    async def update_preprompt(
        self,
        preprompt_id: PrepromptId,
        data: JSONBody[PrepromptPatch],
        update_preprompt: NamedDependency[UpdatePreprompt],
    ) -> Envelope[PrepromptView]:
        return ok(view(await update_preprompt(preprompt_id, data.changes()), PrepromptView))

    @delete(
        "/preprompts/{id:str}",
        status_code=200,
        description=(
            "Delete a pre-prompt of the main catalog, so that it can be brought back; deleting twice "
            "changes nothing. Conversations that it holds in go on without it."
        ),
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR", "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def delete_preprompt(
        self, preprompt_id: PrepromptId, delete_preprompt: NamedDependency[DeletePreprompt]
    ) -> Envelope[DeletedPreprompt]:
        return ok(deleted(await delete_preprompt(preprompt_id)))

    @get(
        "/public/preprompts",
        description=_ALL,
        response_headers=[ETAG],
        responses={**NOT_MODIFIED, **raises("VALIDATION_ERROR")},
    )
    async def list_public_preprompts(
        self,
        list_preprompts: NamedDependency[ListPreprompts],
        if_none_match: IfNoneMatch = None,
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Response[Envelope[PublicPrepromptPage]]:
        page = await list_preprompts(limit=limit, offset=offset)
        return cacheable(
            PublicPrepromptPage(preprompts=public_views(page), **page_fields(page)), if_none_match
        )
