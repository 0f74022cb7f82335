"""A small neural network that reads the vector of a message; training/distress_classifier.py makes it."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_UNSURE: Final = 1e-6
"""The least probability, so that log odds are finite."""


class NetworkWeights(msgspec.Struct, frozen=True):
    """One layer of rectified units, and from them the probability of each label. Matrices and biases are
    float16: ``hidden`` has a row for each number of the vector, ``output`` one for each unit."""

    labels: list[str]
    hidden: bytes
    hidden_bias: bytes
    output: bytes
    output_bias: bytes


class Network:
    """Gives the log odds of each label against all others. The first call unpacks the weights."""

    def __init__(self, weights: NetworkWeights) -> None:
        self._weights = weights

    def log_odds(self, vector: Sequence[float]) -> Mapping[str, float]:
        """The log odds of each label for a vector."""
        import numpy as np

        hidden, hidden_bias, output, output_bias = self._layers
        units = np.maximum(np.asarray(vector, np.float32) @ hidden + hidden_bias, 0)
        scores = units @ output + output_bias
        likely = np.exp(scores - scores.max())
        likely = np.clip(likely / likely.sum(), _UNSURE, 1 - _UNSURE)
        odds = np.log(likely / (1 - likely))
        return dict(zip(self._weights.labels, map(float, odds), strict=True))

    @cached_property
    def _layers(self) -> "Sequence[NDArray[np.float32]]":
        import numpy as np  # it takes its time to import

        stored = self._weights
        parts = (stored.hidden, stored.hidden_bias, stored.output, stored.output_bias)
        hidden, hidden_bias, output, output_bias = (
            np.frombuffer(part, np.float16).astype(np.float32) for part in parts
        )
        return [
            hidden.reshape(-1, len(hidden_bias)),
            hidden_bias,
            output.reshape(len(hidden_bias), -1),
            output_bias,
        ]
