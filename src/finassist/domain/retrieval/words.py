"""Words: what a text is searched and compared by."""

import re
import unicodedata
from typing import Final

_WORD = re.compile(r"[^\W_]+")
_BRACKET = re.compile(r"(?<=\d)\((?=[a-z]\))")

_INVISIBLE: Final = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")
"""What comes along when text is copied from a page, in the middle of words."""

STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are aren as at be because been before being below
    between both but by can cannot could couldn d did didn do does doesn doing don down during each else etc
    few for from further get gets getting go goes going got had hadn has hasn have haven having he her here
    hers herself him himself his how i if in into is isn it its itself just know let like ll m make makes may
    me might more most much must my myself need needs no nor not now of off on once only or other our ours
    ourselves out over own please re really s same shall she should shouldn so some such t tell than that the
    their theirs them themselves then there these they thing things this those through to too under until up
    us use used using ve very want was wasn way we well were weren what when where which while who whom whose
    why will with won would wouldn you your yours yourself yourselves
    arent cant couldnt didnt doesnt dont hadnt hasnt havent heres hows im isnt ive lets shes shouldnt thats
    theres theyre theyve wasnt werent weve whats whens wheres whos wont wouldnt youll youre youve
    """.split()
)
"""English words that say nothing about a topic, with the pieces that apostrophes leave, and without any."""


def words_of(text: str) -> list[str]:
    """The words and numbers of a text in order, in small letters; ``401(k)`` is the word ``401k``.

    Letters of another width or shape are the letters that they stand for.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    return _WORD.findall(_BRACKET.sub("", text.casefold()))


def topic_words(text: str) -> list[str]:
    """The different words of a text that say what it is about, in order of appearance."""
    return [word for word in dict.fromkeys(words_of(text)) if word not in STOP_WORDS]
