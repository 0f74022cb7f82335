"""Quote images and their categories (spec "Visual embeds", contract section 8)."""

import inspect
from typing import Annotated, Any, Final

from litestar import Controller, Request, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter
from litestar.response import Stream

from finassist.application.embeds import (
    IMAGE_TYPE,
    PATH,
    CreateEmbeds,
    DeleteEmbed,
    GetEmbed,
    ListEmbedCategories,
    ListEmbeds,
    OpenEmbedImage,
    UpdateEmbed,
    image_url_of,
)
from finassist.domain.embeds import (
    Embed,
    EmbedCategories,
)
from finassist.domain.errors import ValidationFailed
from finassist.domain.ids import ID_PATTERN
from finassist.entrypoints.http.envelope import (
    Envelope,
    Link,
    Offset,
    OptionalLimit,
    PageView,
    Timestamp,
    View,
    ok,
    page_fields,
    view,
)
from finassist.entrypoints.http.forms import sent_file
from finassist.entrypoints.http.openapi import BODY_ERRORS, raises
from finassist.entrypoints.http.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.sent_embeds import (
    CATEGORY_MAX,
    TEXT_PARTS,
    BulkEmbeds,
    EmbedBody,
    EmbedPatch,
    embed_changes,
    new_embed,
)

IMAGE_BODY_MAX: Final = 11 * 2**20
BULK_BODY_MAX: Final = 2**20

_IMAGE: Final = ResponseSpec(
    data_container=bytes, media_type=IMAGE_TYPE, generate_examples=False, description="The image, a PNG."
)
_IMAGE_HEADERS: Final = {
    # What is under an address never changes; a day, because the embed can be removed.
    "Cache-Control": "public, max-age=86400",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
}

EmbedId = Annotated[str, PathParameter(name="embedId", pattern=ID_PATTERN, max_length=24)]
CategoryFilter = Annotated[
    str | None,
    QueryParameter(
        name="category_id", max_length=CATEGORY_MAX, description="The id or the key of a category."
    ),
]


class EmbedCategoryView(View):
    """A category, with the keywords that replies are matched by and the folder of its images."""

    id: str
    key: str
    display_name: str
    keywords: list[str]
    folder: str


class CategoryOfEmbed(View):
    """The category that an embed belongs to."""

    id: str
    key: str
    display_name: str


class EmbedView(View):
    """A quote image; only an active one goes with replies."""

    id: str
    category_id: str
    category: CategoryOfEmbed
    image_url: Link
    quote_text: str | None
    is_active: bool
    created_at: Timestamp
    updated_at: Timestamp


class EmbedPage(PageView):
    """Quote images, oldest first."""

    embeds: list[EmbedView]


class EmbedCategoryPage(PageView):
    """Categories of quote images."""

    categories: list[EmbedCategoryView]


class CreatedEmbeds(View):
    """What was added, in the order of the request."""

    embeds: list[EmbedView]
    count: int


class DeletedEmbed(View):
    """Which embed is gone."""

    deleted: bool
    id: str


