"""Pre-prompts: the catalog of second-opinion cards (spec "Second-opinion pre-prompts", contract 7)."""

import inspect
from typing import Annotated, Final

from litestar import Controller, Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import JSONBody, PathParameter

from finassist.application.preprompts import (
    CreateSecondOpinionPreprompt,
    DeleteSecondOpinionPreprompt,
    GetSecondOpinionPreprompt,
    ListSecondOpinionPreprompts,
    UpdateSecondOpinionPreprompt,
)
from finassist.domain.preprompts import KEY_MAX, KEY_PATTERN
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.preprompts.routes import (
    RESTORED,
    AlsoIncludeDeleted,
    DeletedPreprompt,
    IncludeDeleted,
    PrepromptBody,
    PrepromptPage,
    PrepromptPatch,
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

PrepromptKey = Annotated[str, PathParameter(name="key", pattern=KEY_PATTERN, max_length=KEY_MAX)]

_PATH: Final = "/second-opinion/preprompts"


class SecondOpinionController(Controller):
    """``/api/v1/second-opinion/preprompts`` and its public list."""

    path = "/api/v1"
    tags = ("Second opinion",)

    @post(
        _PATH,
        description=inspect.getdoc(CreateSecondOpinionPreprompt),
        responses={**RESTORED, **raises(*BACKEND_ERRORS, *BODY_ERRORS, "CONFLICT")},
        **AS_BACKEND,
    )
    async def create_second_opinion_preprompt(
        self,
        data: JSONBody[PrepromptBody],
        create_second_opinion_preprompt: NamedDependency[CreateSecondOpinionPreprompt],
    ) -> Response[Envelope[PrepromptView]]:
        return created(*await create_second_opinion_preprompt(data.values()))

    @get(
        _PATH,
        description=inspect.getdoc(ListSecondOpinionPreprompts),
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR"),
        **AS_BACKEND,
    )
    async def list_second_opinion_preprompts(
        self,
        list_second_opinion_preprompts: NamedDependency[ListSecondOpinionPreprompts],
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
        description=inspect.getdoc(GetSecondOpinionPreprompt),
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR", "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def get_second_opinion_preprompt(
        self,
        preprompt_key: PrepromptKey,
        get_second_opinion_preprompt: NamedDependency[GetSecondOpinionPreprompt],
        include_deleted: IncludeDeleted = None,
        also_include_deleted: AlsoIncludeDeleted = None,
    ) -> Envelope[PrepromptView]:
        which = asked_for_deleted(include_deleted, also_include_deleted)
        found = await get_second_opinion_preprompt(preprompt_key, include_deleted=which)
        return ok(view(found, PrepromptView))

    @put(
        f"{_PATH}/{{key:str}}",
        description=inspect.getdoc(UpdateSecondOpinionPreprompt),
        responses=raises(*BACKEND_ERRORS, *BODY_ERRORS, "NOT_FOUND", "CONFLICT"),
        **AS_BACKEND,
    )
    async def update_second_opinion_preprompt(
        self,
        preprompt_key: PrepromptKey,
        data: JSONBody[PrepromptPatch],
        update_second_opinion_preprompt: NamedDependency[UpdateSecondOpinionPreprompt],
    ) -> Envelope[PrepromptView]:
        changed = await update_second_opinion_preprompt(preprompt_key, data.changes())
        return ok(view(changed, PrepromptView))

    @delete(
        f"{_PATH}/{{key:str}}",
        status_code=200,
        description=inspect.getdoc(DeleteSecondOpinionPreprompt),
        responses=raises(*BACKEND_ERRORS, "VALIDATION_ERROR", "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def delete_second_opinion_preprompt(
        self,
        preprompt_key: PrepromptKey,
        delete_second_opinion_preprompt: NamedDependency[DeleteSecondOpinionPreprompt],
    ) -> Envelope[DeletedPreprompt]:
        return ok(deleted(await delete_second_opinion_preprompt(preprompt_key)))

    @get(
        "/public/second-opinion/preprompts",
        description=inspect.getdoc(ListSecondOpinionPreprompts),
        response_headers=[ETAG],
        responses={**NOT_MODIFIED, **raises("VALIDATION_ERROR")},
    )
    async def list_public_second_opinion_preprompts(
        self,
        list_second_opinion_preprompts: NamedDependency[ListSecondOpinionPreprompts],
        if_none_match: IfNoneMatch = None,
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Response[Envelope[list[PublicPrepromptView]]]:
        page = await list_second_opinion_preprompts(limit=limit, offset=offset)
        return cacheable(public_views(page), if_none_match)
