"""Measure ways to rank a lexical search: the table of docs/retrieval.md.

    python training/search_variants.py FILE.jsonl

FILE has lines of ``question`` and ``answer``; every answer is an article, every question is searched for in
all of them, as ``finassist knowledge eval`` does. Each variant changes one thing of its base and prints
recall at 1, 5 and 10, and nDCG at 10. Needs numpy for the one that makes vectors of the base itself.
"""

import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from finassist.adapters.data_files.vocabulary import vocabulary
from finassist.adapters.sqlite.retrieval.stems import Stemmer
from finassist.domain.retrieval.words import STOP_WORDS, words_of

K1, B = 1.6, 0.8
CUTOFFS = (1, 5, 10)
SYNONYMS = Path(__file__).parent / "synonyms.txt"
MORE_STOP_WORDS = frozenset(
    "best good better way ways money people someone anyone possible work works worth make makes happen "
    "happens different difference actually always without first one two new old many much".split()
)

Scores = Counter[int]
Cut = Callable[[str], str]
Variant = Callable[[str], Mapping[int, float]]

_stemmer = Stemmer()


def porter(word: str) -> str:
    return _stemmer.stems_of([word])[word]


def without_plural(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return f"{word[:-3]}y"
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us"))
    return word[:-1] if plural else word


class Index:
    """The answers as lists of terms, and where each term stands."""

    def __init__(self, texts: Iterable[str], cut: Cut, units: int | None = None) -> None:
        self.cut = cut
        self.owners: list[int] = []
        self.terms: list[list[str]] = []
        for owner, text in enumerate(texts):
            terms = [cut(word) for word in words_of(text)]
            step = units or max(1, len(terms))
            for start in range(0, max(1, len(terms)), step):
                self.owners.append(owner)
                self.terms.append(terms[start : start + step])
        self.counts = [Counter(terms) for terms in self.terms]
        self.lengths = [len(terms) for terms in self.terms]
        self.mean = sum(self.lengths) / len(self.lengths)
        self.places: dict[str, dict[int, int]] = defaultdict(dict)
        for place, counts in enumerate(self.counts):
            for term, count in counts.items():
                self.places[term][place] = count

    def query(self, text: str, stop: frozenset[str] = STOP_WORDS) -> list[str]:
        return list(dict.fromkeys(self.cut(word) for word in words_of(text) if word not in stop))

    def rarity(self, term: str, found: int | None = None) -> float:
        known = len(self.places.get(term, ())) if found is None else found
        return math.log(1 + (len(self.terms) - known + 0.5) / (known + 0.5))

    def saturated(self, place: int, count: float, k1: float = K1, b: float = B) -> float:
        return count * (k1 + 1) / (count + k1 * (1 - b + b * self.lengths[place] / self.mean))

    def phrase(self, phrase: Sequence[str]) -> dict[int, int]:
        """How often the terms stand side by side, by place."""
        common = set.intersection(*(set(self.places.get(term, ())) for term in phrase))
        size = len(phrase)
        found = {}
        for place in common:
            terms = self.terms[place]
            times = sum(terms[at : at + size] == list(phrase) for at in range(len(terms) - size + 1))
            if times:
                found[place] = times
        return found


def bm25(
    index: Index,
    terms: Iterable[str],
    *,
    k1: float = K1,
    b: float = B,
    power: float = 1.0,
    weights: Mapping[str, float] | None = None,
) -> Scores:
    scores: Scores = Counter()
    for term in terms:
        weight = (weights or {}).get(term, 1.0) * index.rarity(term) ** power
        for place, count in index.places.get(term, {}).items():
            scores[place] += weight * index.saturated(place, count, k1, b)
    return scores


def opening(index: Index, terms: Sequence[str], words: int, bonus: float) -> Scores:
    scores = bm25(index, terms)
    for place in list(scores):
        early = set(index.terms[place][:words])
        scores[place] += bonus * sum(index.rarity(term) for term in terms if term in early)
    return scores


def matched_share(index: Index, terms: Sequence[str], power: float) -> Scores:
    scores = bm25(index, terms)
    everything = sum(map(index.rarity, terms)) or 1.0
    for place in scores:
        share = sum(index.rarity(term) for term in terms if term in index.counts[place]) / everything
        scores[place] *= share**power
    return scores


def neighbours(index: Index, terms: Sequence[str], bonus: float) -> Scores:
    scores = bm25(index, terms)
    for pair in pairwise(terms):
        weight = bonus * min(map(index.rarity, pair))
        for place, count in index.phrase(pair).items():
            scores[place] += weight * index.saturated(place, count)
    return scores


def feedback(index: Index, terms: Sequence[str], texts: int, added: int, weight: float) -> Scores:
    """Pseudo-relevance feedback: the terms of the best finds are searched for as well."""
    scores = bm25(index, terms)
    heard: Scores = Counter()
    for place, score in scores.most_common(texts):
        for term, count in index.counts[place].items():
            if term not in terms and len(term) > 2 and len(index.places[term]) < 0.3 * len(index.terms):
                heard[term] += score * count / index.lengths[place] * index.rarity(term)
    new = heard.most_common(added)
    if new:
        weights = {term: weight * value / new[0][1] for term, value in new}
        scores.update(bm25(index, weights, weights=weights))
    return scores


def likelihood(index: Index, terms: Sequence[str], mu: float) -> Scores:
    """The query's likelihood under each text's own words, smoothed with everybody's."""
    everything = sum(index.lengths)
    known = [term for term in terms if term in index.places]
    shares = {term: sum(index.places[term].values()) / everything for term in known}
    scores: Scores = Counter()
    for place in {place for term in known for place in index.places[term]}:
        gain = sum(math.log(1 + index.counts[place][term] / (mu * shares[term])) for term in known)
        scores[place] = 100 + gain + len(known) * math.log(mu / (mu + index.lengths[place]))
    return scores


def expanded(index: Index, terms: Sequence[str], others: Mapping[str, set[str]], weight: float) -> Scores:
    """Terms of the same group count as the term itself, for less."""
    scores = opening(index, terms, 20, 0.4)
    for term in terms:
        own = index.places.get(term, {})
        counts: dict[int, float] = defaultdict(float)
        for other in others.get(term, ()):
            for place, count in index.places.get(other, {}).items():
                counts[place] += weight * count
        rarity = index.rarity(term, len(own) or len(counts))
        for place, count in counts.items():
            before = own.get(place, 0)
            gain = index.saturated(place, before + count) - index.saturated(place, before)
            scores[place] += rarity * gain
    return scores


def abbreviated(index: Index, text: str, weight: float) -> Scores:
    terms = index.query(text)
    scores = opening(index, terms, 20, 0.4)
    words = vocabulary().query(text)
    for word in words:
        phrase = [index.cut(part) for part in word.phrase]
        for place, count in (index.phrase(phrase) if phrase else {}).items():
            scores[place] += weight * index.rarity(index.cut(word.word)) * index.saturated(place, count)
        if word.weight < 1:
            implied = index.cut(word.word)
            scores.update(bm25(index, [implied], weights={implied: weight}))
    return scores


class OwnVectors:
    """Latent semantics of the base itself: its texts in the directions in which they differ most."""

    def __init__(self, index: Index, size: int) -> None:
        self._index = index
        terms = [term for term, places in index.places.items() if len(places) > 1 and term not in STOP_WORDS]
        self._columns = {term: column for column, term in enumerate(terms)}
        matrix = np.zeros((len(index.terms), len(terms)))
        for place, counts in enumerate(index.counts):
            for term, count in counts.items():
                if term in self._columns:
                    matrix[place, self._columns[term]] = (1 + math.log(count)) * index.rarity(term)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True) + 1e-9
        self._directions = np.linalg.svd(matrix, full_matrices=False)[2][:size].T
        self._texts = self._unit(matrix @ self._directions)

    def scores(self, terms: Sequence[str], weight: float) -> Scores:
        query = np.zeros(len(self._columns))
        for term in terms:
            if term in self._columns:
                query[self._columns[term]] = self._index.rarity(term)
        near = self._texts @ self._unit(query[None] @ self._directions)[0]
        scores = bm25(self._index, terms)
        for place, similarity in enumerate(near):
            scores[place] += weight * similarity
        return scores

    @staticmethod
    def _unit(rows: np.ndarray) -> np.ndarray:
        unit: np.ndarray = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)
        return unit


