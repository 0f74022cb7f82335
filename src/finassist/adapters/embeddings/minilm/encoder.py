"""all-MiniLM-L6-v2 in numpy: six layers of BERT, the mean over the tokens, length 1.

The last layers may have been tuned for a purpose: to search passages with a question
(``training/query_encoder.py``), or to tell who needs help (``training/help_encoder.py``).

The matrices stay int8, in pages that all processes share. They are stored as tiles: some columns of all
rows, one after the other. A tile at a time is converted to float32, right before it is used, into one buffer
that stays in the processor's cache: reading float32 weights from memory takes longer, and so does converting
columns that lie apart (13 instead of 8 ms for 12 tokens).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from finassist.adapters.embeddings.minilm.weights import Arrays, unusable

Floats = NDArray[np.float32]

_LAYERS: Final = 6
_SHARED: Final = 3
"""So many layers are the same for every purpose; those after them may have been tuned for one."""
_HEADS: Final = 12
_TILED: Final = 3
"""So many dimensions a matrix in tiles has."""
_EPSILON: Final = np.float32(1e-12)
_ROWS_AT_ONCE: Final = 4
"""BLAS multiplies rows by fours, and what is left of them one by one: 7 rows take longer than 12."""
_REMEMBERED: Final = 8
"""Of so many single texts the states after the shared layers are kept: a message is classified and then
searched for."""
_ANY: Final = ""
_FAR_BELOW: Final = np.float32(-1e9)
_GELU_LINEAR: Final = np.float32(np.sqrt(2 / np.pi))
_GELU_CUBIC: Final = np.float32(0.044715 * np.sqrt(2 / np.pi))


@dataclass(frozen=True, slots=True)
class _Linear:
    """``rows @ weight * scale + bias``: int8 weights by tile, each with the columns of the product that it
    makes; an output has a scale. ``room`` is where a tile becomes float32, shared by all."""

    tiles: Sequence[tuple[NDArray[np.int8], slice]]
    scale: Floats
    bias: Floats
    room: Floats

    def __call__(self, rows: Floats) -> Floats:
        product = np.empty((len(rows), len(self.scale)), np.float32)
        for tile, columns in self.tiles:
            np.copyto(self.room, tile)
            np.matmul(rows, self.room, out=product[:, columns])
        product *= self.scale
        product += self.bias
        return product


@dataclass(frozen=True, slots=True)
class _Norm:
    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class _Layer:
    attention: _Linear
    """Queries, keys and values side by side; the queries are divided by the root of a head's size."""
    attended: _Linear
    attended_norm: _Norm
    widened: _Linear
    halves: Floats
    """Half of what the inputs of ``narrowed`` are multiplied by, so that its weights are of similar size."""
    narrowed: _Linear
    norm: _Norm


