"""Questions for a definition: "what is a bond?" names one thing, and BM25 finds texts that name it often."""

import re
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.questions import asks
from finassist.domain.retrieval.words import words_of

_ASKED: Final = re.compile(
    rf"(?:{shipped('retrieval/questions')['defining']}) "
    r"(?:an? |the )?(?P<term>[\w\- ]{2,40}?)(?: means?| stands? for)?[\s?.!]*",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(r"(?:[,;:?!]+|\.{2,}|\.(?=\s)|\s[-\u2013]\s)\s*")
_IS: Final = ("is", "are", "does", "do")
_ARTICLES: Final = ("a", "an", "the", "my")
_BARE: Final = re.compile(r"(?P<term>[\w\- ]{2,40}?)(?P<asked>,? meaning| means| ?\?)\s*", re.IGNORECASE)
_WORDS_MAX: Final = 3
_OPENING_WORDS: Final = 3
"""Among so many words a clause says that it asks: "and how much", "but can i"."""


def term_to_define(text: str) -> list[str]:
    """The words of the thing that is asked for, one to three, or none when no definition is."""
    asked = _ASKED.fullmatch(text.strip())
    words = words_of(asked["term"]) if asked else []
    return words if len(words) <= _WORDS_MAX else []


def term_in_story(text: str) -> str:
    """The words of the thing that the first clause of a message asks for, when all else tells a story and
    asks nothing: "what is a TFSA, i just moved to canada", "ppf meaning? my father opened one". Empty for
    any other message."""
    end = _CLAUSE_END.search(text)
    if end is None or not text[end.end() :].strip() or _asks_more(text[end.end() :]):
        return ""
    clause, sign = text[: end.start()].strip(), end[0].strip()
    asked = " ".join(term_to_define(clause))
    if asked:
        return asked
    bare = _BARE.fullmatch(clause) or _BARE.fullmatch(f"{clause}?" if "?" in sign else clause)
    words = words_of(bare["term"]) if bare else []
    return " ".join(words) if 0 < len(words) <= _WORDS_MAX and not asks(" ".join(words)) else ""


def _asks_more(story: str) -> bool:
    """Whether a clause of a story is a question: "when" in its middle asks nothing."""
    openings = (" ".join(clause.split()[:_OPENING_WORDS]) for clause in _CLAUSE_END.split(story))
    return "?" in story or any(map(asks, openings))


def defines(title: str, term: str) -> bool:
    """Whether a title asks what this is, and maybe more: "What is a TFSA and how does it work in Canada?"."""
    words, wanted = words_of(title), words_of(term)
    if words[:1] != ["what"] or words[1:2] == [] or words[1] not in _IS:
        return False
    start = 3 if words[2:3] and words[2] in _ARTICLES else 2
    return words[start : start + len(wanted)] == wanted