def best_unit(index: Index, scores: Scores) -> Scores:
    best: Scores = Counter()
    for place, score in scores.items():
        best[index.owners[place]] = max(best[index.owners[place]], score)
    return best


def groups(cut: Cut) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for line in SYNONYMS.read_text(encoding="utf-8").splitlines():
        terms = {cut(word) for word in line.split()}
        for term in terms:
            found[term] |= terms - {term}
    return found


def rankings(index: Index) -> Iterator[tuple[str, Variant]]:
    """Ways to weigh the terms of the question."""
    of = index.query
    yield "BM25 as FTS5 has it (k1 1.2, b 0.75)", lambda q: bm25(index, of(q), k1=1.2, b=0.75)
    yield "all words, stop words too", lambda q: bm25(index, of(q, frozenset()), k1=1.2, b=0.75)
    for k1, b in ((0.9, 0.4), (1.6, 0.3), (2.0, 0.9), (K1, B)):
        yield f"k1 {k1:g}, b {b:g}", lambda q, k1=k1, b=b: bm25(index, of(q), k1=k1, b=b)
    yield "longer list of stop words", lambda q: bm25(index, of(q, STOP_WORDS | MORE_STOP_WORDS))
    for power in (0.8, 1.2, 1.4):
        yield f"rarity to the power of {power}", lambda q, p=power: bm25(index, of(q), power=p)
    yield "times the square root of the share found", lambda q: matched_share(index, of(q), 0.5)
    for bonus in (0.15, 0.3, 0.8):
        yield f"neighbours of the question, bonus {bonus}", lambda q, b=bonus: neighbours(index, of(q), b)
    for mu in (200, 800):
        yield f"query likelihood, mu {mu}", lambda q, mu=mu: likelihood(index, of(q), mu)
    for words, bonus in ((50, 0.4), (20, 0.1), (20, 0.2), (20, 0.4)):
        yield f"first {words} words, bonus {bonus}", lambda q, w=words, b=bonus: opening(index, of(q), w, b)


