"""Scores for what a server found: the same as in the embedded knowledge base, so that one threshold fits."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from finassist.adapters.sqlite.stems import Stemmer
from finassist.domain.knowledge import Article, Hit
from finassist.domain.passages import split_passages
from finassist.domain.relevance import Matches, Relevance
from finassist.domain.words import words_of

_FUSED_SHARE = 0.5
"""How much the server's fusion of words and vectors counts beside the words' own score."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the server found. ``fused`` is its score of words and vectors, None without vectors."""

    article: Article
    fused: float | None


def terms_of(text: str, stemmer: Stemmer) -> list[str]:
    """The terms of a text as the embedded index would make them, in order."""
    words = words_of(text)
    stems = stemmer.stems_of(words)
    return [stems[word] for word in words]


class Ranking:
    """Puts finds in order for one query. ``frequencies`` says in how many of all ``size`` articles each of
    the query's ``terms`` stands."""

    def __init__(
        self, stemmer: Stemmer, terms: Sequence[str], frequencies: Mapping[str, int], size: int
    ) -> None:
        self._stemmer = stemmer
        self._terms = frozenset(terms)
        self._pairs = frozenset(pairwise(terms))
        self._relevance = Relevance(frequencies, size)

    def hits(self, found: Sequence[Found]) -> Sequence[Hit]:
        """The hits, best first, without those that share no word with the query: a server's fusion cannot
        tell near from nearest. The words say how well the best one answers, and words and server together
        what is best."""
        by_words = self._relevance.scores([self._matches(each.article) for each in found])
        best = max(by_words, default=0.0)
        best_fused = max((each.fused or 0.0 for each in found), default=0.0)
        scores = [
            score
            if not score or each.fused is None or not best_fused
            else (1 - _FUSED_SHARE) * score + _FUSED_SHARE * best * each.fused / best_fused
            for score, each in zip(by_words, found, strict=True)
        ]
        ranked = sorted(zip(scores, found, strict=True), key=lambda scored: scored[0], reverse=True)
        return [self._hit(each.article, score) for score, each in ranked if score]

    def _hit(self, article: Article, score: float) -> Hit:
        return Hit(
            article_id=article.id,
            title=article.title,
            url=article.url,
            snippet=self._best_passage(article.body),
            score=round(score, 4),
        )

    def _best_passage(self, body: str) -> str:
        passages = split_passages(body) or [""]
        return max(
            passages,
            key=lambda passage: self._relevance.weight(self._count(passage), len(passage)),
        )

    def _matches(self, article: Article) -> Matches:
        title = terms_of(article.title, self._stemmer)
        return Matches(
            title=self._counted(title),
            body=self._count(article.body),
            length=len(article.title) + len(article.body),
            pairs=sum(pair in self._pairs for pair in pairwise(title)),
        )

    def _count(self, text: str) -> Counter[str]:
        return self._counted(terms_of(text, self._stemmer))

    def _counted(self, terms: Iterable[str]) -> Counter[str]:
        return Counter(term for term in terms if term in self._terms)
