"""Pre-prompts: the main catalog (spec "Pre-prompts", contract section 7)."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, TypeVar

import msgspec
from litestar import Controller, Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter

from finassist.application.ports.database import Page
from finassist.application.preprompts import (
    CreatePreprompt,
    DeletePreprompt,
    ListPreprompts,
    PrepromptValues,
    UpdatePreprompt,
)
from finassist.domain.errors import ValidationFailed
from finassist.domain.ids import ID_PATTERN
from finassist.domain.preprompts import (
    DESCRIPTION_MAX,
    KEY_MAX,
    KEY_PATTERN,
    MASKED_VALUE_MAX,
    PUBLIC_VALUE_MAX,
    TAG_MAX,
    TAGS_MAX,
    Preprompt,
    PrepromptChanges,
)
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.requests.validation import Body
from finassist.entrypoints.http.responses.caching import ETAG, NOT_MODIFIED, IfNoneMatch, cacheable
from finassist.entrypoints.http.responses.envelope import (
    Envelope,
    Offset,
    OptionalLimit,
    PageView,
    Timestamp,
    View,
    ok,
    page_fields,
    view,
)

T = TypeVar("T")

Key = Annotated[str, msgspec.Meta(pattern=KEY_PATTERN, max_length=KEY_MAX)]
PublicValue = Annotated[str, msgspec.Meta(min_length=1, max_length=PUBLIC_VALUE_MAX, pattern=r"\S")]
MaskedValue = Annotated[str, msgspec.Meta(min_length=1, max_length=MASKED_VALUE_MAX, pattern=r"\S")]
Description = Annotated[str, msgspec.Meta(max_length=DESCRIPTION_MAX)]
Tag = Annotated[str, msgspec.Meta(min_length=1, max_length=TAG_MAX)]
Tags = Annotated[list[Tag], msgspec.Meta(max_length=TAGS_MAX)]

PrepromptId = Annotated[str, PathParameter(name="id", pattern=ID_PATTERN, max_length=24)]
IncludeDeleted = Annotated[bool | None, QueryParameter(description="Whether to show deleted records too.")]
AlsoIncludeDeleted = Annotated[bool | None, QueryParameter(name="includeDeleted", include_in_schema=False)]

_ALL: Final = "The main catalog, oldest first; all of it unless a limit is sent."
_OTHER_SPELLINGS: Final = {"public_value": "publicValue", "masked_value": "maskedValue"}


class PrepromptBody(Body):
    """A pre-prompt. ``maskedValue`` is the hidden text; nobody but administrators and the model gets it."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS

    key: Key
    public_value: PublicValue
    masked_value: MaskedValue
    description: Description | None = None
    tags: Tags | None = None

    def values(self) -> PrepromptValues:
        """What the core is given."""
        return PrepromptValues(
            key=self.key,
            public_value=self.public_value,
            masked_value=self.masked_value,
            description=self.description,
            tags=self.tags or (),
        )


class PrepromptPatch(Body):
    """What to change; fields that are left out stay as they are, ``null`` takes a description away."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS

    key: Key | msgspec.UnsetType = msgspec.UNSET
    public_value: PublicValue | msgspec.UnsetType = msgspec.UNSET
    masked_value: MaskedValue | msgspec.UnsetType = msgspec.UNSET
    description: Description | msgspec.UnsetType | None = msgspec.UNSET
    tags: Tags | msgspec.UnsetType | None = msgspec.UNSET

    def changes(self) -> PrepromptChanges:
        """What the core is given."""
        changes: Any = {
            name: value for name, value in msgspec.structs.asdict(self).items() if value is not msgspec.UNSET
        }
        if "tags" in changes:
            changes["tags"] = tuple(changes["tags"] or ())
        named: PrepromptChanges = changes
        return named


class PrepromptView(View):
    """A pre-prompt as administrators see it."""

    id: str
    key: str
    public_value: str
    masked_value: str
    description: str | None
    tags: list[str]
    is_deleted: bool
    created_at: Timestamp
    updated_at: Timestamp


class PrepromptPage(PageView):
    """Some records of a catalog, or all of them."""

    preprompts: list[PrepromptView]


class PublicPrepromptView(View):
    """A pre-prompt as everybody sees it: the label, not what it stands for."""

    key: str
    public_value: str
    description: str | msgspec.UnsetType = msgspec.UNSET
    tags: list[str] | msgspec.UnsetType = msgspec.UNSET


class PublicPrepromptPage(PageView):
    """Some labels of the catalog, or all of them."""

    preprompts: list[PublicPrepromptView]


class DeletedPreprompt(View):
    """Which record was deleted."""

    deleted: bool
    id: str
    key: str


RESTORED: Final = {
    200: ResponseSpec(
        data_container=Envelope[PrepromptView],
        generate_examples=False,
        description="A deleted record with this key came back with the new values.",
    )
}


def created(stored: Preprompt, is_new: bool) -> Response[Envelope[PrepromptView]]:
    """201 for a new record, 200 for one that came back."""
    return Response(ok(view(stored, PrepromptView)), status_code=201 if is_new else 200)


def asked_for_deleted(first: bool | None, second: bool | None) -> bool:
    """What both spellings of ``include_deleted`` say together."""
    if None not in (first, second) and first is not second:
        raise ValidationFailed.of("includeDeleted", "Must not differ from include_deleted.")
    return bool(first or second)


def admin_page(page: Page[Preprompt]) -> PrepromptPage:
    """The page with everything that the records hold."""
    return PrepromptPage(preprompts=view(page.items, list[PrepromptView]), **page_fields(page))


def public_views(page: Page[Preprompt]) -> list[PublicPrepromptView]:
    """The page as everybody sees it."""
    return [
        PublicPrepromptView(
            key=record.key,
            public_value=record.public_value,
            description=msgspec.UNSET if record.description is None else record.description,
            tags=list(record.tags) if record.tags else msgspec.UNSET,
        )
        for record in page.items
    ]


def deleted(record: Preprompt) -> DeletedPreprompt:
    """What a DELETE answers."""
    return DeletedPreprompt(deleted=True, id=record.id, key=record.key)


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
