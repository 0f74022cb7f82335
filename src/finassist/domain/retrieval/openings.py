"""How a conversation may begin without a question."""

from enum import StrEnum


class Opening(StrEnum):
    """With good news, with a complaint, by asking whether anybody is there, or by asking to be asked."""

    GOOD = "good"
    TROUBLE = "trouble"
    PRESENCE = "presence"
    OPENING = "opening"
