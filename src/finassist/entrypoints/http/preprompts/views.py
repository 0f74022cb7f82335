"""The query parameters and views of both catalogs."""

from typing import Annotated, Final

import msgspec
from litestar import Response
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter

from finassist.application.ports.database import Page
from finassist.domain.catalogs.preprompts import Preprompt
from finassist.domain.errors import ValidationFailed
from finassist.entrypoints.http.responses.envelope import (
    Envelope,
    PageView,
    Timestamp,
    View,
    ok,
    page_fields,
    view,
)

IncludeDeleted = Annotated[bool | None, QueryParameter(description="Whether to show deleted records too.")]
AlsoIncludeDeleted = Annotated[bool | None, QueryParameter(name="includeDeleted", include_in_schema=False)]


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
    """The value of ``include_deleted``, in either of its spellings."""
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
    """The data of the response to a DELETE."""
    return DeletedPreprompt(deleted=True, id=record.id, key=record.key)
