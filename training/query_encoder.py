"""Tune the last layers of the sentence encoder for what is searched for.

People ask otherwise than the entries answer: who writes "the bank says my card was used in Ohio" wants "I see
payments that I did not make". The layers are tuned so that a message is nearest to the entry that answers it:
a softmax over all entries, whose vectors stay. It learns from the other wordings of the entries, from
``questions/messages_of_entries.jsonl``, messages that were written for entries by writers who saw the
question and the answer, and from ``questions/answered_by.jsonl``, questions of people who had seen none, for
which readers chose the entries that answer, best first. Later turns (``talks_of_entries.jsonl``,
``later_turns_answered.jsonl``, in the same two ways) are learned as they are searched for: with the question
before them, with the first of the conversation, and alone; the former also with the title that was probably
quoted.

The vectors of the entries are fitted to three quarters of the wordings, and the others are learned from:
otherwise every wording would be found before anything is learned. A vector may not move far from where the
encoder puts it, so that articles of an operator are found as well.

Writes ``data/sentence_encoder/search_layers.safetensors``; afterwards the vectors of the wordings are to be
made again (``knowledge.py``), and then the judgement to be fitted (``answerability.py``, ``in_context.py``).
The layers that ship were tuned in five runs of 2,600 steps together, each from where the one before had ended
(``--continue``), while the messages came in. A thousand steps take a quarter of an hour on two idle
processors; needs jax and optax::

    python training/query_encoder.py [--hold-out 0.05] [--continue] [--steps 1000]

``--hold-out`` leaves the messages of so many entries out, and prints what share of them finds its entry; it
writes nothing.
"""

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from encoded import Encoded, shipped_arrays
from entry_vectors import Floats, fitted_to_wordings
from knowledge import wordings_of
from lines import lines_of
from messages import as_searched_for
from numpy.typing import NDArray
from tuning import (
    AT_ONCE,
    SEED,
    TOKENS_MAX,
    Batch,
    Parameters,
    Tensor,
    as_floats,
    by_length,
    encode,
    optimiser,
    padded,
    tunable,
    tune,
    write,
)

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.embeddings.minilm.weights import read_weights, vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import WordPiece
from finassist.domain.retrieval.hybrid import asked_for, texts_to_embed
from finassist.domain.retrieval.in_context import about_subject
from finassist.domain.retrieval.languages import ENGLISH

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "src" / "finassist" / "data" / "sentence_encoder" / "search_layers.safetensors"

FOLDS = 4
STEPS = 2_000
RATE = 2e-4
TEMPERATURE = 0.03
HOLD = 1.0
"""What a cosine to the vector of the encoder is worth, beside the likelihood of the entry."""
WORDING_WEIGHT = 0.3
MESSAGE_WEIGHT = 4.0
"""How often a message is drawn, and a wording of an entry."""
ASKED_WEIGHT = 10.0
"""How often a question of somebody who had seen no entry is drawn with the entry that answers best, and half
as often with the second."""
TALK_WEIGHT = 6.0
"""How often a later turn that was written for an entry is drawn together with the question before it."""
ABOUT_SHARE = 0.35
ALONE_SHARE = 0.35
"""How often a later turn is drawn beside the title that was quoted, and alone, beside that."""
KEPT = 0.2
"""How much of the layers that a run goes on from is kept: the mean of both is disturbed less by what
surrounds a question, and finds as much."""
SORTED = 8
"""So many batches are drawn at once and sorted by length."""


@dataclass(frozen=True)
class Base:
    """The entries: ids, titles, vectors of their texts; the wordings with their vectors, owners and folds."""

    ids: Sequence[str]
    titles: Sequence[str]
    own: Floats
    wordings: Sequence[str]
    vectors: Floats
    owners: NDArray[np.intp]
    folds: NDArray[np.intp]


@dataclass(frozen=True)
class Message:
    """A text, the place of the entry that it asks for, and how often it is drawn."""

    text: str
    entry: int
    weight: float


