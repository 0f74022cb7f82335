"""Learn the languages of short questions about money, from the entries and questions that the project has.

fastText tells the language of whole sentences. Of "fatura minima cartao" it says Spanish or English: three
words, without accents, in the words of one field. A naive Bayes over the words and runs of letters of our own
entries tells these. To be run after many entries in another language were added::

    python training/language_detection.py
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import msgspec
import numpy as np

from finassist.adapters.classifier.grams import grams
from finassist.adapters.classifier.language import BUCKETS, WEIGHTS, place_of
from finassist.adapters.classifier.weights import Column
from finassist.adapters.data_files.articles import articles_below, starter_articles
from finassist.adapters.languages.entries import SHIPPED
from finassist.domain.knowledge import Article
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.romanised import ROMANISED_HINDI

TRAINING = Path(__file__).parent
LANGUAGES = (ENGLISH, "de", "es", "fr", ROMANISED_HINDI, "it", "nl", "pl", "pt")
SMOOTHING = 0.05
SHARPNESS = 0.7
"""What the log odds of a text are multiplied by: its grams overlap, and say the same more than once."""
HELD_OUT = 5
"""One topic in so many is left out to measure with."""
SENTENCE_END = re.compile(r"(?<=[.!?\u0964])\s+")
SENTENCES = ("small_talk", "follow_ups", "everyday", "basics")


def main() -> None:
    """Measure on topics that were left out, then learn from all and write the weights."""
    measure(learnt({language: list(texts(language, held=False)) for language in LANGUAGES}))
    every = {language: [*texts(language, held=False), *texts(language, held=True)] for language in LANGUAGES}
    weights = learnt(every)
    scale = float(np.abs(weights).max()) / 127
    columns = [
        Column(language, 0.0, scale, np.round(row / scale).astype(np.int8).tobytes())
        for language, row in zip(LANGUAGES, weights, strict=True)
    ]
    Path(str(WEIGHTS)).write_bytes(msgspec.msgpack.encode(columns))


def texts(language: str, *, held: bool) -> Iterator[str]:
    """The texts of a language that are learnt from, or those held out."""
    if language == ENGLISH:
        articles: Sequence[Article] = starter_articles()
    else:
        articles = articles_below(SHIPPED / language.partition("-")[0])
    for article in articles:
        topic = article.id.rpartition(".")[0]
        if held != (crc32(topic.encode()) % HELD_OUT == 0):
            continue
        told = () if language in (ENGLISH, ROMANISED_HINDI) else SENTENCE_END.split(article.body)
        said = (article.title, *article.variants, *told)
        yield from (text for text in said if language != ROMANISED_HINDI or text.isascii())
    if language == ENGLISH and not held:
        lines = (TRAINING / "questions" / "answerable.jsonl").read_text("utf-8").splitlines()
        yield from (json.loads(line)["text"] for line in lines)
        for name in SENTENCES:
            yield from (TRAINING / "sentences" / f"{name}.txt").read_text("utf-8").splitlines()


def learnt(every: dict[str, list[str]]) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """The weight of each gram for each language, from texts as they are and as they are typed in haste."""
    counts = np.zeros((len(LANGUAGES), BUCKETS))
    for row, language in zip(counts, LANGUAGES, strict=True):
        for text in every[language]:
            for written in {text, in_haste(text)}:
                row[places(written)] += 1
    likely = (counts + SMOOTHING) / (counts.sum(axis=1, keepdims=True) + SMOOTHING * BUCKETS)
    log = np.log(likely)
    weights: np.ndarray[tuple[int, int], np.dtype[np.float64]] = SHARPNESS * (log - log.mean(axis=0))
    return weights


def places(text: str) -> Sequence[int]:
    """The places of a text's grams."""
    return sorted({place for gram in grams(text) if (place := place_of(gram)) is not None})


def in_haste(text: str) -> str:
    """A text in small letters, without accents."""
    letters = unicodedata.normalize("NFD", text)
    return (
        "".join(letter for letter in letters if not unicodedata.combining(letter)).lower().replace("ł", "l")
    )


def measure(weights: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> None:
    """Print how many of the texts held out are told, by their number of words."""
    for number, language in enumerate(LANGUAGES):
        told: dict[int, list[bool]] = {}
        for text in texts(language, held=True):
            found = places(text)
            if found:
                scores = weights[:, found].sum(axis=1) / len(found) ** 0.5
                told.setdefault(min(len(text.split()), 5), []).append(int(scores.argmax()) == number)
        shares = {words: f"{np.mean(each):.3f} of {len(each)}" for words, each in sorted(told.items())}
        print(language, shares)


if __name__ == "__main__":
    main()
