"""Quote images and their categories (spec "Visual embeds", contract section 8)."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final

import msgspec
from litestar import Controller, Request, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter
from litestar.response import Stream

from finassist.application.embeds import (
    IMAGE_TYPE,
    PATH,
    CheckCategories,
    CreateEmbeds,
    DeleteEmbed,
    GetEmbed,
    ListEmbedCategories,
    ListEmbeds,
    NewEmbed,
    OpenEmbedImage,
    UpdateEmbed,
    image_url_of,
)
from finassist.domain.embeds import (
    BULK_MAX,
    IMAGE_URL_MAX,
    IMAGE_URL_PATTERN,
    QUOTE_MAX,
    Embed,
    EmbedCategories,
    EmbedChanges,
)
from finassist.domain.errors import FieldError, ValidationFailed
from finassist.domain.files import EMBED_IMAGE_RULES, type_problems
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
from finassist.entrypoints.http.validation import REQUIRED, Body

IMAGE_BODY_MAX: Final = 11 * 2**20
BULK_BODY_MAX: Final = 2**20

_OTHER_SPELLINGS: Final = {"category_id": "categoryId"}
_CATEGORY_MAX: Final = 100
_TEXT_PARTS: Final = {
    "categoryId": {"minLength": 1, "maxLength": _CATEGORY_MAX},
    "quoteText": {"maxLength": QUOTE_MAX},
}
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
CategoryName = Annotated[str, msgspec.Meta(min_length=1, max_length=_CATEGORY_MAX)]
ImageUrl = Annotated[str, msgspec.Meta(max_length=IMAGE_URL_MAX, pattern=IMAGE_URL_PATTERN)]
QuoteText = Annotated[str, msgspec.Meta(min_length=1, max_length=QUOTE_MAX, pattern=r"\S")]
CategoryFilter = Annotated[
    str | None,
    QueryParameter(name="category_id", max_length=100, description="The id or the key of a category."),
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


def check_embed(request: Request[Any, Any, Any], body: Mapping[str, Any]) -> Sequence[FieldError]:
    """Whether the category is one, and an image or its address is there."""
    errors = list(_check_categories(request, {"categoryId": body.get("categoryId")}))
    if _is_form(request):
        errors += [] if sent_file(request) is not None else [FieldError("image", REQUIRED)]
    elif body.get("imageUrl") is None and request.method == "POST":
        errors.append(FieldError("imageUrl", REQUIRED))
    return errors


def check_image(request: Request[Any, Any, Any], _: Mapping[str, Any]) -> Sequence[FieldError]:
    """Whether the image of a form is a PNG, as far as its beginning tells."""
    if (image := sent_file(request)) is None:
        return ()
    return type_problems(None, image, len(image), rules=EMBED_IMAGE_RULES, field="image")


def check_embeds(request: Request[Any, Any, Any], body: Mapping[str, Any]) -> Sequence[FieldError]:
    """Whether all the categories are some."""
    embeds = body.get("embeds")
    named = {
        f"embeds[{index}].categoryId": embed.get("categoryId")
        for index, embed in enumerate(embeds[:BULK_MAX] if isinstance(embeds, list) else ())
        if isinstance(embed, dict)
    }
    return _check_categories(request, named)


def _check_categories(request: Request[Any, Any, Any], named: Mapping[str, Any]) -> Sequence[FieldError]:
    check: CheckCategories = request.app.state.use_cases["check_categories"]
    # What is no name, or too long for one, is wrong already.
    return check(
        {field: name for field, name in named.items() if isinstance(name, str) and 0 < len(name) <= 100}
    )


def _is_form(request: Request[Any, Any, Any]) -> bool:
    return request.content_type[0].startswith("multipart/")


class EmbedBody(Body):
    """A new quote image. ``categoryId`` is a category's id or key. ``imageUrl`` is required, unless the image
    itself is sent in a form."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS
    checks = (check_embed,)
    late_checks = (check_image,)
    needed_in_json = ("imageUrl",)

    category_id: CategoryName
    image_url: ImageUrl | None = None
    quote_text: QuoteText | None = None
    is_active: bool = True


class BulkEmbed(Body):
    """One of several new quote images. ``categoryId`` is a category's id or key."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS

    category_id: CategoryName
    image_url: ImageUrl
    quote_text: QuoteText | None = None
    is_active: bool = True


class BulkEmbeds(Body):
    """Several new quote images; all are added, or none."""

    checks = (check_embeds,)

    embeds: Annotated[list[BulkEmbed], msgspec.Meta(min_length=1, max_length=BULK_MAX)]


class EmbedPatch(Body):
    """What to change; fields that are left out stay as they are. ``quoteText`` null takes the quote away."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS
    checks = (check_embed,)

    category_id: CategoryName | msgspec.UnsetType = msgspec.UNSET
    image_url: ImageUrl | msgspec.UnsetType = msgspec.UNSET
    quote_text: QuoteText | msgspec.UnsetType | None = msgspec.UNSET
    is_active: bool | msgspec.UnsetType = msgspec.UNSET


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
            str | None, QueryParameter(name="categoryId", max_length=100, include_in_schema=False)
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
        opt={"file_part": "image", "text_parts": _TEXT_PARTS},
        **AS_BACKEND,
    )
    async def create_embed(
        self,
        request: Request[Any, Any, Any],
        data: JSONBody[EmbedBody],
        create_embeds: NamedDependency[CreateEmbeds],
        embed_categories: NamedDependency[EmbedCategories],
    ) -> Envelope[EmbedView]:
        [made] = await create_embeds([_new(data, sent_file(request))])
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
        made = await create_embeds([_new(each, None) for each in data.embeds])
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
        return ok(_shown(await update_embed(embed_id, _changes(data, embed_categories)), embed_categories))

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


def _new(data: EmbedBody | BulkEmbed, image: bytes | None) -> NewEmbed:
    return NewEmbed(
        category=data.category_id,
        image_url=data.image_url,
        image=image,
        quote_text=data.quote_text,
        is_active=data.is_active,
    )


def _changes(data: EmbedPatch, categories: EmbedCategories) -> EmbedChanges:
    named = None if isinstance(data.category_id, msgspec.UnsetType) else categories.find(data.category_id)
    return EmbedChanges(
        category_key=None if named is None else named.key,
        image_url=None if isinstance(data.image_url, msgspec.UnsetType) else data.image_url,
        quote_text=None if isinstance(data.quote_text, msgspec.UnsetType) else data.quote_text,
        is_active=None if isinstance(data.is_active, msgspec.UnsetType) else data.is_active,
        clear_quote=data.quote_text is None,
    )


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
