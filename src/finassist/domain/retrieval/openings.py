"""How a conversation may begin without a question."""

from enum import StrEnum


class Opening(StrEnum):
    """With good news, with a complaint, by asking whether anybody is there, by asking to be asked, or
    with a choice that is not named ("should I do it?")."""

    GOOD = "good"
    TROUBLE = "trouble"
    PRESENCE = "presence"
    OPENING = "opening"
    UNDECIDED = "undecided"
