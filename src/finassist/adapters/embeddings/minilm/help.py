"""What reads from the encoder's states, by the layers that were tuned for it, who asks help for what."""

from typing import Final

from finassist.adapters.embeddings.help import HelpOdds
from finassist.adapters.embeddings.minilm.encoder import Floats
from finassist.adapters.embeddings.minilm.weights import Arrays, unusable
from finassist.domain.safety import Concern

NONE: Final = "none"
_SEPARATOR: Final = "\n"


class HelpHead:
    """One product over the mean of the tokens' states. The file of weights names its outputs in their order
    (``head.labels``): each concern, and ``none`` for whatever asks for no help."""

    def __init__(self, arrays: Arrays) -> None:
        """Raises EmbeddingError when arrays are missing or name other concerns."""
        try:
            self._weight: Floats = arrays["head.weight"]
            self._bias: Floats = arrays["head.bias"]
            self._labels = arrays["head.labels"].tobytes().decode().split(_SEPARATOR)
        except KeyError as error:
            raise unusable(f"the file lacks {error}") from error
        if sorted(self._labels) != sorted((NONE, *Concern)):
            raise unusable(f"the file knows other concerns: {', '.join(self._labels)}")

    def odds(self, mean: Floats) -> HelpOdds:
        """The log odds of each concern beside none."""
        scores = dict(zip(self._labels, (mean @ self._weight + self._bias).tolist(), strict=True))
        none = scores.pop(NONE)
        return {Concern(label): score - none for label, score in scores.items()}
