"""What ``finassist knowledge`` works with besides its use cases: the format of articles, and plain search."""

from finassist.adapters.data_files.articles import ArticleLine, Text
from finassist.adapters.sqlite.retrieval.plain_search import PlainSearch

__all__ = ["ArticleLine", "PlainSearch", "Text"]