@dataclass(frozen=True)
class Examples:
    """Texts as token ids, the entry that each asks for, the fold that it belongs to, its vector by the
    encoder, and how often it is drawn."""

    tokens: Sequence[Sequence[int]]
    entries: NDArray[np.int32]
    folds: NDArray[np.intp]
    vectors: Floats
    weights: Floats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hold-out", type=float, default=0.0, help="share of the entries to measure with")
    parser.add_argument("--steps", type=int, default=STEPS, help="how many batches of 64 messages")
    parser.add_argument("--continue", action="store_true", dest="goes_on", help="begin with what ships")
    asked = parser.parse_args()
    share = asked.hold_out
    base = read_base()
    messages = read_messages(base)
    held_out = {each.entry for each in messages if is_held_out(base.ids[each.entry], share)}
    learned = [each for each in messages if each.entry not in held_out]
    arrays = as_floats(shipped_arrays())
    begun = tunable(as_floats({**shipped_arrays(), **read_weights(SHIPPED)}) if asked.goes_on else arrays)
    tuned = tuned_for(arrays, begun, examples_of(base, learned), fitted_by_fold(base), asked.steps)
    if asked.goes_on:
        tuned = {name: KEPT * begun[name] + (1 - KEPT) * array for name, array in tuned.items()}
    if share:
        rest = [each for each in messages if each.entry in held_out]
        measure({**arrays, **tuned}, rest, fitted_to_wordings(base.own, base.vectors, list(base.owners)))
    else:
        write(SHIPPED, tuned)


def read_base() -> Base:
    """The English entries, and how they are asked for."""
    articles = [each for each in starter_articles() if each.quotable and each.language == ENGLISH]
    texts = [texts_to_embed(each.title, each.body, quotable=True)[0] for each in articles]
    wordings = [(text, place) for place, each in enumerate(articles) for text in wordings_of(each)]
    vectors = Encoded().of([*texts, *(text for text, _ in wordings)])
    return Base(
        ids=[each.id for each in articles],
        titles=[each.title for each in articles],
        own=vectors[: len(texts)],
        wordings=[text for text, _ in wordings],
        vectors=vectors[len(texts) :],
        owners=np.array([place for _, place in wordings]),
        folds=np.random.default_rng(SEED).integers(0, FOLDS, len(wordings)),
    )


def read_messages(base: Base) -> Sequence[Message]:
    """The messages of entries that there are still, by their titles."""
    places = {title: place for place, title in enumerate(base.titles)}
    written = lines_of("messages_of_entries.jsonl")
    found = [(line["text"], line["entry"], MESSAGE_WEIGHT) for line in written]
    for line in lines_of("answered_by.jsonl"):
        best = zip(line["entries"], (ASKED_WEIGHT, ASKED_WEIGHT / 2), strict=False)
        found += [(line["text"], entry, weight) for entry, weight in best]
    for line, subject in with_subjects(base, lines_of("talks_of_entries.jsonl")):
        searched = together(line) | {about_subject(line["text"], subject): ABOUT_SHARE}
        found += [(text, line["entry"], TALK_WEIGHT * share) for text, share in searched.items()]
    for line in lines_of("later_turns_answered.jsonl"):
        best = zip(line["entries"], (ASKED_WEIGHT, ASKED_WEIGHT / 2), strict=False)
        searched = together(line)
        found += [(text, each, weight * searched[text]) for each, weight in best for text in searched]
    return [
        Message(asked_for(text), places[entry], weight) for text, entry, weight in found if entry in places
    ]


def together(line: dict[str, Any]) -> dict[str, float]:
    """A later turn as it is searched for, each with its share of how often it is drawn."""
    return {each: ALONE_SHARE if each == line["text"] else 1.0 for each in as_searched_for(line)}


