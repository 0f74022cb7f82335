"""Pre-prompts: the main catalog (spec "Pre-prompts", contract section 7)."""

from typing import Annotated, TypeVar

from litestar import Controller, Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import JSONBody, PathParameter

from finassist.application.catalogs.preprompts import (
    CreatePreprompt,
    DeletePreprompt,
    ListPreprompts,
    OfferPreprompts,
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


PrepromptId = Annotated[
    str, PathParameter(name="id", pattern=ID_PATTERN, max_length=24, description="The pre-prompt's id.")
]


class PublicPrepromptPage(PageView):
    """Some labels of the catalog, or all of them."""

    preprompts: list[PublicPrepromptView]


class PrepromptController(Controller):
    """``/api/v1/preprompts`` and its public list."""

    path = "/api/v1"
    tags = ("Pre-prompts",)

    @post(
        "/preprompts",
        summary="Create a pre-prompt",
        description=(
            "Add a pre-prompt to the main catalog. When a deleted one has the same key, it is restored "
            "with the new values (200)."
        ),
        request_example={
            "key": "first-budget",
            "publicValue": "My first budget",
            "maskedValue": "Ask for the monthly income first. "
            "Then explain three common ways to budget, with amounts.",
            "tags": ["budget"],
        },
        responses={**RESTORED, **raises(*BACKEND_ERRORS, *BODY_ERRORS, "CONFLICT")},
        **AS_BACKEND,
    )
    async def create_preprompt(
        self, data: JSONBody[PrepromptBody], create_preprompt: NamedDependency[CreatePreprompt]
    ) -> Response[Envelope[PrepromptView]]:
        return created(*await create_preprompt(data.values()))

    @get(
        "/preprompts",
        summary="List pre-prompts with their instructions",
        description=(
            "The main catalog with the hidden instructions, oldest first; all of it when no limit is sent."
        ),
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
        summary="Update a pre-prompt",
        description=(
            "Change a pre-prompt of the main catalog; fields that are left out stay as they are. A "
            "deleted one is restored. No two pre-prompts may have the same key, deleted ones included."
        ),
        request_example={"description": "Three ways to begin", "tags": ["budget"]},
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
        summary="Delete a pre-prompt",
        description=(
            "Delete a pre-prompt of the main catalog; it can be restored. Deleting it again changes "
            "nothing. Conversations that use it go on without it."
        ),
        status_code=200,
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR", "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def delete_preprompt(
        self, preprompt_id: PrepromptId, delete_preprompt: NamedDependency[DeletePreprompt]
    ) -> Envelope[DeletedPreprompt]:
        return ok(deleted(await delete_preprompt(preprompt_id)))

    @get(
        "/public/preprompts",
        summary="List pre-prompts",
        description=(
            "The labels of the main catalog, oldest first; all of them when no limit is sent. While the "
            "model only quotes, those with the tag `needs-model` are left out."
        ),
        response_headers=[ETAG],
        responses={**NOT_MODIFIED, **raises("VALIDATION_ERROR")},
    )
    async def list_public_preprompts(
        self,
        offer_preprompts: NamedDependency[OfferPreprompts],
        if_none_match: IfNoneMatch = None,
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Response[Envelope[PublicPrepromptPage]]:
        page = await offer_preprompts(limit=limit, offset=offset)
        return cacheable(
            PublicPrepromptPage(preprompts=public_views(page), **page_fields(page)), if_none_match
        )
