"""Quote images as administrators send them (contract section 8): as JSON or as a form, one or several, and
what is wrong with them beyond the types of their fields."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final

import msgspec

from finassist.application.catalogs.quote_images import NewQuoteImage
from finassist.domain.catalogs.quote_images import (
    BULK_MAX,
    QUOTE_MAX,
    QuoteImageCategories,
    QuoteImageChanges,
)
from finassist.domain.errors import FieldError
from finassist.domain.files.content import EMBED_IMAGE_RULES, type_problems
from finassist.entrypoints.http.quote_images.fields import CATEGORY_MAX, CategoryName, ImageUrl, QuoteText
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.field_errors import REQUIRED
from finassist.entrypoints.http.requests.forms import sent_file
from finassist.entrypoints.http.requests.injection import finassist_of

_OTHER_SPELLINGS: Final = {
    "category_id": "categoryId",
    "image_url": "imageUrl",
    "quote_text": "quoteText",
    "is_active": "isActive",
}
TEXT_PARTS: Final = {
    "categoryId": {"minLength": 1, "maxLength": CATEGORY_MAX},
    "quoteText": {"maxLength": QUOTE_MAX},
}
PATCH_TEXT_PARTS: Final = {**TEXT_PARTS, "categoryId": {"maxLength": CATEGORY_MAX}}
"""An empty part counts as left out."""


def check_quote_image(request: AnyRequest, body: Mapping[str, Any]) -> Sequence[FieldError]:
    """Return an error for a category that does not exist, and for a missing image or address of one."""
    errors = list(_check_categories(request, {"categoryId": body.get("categoryId")}))
    if request.method != "POST":
        return errors
    if _is_form(request):
        errors += [] if sent_file(request) is not None else [FieldError("image", REQUIRED)]
    elif body.get("imageUrl") is None:
        errors.append(FieldError("imageUrl", REQUIRED))
    return errors


def check_image(request: AnyRequest, _: Mapping[str, Any]) -> Sequence[FieldError]:
    """Return an error for the image of a form that is not a PNG, as far as its beginning tells."""
    if (image := sent_file(request)) is None:
        return ()
    return type_problems(None, image, len(image), rules=EMBED_IMAGE_RULES, field="image")


def check_quote_images(request: AnyRequest, body: Mapping[str, Any]) -> Sequence[FieldError]:
    """Return an error for each category that does not exist."""
    embeds = body.get("embeds")
    named = {
        f"embeds[{index}].categoryId": image.get("categoryId")
        for index, image in enumerate(embeds if isinstance(embeds, list) and len(embeds) <= BULK_MAX else ())
        if isinstance(image, dict)
    }
    return _check_categories(request, named)


def _check_categories(request: AnyRequest, named: Mapping[str, Any]) -> Sequence[FieldError]:
    check = finassist_of(request).check_categories
    # The type of the field reports what cannot be a name.
    return check(
        {
            field: name
            for field, name in named.items()
            if isinstance(name, str) and 0 < len(name) <= CATEGORY_MAX
        }
    )


def _is_form(request: AnyRequest) -> bool:
    return request.content_type[0].startswith("multipart/")


class QuoteImageBody(Body):
    """A new quote image. ``categoryId`` is a category's id or key. ``imageUrl`` is required, unless the image
    itself is sent in a form."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS
    checks = (check_quote_image,)
    late_checks = (check_image,)
    needed_in_json = ("imageUrl",)

    category_id: CategoryName
    image_url: ImageUrl | None = None
    quote_text: QuoteText | None = None
    is_active: bool = True


class BulkQuoteImage(Body):
    """One of several new quote images. ``categoryId`` is a category's id or key."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS

    category_id: CategoryName
    image_url: ImageUrl
    quote_text: QuoteText | None = None
    is_active: bool = True


class BulkQuoteImages(Body):
    """Several new quote images; all are added, or none."""

    checks = (check_quote_images,)

    embeds: Annotated[list[BulkQuoteImage], msgspec.Meta(min_length=1, max_length=BULK_MAX)]


class QuoteImagePatch(Body):
    """What to change; fields that are left out stay as they are. ``quoteText`` null removes the quote."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS
    checks = (check_quote_image,)
    late_checks = (check_image,)

    category_id: CategoryName | msgspec.UnsetType = msgspec.UNSET
    image_url: ImageUrl | msgspec.UnsetType = msgspec.UNSET
    quote_text: QuoteText | msgspec.UnsetType | None = msgspec.UNSET
    is_active: bool | msgspec.UnsetType = msgspec.UNSET


def new_quote_image(data: QuoteImageBody | BulkQuoteImage, image: bytes | None) -> NewQuoteImage:
    """The quote image as the use case takes it."""
    return NewQuoteImage(
        category=data.category_id,
        image_url=data.image_url,
        image=image,
        quote_text=data.quote_text,
        is_active=data.is_active,
    )


def quote_image_changes(data: QuoteImagePatch, categories: QuoteImageCategories) -> QuoteImageChanges:
    """The changes as the use case takes them."""
    named = None if isinstance(data.category_id, msgspec.UnsetType) else categories.find(data.category_id)
    return QuoteImageChanges(
        category_key=None if named is None else named.key,
        image_url=None if isinstance(data.image_url, msgspec.UnsetType) else data.image_url,
        quote_text=None if isinstance(data.quote_text, msgspec.UnsetType) else data.quote_text,
        is_active=None if isinstance(data.is_active, msgspec.UnsetType) else data.is_active,
        clear_quote=data.quote_text is None,
    )
