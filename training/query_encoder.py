"""Tune the last layers of the sentence encoder for what is searched for.

People ask otherwise than the entries answer: who writes "the bank says my card was used in Ohio" wants "I see
payments that I did not make". The layers are tuned so that a message is nearest to the entry that answers it:
a softmax over all entries, whose vectors stay. It learns from the other wordings of the entries and from
``questions/messages_of_entries.jsonl``, messages that were written for entries by writers who saw the
question and the answer. The vectors of the entries are fitted to three quarters of the wordings, and the
others are learned from: otherwise every wording would be found before anything is learned. A vector may not
move far from where the encoder puts it, so that articles of an operator are found as well.

Writes ``data/sentence_encoder/search_layers.safetensors``; afterwards the vectors of the entries are to be
fitted again (``knowledge.py``), and the judgement (``answerability.py``). Takes about half an hour on two
processors, and needs jax and optax::

    python training/query_encoder.py [--hold-out 0.05]

``--hold-out`` leaves the messages of so many entries out, and prints what share of them finds its entry.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from encoded import Encoded, shipped_arrays
from entry_vectors import Floats, fitted_to_wordings
from numpy.typing import NDArray
from sentence_encoder import INPUT_SHARE, encoded, quantised, tiled, write_named

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.embeddings.minilm.weights import Arrays, vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import WordPiece
from finassist.domain.knowledge import Article
from finassist.domain.retrieval.hybrid import asked_for, texts_to_embed
from finassist.domain.retrieval.languages import ENGLISH

ROOT = Path(__file__).parents[1]
MESSAGES = ROOT / "training" / "questions" / "messages_of_entries.jsonl"
SHIPPED = ROOT / "src" / "finassist" / "data" / "sentence_encoder" / "search_layers.safetensors"

LAYERS = 6
SHARED = 3
"""Layers that stay: they are computed once for a message that is classified and searched for."""
HEADS = 12
TOKENS_MAX = 96
FOLDS = 4
AT_ONCE = 64
STEPS = 1_200
RATE = 1.2e-4
WARM_UP = 10
"""The first of so many parts of the steps, in which the rate grows."""
TEMPERATURE = 0.03
HOLD = 2.0
"""What a cosine to the vector of the encoder is worth, beside the likelihood of the entry."""
MESSAGE_WEIGHT = 5.0
"""How often a message is drawn, beside a wording."""
DROPPED = 0.1
SORTED = 8
"""So many batches are drawn at once and sorted by length."""
PADDED_TO = 16
REPORTED = 96
SEED = 0
MATRICES = ("attention", "attended", "widened", "narrowed")
NORMS = ("attended_norm", "norm")

Tensor = Any  # jax.Array, whose operators have no types that mypy knows
Parameters = dict[str, Tensor]


@dataclass(frozen=True)
class Base:
    """The entries: ids, vectors of their texts, and the wordings with their vectors, owners and folds."""

    ids: Sequence[str]
    own: Floats
    wordings: Sequence[str]
    vectors: Floats
    owners: NDArray[np.intp]
    folds: NDArray[np.intp]


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
    share = parser.parse_args().hold_out
    base = read_base()
    messages = read_messages(base)
    held_out = {entry for entry in {entry for _, entry in messages} if is_held_out(base.ids[entry], share)}
    learned = [message for message in messages if message[1] not in held_out]
    arrays = as_floats(shipped_arrays())
    tuned = tune(arrays, examples_of(base, learned), fitted_by_fold(base))
    if share:
        rest = [message for message in messages if message[1] in held_out]
        measure({**arrays, **tuned}, rest, fitted_to_wordings(base.own, base.vectors, base.owners))
    write(tuned)


def read_base() -> Base:
    """The English entries, and how they are asked for."""
    articles = [each for each in starter_articles() if each.quotable and each.language == ENGLISH]
    texts = [texts_to_embed(each.title, each.body, quotable=True)[0] for each in articles]
    wordings = [(asked_for(text), place) for place, each in enumerate(articles) for text in asked(each)]
    vectors = Encoded().of([*texts, *(text for text, _ in wordings)])
    return Base(
        ids=[each.id for each in articles],
        own=vectors[: len(texts)],
        wordings=[text for text, _ in wordings],
        vectors=vectors[len(texts) :],
        owners=np.array([place for _, place in wordings]),
        folds=np.random.default_rng(SEED).integers(0, FOLDS, len(wordings)),
    )


def asked(article: Article) -> Sequence[str]:
    return (article.title, *article.variants)


def read_messages(base: Base) -> Sequence[tuple[str, int]]:
    """Each message, and the place of the entry that it was written for, if there is such an entry still."""
    places = {id_: place for place, id_ in enumerate(base.ids)}
    lines = map(json.loads, MESSAGES.read_text("utf-8").splitlines())
    return [(asked_for(line["text"]), places[line["entry"]]) for line in lines if line["entry"] in places]


def is_held_out(entry: str, share: float) -> bool:
    return hashlib.sha256(entry.encode()).digest()[0] < share * 256


def fitted_by_fold(base: Base) -> Sequence[Floats]:
    """The vectors of the entries, fitted to the wordings of all other folds."""
    kept = [base.folds != fold for fold in range(FOLDS)]
    return [fitted_to_wordings(base.own, base.vectors[each], base.owners[each]) for each in kept]


def examples_of(base: Base, messages: Sequence[tuple[str, int]]) -> Examples:
    pieces = WordPiece(vocabulary(shipped_arrays()))
    texts = [text for text, _ in messages]
    folds = np.random.default_rng(SEED).integers(0, FOLDS, len(texts))
    weights = np.concatenate((np.ones(len(base.wordings)), np.full(len(texts), MESSAGE_WEIGHT)))
    return Examples(
        tokens=[pieces.ids(text)[:TOKENS_MAX] for text in (*base.wordings, *texts)],
        entries=np.concatenate((base.owners, [entry for _, entry in messages])).astype(np.int32),
        folds=np.concatenate((base.folds, folds)),
        vectors=np.concatenate((base.vectors, Encoded().of(texts))),
        weights=weights,
    )


def as_floats(arrays: Arrays) -> Parameters:
    """The arrays that ship as float32, matrices from input to output."""
    floats = {
        "words": arrays["words.weight"].astype(np.float32) * arrays["words.scale"][:, None],
        "positions": arrays["positions"],
        "norm.weight": arrays["norm.weight"],
        "norm.bias": arrays["norm.bias"],
    }
    for layer in (f"layers.{number}" for number in range(LAYERS)):
        for part in (f"{layer}.{name}" for name in MATRICES):
            matrix = np.concatenate(list(arrays[f"{part}.weight"].astype(np.float32)), axis=1)
            floats[f"{part}.weight"] = matrix * arrays[f"{part}.scale"]
            floats[f"{part}.bias"] = arrays[f"{part}.bias"]
        floats[f"{layer}.narrowed.weight"] *= arrays[f"{layer}.narrowed.inputs"][:, None]
        for part in (f"{layer}.{name}.{array}" for name in NORMS for array in ("weight", "bias")):
            floats[part] = arrays[part]
    return {name: jnp.asarray(array) for name, array in floats.items()}


def tune(arrays: Parameters, examples: Examples, by_fold: Sequence[Floats]) -> Parameters:
    """The arrays of the layers after the shared ones."""
    tuned = {name: array for name, array in arrays.items() if layer_of(name) >= SHARED}
    rates = optax.warmup_cosine_decay_schedule(0, RATE, STEPS // WARM_UP, STEPS, RATE / 50)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rates, weight_decay=0.01))
    state = optimiser.init(tuned)
    targets = [jnp.asarray(vectors) for vectors in by_fold]

    @jax.jit
    def step(tuned: Parameters, state: Any, batch: Mapping[str, Tensor], key: Tensor) -> Any:
        value, slope = jax.value_and_grad(loss)(tuned, arrays, batch, key)
        change, state = optimiser.update(slope, state, tuned)
        return optax.apply_updates(tuned, change), state, value

    key, lost = jax.random.PRNGKey(SEED), []
    for number, (fold, places) in enumerate(batches(examples)):
        key, dropping = jax.random.split(key)
        batch = {
            "ids": padded([examples.tokens[place] for place in places]),
            "entries": examples.entries[places],
            "targets": targets[fold],
            "vectors": examples.vectors[places],
        }
        tuned, state, value = step(tuned, state, batch, dropping)
        lost.append(float(value))
        if (number + 1) % REPORTED == 0:
            print(f"step {number + 1} of {STEPS}: loss {np.mean(lost[-REPORTED:]):.3f}", flush=True)
    return tuned


def layer_of(name: str) -> int:
    kind, number, *_ = [*name.split("."), "0"]
    return int(number) if kind == "layers" else -1


def batches(examples: Examples) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """The fold and the places of the examples of each step; texts of similar lengths come together."""
    random, made = np.random.default_rng(SEED), 0
    folds = [np.flatnonzero(examples.folds == fold) for fold in range(FOLDS)]
    while True:
        some: list[tuple[int, NDArray[np.intp]]] = []
        for fold, places in enumerate(folds):
            odds = examples.weights[places]
            drawn = random.choice(places, AT_ONCE * SORTED, p=odds / odds.sum(), replace=False)
            lengths = [len(examples.tokens[place]) for place in drawn]
            some += [(fold, part) for part in np.split(drawn[np.argsort(lengths, kind="stable")], SORTED)]
        for place in random.permutation(len(some)):
            if made == STEPS:
                return
            made += 1
            yield some[place]


def padded(sequences: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    longest = -(-max(map(len, sequences)) // PADDED_TO) * PADDED_TO
    ids = np.zeros((len(sequences), longest), np.int32)
    for row, sequence in zip(ids, sequences, strict=True):
        row[: len(sequence)] = sequence
    return ids


def loss(tuned: Parameters, arrays: Parameters, batch: Mapping[str, Tensor], key: Tensor) -> Tensor:
    """How unlikely the right entries are, and how far the vectors are from those of the encoder."""
    vectors = encode(tuned, arrays, batch["ids"], key)
    odds = jax.nn.log_softmax(vectors @ batch["targets"].T / TEMPERATURE)
    right = jnp.take_along_axis(odds, batch["entries"][:, None], 1).mean()
    return HOLD * (1 - (vectors * batch["vectors"]).sum(1).mean()) - right


def encode(tuned: Parameters, arrays: Parameters, ids: Tensor, key: Tensor = None) -> Tensor:
    """The vectors of padded ids; with a ``key`` parts are dropped."""
    present = (ids > 0).astype(jnp.float32)
    padding = (present[:, None, None] - 1) * 1e9
    states = arrays["words"][ids] + arrays["positions"][: ids.shape[1]]
    states = normalised(states, arrays, "norm")
    for number in range(SHARED):
        states = layer(states, arrays, number, padding)
    states = jax.lax.stop_gradient(states)
    for number in range(SHARED, LAYERS):
        states = layer(states, tuned, number, padding, key)
    summed = (states * present[..., None]).sum(1)
    return summed / jnp.linalg.norm(summed, axis=1, keepdims=True)


def layer(states: Tensor, arrays: Parameters, number: int, padding: Tensor, key: Tensor = None) -> Tensor:
    def linear(rows: Tensor, part: str) -> Tensor:
        return rows @ arrays[f"layers.{number}.{part}.weight"] + arrays[f"layers.{number}.{part}.bias"]

    def some(rows: Tensor, place: int) -> Tensor:
        if key is None:
            return rows
        kept = jax.random.bernoulli(jax.random.fold_in(key, 2 * number + place), 1 - DROPPED, rows.shape)
        return rows * kept / (1 - DROPPED)

    texts, tokens, _ = states.shape
    mixed = linear(states, "attention").reshape(texts, tokens, 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
    weights = jax.nn.softmax(mixed[0] @ mixed[1].swapaxes(-1, -2) + padding)
    values = (weights @ mixed[2]).swapaxes(1, 2).reshape(texts, tokens, -1)
    attended = states + some(linear(values, "attended"), 0)
    attended = normalised(attended, arrays, f"layers.{number}.attended_norm")
    narrowed = linear(jax.nn.gelu(linear(attended, "widened"), approximate=True), "narrowed")
    return normalised(attended + some(narrowed, 1), arrays, f"layers.{number}.norm")


def normalised(states: Tensor, arrays: Parameters, name: str) -> Tensor:
    centred = states - states.mean(-1, keepdims=True)
    scale = jnp.sqrt(jnp.square(centred).mean(-1, keepdims=True) + 1e-12)
    return centred / scale * arrays[f"{name}.weight"] + arrays[f"{name}.bias"]


def measure(arrays: Parameters, messages: Sequence[tuple[str, int]], vectors: Floats) -> None:
    """Print what share of the messages is nearest to its entry, by the layers as tuned."""
    pieces = WordPiece(vocabulary(shipped_arrays()))
    encoding = jax.jit(encode)
    ranks = []
    for text, entry in messages:
        ids = padded([pieces.ids(text)[:TOKENS_MAX]])
        cosines = vectors @ np.asarray(encoding(arrays, arrays, ids))[0]
        ranks.append(int((cosines > cosines[entry]).sum()))
    found = ", ".join(f"{np.mean(np.array(ranks) < among):.1%} among {among}" for among in (1, 3, 10))
    print(f"{len(ranks)} messages of entries that none was learned of: {found}")


def write(tuned: Parameters) -> None:
    """The file that ships, in the arrays of ``sentence_encoder.py``."""
    floats = {name: np.asarray(array, np.float32) for name, array in tuned.items()}
    arrays: dict[str, NDArray[Any]] = {}
    for name in (f"layers.{number}" for number in range(SHARED, LAYERS)):
        narrowed = floats[f"{name}.narrowed.weight"]
        inputs = (np.abs(narrowed).max(1).astype(np.float64) ** INPUT_SHARE).astype(np.float32)
        floats[f"{name}.narrowed.weight"] = narrowed / inputs[:, None]
        arrays[f"{name}.narrowed.inputs"] = inputs
        for part in (f"{name}.{matrix}" for matrix in MATRICES):
            steps, scale = quantised(floats[f"{part}.weight"], 1)
            arrays |= {f"{part}.weight": tiled(steps), f"{part}.scale": scale}
            arrays[f"{part}.bias"] = floats[f"{part}.bias"]
        norms = tuple(f"{name}.{norm}." for norm in NORMS)
        arrays |= {part: array for part, array in floats.items() if part.startswith(norms)}
    write_named(SHIPPED, encoded(arrays))


if __name__ == "__main__":
    main()
