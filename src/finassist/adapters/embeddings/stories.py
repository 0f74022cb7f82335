"""What an embedder may read from a text beside its vector: which sum it tells, and what its numbers are."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from finassist.domain.calculators.stories.scores import StoryScores


@runtime_checkable
class StoryReader(Protocol):
    """Reads it with layers of the encoder that were tuned for it."""

    async def story_scores(self, text: str, starts: Sequence[int]) -> StoryScores | None:
        """The log odds of stories, and of roles of the numbers that start at some characters; None where no
        layers were tuned, and for texts that are too long. Raises EmbeddingError, within seconds."""
        ...
