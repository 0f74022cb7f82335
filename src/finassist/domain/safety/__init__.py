"""Messages that ask for help: what they are about, and the kind text that says where to turn."""

from finassist.domain.safety.concerns import EMERGENCIES, Concern, Distress, Sign
from finassist.domain.safety.texts import Headings, Help, HelpText, HelpTexts, SpokenHelp

__all__ = [
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
