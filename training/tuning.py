"""Tuning the last layers of the sentence encoder: what the scripts that do it share.

The encoder in jax with parts dropped at random, batches of texts of similar lengths, and the file of tuned
layers in the arrays of ``sentence_encoder.py``. Needs jax and optax.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray
from sentence_encoder import INPUT_SHARE, encoded, quantised, tiled, write_named

from finassist.adapters.embeddings.minilm.weights import Arrays

LAYERS = 6
SHARED = 3
"""Layers that stay: they are computed once for a message that is classified and searched for."""
HEADS = 12
TOKENS_MAX = 96
AT_ONCE = 64
WARM_UP = 10
"""The first of so many parts of the steps, in which the rate grows."""
LAST_SHARE = 0.02
"""What is left of the rate at the end."""
DECAY = 0.01
DROPPED = 0.1
PADDED_TO = 16
REPORTED = 96
SEED = 0
MATRICES = ("attention", "attended", "widened", "narrowed")
NORMS = ("attended_norm", "norm")

Tensor = Any  # jax.Array, whose operators have no types that mypy knows
Parameters = dict[str, Tensor]
Batch = Mapping[str, Tensor]
Loss = Callable[[Parameters, Batch, Tensor], Tensor]


def as_floats(arrays: Arrays) -> Parameters:
    """The arrays that ship as float32, matrices from input to output."""
    floats = {
        "words": arrays["words.weight"].astype(np.float32) * arrays["words.scale"][:, None],
        "positions": arrays["positions"],
        "norm.weight": arrays["norm.weight"],
        "norm.bias": arrays["norm.bias"],
    }
    return as_tensors(floats) | layers_as_floats(arrays, range(LAYERS))


def layers_as_floats(arrays: Arrays, numbers: Iterable[int]) -> Parameters:
    """The arrays of some layers as float32, matrices from input to output."""
    floats = {}
    for layer in (f"layers.{number}" for number in numbers):
        for part in (f"{layer}.{name}" for name in MATRICES):
            matrix = np.concatenate(list(arrays[f"{part}.weight"].astype(np.float32)), axis=1)
            floats[f"{part}.weight"] = matrix * arrays[f"{part}.scale"]
            floats[f"{part}.bias"] = arrays[f"{part}.bias"]
        floats[f"{layer}.narrowed.weight"] *= arrays[f"{layer}.narrowed.inputs"][:, None]
        for part in (f"{layer}.{name}.{array}" for name in NORMS for array in ("weight", "bias")):
            floats[part] = arrays[part]
    return as_tensors(floats)


def as_tensors(floats: Mapping[str, NDArray[Any]]) -> Parameters:
    return {name: jnp.asarray(array) for name, array in floats.items()}


def tunable(arrays: Parameters) -> Parameters:
    """The arrays of the layers after the shared ones."""
    return {name: array for name, array in arrays.items() if layer_of(name) >= SHARED}


def layer_of(name: str) -> int:
    kind, number, *_ = [*name.split("."), "0"]
    return int(number) if kind == "layers" else -1


def optimiser(rate: float, steps: int) -> Any:
    """AdamW, whose rate grows at first and falls then."""
    rates = optax.warmup_cosine_decay_schedule(0, rate, steps // WARM_UP, steps, rate * LAST_SHARE)
    return optax.adamw(rates, weight_decay=DECAY)


def tune(tuned: Parameters, loss: Loss, batches: Iterator[Batch], chosen: Any, steps: int) -> Parameters:
    """The arrays after so many steps of the ``chosen`` optimiser down the slope of a loss."""
    whole = optax.chain(optax.clip_by_global_norm(1.0), chosen)
    state = whole.init(tuned)

    def step(tuned: Parameters, state: Any, batch: Batch, key: Tensor) -> Any:
        value, slope = jax.value_and_grad(loss)(tuned, batch, key)
        change, state = whole.update(slope, state, tuned)
        return optax.apply_updates(tuned, change), state, value

    quick, key, lost = jax.jit(step), jax.random.PRNGKey(SEED), []
    for number in range(1, steps + 1):
        key, dropping = jax.random.split(key)
        tuned, state, value = quick(tuned, state, next(batches), dropping)
        lost.append(float(value))
        if number % REPORTED == 0 or number == steps:
            print(f"step {number} of {steps}: loss {np.mean(lost[-REPORTED:]):.3f}", flush=True)
    return tuned


def by_length(drawn: NDArray[np.intp], tokens: Sequence[Sequence[int]]) -> Sequence[NDArray[np.intp]]:
    """Batches of the places that were drawn; texts of similar lengths come together."""
    lengths = [len(tokens[place]) for place in drawn]
    return np.split(drawn[np.argsort(lengths, kind="stable")], len(drawn) // AT_ONCE)


def padded(sequences: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    longest = -(-max(map(len, sequences)) // PADDED_TO) * PADDED_TO
    ids = np.zeros((len(sequences), longest), np.int32)
    for row, sequence in zip(ids, sequences, strict=True):
        row[: len(sequence)] = sequence
    return ids


def encode(tuned: Parameters, arrays: Parameters, ids: Tensor, key: Tensor = None) -> Tensor:
    """The means of the tokens' states of padded ids; with a ``key`` parts are dropped."""
    return mean_of(states_of(tuned, arrays, ids, key), ids)


