"""What a message may ask of the answer before it."""

from enum import StrEnum


class Wish(StrEnum):
    """Its source, an example, a shorter one, its reason, or a text that the reader can send or say."""

    DOUBT = "doubt"
    EXAMPLE = "example"
    SHORTER = "shorter"
    WHY = "why"
    WRITE = "write"