class EmbedController(Controller):
    """``/api/v1/visual-embeds``."""

    path = PATH
    tags = ("Visual embeds",)

    @get(description=inspect.getdoc(ListEmbeds), responses=raises("VALIDATION_ERROR"))
    async def list_embeds(
        self,
        list_embeds: NamedDependency[ListEmbeds],
        embed_categories: NamedDependency[EmbedCategories],
        category_id: CategoryFilter = None,
        other_spelling: Annotated[
            str | None, QueryParameter(name="categoryId", max_length=CATEGORY_MAX, include_in_schema=False)
        ] = None,
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Envelope[EmbedPage]:
        if None not in (category_id, other_spelling) and category_id != other_spelling:
            raise ValidationFailed.of("categoryId", "Must not differ from category_id.")
        category = other_spelling if category_id is None else category_id
        page = await list_embeds(category, limit=limit, offset=offset)
        return ok(
            EmbedPage(
                embeds=[_shown(embed, embed_categories) for embed in page.items],
                **page_fields(page),
            )
        )

    @get("/categories", description=inspect.getdoc(ListEmbedCategories), responses=raises("VALIDATION_ERROR"))
    async def list_embed_categories(
        self,
        list_embed_categories: NamedDependency[ListEmbedCategories],
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Envelope[EmbedCategoryPage]:
        page = await list_embed_categories(limit=limit, offset=offset)
        return ok(
            EmbedCategoryPage(
                categories=[view(category, EmbedCategoryView) for category in page.items],
                **page_fields(page),
            )
        )

    @get(
        "/{embedId:str}",
        description=inspect.getdoc(GetEmbed),
        responses=raises("VALIDATION_ERROR", "NOT_FOUND"),
    )
    async def get_embed(
        self,
        embed_id: EmbedId,
        get_embed: NamedDependency[GetEmbed],
        embed_categories: NamedDependency[EmbedCategories],
    ) -> Envelope[EmbedView]:
        return ok(_shown(await get_embed(embed_id), embed_categories))

    @get(
        "/{embedId:str}/image",
        description=inspect.getdoc(OpenEmbedImage),
        responses=raises("VALIDATION_ERROR", "NOT_FOUND", "STORAGE_ERROR") | {200: _IMAGE},
    )
    async def get_embed_image(
        self, embed_id: EmbedId, open_embed_image: NamedDependency[OpenEmbedImage]
    ) -> Stream:
        return Stream(await open_embed_image(embed_id), media_type=IMAGE_TYPE, headers=_IMAGE_HEADERS)

    @post(
        description=inspect.getdoc(CreateEmbeds),
        responses=raises(*BODY_ERRORS, *BACKEND_ERRORS, "STORAGE_ERROR"),
        request_max_body_size=IMAGE_BODY_MAX,
        opt={"file_part": "image", "text_parts": TEXT_PARTS},
        **AS_BACKEND,
    )
    async def create_embed(
        self,
        request: Request[Any, Any, Any],
        data: JSONBody[EmbedBody],
        create_embeds: NamedDependency[CreateEmbeds],
        embed_categories: NamedDependency[EmbedCategories],
    ) -> Envelope[EmbedView]:
        [made] = await create_embeds([new_embed(data, sent_file(request))])
        return ok(_shown(made, embed_categories))

    @post(
        "/bulk",
        description=inspect.getdoc(CreateEmbeds),
        responses=raises(*BODY_ERRORS, *BACKEND_ERRORS),
        request_max_body_size=BULK_BODY_MAX,
        **AS_BACKEND,
    )
    async def create_embeds(
        self,
        data: JSONBody[BulkEmbeds],
        create_embeds: NamedDependency[CreateEmbeds],
        embed_categories: NamedDependency[EmbedCategories],
    ) -> Envelope[CreatedEmbeds]:
        made = await create_embeds([new_embed(each, None) for each in data.embeds])
        return ok(CreatedEmbeds(embeds=[_shown(each, embed_categories) for each in made], count=len(made)))

    @patch(
        "/{embedId:str}",
        description=inspect.getdoc(UpdateEmbed),
        responses=raises(*BODY_ERRORS, *BACKEND_ERRORS, "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def update_embed(
        self,
        embed_id: EmbedId,
        data: JSONBody[EmbedPatch],
        update_embed: NamedDependency[UpdateEmbed],
        embed_categories: NamedDependency[EmbedCategories],
    ) -> Envelope[EmbedView]:
        return ok(
            _shown(await update_embed(embed_id, embed_changes(data, embed_categories)), embed_categories)
        )

    @delete(
        "/{embedId:str}",
        status_code=200,
        description=inspect.getdoc(DeleteEmbed),
        responses=raises("VALIDATION_ERROR", *BACKEND_ERRORS, "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def delete_embed(
        self, embed_id: EmbedId, delete_embed: NamedDependency[DeleteEmbed]
    ) -> Envelope[DeletedEmbed]:
        await delete_embed(embed_id)
        return ok(DeletedEmbed(deleted=True, id=embed_id))


def _shown(embed: Embed, categories: EmbedCategories) -> EmbedView:
    category = categories.find(embed.category_key)
    assert category is not None  # none is ever taken away
    return EmbedView(
        id=embed.id,
        category_id=category.id,
        category=view(category, CategoryOfEmbed),
        image_url=Link.of(image_url_of(embed)),
        quote_text=embed.quote_text,
        is_active=embed.is_active,
        created_at=Timestamp.of(embed.created_at),
        updated_at=Timestamp.of(embed.updated_at),
    )
