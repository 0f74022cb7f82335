"""For ``finassist knowledge``, besides its use cases: the format of articles, and plain search."""

from finassist.adapters.data_files.articles import Text, files_below, read_topics
from finassist.adapters.data_files.articles import read as read_articles
from finassist.adapters.sqlite.retrieval.plain_search import PlainSearch

__all__ = ["PlainSearch", "Text", "files_below", "read_articles", "read_topics"]
