"""The types of a quote image's text fields, for request bodies and seed files."""

from typing import Annotated, Final

import msgspec

from finassist.domain.catalogs.quote_images import (
    IMAGE_URL_MAX,
    IMAGE_URL_PATTERN,
    QUOTE_MAX,
)

CATEGORY_MAX: Final = 100

CategoryName = Annotated[str, msgspec.Meta(min_length=1, max_length=CATEGORY_MAX)]
ImageUrl = Annotated[str, msgspec.Meta(max_length=IMAGE_URL_MAX, pattern=IMAGE_URL_PATTERN)]
QuoteText = Annotated[str, msgspec.Meta(min_length=1, max_length=QUOTE_MAX, pattern=r"\S")]
