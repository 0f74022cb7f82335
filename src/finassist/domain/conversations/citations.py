"""Citations in a reply's text: ``[1]``, as the sources of the message count."""

import re
from typing import Final

_CITATION: Final = re.compile(r"\[(\d{1,2})\](?!\()")


def cited_in(text: str) -> frozenset[int]:
    """The numbers of the sources that a text cites."""
    return frozenset(map(int, _CITATION.findall(text)))
