"""Fit and measure the search of the entries in other languages: which entry answers a question, and does any?

Each wording of an entry is held out once and asked: the entry has to be found by the others. What it finds
when its whole entry is missing, and what the strays of ``training/questions/strays_by_language.txt`` find,
answers nothing. A logistic curve over the signs of the index is fitted to both, over all languages, and laid
so that one stray in twelve is answered, and one in five gets what is nearest. To be run after entries were
added::

    python training/languages.py           # fit, write data/languages/judgement.json and learnt.npz
    python training/languages.py --learn   # write learnt.npz alone
    python training/languages.py --test    # measure alone
"""

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from finassist.adapters.data_files.articles import articles_below
from finassist.adapters.languages.entries import SHIPPED
from finassist.adapters.languages.index import SIGNS, Index, Numbers
from finassist.adapters.languages.learnt import LEARNT, to_store
from finassist.domain.knowledge import Article

Values = npt.NDArray[np.float64]

ROOT = Path(__file__).parents[1]
JUDGEMENT = ROOT / "src" / "finassist" / "data" / "languages" / "judgement.json"
STRAYS = ROOT / "training" / "questions" / "strays_by_language.txt"
STRAY_SHARE = 0.08
SHOWN_SHARE = 0.2
SHOWN_SCORE = 0.3
RIDGE = 1.0
STEPS = 30
CANDIDATES = 5


@dataclass(slots=True)
class Asked:
    """The signs of the best candidates for the questions of a language, and which of them is right: none of
    ``strays`` and of ``missing``, for which the right entry was left out. ``headings`` are asked of the whole
    index, without their first letter: somebody may ask just that."""

    right: list[tuple[Numbers, int]] = field(default_factory=list)
    headings: list[tuple[Numbers, int]] = field(default_factory=list)
    missing: list[Numbers] = field(default_factory=list)
    strays: list[Numbers] = field(default_factory=list)


def main() -> None:
    """Fit, unless asked to learn or to measure alone, and print what is found."""
    names = [place.name for place in sorted(Path(str(SHIPPED)).iterdir()) if place.is_dir()]
    if "--test" not in sys.argv:
        learn(names)
    if "--learn" in sys.argv:
        return
    asked = {name: ask(name) for name in names}
    if "--test" not in sys.argv:
        JUDGEMENT.write_text(json.dumps(fitted(asked.values()), indent=2) + "\n")
    weights = json.loads(JUDGEMENT.read_text())
    print(
        "| language | wordings | first | among three | answered rightly | wrongly | entry missing | strays |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for language, of in asked.items():
        print(f"| {language} | {' | '.join(measured(of, weights))} |")


def learn(languages: Iterable[str]) -> None:
    """Write what the texts of the entries say for each entry, so that no service has to learn it."""
    parts: dict[str, npt.NDArray[np.generic]] = {}
    for language in languages:
        articles = articles_below(SHIPPED / language)
        parts |= to_store(articles, language, Index(articles, language).says)
    with Path(str(LEARNT)).open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **parts)


def ask(language: str) -> Asked:
    """Ask the wordings and the strays of a language."""
    articles = articles_below(SHIPPED / language)
    asked = Asked()
    every = list(range(len(articles)))
    whole = Index(articles, language)
    asked.strays = [best(whole.signs(text, every)) for text in strays(language)]
    for place, article in enumerate(articles):
        signs = whole.signs(article.title[1:], every)
        asked.headings.append(ranked(signs, place))
    for left, held in folds(articles):
        index = Index(left, language)
        for place, text in held:
            signs = index.signs(text, every)
            asked.right.append(ranked(signs, place))
            asked.missing.append(best(index.signs(text, [each for each in every if each != place])))
    return asked


def folds(articles: Sequence[Article]) -> Iterator[tuple[list[Article], list[tuple[int, str]]]]:
    """The articles without one wording each, and those wordings with the places of their articles."""
    for number in range(max(len(each.variants) for each in articles)):
        held = [
            (place, each.variants[number])
            for place, each in enumerate(articles)
            if number < len(each.variants)
        ]
        yield (
            [
                replace(each, variants=(*each.variants[:number], *each.variants[number + 1 :]))
                for each in articles
            ],
            held,
        )


def ranked(signs: Numbers, place: int) -> tuple[Numbers, int]:
    """The signs of the candidates, best first, as far as the entry at this place, and its rank."""
    order = np.argsort(-signs[:, 0])
    [rank] = np.flatnonzero(order == place)
    return signs[order[: max(CANDIDATES, rank + 1)]], int(rank)


def best(signs: Numbers) -> Numbers:
    """The signs of the best candidates."""
    return signs[np.argsort(-signs[:, 0])[:CANDIDATES]]


def strays(language: str) -> Sequence[str]:
    """The questions below the name of a language."""
    sections = STRAYS.read_text("utf-8").split("\n[")
    [section] = [each for each in sections if each.startswith(f"{language}]")]
    return section.splitlines()[1:]


def fitted(asked: Iterable[Asked]) -> Mapping[str, float]:
    """The weights of the signs, and the intercept with which so few strays are answered."""
    asked = list(asked)
    rows, wanted = [], []
    for of in asked:
        for signs, rank in (*of.right, *of.headings):
            rows.append(signs[:CANDIDATES])
            wanted += [float(place == rank) for place in range(len(signs[:CANDIDATES]))]
        for signs in (*of.missing, *of.strays):
            rows.append(signs[:1])
            wanted.append(0.0)
    values = np.concatenate(rows).astype(float)
    values = np.concatenate((values, np.ones((len(values), 1))), axis=1)
    weights = curve(values, np.array(wanted))
    favours = [max(signs @ weights[:-1]) for of in asked for signs in of.strays]
    answered, shown = np.quantile(favours, [1 - STRAY_SHARE, 1 - SHOWN_SHARE])
    sharpness = math.log(1 / SHOWN_SCORE - 1) / (answered - shown)
    values = sharpness * np.array((*weights[:-1], -answered))
    return {name: round(float(value), 4) for name, value in zip((*SIGNS, "intercept"), values, strict=True)}


def curve(values: Values, wanted: Values) -> Values:
    """The weights of a logistic curve."""
    weights: Values = np.zeros(values.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-values @ weights))
        slope = values.T @ (wanted - likely) - RIDGE * weights
        bend = (values * (likely * (1 - likely))[:, None]).T @ values
        weights = weights + np.linalg.solve(bend + RIDGE * np.eye(len(weights)), slope)
    return weights


def measured(of: Asked, weights: Mapping[str, float]) -> Sequence[str]:
    """What the questions of a language find, as shares."""
    by_sign = np.array([weights[name] for name in SIGNS])
    favours = [signs @ by_sign + weights["intercept"] for signs, _ in of.right]
    firsts = [int(np.argmax(each)) == rank for each, (_, rank) in zip(favours, of.right, strict=True)]
    threes = [rank in np.argsort(-each)[:3] for each, (_, rank) in zip(favours, of.right, strict=True)]
    clear = [max(each) >= 0 for each in favours]
    shares = [
        np.mean(firsts),
        np.mean(threes),
        np.mean([first and sure for first, sure in zip(firsts, clear, strict=True)]),
        np.mean([not first and sure for first, sure in zip(firsts, clear, strict=True)]),
        *(
            np.mean([max(s @ by_sign) + weights["intercept"] >= 0 for s in signs])
            for signs in (of.missing, of.strays)
        ),
    ]
    return [str(len(of.right)), *(f"{share:.3f}" for share in shares)]


if __name__ == "__main__":
    main()
