"""The notice under a reply that touches individual advice, and when it is added."""

import re
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.languages.folding import folded_words

NOTICE: Final = (
    "This is general information, not individual advice; a licensed adviser can look at your own situation."
)

_ELSEWHERE: Final = shipped("languages/notices")
"""The notice in other languages, and what somebody says in them who asks for advice."""
NOTICES: Final = (NOTICE, *(str(each["notice"]) for each in _ELSEWHERE.values()))

_ME = "(?:i|we)"
_MINE = "(?:me|us|my|our|mine|ours|myself|ourselves)"
_SELF = rf"(?:{_ME}|{_MINE})"
_LIKE_ME = rf"(?:some(?:one|body)|people|an? (?:\w+ ){{1,3}}?) ?(?:like|in|with) {_MINE}"
_JUDGED = (
    "(?:good|bad|best|better|right|wrong|wise|smart|stupid|foolish|crazy|dumb|sensible|reasonable|safe|risky"
    "|ok|okay|worth|enough|suitable|suits?|fits?|makes? sense|realistic|mistake"
    "|too (?:late|early|much|risky))"
)
_BOLD = "(?:wise|smart|stupid|foolish|crazy|dumb|sensible|good idea|bad idea|mistake|worth it|better)"
_DECIDED = (
    "(?:buy|sell|invest|put|cash (?:in|out)|keep|hold|rent|lease|borrow|lend|refinance|consolidate|wait|save"
    r"|pay (?:off|down|back)|take (?:it|them|out|(?:an?|the) (?:\w+ )?(?:loan|mortgage|offer|job|money))"
    "|go (?:for|with))"
)
_CHOSEN = "(?:do with|choose|pick|allocate|retire|get|buy|sell|invest|put)"
_CIRCUMSTANCES = "(?:situation|case|portfolio|savings|income|retirement|pension|age|position)"
_STATED = (
    "(?:i'm|i am|i have|i've|i earn|i make|i lost|i inherited|i got|i want to|we're|we are|we have|we earn"
    "|we want to)"
)
_ASKS = tuple(
    map(
        re.compile,
        (
            # A direct question what to do: for oneself, or for somebody in the same position.
            rf"\b(?:should|shall|ought) {_SELF}\b",
            rf"\b(?:should|would|can|could) (?:{_LIKE_ME}|an? \d+[- ]year[- ]old)\b",
            rf"\b(?:what|which) [^.?!]{{0,80}}\b(?:do|can|could|would|must) {_ME} {_CHOSEN}\b",
            rf"\b(?:how|where|when) [^.?!]{{0,80}}\b(?:do|can|could|would|must) {_ME}"
            " (?:do with|invest|put|choose|pick|allocate|retire)\\b",
            rf"(?:^|[,.;:!?] ?|\b(?:and|but|or|so) )(?:do|must) {_ME}"
            rf" (?:have enough|need (?!to\b)|{_DECIDED}\b)",
            rf"\b(?:can|could) {_ME} (?:really |ever |still )?(?:afford|retire|live on)\b",
            r"\bam i (?:saving|investing|on track|ready|paying|too|better off|spending|making a mistake)\b",
            rf"\b(?:is|are) {_MINE} [^.?!]{{0,60}}\b(?:{_JUDGED}|big|diversified|on track)\b",
            # An opinion is asked for.
            rf"\bwould you (?:ever |rather |personally )?(?:do with|do in {_MINE}|{_DECIDED})\b",
            r"\bdo you (?:recommend|suggest|advise)\b|\bdo you think [^.?!]{0,80}\b(?:i|me|my)\b",
            rf"\b(?:advise|recommend|suggest)\b[^.?!]{{0,40}}\b(?:{_SELF})\b|\b(?:your|any|some) advice\b",
            r"\bany (?:thoughts|recommendations|suggestions)\b|(?:^|[.!,] )thoughts ?\?",
            r"\b(?:good|bad|smart|wise) (?:idea|move|choice|plan|decision) ?\?",
            rf"\bhelp {_MINE} (?:to )?(?:decide|choose|pick|plan|invest|save|budget|with my)\b",
            rf"\btell {_MINE} (?:what|which|where|how much|whether|if) (?:{_ME} (?:should|can)|to)"
            rf" (?:\w+ )?{_DECIDED}\b",
            rf"\b(?:look at|review|check|rate|assess|fix) {_MINE} (?:\w+ )?"
            "(?:budget|portfolio|plan|finances|debts?|savings|spending)\\b",
            # A choice is judged, for oneself or as something to do.
            rf"\b{_JUDGED}\b[^.?!]{{0,60}}\b(?:for|to) (?:{_MINE}\b|{_LIKE_ME})",
            rf"\b(?:for|to) {_MINE}\b[^.?!]{{0,60}}\b{_JUDGED}\b[^.]{{0,60}}\?",
            rf"\b(?:is|was|would|will) (?:it|this|that|now) (?:be )?(?:ever |still |really )?(?:an? |the )?"
            rf"{_JUDGED}[^.?!]{{0,120}}\b{_SELF}\b",
            rf"\b(?:is|would) it (?:be )?(?:ever |still |really )?(?:an? )?{_BOLD} (?:to|if)\b",
            rf"\b(?:right|good|bad|best|wrong) time (?:for {_MINE} )?to {_DECIDED}\b",
            # One's own circumstances, and what follows from them.
            rf"\b(?:in|for|with|of) (?:my|our) {_CIRCUMSTANCES}\b[^.]{{0,120}}\?",
            rf"\b{_STATED}\b.{{1,200}}\b(?:what (?:should|would|can|could|do)|how (?:should|much|do i)"
            "|where (?:should|do)|better|best|thoughts)\\b",
        ),
    )
)
_ADVISES = re.compile(
    r"\bi(?:'d| would)? (?:recommend|suggest|advise)\b|\bmy (?:recommendation|advice|suggestion)\b"
    r"|\bin your (?:case|situation|position|shoes)\b|\bif i were you\b"
)


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
