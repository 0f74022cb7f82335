"""Move the vectors of the entries towards how people ask for them.

An entry's own vector is that of its question with its answer. Its other wordings say more of what it is
found by: the vectors of all entries are fitted so that each wording is nearest to the entry it belongs to (a
softmax over all entries), and held near their own. The encoder and every query stay as they are, so that
articles of an operator, which are not fitted, are found as before.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

TEMPERATURE = np.float32(0.03)
HOLD = np.float32(25.0)
"""What a cosine to the own vector is worth, beside the likelihood of the wordings. Chosen on 1,436 wordings
that the fit had not seen."""
ROUNDS = 4
_AT_ONCE = 1024
_RATE = 0.003
_DECAY = (0.9, 0.999)
_SEED = 0


def fitted_to_wordings(own: Floats, wordings: Floats, entries: Sequence[int]) -> Floats:
    """The vectors of the entries, of length one.

    ``own`` are those of their texts, ``wordings`` those of the wordings, all of length one, and ``entries``
    says to which row of ``own`` each wording belongs.
    """
    free, owners = own.copy(), np.asarray(entries)
    mean, square = np.zeros_like(own), np.zeros_like(own)
    order, steps = np.random.default_rng(_SEED), 0
    for _ in range(ROUNDS):
        places = order.permutation(len(wordings))
        for start in range(0, len(places), _AT_ONCE):
            batch = places[start : start + _AT_ONCE]
            slope = _slope(free, own, wordings[batch], owners[batch])
            steps += 1
            mean += (1 - _DECAY[0]) * (slope - mean)
            square += (1 - _DECAY[1]) * (np.square(slope) - square)
            unbiased = mean / (1 - _DECAY[0] ** steps), square / (1 - _DECAY[1] ** steps)
            free -= np.float32(_RATE) * unbiased[0] / (np.sqrt(unbiased[1]) + np.float32(1e-8))
    fitted: Floats = free / np.linalg.norm(free, axis=1, keepdims=True)
    return fitted


def _slope(free: Floats, own: Floats, wordings: Floats, owners: NDArray[np.intp]) -> Floats:
    """The gradient of what is made small, for the vectors before they are brought to length one."""
    lengths = np.linalg.norm(free, axis=1, keepdims=True)
    unit = free / lengths
    odds = wordings @ unit.T / TEMPERATURE
    odds -= odds.max(1, keepdims=True)
    np.exp(odds, out=odds)
    odds /= odds.sum(1, keepdims=True)
    odds[np.arange(len(owners)), owners] -= 1
    slope = odds.T @ wordings / (TEMPERATURE * len(owners)) - HOLD * own / len(own)
    slope -= (slope * unit).sum(1, keepdims=True) * unit
    gradient: Floats = (slope / lengths).astype(np.float32)
    return gradient


def fitted_beside(others: Floats, own: Floats, wordings: Floats, entries: Sequence[int], of: int) -> Floats:
    """The vectors of a few entries, fitted as ``fitted_to_wordings`` fits all, beside those of the
    ``others``, which stay as they are. ``of`` is how many wordings all entries have."""
    free, owners = own.copy(), np.asarray(entries)
    mean, square = np.zeros_like(own), np.zeros_like(own)
    every = len(others) + len(own)
    for step in range(1, ROUNDS * (of // _AT_ONCE + 1) + 1):
        lengths = np.linalg.norm(free, axis=1, keepdims=True)
        unit = free / lengths
        odds = np.concatenate((wordings @ unit.T, wordings @ others.T), axis=1) / TEMPERATURE
        odds -= odds.max(1, keepdims=True)
        np.exp(odds, out=odds)
        odds /= odds.sum(1, keepdims=True)
        odds[np.arange(len(owners)), owners] -= 1
        slope = odds[:, : len(own)].T @ wordings / (TEMPERATURE * of) - HOLD * own / every
        slope = (slope - (slope * unit).sum(1, keepdims=True) * unit) / lengths
        mean += (1 - _DECAY[0]) * (slope - mean)
        square += (1 - _DECAY[1]) * (np.square(slope) - square)
        unbiased = mean / (1 - _DECAY[0] ** step), square / (1 - _DECAY[1] ** step)
        free -= np.float32(_RATE) * unbiased[0] / (np.sqrt(unbiased[1]) + np.float32(1e-8))
    fitted: Floats = (free / np.linalg.norm(free, axis=1, keepdims=True)).astype(np.float32)
    return fitted
