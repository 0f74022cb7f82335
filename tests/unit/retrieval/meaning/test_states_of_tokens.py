"""The states of single tokens, and which token a character of a text is in."""

import numpy as np
import pytest
from encoded import shipped_arrays

from finassist.adapters.embeddings.minilm.encoder import Encoder
from finassist.adapters.embeddings.minilm.weights import vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import TOKENS_MAX, WordPiece

ENCODER = Encoder(shipped_arrays())
PIECES = WordPiece(vocabulary(shipped_arrays()))


@pytest.mark.parametrize(
    ("text", "part", "before"),
    [
        ("tip jar 612.00 this week", "612", "tip jar "),
        ("Tip  Jar \u00e9\u0301 31hrs", "31", "Tip  Jar \u00e9\u0301 "),
        ("pay ($18.50) each", "18", "pay ($"),
        ("twenty-five", "five", "twenty-"),
    ],
)
def test_a_character_is_in_the_token_that_begins_there(text: str, part: str, before: str) -> None:
    [place] = PIECES.places(text, [text.index(part)])
    assert place == len(PIECES.ids(before)) - 1


def test_a_character_within_a_token_is_in_that_one() -> None:
    assert PIECES.places("x \u00a3195", [0, 2, 3]) == [1, 2, 2]


def test_characters_behind_the_last_token_are_in_none() -> None:
    text = "a " * 400 + "12"
    assert PIECES.places(text, [0, 2 * (TOKENS_MAX - 3), 2 * (TOKENS_MAX - 2), len(text) - 2]) == [
        1,
        TOKENS_MAX - 2,
        None,
        None,
    ]


def test_there_is_a_state_for_each_token_and_their_mean_is_that_of_the_text() -> None:
    ids = PIECES.ids("split 612.00 by hours")
    states = ENCODER.states(ids, purpose="")
    assert states.shape == (len(ids), 384)
    assert np.allclose(states.mean(0), ENCODER.mean(ids, purpose=""), atol=1e-5)
