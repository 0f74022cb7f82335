"""The query that is searched for a question, and what of the finds goes to the model."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import countries_named, mentions_in
from finassist.domain.retrieval.questions import (
    Classification,
    asks_about_sum,
    leans_on_earlier,
    names_form,
    telling_part,
)
from finassist.domain.retrieval.words import topic_words, words_of
from finassist.patterns import late_pattern

EARLIER_TURNS: Final = 6
"""What a follow-up can lean on."""

SNIPPET_CHARACTERS_MAX: Final = 6_000
"""Of all snippets of a reply with their titles: about 1,500 tokens."""

NEAR_SHARE: Final = 0.3
"""From this share of the least score of an answer on, a passage is near the question."""

NEAREST_SHARE: Final = 0.6
"""From this share of the least score of an answer on, a passage near the question is worth showing: below,
most questions are about something that articles do not tell (docs/retrieval.md)."""

BEYOND_DOUBT: Final = 0.75
"""The least score of what a question gets that does not sound of money."""

_CHATTER: Final = 0.9
"""So sure the classifier is of most small talk."""
_UNDECIDED: Final = 0.7
"""Less sure it is of names and terms that it has not seen: 23 of 24 such questions that found one
had an answer."""

_ARTICLES: Final = frozenset(("a", "an", "the"))
_DATA: Final[Mapping[str, Any]] = shipped("retrieval/questions")
_ASKS: Final = late_pattern(rf"\W*(?:{_DATA['asks_for']})\b", re.IGNORECASE)
_POLITENESS: Final = _DATA["politeness"]
_OPENING, _CLOSING, _FILLERS = (
    late_pattern(form.format("|".join(_POLITENESS[place])), re.IGNORECASE)
    for place, form in (
        ("openings", r"^(?:(?:{})\b[\s,.:;!\u2013-]*)+"),
        ("closings", r"[\s,.!(-]*\b(?:{})\b[\s.!?)]*$"),
        ("fillers", r"\b(?:{})\b"),
    )
)
_CONTRACTED: Final = late_pattern(r"\b(what|who|where|how|when)['\u2019]?s\b", re.IGNORECASE)
_WHAT: Final = late_pattern(r"\b(?:wat|wot|wut)(?:['\u2019]?s\b| is\b)", re.IGNORECASE)
_SENTENCE: Final = late_pattern(r"[^.!?\n]+[.!?\n]*")
_CLAUSE_END: Final = late_pattern(r"[,;:!?.\n]+(?=\s)| [-\u2013] ")
_INDIRECT: Final = late_pattern(
    rf"\b(?:{_DATA['wondering']})(?: about)?,? (?=(?:{_DATA['questioning']})\b)",
    re.IGNORECASE,
)
"""What leads to a question inside a sentence."""
_SUBJECT_WORDS: Final = 3
"""So many topic words are a subject, also without asking for it."""
_BARE_WORDS: Final = 3
"""So many words at most name a thing and say nothing of it."""
_STORY_WORDS: Final = 1
"""A question with more topic words than this can be searched for without the story around it."""

_IN_FULL: Final[Mapping[str, str]] = shipped("vocabulary")["abbreviations"]
_ABBREVIATED: Final = late_pattern(r"\w+")

_IN_THOUSANDS: Final = late_pattern(r"(?<![\w.,-])(?!40[13]k)(\d{1,6}(?:\.\d{1,3})?)k(?!\w)", re.IGNORECASE)
_THOUSAND: Final = 1_000
_IN_DIGITS: Final = 0.55
_ASKS_SIZE: Final = late_pattern(r"\bhow (?:big|large|high)\b", re.IGNORECASE)


def asked_by_title(hits: Iterable[Hit], query: str) -> list[Hit]:
    """The hits of whose title a query is every word except for articles: such a title was offered, and is
    asked."""
    said = _words_but_articles(query)
    return [hit for hit in hits if said and _words_but_articles(hit.title) == said]


def _words_but_articles(text: str) -> list[str]:
    return [word for word in words_of(without_sizes(text)) if word not in _ARTICLES]


def spelled_out(text: str) -> str:
    """The message with "what is" for "what's", "whats" and "wat is": contracted it sounds like small talk."""
    return _CONTRACTED.sub(r"\1 is", _WHAT.sub("what is", text))


def asks_in_english(text: str) -> bool:
    """Whether a message begins as an English question does: "what is a Haftpflicht"."""
    return _ASKS.match(text) is not None


def is_small_talk(classification: Classification) -> bool:
    """Whether the classifier is sure of that, which it hardly ever is of what an article answers."""
    return not classification.is_finance and classification.confidence >= _CHATTER


def is_undecided(classification: Classification) -> bool:
    """Whether the classifier says that a message is not about money, and could as well say that it is."""
    return not classification.is_finance and classification.confidence < _UNDECIDED


def asks_something(text: str) -> bool:
    """Whether a message that does not sound of money may be a question that an article answers all the same:
    "what is the kumquat rule?", "negative gearing australia", but neither "have a lovely weekend" nor "what
    is life?"."""
    asks = text.endswith("?") or _ASKS.match(text) is not None
    topics = len(topic_words(telling_part(text)))
    names = bool(countries_named(text)) or asks_about_sum(text) or names_form(text)
    return names or topics >= _SUBJECT_WORDS or (asks and topics > 1)


