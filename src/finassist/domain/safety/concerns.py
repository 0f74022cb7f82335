"""What people write about who need more than an answer."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Concern(StrEnum):
    """What a message asks help for.

    The first four are emergencies, in the order in which help matters; of the others the likeliest is meant.
    ``ABUSE`` is violence, threats and control of the money by a partner, a relative or a lender.
    """

    SELF_HARM = "self_harm"
    ABUSE = "abuse"
    FRAUD = "fraud"
    HOME = "home"
    BAILIFFS = "bailiffs"
    GAMBLING = "gambling"
    DEBT = "debt"
    JOB_LOSS = "job_loss"
    SCAM = "scam"


EMERGENCIES = (Concern.SELF_HARM, Concern.ABUSE, Concern.FRAUD, Concern.HOME)
"""What a fixed text answers, and unless it is in doubt nothing else."""


DOUBT_OF_DESPAIR: Final = 3.4
"""Log odds up to which a message hardly sounds of thoughts of death: of 117 messages that tell of such
thoughts and get that help 19 have less, and most of the innocent ones that get it (docs/safety.md)."""

_DOUBT: Final = 2.2
"""Log odds up to which another emergency is hardly told."""


@dataclass(frozen=True, slots=True)
class Distress:
    """What a message asks help for, and how surely it does: the log odds. What ``is_hardly_told`` of an
    emergency does not make one of the next message."""

    concern: Concern
    odds: float

    @property
    def is_hardly_told(self) -> bool:
        """Whether a message may well be about no emergency."""
        least = DOUBT_OF_DESPAIR if self.concern is Concern.SELF_HARM else _DOUBT
        return self.concern in EMERGENCIES and self.odds <= least


class Sign(StrEnum):
    """What is wrong with an offer or a message that may be a scam."""

    RATE = "rate"
    DOUBLING = "doubling"
    STRANGER = "stranger"
    FEE = "fee"
    JOB = "job"
    RECRUIT = "recruit"
    PRETEND = "pretend"
    PAYMENT = "payment"
    RECOVERY = "recovery"
