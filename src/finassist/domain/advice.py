"""When a reply touches individual advice, and the line that says what it is not."""

import re
from typing import Final

NOTICE: Final = (
    "This is general information, not individual advice; a licensed adviser can look at your own situation."
)

_ASKS = re.compile(
    r"\bshould (?:i|we|my|our)\b"
    r"|\b(?:what|how|where|which|when) [^.?!]{0,80}\b(?:do|can|could|would|must) (?:i|we)"
    r" (?:do with|invest|put|choose|pick|allocate|retire)\b"
    r"|\b(?:can|could) (?:i|we) afford\b"
    r"|\bam i (?:saving|investing|on track|ready|paying|too|better off)\b"
    r"|\b(?:advise|recommend|suggest)\b[^.?!]{0,40}\b(?:me|us|my|i|we)\b|\b(?:your|any|some) advice\b"
    r"|\b(?:best|better|right|good|safe|wise|smart|enough)\b[^.?!]{0,60}\bfor (?:me|us|my|our|someone like)\b"
    r"|\b(?:is it|would it be|is this|is now) (?:an? )?(?:good|bad|better|wise|smart|worth|safe|ok|okay"
    r"|sensible|right|reasonable|too (?:late|early|risky)|mistake)\b[^.?!]{0,120}\b(?:i|me|my|we|us|our)\b"
    r"|\b(?:in|for|with|of) (?:my|our) (?:situation|case|portfolio|savings|income|retirement|pension|age)\b"
    r"[^.]{0,120}\?"
    r"|\b(?:i'm|i am|i have|i've|i earn|i make|we have|we earn)\b.{1,200}"
    r"\b(?:what (?:should|would|can|could)|how (?:should|much)|where (?:should|do)|better|best)\b"
)
_ADVISES = re.compile(
    r"\bi(?:'d| would)? (?:recommend|suggest|advise)\b|\bmy (?:recommendation|advice|suggestion)\b"
    r"|\bin your (?:case|situation|position|shoes)\b|\bif i were you\b"
)


def touches_individual_advice(question: str, reply: str) -> bool:
    """Whether somebody asks what to do with their own money, or a reply says what they should do."""
    return _ASKS.search(_plain(question)) is not None or _ADVISES.search(_plain(reply)) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("\u2019", "'").split())
