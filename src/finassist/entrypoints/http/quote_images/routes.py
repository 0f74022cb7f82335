"""Quote images and their categories (spec "Visual embeds", contract section 8)."""

from typing import Annotated, Final

from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter
from litestar.response import Stream

from finassist.application.catalogs.quote_images import (
    IMAGE_TYPE,
    PATH,
    CreateQuoteImages,
    DeleteQuoteImage,
    GetQuoteImage,
    ListQuoteImageCategories,
    ListQuoteImages,
    OpenQuoteImage,
    UpdateQuoteImage,
    image_url_of,
)
from finassist.domain.catalogs.quote_images import (
    QuoteImage,
    QuoteImageCategories,
)
from finassist.domain.errors import ValidationFailed
from finassist.domain.ids import ID_PATTERN
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.quote_images.bodies import (
    PATCH_TEXT_PARTS,
    TEXT_PARTS,
    BulkQuoteImages,
    QuoteImageBody,
    QuoteImagePatch,
    new_quote_image,
    quote_image_changes,
)
from finassist.entrypoints.http.quote_images.fields import CATEGORY_MAX
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.forms import sent_file
from finassist.entrypoints.http.requests.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.responses.envelope import (
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

IMAGE_BODY_MAX: Final = 11 * 2**20
BULK_BODY_MAX: Final = 2**20

_IMAGE: Final = ResponseSpec(
    data_container=bytes, media_type=IMAGE_TYPE, generate_examples=False, description="The image, a PNG."
)
_IMAGE_HEADERS: Final = {
    # What is under an address never changes; a day, because the image can be removed.
    "Cache-Control": "public, max-age=86400",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
}

QuoteImageId = Annotated[
    str, PathParameter(name="embedId", pattern=ID_PATTERN, max_length=24, description="The quote image's id.")
]
CategoryFilter = Annotated[
    str | None,
    QueryParameter(
        name="category_id", max_length=CATEGORY_MAX, description="The id or the key of a category."
    ),
]


class QuoteImageCategoryView(View):
    """A category, with the keywords that replies are matched by and the folder of its images."""

    id: str
    key: str
    display_name: str
    keywords: list[str]
    folder: str


class CategoryOfQuoteImage(View):
    """The category that a quote image belongs to."""

    id: str
    key: str
    display_name: str


class QuoteImageView(View):
    """A quote image; only an active one goes with replies."""

    id: str
    category_id: str
    category: CategoryOfQuoteImage
    image_url: Link
    quote_text: str | None
    is_active: bool
    created_at: Timestamp
    updated_at: Timestamp


class QuoteImagePage(PageView):
    """Quote images, oldest first."""

    embeds: list[QuoteImageView]


class QuoteImageCategoryPage(PageView):
    """Categories of quote images."""

    categories: list[QuoteImageCategoryView]


class CreatedQuoteImages(View):
    """What was added, in the order of the request."""

    embeds: list[QuoteImageView]
    count: int


class DeletedQuoteImage(View):
    """Which quote image is gone."""

    deleted: bool
    id: str


class QuoteImageController(Controller):
    """``/api/v1/visual-embeds``."""

    path = PATH
    tags = ("Visual embeds",)

    @get(
        summary="List quote images",
        description="The quote images, oldest first; all of them when no limit is sent.",
        responses=raises("VALIDATION_ERROR"),
    )
    async def list_embeds(
        self,
        list_quote_images: NamedDependency[ListQuoteImages],
        quote_image_categories: NamedDependency[QuoteImageCategories],
        category_id: CategoryFilter = None,
        other_spelling: Annotated[
            str | None, QueryParameter(name="categoryId", max_length=CATEGORY_MAX, include_in_schema=False)
        ] = None,
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Envelope[QuoteImagePage]:
        if None not in (category_id, other_spelling) and category_id != other_spelling:
            raise ValidationFailed.of("categoryId", "Must not differ from category_id.")
        category = other_spelling if category_id is None else category_id
        page = await list_quote_images(category, limit=limit, offset=offset)
        return ok(
            QuoteImagePage(
                embeds=[_shown(image, quote_image_categories) for image in page.items],
                **page_fields(page),
            )
        )

    @get(
        "/categories",
        summary="List the categories of quote images",
        description="The categories of quote images, with the keywords that replies are matched by.",
        responses=raises("VALIDATION_ERROR"),
    )
    async def list_embed_categories(
        self,
        list_quote_image_categories: NamedDependency[ListQuoteImageCategories],
        limit: OptionalLimit = None,
        offset: Offset = 0,
    ) -> Envelope[QuoteImageCategoryPage]:
        page = await list_quote_image_categories(limit=limit, offset=offset)
        return ok(
            QuoteImageCategoryPage(
                categories=[view(category, QuoteImageCategoryView) for category in page.items],
                **page_fields(page),
            )
        )

    @get(
        "/{embedId:str}",
        summary="Get a quote image's record",
        description="The record of one quote image.",
        responses=raises("VALIDATION_ERROR", "NOT_FOUND"),
    )
    async def get_embed(
        self,
        embed_id: QuoteImageId,
        get_quote_image: NamedDependency[GetQuoteImage],
        quote_image_categories: NamedDependency[QuoteImageCategories],
    ) -> Envelope[QuoteImageView]:
        return ok(_shown(await get_quote_image(embed_id), quote_image_categories))

    @get(
        "/{embedId:str}/image",
        summary="Load a quote image",
        description="The stored image of a quote image. Anyone may load it while the record exists.",
        responses=raises("VALIDATION_ERROR", "NOT_FOUND", "STORAGE_ERROR") | {200: _IMAGE},
    )
    async def get_embed_image(
        self, embed_id: QuoteImageId, open_quote_image: NamedDependency[OpenQuoteImage]
    ) -> Stream:
        return Stream(await open_quote_image(embed_id), media_type=IMAGE_TYPE, headers=_IMAGE_HEADERS)

    @post(
        summary="Add a quote image",
        description=(
            "Add a quote image to the catalog.\n\n"
            "It belongs to a category, named by id or key. Its image is at an address of its own, or is "
            "sent in a form: a PNG of at most 10 MB, detected from the content, which is stored in the "
            "category's folder."
        ),
        request_example={
            "categoryId": "AssetAllocation",
            "imageUrl": "https://example.com/images/patience.png",
            "quoteText": "Time in the market beats timing the market.",
        },
        responses=raises(*BODY_ERRORS, *BACKEND_ERRORS, "STORAGE_ERROR"),
        request_max_body_size=IMAGE_BODY_MAX,
        opt={"file_part": "image", "text_parts": TEXT_PARTS},
        **AS_BACKEND,
    )
    async def create_embed(
        self,
        request: AnyRequest,
        data: JSONBody[QuoteImageBody],
        create_quote_images: NamedDependency[CreateQuoteImages],
        quote_image_categories: NamedDependency[QuoteImageCategories],
    ) -> Envelope[QuoteImageView]:
        [made] = await create_quote_images([new_quote_image(data, sent_file(request))])
        return ok(_shown(made, quote_image_categories))

    @post(
        "/bulk",
        summary="Add several quote images",
        description=(
            "Add quote images to the catalog: all of them, or none.\n\n"
            "Each belongs to a category, named by id or key, and is at an address of its own."
        ),
        request_example={
            "embeds": [
                {"categoryId": "AssetAllocation", "imageUrl": "https://example.com/images/slow.png"},
                {
                    "categoryId": "AssetAllocation",
                    "imageUrl": "https://example.com/images/steady.png",
                    "quoteText": "Slow and steady.",
                },
            ]
        },
        responses=raises(*BODY_ERRORS, *BACKEND_ERRORS),
        request_max_body_size=BULK_BODY_MAX,
        **AS_BACKEND,
    )
    async def create_embeds(
        self,
        data: JSONBody[BulkQuoteImages],
        create_quote_images: NamedDependency[CreateQuoteImages],
        quote_image_categories: NamedDependency[QuoteImageCategories],
    ) -> Envelope[CreatedQuoteImages]:
        made = await create_quote_images([new_quote_image(each, None) for each in data.embeds])
        return ok(
            CreatedQuoteImages(
                embeds=[_shown(each, quote_image_categories) for each in made], count=len(made)
            )
        )

    @patch(
        "/{embedId:str}",
        summary="Change a quote image",
        description=(
            "Change a quote image; fields that are left out stay as they are. A new address, or a new image "
            "sent in a form, replaces a stored image, which is deleted. In another category a stored image "
            "is moved to that category's folder."
        ),
        request_example={"quoteText": None, "isActive": False},
        responses=raises(*BODY_ERRORS, *BACKEND_ERRORS, "NOT_FOUND", "STORAGE_ERROR"),
        request_max_body_size=IMAGE_BODY_MAX,
        opt={"file_part": "image", "text_parts": PATCH_TEXT_PARTS},
        **AS_BACKEND,
    )
    async def update_embed(
        self,
        request: AnyRequest,
        embed_id: QuoteImageId,
        data: JSONBody[QuoteImagePatch],
        update_quote_image: NamedDependency[UpdateQuoteImage],
        quote_image_categories: NamedDependency[QuoteImageCategories],
    ) -> Envelope[QuoteImageView]:
        return ok(
            _shown(
                await update_quote_image(
                    embed_id, quote_image_changes(data, quote_image_categories), sent_file(request)
                ),
                quote_image_categories,
            )
        )

    @delete(
        "/{embedId:str}",
        summary="Delete a quote image",
        description="Delete a quote image and its stored image. Replies that show it keep the quote.",
        status_code=200,
        responses=raises("VALIDATION_ERROR", *BACKEND_ERRORS, "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def delete_embed(
        self, embed_id: QuoteImageId, delete_quote_image: NamedDependency[DeleteQuoteImage]
    ) -> Envelope[DeletedQuoteImage]:
        await delete_quote_image(embed_id)
        return ok(DeletedQuoteImage(deleted=True, id=embed_id))


def _shown(image: QuoteImage, categories: QuoteImageCategories) -> QuoteImageView:
    category = categories.find(image.category_key)
    assert category is not None  # none is ever taken away
    return QuoteImageView(
        id=image.id,
        category_id=category.id,
        category=view(category, CategoryOfQuoteImage),
        image_url=Link.of(image_url_of(image)),
        quote_text=image.quote_text,
        is_active=image.is_active,
        created_at=Timestamp.of(image.created_at),
        updated_at=Timestamp.of(image.updated_at),
    )
