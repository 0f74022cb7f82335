"""Quote images as files of seeds have them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from finassist.application.catalogs.quote_images import NewQuoteImage
from finassist.composition.seeding import quote_image_categories, shipped_image
from finassist.domain.catalogs.quote_images import IMAGE_URL_PATTERN
from finassist.entrypoints.http.quote_images.fields import CategoryName, QuoteText
from finassist.entrypoints.http.requests.bodies import Body

_SHIPPED: Final = "shipped:"
_IMAGE_URL: Final = re.compile(IMAGE_URL_PATTERN)


def _wrong_category(name: str) -> Sequence[str]:
    return () if quote_image_categories().find(name) else ("There is no such category.",)


def _wrong_image(url: str) -> Sequence[str]:
    if url.startswith(_SHIPPED):
        return () if shipped_image(url.removeprefix(_SHIPPED)) else ("No image of this name ships.",)
    return () if _IMAGE_URL.fullmatch(url) else ("Must be an http:// or https:// address.",)


class QuoteImageSeed(Body):
    """A quote image. ``imageUrl`` is an address, or ``shipped:NAME`` for an image that ships."""

    aliases: ClassVar[Mapping[str, str]] = {"category_id": "categoryId"}
    rules: ClassVar[Mapping[str, Callable[[str], Sequence[str]]]] = {
        "categoryId": _wrong_category,
        "imageUrl": _wrong_image,
    }

    category_id: CategoryName
    image_url: str
    quote_text: QuoteText
    is_active: bool = True

    def new_quote_image(self) -> NewQuoteImage:
        """What is added to the catalog."""
        is_shipped = self.image_url.startswith(_SHIPPED)
        return NewQuoteImage(
            category=self.category_id,
            image_url=None if is_shipped else self.image_url,
            image=shipped_image(self.image_url.removeprefix(_SHIPPED)) if is_shipped else None,
            quote_text=self.quote_text,
            is_active=self.is_active,
        )
