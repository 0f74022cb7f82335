"""What a message may ask of the answer before it."""

from enum import StrEnum


class Wish(StrEnum):
    """Its source, an example, a shorter one, more of it, its reason, a text that the reader can send or say,
    what to choose, or what to do first."""

    CHOICE = "choice"
    DETAIL = "detail"
    DOUBT = "doubt"
    EXAMPLE = "example"
    SHORTER = "shorter"
    STEP = "step"
    WHY = "why"
    WRITE = "write"
