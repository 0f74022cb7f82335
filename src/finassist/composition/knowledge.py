"""For ``finassist knowledge``, besides its use cases: the format of articles, and plain search."""

from finassist.adapters.data_files.articles import Text
from finassist.adapters.data_files.articles import read as read_articles
from finassist.adapters.sqlite.retrieval.plain_search import PlainSearch

__all__ = ["PlainSearch", "Text", "read_articles"]