def mean_of(states: Tensor, ids: Tensor) -> Tensor:
    """The means of the states of all tokens but the padding."""
    present = (ids > 0).astype(jnp.float32)
    return (states * present[..., None]).sum(1) / present.sum(1, keepdims=True)


def states_of(tuned: Parameters, arrays: Parameters, ids: Tensor, key: Tensor = None) -> Tensor:
    """The states of all tokens of padded ids; with a ``key`` parts are dropped."""
    present = (ids > 0).astype(jnp.float32)
    padding = (present[:, None, None] - 1) * 1e9
    states = arrays["words"][ids] + arrays["positions"][: ids.shape[1]]
    states = normalised(states, arrays, "norm")
    for number in range(SHARED):
        states = layer(states, arrays, number, padding)
    states = jax.lax.stop_gradient(states)
    for number in range(SHARED, LAYERS):
        states = layer(states, tuned, number, padding, key)
    return states


def layer(states: Tensor, arrays: Parameters, number: int, padding: Tensor, key: Tensor = None) -> Tensor:
    def linear(rows: Tensor, part: str) -> Tensor:
        return rows @ arrays[f"layers.{number}.{part}.weight"] + arrays[f"layers.{number}.{part}.bias"]

    def some(rows: Tensor, place: int) -> Tensor:
        return kept(rows, key, 2 * number + place)

    texts, tokens, _ = states.shape
    mixed = linear(states, "attention").reshape(texts, tokens, 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
    weights = jax.nn.softmax(mixed[0] @ mixed[1].swapaxes(-1, -2) + padding)
    values = (weights @ mixed[2]).swapaxes(1, 2).reshape(texts, tokens, -1)
    attended = states + some(linear(values, "attended"), 0)
    attended = normalised(attended, arrays, f"layers.{number}.attended_norm")
    narrowed = linear(jax.nn.gelu(linear(attended, "widened"), approximate=True), "narrowed")
    return normalised(attended + some(narrowed, 1), arrays, f"layers.{number}.norm")


def kept(rows: Tensor, key: Tensor, place: int) -> Tensor:
    """Most of the numbers, the others dropped; without a ``key`` all."""
    if key is None:
        return rows
    some = jax.random.bernoulli(jax.random.fold_in(key, place), 1 - DROPPED, rows.shape)
    return rows * some / (1 - DROPPED)


def normalised(states: Tensor, arrays: Parameters, name: str) -> Tensor:
    centred = states - states.mean(-1, keepdims=True)
    scale = jnp.sqrt(jnp.square(centred).mean(-1, keepdims=True) + 1e-12)
    return centred / scale * arrays[f"{name}.weight"] + arrays[f"{name}.bias"]


def write(file: Path, tuned: Parameters, beside: Mapping[str, NDArray[Any]] | None = None) -> None:
    """The file that ships: layers in the arrays of ``sentence_encoder.py``, and what stands beside them."""
    floats = {name: np.asarray(array, np.float32) for name, array in tuned.items()}
    arrays: dict[str, NDArray[Any]] = dict(beside or {})
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
    write_named(file, encoded(arrays))
