"""What reads from the encoder's states, by the layers that were tuned for it, which story a message tells."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from finassist.adapters.embeddings.minilm.encoder import Floats
from finassist.adapters.embeddings.minilm.weights import Arrays, unusable
from finassist.domain.calculators.stories.scores import StoryScores, score_name
from finassist.domain.calculators.stories.story import NONE, UNUSED, stories

_SEPARATOR: Final = "\n"


class StoryHead:
    """Two products: of the mean of the tokens' states for the stories, and of the state of the first token of
    a number beside that mean for its role. The file of weights names the outputs of both in their order."""

    def __init__(self, arrays: Arrays) -> None:
        """Raises EmbeddingError when arrays are missing or name other stories or roles."""
        try:
            self._stories, self._roles = (
                (_floats(arrays, part), arrays[f"{part}.bias"]) for part in ("stories", "roles")
            )
            self._story_names, self._role_names = (
                arrays[f"{part}.labels"].tobytes().decode().split(_SEPARATOR) for part in ("stories", "roles")
            )
        except KeyError as error:
            raise unusable(f"the file lacks {error}") from error
        roles = (score_name(story.name, role) for story in stories().values() for role in story.roles)
        if sorted(self._story_names) != sorted((NONE, *stories())):
            raise unusable("the file knows other stories")
        if sorted(self._role_names) != sorted((UNUSED, *roles)):
            raise unusable("the file knows other roles of stories")

    def scores(self, states: Floats, places: Sequence[int]) -> StoryScores:
        """The log odds by the states of all tokens; ``places`` are those of the numbers' tokens."""
        mean: Floats = states.mean(0)
        of_numbers = np.concatenate([states[places], np.tile(mean, (len(places), 1))], axis=1)
        stories_weight, stories_bias = self._stories
        roles_weight, roles_bias = self._roles
        told = (mean @ stories_weight + stories_bias).tolist()
        roles = (of_numbers @ roles_weight + roles_bias).tolist()
        return StoryScores(
            dict(zip(self._story_names, told, strict=True)),
            [dict(zip(self._role_names, row, strict=True)) for row in roles],
        )


def _floats(arrays: Arrays, part: str) -> Floats:
    weight: Floats = arrays[f"{part}.weight"].astype(np.float32) * arrays[f"{part}.scale"]
    return weight
