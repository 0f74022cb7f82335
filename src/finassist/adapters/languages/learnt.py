"""What the texts of the shipped entries say for each entry, learnt beforehand: to learn it takes seconds, and
the first question in a language would wait for them.

``training/languages.py`` writes the file: for each language a matrix (texts, entries) of whole numbers from
-127 to 127, a factor for each text, and the digest of the entries that it was learnt from.
"""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from finassist.domain.knowledge import Article

LEARNT: Final = files("finassist.data") / "languages" / "learnt.npz"

_GREATEST: Final = 127


def learnt_from(
    articles: Sequence[Article], language: str, file: Traversable = LEARNT
) -> npt.NDArray[np.float32] | None:
    """What was learnt from exactly these entries; None when it is not known."""
    with file.open("rb") as content, np.load(content, allow_pickle=False) as stored:
        if f"{language}.digest" not in stored or str(stored[f"{language}.digest"]) != _digest(articles):
            return None
        says: npt.NDArray[np.float32] = stored[f"{language}.says"] * stored[f"{language}.factors"]
        return says


def to_store(
    articles: Sequence[Article], language: str, says: npt.NDArray[np.float32]
) -> Mapping[str, npt.NDArray[np.generic]]:
    """The parts of the file for one language."""
    greatest = np.abs(says).max(axis=1, keepdims=True)
    factors = np.where(greatest > 0, greatest, 1) / np.float32(_GREATEST)
    return {
        f"{language}.digest": np.array(_digest(articles)),
        f"{language}.factors": factors,
        f"{language}.says": np.round(says / factors).astype(np.int8),
    }


def _digest(articles: Sequence[Article]) -> str:
    texts = [(each.id, each.title, each.variants, each.body) for each in articles]
    return hashlib.sha256(msgspec.json.encode(texts)).hexdigest()