def expansions(index: Index) -> Iterator[tuple[str, Variant]]:
    """Ways to find what says the same in other words."""
    of = index.query
    for number, added, weight in ((5, 10, 0.1), (5, 10, 0.3), (10, 20, 0.2)):
        yield (
            f"feedback: {added} terms of the best {number}, weight {weight}",
            lambda q, n=number, a=added, w=weight: feedback(index, of(q), n, a, w),
        )
    for size in (50, 200):
        vectors = OwnVectors(index, size)
        yield f"vectors of the base itself, {size} wide", lambda q, v=vectors: v.scores(of(q), 2)
    synonyms = groups(porter)
    for weight in (0.1, 0.2, 0.5):
        yield (
            f"first 20 words, and synonyms of the field for {weight}",
            lambda q, w=weight: expanded(index, of(q), synonyms, w),
        )
    for weight in (0.3, 0.5, 1.0):
        yield f"first 20 words, and abbreviations for {weight}", lambda q, w=weight: abbreviated(index, q, w)


def indexes(texts: Sequence[str]) -> Iterator[tuple[str, Variant]]:
    """Ways to cut words and texts."""
    cuts: dict[str, Cut] = {
        "no stems": str,
        "plural s alone cut off": without_plural,
        "first five letters": lambda word: word[:5],
    }
    for name, cut in cuts.items():
        other = Index(texts, cut)
        yield name, lambda q, other=other: bm25(other, other.query(q))
    for words in (100, 300, 600):
        units = Index(texts, porter, words)
        yield (
            f"first 20 words, best unit of {words} words",
            lambda q, units=units: best_unit(units, opening(units, units.query(q), 20, 0.4)),
        )


def measure(variant: Variant, questions: Sequence[str]) -> list[float]:
    ranks = []
    for place, question in enumerate(questions):
        scores = variant(question)
        own = scores.get(place, 0.0)
        if own > 0:
            ranks.append(sum(s > own or (s == own and other < place) for other, s in scores.items()) + 1)
    recall = [sum(rank <= cutoff for rank in ranks) / len(questions) for cutoff in CUTOFFS]
    return [*recall, sum(1 / math.log2(rank + 1) for rank in ranks if rank <= CUTOFFS[-1]) / len(questions)]


def main() -> None:
    lines = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    questions, answers = ([line[key] for line in lines] for key in ("question", "answer"))
    index = Index(answers, porter)
    for name, variant in chain(rankings(index), expansions(index), indexes(answers)):
        figures = " | ".join(f"{figure:.3f}" for figure in measure(variant, questions))
        print(f"| {name:<53} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
