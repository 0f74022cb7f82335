"""The entries that ship in other languages than English: a folder of topics for each language."""

import asyncio
import math
from collections.abc import Collection, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Final

from finassist.adapters.data_files.articles import articles_below
from finassist.adapters.data_files.sharing import once_per_file
from finassist.data import shipped
from finassist.domain.knowledge import Article, Hit
from finassist.domain.retrieval.jurisdictions import holds_in
from finassist.domain.retrieval.languages.folding import language_written
from finassist.domain.retrieval.languages.latin import in_latin_letters
from finassist.domain.retrieval.romanised import ROMANISED_HINDI

if TYPE_CHECKING:
    from finassist.adapters.languages.index import Index

SHIPPED: Final = files("finassist.data") / "languages" / "knowledge"
"""The folder with a folder for each language."""


_loading: Final = Lock()


class ShippedEntriesByLanguage:
    """``EntriesByLanguage`` of a folder. A language is read and indexed when its first question comes, off
    the event loop; a search takes less than a millisecond."""

    def __init__(self, folder: Traversable = SHIPPED) -> None:
        self._folder = folder
        self._indexes: dict[str, Index | None] = {}

    async def search(
        self, query: str, *, language: str, countries: Collection[str], limit: int
    ) -> Sequence[Hit]:
        """The entries in a language that hold in one of the countries, best first."""
        written = language_written(language)
        if written not in self._indexes:
            self._indexes[written] = await asyncio.to_thread(_loaded, self._folder, written)
        index = self._indexes[written]
        return [] if index is None else _found(index, query, language, countries, limit)


def _found(
    index: "Index", query: str, language: str, countries: Collection[str], limit: int
) -> Sequence[Hit]:
    from finassist.adapters.languages.index import SIGNS  # numpy takes its time to import

    places = [place for place, each in enumerate(index.articles) if holds_in(each.jurisdiction, countries)]
    weights = shipped("languages/judgement")
    favours = weights["intercept"] + index.signs(query, places) @ [weights[name] for name in SIGNS]
    scores = [round(1 / (1 + math.exp(-favour)), 4) for favour in favours.tolist()]
    best = sorted(zip(scores, places, strict=True), key=itemgetter(0), reverse=True)[:limit]
    return [_hit(index.articles[place], score, language) for score, place in best]


def _hit(article: Article, score: float, language: str) -> Hit:
    """A hit, in the letters that the question is written in."""
    is_latin = language == ROMANISED_HINDI
    return Hit(
        article_id=article.id,
        title=in_latin_letters(article.title) if is_latin else article.title,
        url=article.url,
        snippet=in_latin_letters(article.body) if is_latin else article.body,
        score=score,
        quotable=True,
        jurisdiction=article.jurisdiction,
        as_of=article.as_of,
        language=language,
    )


def _loaded(folder: Traversable, language: str) -> "Index | None":
    """The index of a language; None for one without entries."""
    with _loading:  # it takes half a second, or seconds when nothing was learnt
        return _indexed(folder / language)


@once_per_file()
def _indexed(place: Traversable) -> "Index | None":
    from finassist.adapters.languages.index import Index
    from finassist.adapters.languages.learnt import learnt_from

    articles = articles_below(place) if place.is_dir() else ()
    return Index(articles, place.name, learnt_from(articles, place.name)) if articles else None
