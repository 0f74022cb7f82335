"""Whether somebody who tells of a fraud says that nothing went: "got a text from my bank, didn't click"."""

import re
from typing import Final

_GIVING: Final = (
    r"(?:click|enter|give|gave|pay|paid|send|sent|lose|lost|share|fill|type|repl|install|download|transfer|respond"
    r"|fall|fell)\w*"
)
"""What somebody does who falls for a fraud; who never opened or took out something tells of one."""
_NOT: Final = r"(?:(?:did|have|had|could)(?:n['\u2019]?t| not)|never|nearly|almost)"
_DENIED: Final = re.compile(
    rf"(?:^|\b(?:i|we|ive|i['\u2019]ve|and|but|so)\s+|[,.;:]\s*){_NOT}(?: \w+){{0,2}}? {_GIVING}(?: \w+)?"
    rf"|\b{_GIVING} (?:no|nothing)\b(?: \w+)?"
    r"|\bno (?:money|details|data|loss)(?: (?:was|were|is|has|have|been|went|out|sent|taken|lost|gone))*\b"
    r"|\bnothing (?:\w+ ){0,2}(?:gone|lost|taken|missing|stolen)"
    r"|\b(?:did|have|had)(?:n['\u2019]?t| not)(?: \w+)? yet\b"
    r"|\b(?:i|we|and|but) (?:just )?(?:hung up|said no|refused|ignored)",
    re.IGNORECASE,
)
_LOST: Final = re.compile(
    r"\b(?:lost|paid|sent|gave|given|gone|left|stolen|took|taken|takes|taking|transferred|entered|typed"
    r"|emptied|drained|missing|used|debited|charge[sd]?|withdr\w+|hacked|bought|ordered"
    r"|(?:loans?|cards?|accounts?) (?:opened|taken out)|scammed|cheated|defrauded|robbed|conned|in my name"
    r"|my report|identity|blackmail\w*|threat\w*|photos?|pictures?|pics|videos?|nudes?|expose\w*"
    r"|(?:has|have|got|knows?) (?:all )?my|(?:has|have|had|gave)(?: \w+)? access|accessed|installed"
    r"|line now|invest\w*|(?:isn['\u2019]?t|not) mine)\b",
    re.IGNORECASE,
)


def denies_loss(text: str) -> bool:
    """Whether an English message says that its writer gave nothing, and nowhere that something went."""
    return _DENIED.search(text) is not None and not tells_loss(text)


def tells_loss(text: str) -> bool:
    """Whether an English message says that something went."""
    return _LOST.search(_DENIED.sub(" ", text)) is not None
