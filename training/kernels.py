"""Fitting kernels that tell messages apart by their vectors, for ``Likeness``."""

from collections.abc import Sequence
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]
Example = tuple[str, bool, float]
"""A message, whether it is of the kind that is told, and its weight."""


def cross_validated(
    settings: dict[str, Any], rows: Numbers, truth: Truths, weights: Numbers, judged: int
) -> Numbers:
    """What kernels that have not seen it say of each of the first ``judged`` messages; the other messages are
    in the training of every fold."""
    said = np.zeros(judged)
    rest = np.arange(judged, len(truth))
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    for train, held in folds.split(rows[:judged], truth[:judged]):
        chosen = np.r_[train, rest]
        fitted = SVC(**settings).fit(rows[chosen], truth[chosen], sample_weight=weights[chosen])
        said[held] = fitted.decision_function(rows[held])
    return said


def report(name: str, told: Sequence[bool], examples: Sequence[Example]) -> None:
    """Print the shares of both kinds that are told."""
    pairs = [(found, example[1]) for found, example in zip(told, examples, strict=True)]
    found = [np.mean([said == truth for said, truth in pairs if truth == kind]) for kind in (True, False)]
    print(f"{name}: {found[0]:.3f} of those that are it, {found[1]:.3f} of the others are told")


def save(file: Traversable, fitted: SVC, least: float = 0.0) -> None:
    """Write what ``Likeness`` reads; from ``least`` on a message is told to be of the kind."""
    np.savez(
        str(file),
        examples=fitted.support_vectors_.astype(np.float16),
        weights=fitted.dual_coef_[0].astype(np.float32),
        intercept=fitted.intercept_[0] - least,
        gamma=fitted.gamma,
    )
