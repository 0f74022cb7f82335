"""What messages say that ask nothing: how a conversation may begin, and how a later message may feel."""

from enum import StrEnum


class Opening(StrEnum):
    """With good news, with a complaint, by asking whether anybody is there, by asking to be asked, with a
    choice that is not named ("should I do it?"), or with what nobody can understand who does not know what
    came before ("the second letter came")."""

    GOOD = "good"
    TROUBLE = "trouble"
    PRESENCE = "presence"
    OPENING = "opening"
    UNDECIDED = "undecided"
    UNCLEAR = "unclear"


class Feeling(StrEnum):
    """What a reaction to a reply says: thanks, a worry, shame, trouble or anger, surprise, a plan, relief, a
    doubt, that it is too much at once, or that the reply was no good."""

    THANKS = "thanks"
    WORRY = "worry"
    SHAME = "shame"
    SORRY = "sorry"
    SURPRISE = "surprise"
    PLAN = "plan"
    GLAD = "glad"
    DOUBT = "doubt"
    OVERWHELMED = "overwhelmed"
    DISPLEASED = "displeased"
