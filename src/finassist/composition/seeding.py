"""The files that seeding reads: those that ship, and an operator's own."""

from finassist.adapters.data_files.quote_images import quote_image_categories, shipped_image
from finassist.adapters.data_files.seeds import read_seeds, shipped_seeds

__all__ = ["quote_image_categories", "read_seeds", "shipped_image", "shipped_seeds"]
