"""Fit how sure it has to be that a message in a conversation about something else asks for help.

Of a few words the classifier knows little: "i want it where i can't touch it" is about savings, and sounds to
it of self-harm. A logistic curve over the log odds of the likeliest concern, the logarithm of the number of
words, and whether the language is another one than English, is fitted to messages that the classifier was
not trained on: ``training/questions/in_doubt.txt`` (what they ask help for, a tab, the turns of a
conversation), the later turns of ``later_turns.jsonl``, and the messages of ``tests/data/distress``. It
prints the constants of ``finassist.adapters.classifier.passing``. Needs scikit-learn::

    python training/distress_in_doubt.py
"""

import asyncio
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from distress_sentences import NONE, QUESTIONS, held_out
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from finassist.adapters.classifier.distress import LinearDistressClassifier
from finassist.adapters.classifier.language import FastTextLanguages
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.domain.retrieval.languages import ENGLISH, hardly_tells_language

DISTRESS = Path(__file__).parents[1] / "tests" / "data" / "distress"
WORDS_MAX = 20
LEAST = -1.0
"""Log odds below which a message is no candidate."""
HELD_BACK = (8, 12, 16, 20)
"""So many of the innocent messages may get help."""
IN_TROUBLE = (
    "i lost my job last month", "i got laid off friday", "a guy in my church", "ive already sent it",
    "now someone from the bank", "but my friend already", "nothings gone out", "a buyer wants to send me",
    "i sent it by zelle",
)  # fmt: skip
"""Those later turns that ask for help, or go on after it."""


def messages() -> Iterator[tuple[str, str, str]]:
    """What is asked help for, the turn before, and the message."""
    for line in (QUESTIONS / "in_doubt.txt").read_text("utf-8").splitlines():
        label, *turns = line.split("\t")
        yield label, turns[-2] if len(turns) > 1 else "", turns[-1]
    for line in (QUESTIONS / "later_turns.jsonl").read_text("utf-8").splitlines():
        turn = json.loads(line)
        if not turn["text"].startswith(IN_TROUBLE):
            yield NONE, turn["earlier"][-1], turn["text"]
    for file in sorted(DISTRESS.glob("*.jsonl")):
        yield from ((example.label, "", example.text) for example in held_out(file))


async def signs() -> list[tuple[float, float, float, bool]]:
    """Log odds, logarithm of the words, whether it is another language, and whether it asks for help."""
    classifier = DistressClassifierByMeaning(LinearDistressClassifier(), MiniLmEmbedder(query_seconds=60))
    languages = FastTextLanguages()
    rows = []
    for label, before, text in messages():
        told = f"{before} {text}" if before and hardly_tells_language(text) else text
        language = await languages.language_of(told)
        odds = max((await classifier.looks.margins(text, language)).values())
        if odds > LEAST:
            words = min(len(text.split()), WORDS_MAX)
            rows.append((odds, math.log(words), float(language != ENGLISH), label != NONE))
    return rows


def main() -> None:
    """Fit and print."""
    rows = np.array(asyncio.run(signs()))
    values, asks = rows[:, :3], rows[:, 3] > 0
    curve = LogisticRegression(C=3.0, max_iter=1000)
    told = cross_val_predict(curve, values, asks, cv=10, method="decision_function")
    innocent = np.sort(told[~asks])[::-1]
    for number in HELD_BACK:
        helped = int((told[asks] > innocent[number]).sum())
        print(f"{number} innocent messages of {len(innocent)} helped, of {asks.sum()} others {helped}")
    [[odds, words, elsewhere]], [intercept] = curve.fit(values, asks).coef_, curve.intercept_
    print(f"of one word: {-intercept / odds:.2f} and {1 / odds:.2f} for each step of the curve")
    print(
        f"less for each logarithm of words: {words / odds:.2f}, in another language: {elsewhere / odds:.2f}"
    )


if __name__ == "__main__":
    main()
