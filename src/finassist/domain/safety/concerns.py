"""What a model should not answer."""

from enum import StrEnum


class Concern(StrEnum):
    """What somebody in distress writes of, in the order in which help matters."""

    SELF_HARM = "self_harm"
    FRAUD = "fraud"
    HOME = "home"
