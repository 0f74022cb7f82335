"""What reads stories from the states of tokens, with weights that are made up."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from finassist.adapters.embeddings.minilm.stories import StoryHead
from finassist.domain.calculators.stories.scores import score_name
from finassist.domain.calculators.stories.story import NONE, UNUSED, stories
from finassist.domain.errors import EmbeddingError

SIZE = 4
STORIES = (NONE, *stories())
ROLES = (UNUSED, *(score_name(story.name, role) for story in stories().values() for role in story.roles))


def head_arrays() -> dict[str, NDArray[Any]]:
    """The first story is told by the first number of the mean, the first role by that of a token's state."""
    arrays: dict[str, NDArray[Any]] = {}
    for part, names, inputs in (("stories", STORIES, SIZE), ("roles", ROLES, 2 * SIZE)):
        weight = np.zeros((inputs, len(names)), np.int8)
        weight[0, 1] = 100
        arrays[f"{part}.weight"] = weight
        arrays[f"{part}.scale"] = np.full(len(names), 0.01, np.float32)
        arrays[f"{part}.bias"] = np.zeros(len(names), np.float32)
        arrays[f"{part}.labels"] = np.frombuffer("\n".join(names).encode(), np.uint8)
    return arrays


def test_the_story_is_read_from_the_mean_and_a_role_from_the_token_of_its_number() -> None:
    states = np.zeros((3, SIZE), np.float32)
    states[2, 0] = 3.0
    scores = StoryHead(head_arrays()).scores(states, [1, 2])
    assert scores.likeliest(1) == [STORIES[1]]
    assert scores.stories[STORIES[1]] == pytest.approx(1.0)
    assert [each[ROLES[1]] for each in scores.roles] == pytest.approx([0.0, 3.0])
    assert all(each.keys() == set(ROLES) for each in scores.roles)


@pytest.mark.parametrize("name", [*head_arrays()])
def test_weights_that_are_not_whole_are_refused(name: str) -> None:
    arrays = head_arrays()
    del arrays[name]
    with pytest.raises(EmbeddingError, match="lacks"):
        StoryHead(arrays)


@pytest.mark.parametrize(("part", "said"), [("stories", "other stories"), ("roles", "other roles")])
def test_weights_of_other_stories_are_refused(part: str, said: str) -> None:
    other = {f"{part}.labels": np.frombuffer(b"none\nunused", np.uint8)}
    with pytest.raises(EmbeddingError, match=said):
        StoryHead({**head_arrays(), **other})
