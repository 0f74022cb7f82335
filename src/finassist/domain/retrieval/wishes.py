"""What a message may ask of the answer before it."""

from enum import StrEnum


class Wish(StrEnum):
    """Its source, an example, a shorter one, more of it, its reason, a text that the reader can send or say,
    or what to choose."""

    CHOICE = "choice"
    DETAIL = "detail"
    DOUBT = "doubt"
    EXAMPLE = "example"
    SHORTER = "shorter"
    WHY = "why"
    WRITE = "write"
