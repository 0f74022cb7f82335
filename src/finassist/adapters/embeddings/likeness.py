"""How much a text is like examples of two kinds, by its vector.

A support vector machine with a Gaussian kernel: a text is compared with some thousand others, of which the
kind is known. Scripts in ``training`` make the files.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import TYPE_CHECKING, Final

from finassist.adapters.data_files.sharing import once_per_file
from finassist.domain.retrieval.wishes import Wish

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Loaded = tuple[NDArray[np.float32], NDArray[np.float32], float, float]
    _LoadedByKind = tuple[list[str], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], float]

_FILES: Final = files("finassist.data") / "retrieval"
ANSWERABLE: Final = _FILES / "answerable.npz"
"""Questions that a library on personal finance answers, and others (``training/answerability.py``)."""
FOLLOW_UPS: Final = _FILES / "follow_ups.npz"
"""Messages that make sense only with what came before them, and others (``training/follow_ups.py``)."""
REACTIONS: Final = _FILES / "reactions.npz"
"""Messages that ask for nothing, and others (``training/reactions.py``)."""
VAGUE: Final = _FILES / "first_words" / "vague.npz"
"""Questions that name a subject and not what they want to know of it, and others (``training/vague.py``)."""

WISHES: Final = {wish: _FILES / "wishes" / f"{wish}.npz" for wish in Wish}
"""Messages that ask something of the last answer, by what they ask for (``training/wishes.py``)."""
OPENINGS: Final = _FILES / "first_words" / "openings.npz"
"""First messages that ask nothing yet, by how they begin (``training/openings.py``)."""
UNCLEAR: Final = _FILES / "first_words" / "unclear.npz"
"""First messages that only make sense with what nobody told, and others (``training/unclear.py``)."""
FEELINGS: Final = _FILES / "feelings.npz"
"""Reactions to a reply, by what they say (``training/openings.py``)."""

OF_CALCULATIONS: Final = files("finassist.data") / "calculators" / "follow_ups.npz"
"""Messages after a calculation, by what they want of it (``training/calculation_follow_ups.py``)."""

FIGURES_ASKED: Final = files("finassist.data") / "calculators" / "figures_asked.npz"
"""Messages that ask for a figure to be calculated, and others (``training/figures_asked.py``)."""
SUMS_ASKED: Final = files("finassist.data") / "calculators" / "sums_asked.npz"
"""Messages that ask for a sum of their numbers, and others with numbers (``training/sums_asked.py``)."""


class Likeness:
    """Gives the log odds of the first kind for a vector of length one. The first call loads the file.

    Examples are stored as float16. Of vectors of length one the kernel ``exp(-gamma * distance ** 2)`` is
    ``exp(2 * gamma * (cosine - 1))``.
    """

    def __init__(self, file: Traversable) -> None:
        self._file = file

    def __call__(self, vector: Sequence[float]) -> float:
        """Above zero the text is of the first kind."""
        import numpy as np

        examples, weights, intercept, gamma = self._loaded
        cosines = examples @ np.asarray(vector, np.float32)
        return float(np.exp(2 * gamma * (cosines - 1)) @ weights + intercept)

    @cached_property
    def _loaded(self) -> "_Loaded":
        return _loaded_from(self._file)


class LikenessByKind:
    """``Likeness`` of several kinds at once, which share their examples."""

    def __init__(self, file: Traversable) -> None:
        self._file = file

    def __call__(self, vector: Sequence[float]) -> Mapping[str, float]:
        """The log odds of each kind."""
        import numpy as np

        kinds, examples, weights, intercepts, gamma = self._loaded
        cosines = examples @ np.asarray(vector, np.float32)
        odds = weights @ np.exp(2 * gamma * (cosines - 1)) + intercepts
        return dict(zip(kinds, map(float, odds), strict=True))

    @cached_property
    def _loaded(self) -> "_LoadedByKind":
        return _loaded_by_kind(self._file)


@once_per_file(ANSWERABLE, FIGURES_ASKED, FOLLOW_UPS, REACTIONS, SUMS_ASKED, UNCLEAR, VAGUE, *WISHES.values())
def _loaded_from(file: Traversable) -> "_Loaded":
    import numpy as np  # it takes its time to import

    with np.load(BytesIO(file.read_bytes())) as stored:
        examples, weights = stored["examples"].astype(np.float32), stored["weights"].astype(np.float32)
        return examples, weights, float(stored["intercept"]), float(stored["gamma"])


@once_per_file(OF_CALCULATIONS, OPENINGS, FEELINGS)
def _loaded_by_kind(file: Traversable) -> "_LoadedByKind":
    import numpy as np  # it takes its time to import

    with np.load(BytesIO(file.read_bytes())) as stored:
        return (
            [str(kind) for kind in stored["kinds"]],
            stored["examples"].astype(np.float32),
            stored["weights"].astype(np.float32),
            stored["intercepts"].astype(np.float32),
            float(stored["gamma"]),
        )
