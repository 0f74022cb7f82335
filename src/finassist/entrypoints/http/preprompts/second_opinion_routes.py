"""Pre-prompts: the catalog of second-opinion cards (spec "Second-opinion pre-prompts", contract 7)."""

from typing import Annotated, Final

from litestar import Controller, Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import JSONBody, PathParameter

from finassist.application.catalogs.preprompts import (
    CreatePreprompt,
    DeletePreprompt,
    GetPreprompt,
    ListPreprompts,
    OfferPreprompts,
    UpdatePreprompt,
)
from finassist.domain.catalogs.preprompts import KEY_MAX, KEY_PATTERN
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.preprompts.bodies import PrepromptBody, PrepromptPatch
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
from finassist.entrypoints.http.responses.envelope import Envelope, Offset, OptionalLimit, ok, view

PrepromptKey = Annotated[
    str, PathParameter(name="key", pattern=KEY_PATTERN, max_length=KEY_MAX, description="The card's key.")
]

_PATH: Final = "/second-opinion/preprompts"


class SecondOpinionController(Controller):
    """``/api/v1/second-opinion/preprompts`` and its public list."""

    path = "/api/v1"
    tags = ("Second opinion",)

    @post(
        _PATH,
        summary="Create a second-opinion card",
        description=(
            "Add a card to the second-opinion catalog. When a deleted one has the same key, it is "
            "restored with the new values (200)."
        ),
        request_example={
            "key": "car-lease",
            "publicValue": "Is this car lease a good idea?",
            "maskedValue": "Compare the lease with buying over the same years, with all costs.",
        },
        responses={**RESTORED, **raises(*BACKEND_ERRORS, *BODY_ERRORS, "CONFLICT")},
        **AS_BACKEND,
    )
    async def create_second_opinion_preprompt(
        self,
        data: JSONBody[PrepromptBody],
        create_second_opinion_preprompt: NamedDependency[CreatePreprompt],
    ) -> Response[Envelope[PrepromptView]]:
        return created(*await create_second_opinion_preprompt(data.values()))

    @get(
        _PATH,
        summary="List second-opinion cards with their instructions",
        description=(
            "The second-opinion catalog with the hidden instructions, oldest first; all of it when no "
            "limit is sent."
        ),
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR"),
        **AS_BACKEND,
    )
    async def list_second_opinion_preprompts(
        self,
        list_second_opinion_preprompts: NamedDependency[ListPreprompts],
        include_deleted: IncludeDeleted = None,
        also_include_deleted: AlsoIncludeDeleted = None,
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Envelope[PrepromptPage]:
        which = asked_for_deleted(include_deleted, also_include_deleted)
        page = await list_second_opinion_preprompts(include_deleted=which, limit=limit, offset=offset)
        return ok(admin_page(page))

    @get(
        f"{_PATH}/{{key:str}}",
        summary="Get a second-opinion card",
        description=(
            "One card of the second-opinion catalog. A deleted one is found only with `include_deleted`."
        ),
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR", "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def get_second_opinion_preprompt(
        self,
        preprompt_key: PrepromptKey,
        get_second_opinion_preprompt: NamedDependency[GetPreprompt],
        include_deleted: IncludeDeleted = None,
        also_include_deleted: AlsoIncludeDeleted = None,
    ) -> Envelope[PrepromptView]:
        which = asked_for_deleted(include_deleted, also_include_deleted)
        found = await get_second_opinion_preprompt(preprompt_key, include_deleted=which)
        return ok(view(found, PrepromptView))

    @put(
        f"{_PATH}/{{key:str}}",
        summary="Update a second-opinion card",
        description=(
            "Change a card of the second-opinion catalog; fields that are left out stay as they are. A "
            "deleted one is restored. No two cards may have the same key, deleted ones included."
        ),
        request_example={"publicValue": "Should I sign this car lease?"},
        responses=raises(*BACKEND_ERRORS, *BODY_ERRORS, "NOT_FOUND", "CONFLICT"),
        **AS_BACKEND,
    )
    async def update_second_opinion_preprompt(
        self,
        preprompt_key: PrepromptKey,
        data: JSONBody[PrepromptPatch],
        update_second_opinion_preprompt: NamedDependency[UpdatePreprompt],
    ) -> Envelope[PrepromptView]:
        changed = await update_second_opinion_preprompt(preprompt_key, data.changes())
        return ok(view(changed, PrepromptView))

    @delete(
        f"{_PATH}/{{key:str}}",
        summary="Delete a second-opinion card",
        description=(
            "Delete a card of the second-opinion catalog; it can be restored. Deleting it again changes "
            "nothing."
        ),
        status_code=200,
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR", "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def delete_second_opinion_preprompt(
        self,
        preprompt_key: PrepromptKey,
        delete_second_opinion_preprompt: NamedDependency[DeletePreprompt],
    ) -> Envelope[DeletedPreprompt]:
        return ok(deleted(await delete_second_opinion_preprompt(preprompt_key)))

    @get(
        "/public/second-opinion/preprompts",
        summary="List second-opinion cards",
        description=(
            "The labels of the second-opinion catalog, oldest first; all of them when no limit is sent. "
            "While the model only quotes, those with the tag `needs-model` are left out."
        ),
        response_headers=[ETAG],
        responses={**NOT_MODIFIED, **raises("VALIDATION_ERROR")},
    )
    async def list_public_second_opinion_preprompts(
        self,
        offer_second_opinion_preprompts: NamedDependency[OfferPreprompts],
        if_none_match: IfNoneMatch = None,
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Response[Envelope[list[PublicPrepromptView]]]:
        page = await offer_second_opinion_preprompts(limit=limit, offset=offset)
        return cacheable(public_views(page), if_none_match)