def with_subjects(base: Base, lines: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Lines with the title that is nearest to the question before their text."""
    vectors = Encoded().of([asked_for(line["earlier"][-1]) for line in lines])
    fitted = fitted_to_wordings(base.own, base.vectors, list(base.owners))
    for line, place in zip(lines, (vectors @ fitted.T).argmax(1), strict=True):
        yield line, base.titles[place]


def is_held_out(entry: str, share: float) -> bool:
    return hashlib.sha256(entry.encode()).digest()[0] < share * 256


def fitted_by_fold(base: Base) -> Sequence[Floats]:
    """The vectors of the entries, fitted to the wordings of all other folds."""
    kept = [base.folds != fold for fold in range(FOLDS)]
    return [fitted_to_wordings(base.own, base.vectors[each], list(base.owners[each])) for each in kept]


def examples_of(base: Base, messages: Sequence[Message]) -> Examples:
    pieces = WordPiece(vocabulary(shipped_arrays()))
    texts = [each.text for each in messages]
    folds = np.random.default_rng(SEED).integers(0, FOLDS, len(texts))
    weights = np.array([WORDING_WEIGHT] * len(base.wordings) + [each.weight for each in messages], np.float32)
    return Examples(
        tokens=[pieces.ids(text)[:TOKENS_MAX] for text in (*base.wordings, *texts)],
        entries=np.concatenate((base.owners, [each.entry for each in messages])).astype(np.int32),
        folds=np.concatenate((base.folds, folds)),
        vectors=np.concatenate((base.vectors, Encoded().of(texts))),
        weights=weights,
    )


def tuned_for(
    arrays: Parameters, begun: Parameters, examples: Examples, by_fold: Sequence[Floats], steps: int
) -> Parameters:
    """The arrays of the layers after the shared ones, which are ``begun`` with."""
    targets = [jnp.asarray(vectors) for vectors in by_fold]

    def loss(tuned: Parameters, batch: Batch, key: Tensor) -> Tensor:
        """How unlikely the right entries are, and how far the vectors are from those of the encoder."""
        vectors = unit(encode(tuned, arrays, batch["ids"], key))
        odds = jax.nn.log_softmax(vectors @ batch["targets"].T / TEMPERATURE)
        right = jnp.take_along_axis(odds, batch["entries"][:, None], 1).mean()
        return HOLD * (1 - (vectors * batch["vectors"]).sum(1).mean()) - right

    return tune(begun, loss, batches(examples, targets), optimiser(RATE, steps), steps)


def unit(means: Tensor) -> Tensor:
    """The vectors, of length one."""
    return means / jnp.linalg.norm(means, axis=1, keepdims=True)


def batches(examples: Examples, targets: Sequence[Tensor]) -> Iterator[Batch]:
    """The examples of each step, all of one fold, and the vectors of the entries for it."""
    random = np.random.default_rng(SEED)
    folds = [np.flatnonzero(examples.folds == fold) for fold in range(FOLDS)]
    while True:
        some: list[tuple[int, NDArray[np.intp]]] = []
        for fold, places in enumerate(folds):
            odds = examples.weights[places]
            drawn = random.choice(places, AT_ONCE * SORTED, p=odds / odds.sum(), replace=False)
            some += [(fold, part) for part in by_length(drawn, examples.tokens)]
        for fold, places in (some[place] for place in random.permutation(len(some))):
            yield {
                "ids": padded([examples.tokens[place] for place in places]),
                "entries": examples.entries[places],
                "targets": targets[fold],
                "vectors": examples.vectors[places],
            }


def measure(arrays: Parameters, messages: Sequence[Message], vectors: Floats) -> None:
    """Print what share of the messages is nearest to its entry, by the layers as tuned."""
    pieces = WordPiece(vocabulary(shipped_arrays()))
    encoding = jax.jit(lambda ids: unit(encode(arrays, arrays, ids)))
    ranks = []
    for text, entry in ((each.text, each.entry) for each in messages):
        ids = padded([pieces.ids(text)[:TOKENS_MAX]])
        cosines = vectors @ np.asarray(encoding(ids))[0]
        ranks.append(int((cosines > cosines[entry]).sum()))
    found = ", ".join(f"{np.mean(np.array(ranks) < among):.1%} among {among}" for among in (1, 3, 10))
    print(f"{len(ranks)} messages of entries that none was learned of: {found}")


if __name__ == "__main__":
    main()