class Encoder:
    """Turns sequences of token ids into vectors. Not thread-safe: the calls share a buffer.

    BLAS is limited to one thread in the whole process. A second one needs the buffer in its own cache (15 ms
    a query instead of 6), and on a busy machine each waits for the other at every product (up to 350 ms).
    """

    def __init__(self, arrays: Arrays, tuned: Mapping[str, Arrays] | None = None) -> None:
        """``tuned`` are last layers that were tuned, by their purpose. Raises EmbeddingError when arrays are
        missing."""
        threadpool_limits(1, user_api="blas")
        try:
            self._words: NDArray[np.int8] = arrays["words.weight"]
            self._word_scales: Floats = arrays["words.scale"]
            self._positions: Floats = arrays["positions"]
            self._norm = _Norm(arrays["norm.weight"], arrays["norm.bias"])
            room = np.empty(_largest_tile(arrays), np.float32)
            self._shared = _layers(arrays, range(_SHARED), room)
            of_purpose = {_ANY: arrays, **(tuned or {})}
            self._last = {
                purpose: _layers(each, range(_SHARED, _LAYERS), room) for purpose, each in of_purpose.items()
            }
        except KeyError as error:
            raise unusable(f"the file lacks {error}") from error
        self._begun: dict[bytes, Floats] = {}

    def encode(self, sequences: Sequence[Sequence[int]], *, purpose: str = _ANY) -> Floats:
        """The vectors of sequences, one row each, of length 1, by the layers that were tuned for a purpose,
        or by those of any.

        All are padded to the longest, and to a number that products are quick with, so pass sequences of
        similar lengths together.
        """
        vectors, _ = self._summed(sequences, purpose)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def mean(self, sequence: Sequence[int], *, purpose: str) -> Floats:
        """The mean of the states of a sequence's tokens, before it is brought to length 1."""
        (summed,), (length,) = self._summed([sequence], purpose)
        mean: Floats = summed / np.float32(length)
        return mean

    def states(self, sequence: Sequence[int], *, purpose: str) -> Floats:
        """The states of a sequence's tokens, a row each."""
        (states,), (length,) = self._states([sequence], purpose)
        of_tokens: Floats = states[:length]
        return of_tokens

    def _summed(self, sequences: Sequence[Sequence[int]], purpose: str) -> tuple[Floats, Sequence[int]]:
        """The sums of the states of each sequence's tokens, and how many those are."""
        states, lengths = self._states(sequences, purpose)
        present = np.arange(states.shape[1]) < np.array(lengths)[:, None]
        states *= present[:, :, None]
        summed: Floats = states.sum(1)
        return summed, lengths

    def _states(self, sequences: Sequence[Sequence[int]], purpose: str) -> tuple[Floats, Sequence[int]]:
        """The states of each sequence's tokens and of the padding behind them, and how many tokens it has."""
        lengths = [len(each) for each in sequences]
        longest = -(-max(lengths) // _ROWS_AT_ONCE) * _ROWS_AT_ONCE
        ids = np.zeros((len(sequences), longest), np.intp)
        for row, sequence in zip(ids, sequences, strict=True):
            row[: len(sequence)] = sequence
        present = np.arange(longest) < np.array(lengths)[:, None]
        padding = None if present.all() else np.where(present, np.float32(0), _FAR_BELOW)[:, None, None, :]
        states = self._after_shared(ids, padding)
        for layer in self._last.get(purpose, self._last[_ANY]):
            states = _through(layer, states, ids.shape, padding)
        of_tokens: Floats = states.reshape(*ids.shape, -1)
        return of_tokens, lengths

    def _after_shared(self, ids: NDArray[np.intp], padding: Floats | None) -> Floats:
        """The states after the shared layers, which may not be changed."""
        key = ids.tobytes() if len(ids) == 1 else b""
        if key in self._begun:
            return self._begun[key]
        states = self._embedded(ids)
        for layer in self._shared:
            states = _through(layer, states, ids.shape, padding)
        if key:
            if len(self._begun) >= _REMEMBERED:
                del self._begun[next(iter(self._begun))]
            self._begun[key] = states
        return states

    def _embedded(self, ids: NDArray[np.intp]) -> Floats:
        """The states of all tokens, one row each."""
        states = self._words[ids].astype(np.float32)
        states *= self._word_scales[ids][:, :, None]
        states += self._positions[: ids.shape[1]]
        return _normalised(states.reshape(ids.size, -1), self._norm)


def _through(layer: _Layer, states: Floats, shape: tuple[int, ...], padding: Floats | None) -> Floats:
    attended = layer.attended(_attention(layer.attention(states), shape, padding))
    attended += states
    attended = _normalised(attended, layer.attended_norm)
    narrowed = layer.narrowed(_gelu(layer.widened(attended), layer.halves))
    narrowed += attended
    return _normalised(narrowed, layer.norm)


def _attention(mixed: Floats, shape: tuple[int, ...], padding: Floats | None) -> Floats:
    """The values, weighted by how well keys match queries. ``mixed`` has queries, keys and values side by
    side, ``shape`` says how many sequences and tokens there are."""
    by_head = mixed.reshape(*shape, 3, _HEADS, -1).transpose(2, 0, 3, 1, 4)
    scores = by_head[0] @ by_head[1].swapaxes(-1, -2)
    if padding is not None:
        scores += padding
    scores -= np.maximum.reduce(scores, -1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= np.add.reduce(scores, -1, keepdims=True)
    attended: Floats = scores @ by_head[2]
    return attended.swapaxes(1, 2).reshape(len(mixed), -1)


def _normalised(states: Floats, norm: _Norm) -> Floats:
    """Layer normalisation, in place."""
    size = np.float32(states.shape[-1])
    states -= np.add.reduce(states, -1, keepdims=True) / size
    variance = np.add.reduce(np.square(states), -1, keepdims=True)
    variance /= size
    variance += _EPSILON
    states /= np.sqrt(variance, out=variance)
    states *= norm.weight
    states += norm.bias
    return states


def _gelu(states: Floats, halves: Floats) -> Floats:
    """Twice the GELU times ``halves``, in place, by the tanh that is within 0.0005 of it."""
    inner = np.square(states)
    inner *= _GELU_CUBIC
    inner += _GELU_LINEAR
    inner *= states
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    states *= inner
    states *= halves
    return states


def _layers(arrays: Arrays, numbers: Iterable[int], room: Floats) -> Sequence[_Layer]:
    return [_layer(arrays, f"layers.{number}", room) for number in numbers]


def _largest_tile(arrays: Arrays) -> int:
    return max(int(weight[0].size) for weight in arrays.values() if weight.ndim == _TILED)


def _layer(arrays: Arrays, name: str, room: Floats) -> _Layer:
    def linear(part: str) -> _Linear:
        place = f"{name}.{part}"
        weight = arrays[f"{place}.weight"]
        _, inputs, width = weight.shape
        return _Linear(
            tiles=[(tile, slice(number * width, (number + 1) * width)) for number, tile in enumerate(weight)],
            scale=arrays[f"{place}.scale"],
            bias=arrays[f"{place}.bias"],
            room=room[: inputs * width].reshape(inputs, width),
        )

    def norm(part: str) -> _Norm:
        return _Norm(arrays[f"{name}.{part}.weight"], arrays[f"{name}.{part}.bias"])

    return _Layer(
        attention=linear("attention"),
        attended=linear("attended"),
        attended_norm=norm("attended_norm"),
        widened=linear("widened"),
        halves=arrays[f"{name}.narrowed.inputs"] * np.float32(0.5),
        narrowed=linear("narrowed"),
        norm=norm("norm"),
    )
