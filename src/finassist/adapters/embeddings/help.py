"""What an embedder may read from a text beside its vector: whether its writer asks for help."""

from collections.abc import Mapping
from typing import Final, Protocol, runtime_checkable

from finassist.domain.safety import Concern

LONG_FROM: Final = 300
"""A text of more characters is a story, of which most sentences say nothing of who asks for what: layers that
learned whole stories read it."""
HelpOdds = Mapping[Concern, float]
"""For each concern the log odds that a text asks help for it, beside that it asks for none."""


@runtime_checkable
class HelpReader(Protocol):
    """Reads it with layers of the encoder that were tuned for it."""

    async def help_odds(self, text: str) -> HelpOdds | None:
        """The log odds, or None where no layers were tuned. Raises EmbeddingError, within seconds."""
        ...
