"""Messages that ask for help: what they are about, and the kind text that says where to turn."""

from finassist.domain.safety.concerns import DOUBT_OF_DESPAIR, EMERGENCIES, Concern, Distress, Sign
from finassist.domain.safety.texts import Headings, Help, HelpText, HelpTexts, SpokenHelp

__all__ = [
    "DOUBT_OF_DESPAIR",
    "EMERGENCIES",
    "Concern",
    "Distress",
    "Headings",
    "Help",
    "HelpText",
    "HelpTexts",
    "Sign",
    "SpokenHelp",
]