def tells_something(text: str) -> bool:
    """Whether a message that asks nothing tells of something: "gym wont let me cancel"."""
    return len(topic_words(telling_part(text))) > 1


def names_something(text: str) -> bool:
    """Whether a message names a country, a place, a form or a sum that it asks about: it is no small
    talk, whatever it sounds of."""
    return bool(mentions_in(text)) or asks_about_sum(text) or names_form(text)


def is_bare(text: str) -> bool:
    """Whether a message may be a term and nothing else: "lien", "breathing space", but not "good morning"."""
    return 0 < len(words_of(without_courtesy(text))) <= _BARE_WORDS and _ASKS.match(text) is None


def without_politeness(text: str) -> str:
    """The message without what only surrounds its question: greetings, thanks, fillers and who is addressed.

    A sentence that asks something by itself is taken out of the story around it; one that leans on the story
    ("what should I do now?") keeps it.
    """
    stripped = without_courtesy(text)
    questions = [part for part in _SENTENCE.findall(stripped) if part.rstrip().endswith("?")]
    if len(questions) == 1 and _stands_out(questions[0]):
        stripped = questions[0]
    return stripped.strip() or text


def without_courtesy(text: str) -> str:
    """The message without greetings, thanks and fillers, and with the story around its question: what
    follows it may lean on that."""
    stripped = _FILLERS.sub(" ", _CLOSING.sub(" ", _OPENING.sub("", text.strip())))
    return " ".join(stripped.split())


def asking_clause(text: str) -> str | None:
    """The first clause of a message that asks something by itself, when the message has more: "how do I read
    my payslip, there are so many lines", "im dying to know what a bear market is"."""
    indirect = _INDIRECT.search(text)
    if indirect is not None:
        text = text[indirect.end() :]
        return asking_clause(text) or (text if _ASKS.match(text) and _stands_out(text) else None)
    clauses = [clause.strip() for clause in _CLAUSE_END.split(text.strip(" ?!.")) if clause.strip()]
    asking = (clause for clause in clauses if _ASKS.match(clause) and _stands_out(clause))
    return next(asking, None) if len(clauses) > 1 else None


def _stands_out(question: str) -> bool:
    return not leans_on_earlier(question) and len(topic_words(question)) > _STORY_WORDS


def in_full(question: str) -> str:
    """The question with its abbreviations of the field written out: "bnpl" is buy now, pay later."""
    return _ABBREVIATED.sub(lambda word: _IN_FULL.get(word[0].casefold(), word[0]), question)


def in_digits(question: str) -> str:
    """The question with its thousands in digits, as entries have them: 3,000 for 3k; a 401k is no sum."""
    return _IN_THOUSANDS.sub(lambda found: f"{Decimal(found[1]) * _THOUSAND:,.0f}", question)


def written_out(question: str, lacks_cosines: bool) -> Sequence[tuple[str, float]]:
    """The question with its abbreviations in full, and with its thousands in digits, each with the least
    cosine of what answers it then: salaries in digits find entries on other numbers. Where cosines lack,
    nothing would answer the latter."""
    in_digits_too = () if lacks_cosines else ((in_digits(question), _IN_DIGITS),)
    return [(in_full(question), 0.0), *in_digits_too]


def without_sizes(question: str) -> str:
    """The question with "how much" for "how big", whose last word is another article's topic."""
    return _ASKS_SIZE.sub("how much", question)


def worth_injecting(hits: Iterable[Hit], min_score: float) -> list[Hit]:
    """The hits that score high enough, each text once, as many as there is room for."""
    chosen: list[Hit] = []
    seen: set[str] = set()
    room = SNIPPET_CHARACTERS_MAX
    for hit in hits:
        text = " ".join(hit.snippet.casefold().split())
        size = len(hit.title) + len(hit.snippet)
        if hit.score < min_score or not text or text in seen or size > room:
            continue
        seen.add(text)
        room -= size
        chosen.append(hit)
    return chosen
