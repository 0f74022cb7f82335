"""The notice under a reply that touches individual advice, and when it is added."""

from collections.abc import Iterator
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.languages.folding import folded_words
from finassist.patterns import late_pattern

NOTICE: Final = (
    "This is general information, not individual advice; a licensed adviser can look at your own situation."
)

_ELSEWHERE: Final = shipped("languages/notices")
"""The notice in other languages, and what somebody says in them who asks for advice."""
NOTICES: Final = (NOTICE, *(str(each["notice"]) for each in _ELSEWHERE.values()))

_DATA: Final = cast("dict[str, Any]", shipped("chat/notice"))


def _patterns() -> Iterator[str]:
    """The patterns, with the alternatives of each name in its place; a later name may use an earlier one."""
    words: dict[str, str] = {}
    for name, alternatives in _DATA["words"].items():
        words[name] = f"(?:{'|'.join(alternatives)})" % words
    for group in _DATA["asks"].values():
        yield from (pattern % words for pattern in group)


_ASKS: Final = tuple(map(late_pattern, _patterns()))
_ADVISES: Final = late_pattern("|".join(_DATA["advises"]))


def notice_in(language: str) -> str:
    """The notice in a language; in English for one that has none."""
    return str(_ELSEWHERE[language]["notice"]) if language in _ELSEWHERE else NOTICE


def without_notice(reply: str) -> str:
    """A reply without the notice at its end, in whatever language."""
    for notice in NOTICES:
        reply = reply.removesuffix(notice)
    return reply


def touches_individual_advice(question: str, reply: str, language: str = ENGLISH) -> bool:
    """Whether somebody asks what to do with their own money, or a reply says what they should do."""
    if language in _ELSEWHERE:
        words = " ".join(folded_words(question, language))
        asking = (" ".join(folded_words(each, language)) for each in _ELSEWHERE[language]["asks"])
        return any(f" {each} " in f" {words} " for each in asking)
    asked = _plain(question)
    return any(pattern.search(asked) for pattern in _ASKS) or _ADVISES.search(_plain(reply)) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("\u2019", "'").split())
