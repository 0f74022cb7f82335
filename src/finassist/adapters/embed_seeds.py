"""The categories of quote images that ship, and the first images themselves."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

import msgspec

from finassist.domain.embeds import EmbedCategories, EmbedCategory

_DATA: Final = files("finassist.data")


class _CategoryEntry(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    key: str
    display_name: str
    keywords: tuple[str, ...]
    folder: str


def embed_categories() -> EmbedCategories:
    """The ten categories."""
    entries: Sequence[_CategoryEntry] = msgspec.json.decode(
        (_DATA / "embed_categories.json").read_bytes(), type=list[_CategoryEntry]
    )
    return EmbedCategories(tuple(EmbedCategory(**msgspec.structs.asdict(entry)) for entry in entries))
