"""The categories of quote images that ship, and the first images themselves."""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

import msgspec

from finassist.domain.catalogs.quote_images import QuoteImageCategories, QuoteImageCategory

_DATA: Final = files("finassist.data")
_IMAGES: Final = _DATA / "quote_images"
_IMAGE_NAME: Final = re.compile(r"[a-z0-9-]{1,64}\.png")


class _CategoryEntry(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    key: str
    display_name: str
    keywords: tuple[str, ...]
    folder: str


def shipped_image(name: str) -> bytes | None:
    """A quote image that ships, a PNG; None when there is none of that name."""
    file = _IMAGES / name
    return file.read_bytes() if _IMAGE_NAME.fullmatch(name) and file.is_file() else None


def quote_image_categories() -> QuoteImageCategories:
    """The ten categories."""
    entries: Sequence[_CategoryEntry] = msgspec.json.decode(
        (_DATA / "embed_categories.json").read_bytes(), type=list[_CategoryEntry]
    )
    return QuoteImageCategories(
        tuple(QuoteImageCategory(**msgspec.structs.asdict(entry)) for entry in entries)
    )
