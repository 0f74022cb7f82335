"""Rules for entries of the knowledge base: what an editor is told before an entry is added.

Each rule states something that a program can decide. The rest is left to a second reader: whether a fact
is right, whether the premises of an example are complete, whether a firm that is named is recommended.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final
from urllib.parse import urlsplit

from finassist.data import shipped
from finassist.domain.retrieval.glossary import HOME
from finassist.domain.retrieval.jurisdictions import GENERAL, countries_named, is_known
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.questions import CATEGORY_NAMES
from finassist.domain.retrieval.words import topic_words, words_of
from finassist.patterns import late_pattern

ENTRIES: Final = range(3, 9)
VARIANTS_MAX: Final = 10
VARIANTS_SHIPPED_MIN: Final = 5
ANSWER_WORDS: Final = range(30, 141)
ANSWER_SENTENCES: Final = range(2, 9)
DETAILS_WORDS: Final = range(15, 321)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A question with its complete answer, as an editor wrote it."""

    question: str
    answer: str
    variants: tuple[str, ...] = ()
    details: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic with its entries, and where it stands: ``place`` is a file, or a file and a line."""

    place: str
    id: str
    name: str = ""
    category: str | None = None
    language: str = ENGLISH
    jurisdiction: str | None = None
    as_of: str | None = None
    sources: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Complaint:
    """A rule that an entry breaks. ``entry`` is its heading, or the topic's id for a rule about topics."""

    place: str
    entry: str
    rule: str


def complaints_about(topics: Sequence[Topic], *, as_shipped: bool = False) -> Sequence[Complaint]:
    """Every rule that the topics break, in the order of the topics, then what stands twice among them.

    ``as_shipped`` asks for what only entries that ship must have: at least five other wordings, and one of
    the ten finance categories.
    """
    least = VARIANTS_SHIPPED_MIN if as_shipped else 0
    terms = _national_terms(topics)
    found = []
    for topic in topics:
        found += [Complaint(topic.place, topic.id, rule) for rule in _topic_rules(topic)]
        if as_shipped and topic.category not in CATEGORY_NAMES:
            rule = f"category must be one of {', '.join(CATEGORY_NAMES)}"
            found.append(Complaint(topic.place, topic.id, rule))
        for entry in topic.entries:
            checks = _CHECKS if topic.language == ENGLISH else _CHECKS_ELSEWHERE
            rules = [rule for check in checks for rule in check(topic, entry)]
            rules += _variants(entry, least)
            rules += _foreign_terms(topic, entry, terms) if topic.language == ENGLISH else ()
            found += [Complaint(topic.place, entry.question, rule) for rule in rules]
    return [*found, *_twice(topics)]


def _topic_rules(topic: Topic) -> Iterator[str]:
    if topic.entries and len(topic.entries) not in ENTRIES:
        yield f"has {len(topic.entries)} entries, not {_span(ENTRIES)}"
    if not is_known(topic.jurisdiction):
        yield f'jurisdiction must be "{GENERAL}" or a country that the service knows, such as US or GB'
    if not _is_date(topic.as_of):
        yield "asOf must be a date such as 2026-11-22"
    if topic.language != ENGLISH and topic.language not in _WORDS["languages"]:
        yield f"language must be {ENGLISH} or one of {', '.join(_WORDS['languages'])}"
    for source in topic.sources:
        if not _is_https(source):
            yield f"source is not an https address: {source}"


def _heading(topic: Topic, entry: Entry) -> Iterator[str]:
    if not entry.question.endswith("?"):
        yield 'heading does not end with "?"'
    if topic.language == ENGLISH and not _names_subject(topic, entry.question):
        yield "heading does not name its subject"


def _names_subject(topic: Topic, heading: str) -> bool:
    """Whether the heading has a word that tells what it is about, and no pronoun in its place."""
    telling = _telling(heading)
    pronoun = _PRONOUN.search(heading)
    if (
        pronoun
        and not _telling(heading[: pronoun.start()])
        and len(_telling(heading[pronoun.end() :])) < _TWO
    ):
        return False
    name = f"{topic.name} {topic.id}".casefold()
    return bool(telling) or any(len(word) > _SHORT and word in name for word in words_of(heading))


def _answer(topic: Topic, entry: Entry) -> Iterator[str]:
    words, sentences = len(entry.answer.split()), len(_SENTENCE_END.findall(entry.answer))
    if words not in ANSWER_WORDS:
        yield f"answer has {words} words, not {_span(ANSWER_WORDS)}"
    if sentences not in ANSWER_SENTENCES:
        yield f"answer has {sentences} sentences, not {_span(ANSWER_SENTENCES)}"
    if "\n\n" in entry.answer:
        yield "answer has more than one paragraph"
    for pointer in _POINTING.findall(entry.answer):
        yield f'answer does not stand alone: "{pointer}"'


def _details(topic: Topic, entry: Entry) -> Iterator[str]:
    words = len(entry.details.split())
    if words and words not in DETAILS_WORDS:
        yield f"details have {words} words, not {_span(DETAILS_WORDS)}"
    if _HEADING_IN_DETAILS.search(entry.details):
        yield "details have a heading of their own"


def _variants(entry: Entry, least: int) -> Iterator[str]:
    if not least <= len(entry.variants) <= VARIANTS_MAX:
        yield f"has {len(entry.variants)} other wordings, not {least} to {VARIANTS_MAX}"


def _country(topic: Topic, entry: Entry) -> Iterator[str]:
    """An entry on one country's rules names the country: it is quoted without its front matter."""
    if topic.jurisdiction == GENERAL:
        amount = _AMOUNT.search(entry.answer)
        if amount and len(_currencies(entry.answer)) == 1 and not _names_country(entry):
            yield f'names a currency ("{amount[0]}") and no country, and jurisdiction is {GENERAL}'
    elif topic.jurisdiction and not _names_country(entry):
        yield f"neither heading nor answer names a country, and jurisdiction is {topic.jurisdiction}"


def _country_elsewhere(topic: Topic, entry: Entry) -> Iterator[str]:
    """An entry in another language names its country unless that is where the language is at home."""
    is_home = topic.jurisdiction in (GENERAL, HOME.get(topic.language))
    if not is_home and not _names_country(entry):
        yield f"neither heading nor answer names a country, and jurisdiction is {topic.jurisdiction}"


def _year(topic: Topic, entry: Entry) -> Iterator[str]:
    """A limit that a law or an authority sets stands with a year."""
    limit, not_set = _LIMITS.get(topic.language, _LIMITS[ENGLISH])
    if _YEAR.search(f"{entry.question} {entry.answer}"):
        return
    for sentence in _SENTENCE_GAP.split(entry.answer):
        amount = _AMOUNT.search(sentence)
        if amount and _LARGE.search(amount[0]) and limit.search(sentence) and not not_set.search(sentence):
            yield f'a limit ("{amount[0]}") stands without its year'
            return


def _premise(topic: Topic, entry: Entry) -> Iterator[str]:
    """A result ("costs about 480") is not the only figure of its answer; what is taken of a result over years
    ("a quarter of the result") hangs on how fast it grows."""
    result = _RESULT.search(entry.answer)
    if result and len(_NUMBER.findall(entry.answer)) == 1:
        yield f'a result stands without the figures that it follows from: "{result[0]}"'
    for sentence in _SENTENCE_GAP.split(" ".join(entry.answer.split())):
        part = _PART_OF_RESULT.search(sentence)
        if part and _YEARS.search(sentence) and not _GROWTH.search(sentence):
            yield f'a part of a result stands without the growth that it hangs on: "{part[0]}"'


def _neutral(topic: Topic, entry: Entry) -> Iterator[str]:
    """Nothing is recommended, as far as signs show it: a trademark, words of recommendation, a web address
    that is neither a government's nor among the sources."""
    text = f"{entry.answer} {entry.details}"
    for sign in _RECOMMENDING.findall(text):
        yield f'recommends a product or provider: "{sign}"'
    for address in _ADDRESS.findall(text):
        host = address.casefold().removeprefix("www.")
        if not _AUTHORITY.search(host) and not any(_same_site(host, _host(each)) for each in topic.sources):
            yield f"address is neither a government's nor among the sources: {address}"


_Check = Callable[[Topic, Entry], Iterable[str]]
_CHECKS: Final[Sequence[_Check]] = (_heading, _answer, _details, _country, _year, _premise, _neutral)
_CHECKS_ELSEWHERE: Final[Sequence[_Check]] = (
    _heading,
    _answer,
    _details,
    _country_elsewhere,
    _year,
    _neutral,
)
"""Those of entries in other languages; what hangs on English words is left out."""


def _national_terms(topics: Iterable[Topic]) -> Mapping[str, str]:
    """The abbreviations in the names of one country's topics ("SEPA", "401(k)"), each with that country; not
    those that a general entry asks about, too."""
    countries = defaultdict(set)
    general: set[str] = set()
    for topic in topics:
        if topic.jurisdiction == GENERAL:
            asked = (text for entry in topic.entries for text in (entry.question, *entry.variants))
            general.update(words_of(" ".join((topic.name, *asked))))
        else:
            for term in _TERM.findall(topic.name):
                countries[term].add(topic.jurisdiction or "")
    return {
        term: next(iter(of))
        for term, of in countries.items()
        if len(of) == 1 and not general.issuperset(words_of(term))
    }


def _foreign_terms(topic: Topic, entry: Entry, terms: Mapping[str, str]) -> Iterator[str]:
    """A general entry that uses one country's term says which country; terms of several are examples."""
    if topic.jurisdiction != GENERAL:
        return
    used = {term: terms[term] for term in _TERM.findall(entry.answer) if term in terms}
    if len(set(used.values())) == 1 and not _names_country(entry):
        yield f"uses a term of {next(iter(used.values()))} ({', '.join(used)}) and names no country"


@dataclass(slots=True)
class _Seen:
    first: dict[str, tuple[str, str]] = field(default_factory=dict)

    def before(self, text: str, owner: tuple[str, str]) -> tuple[str, str] | None:
        """The other owner who had this text first."""
        first = self.first.setdefault(" ".join(words_of(text)), owner)
        return None if first == owner else first


def _twice(topics: Iterable[Topic]) -> Iterator[Complaint]:
    ids, questions = _Seen(), _Seen()
    for topic in topics:
        place = topic.place
        if (first := ids.before(topic.id, (place, topic.id))) is not None:
            yield Complaint(place, topic.id, f"id stands twice, first in {first[0]}")
        for number, entry in enumerate(topic.entries):
            owner = (place, f"{topic.id}.{number}")
            for text in (entry.question, *entry.variants):
                if (first := questions.before(f"{topic.language} {text}", owner)) is not None:
                    yield Complaint(
                        place, entry.question, f'question stands twice: "{text}", also in {first[0]}'
                    )


def _names_country(entry: Entry) -> bool:
    return bool(countries_named(entry.question) or countries_named(entry.answer))


def _telling(text: str) -> Collection[str]:
    return [word for word in topic_words(text) if word not in _ASKING]


def _currencies(text: str) -> Collection[str]:
    return {_SYMBOLS.get(name, name) for name in _CURRENCY.findall(text.casefold())}


def _is_date(text: str | None) -> bool:
    try:
        date.fromisoformat(text or "")
    except ValueError:
        return False
    return True


def _is_https(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme == "https" and "." in (parts.hostname or "") and " " not in address


def _host(address: str) -> str:
    return (urlsplit(address).hostname or "").removeprefix("www.") if _is_https(address) else ""


def _same_site(host: str, source: str) -> bool:
    return host == source or source.endswith(f".{host}") or (bool(source) and host.endswith(f".{source}"))


def _span(of: range) -> str:
    return f"{of.start} to {of.stop - 1}"


def _any_of(kind: str) -> str:
    return "|".join(re.escape(word) for word in sorted(_WORDS[kind], key=len, reverse=True))


def _whole(words: str) -> re.Pattern[str]:
    return late_pattern(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


_WORDS: Final[Mapping[str, Any]] = shipped("retrieval/entry_rules")
_ASKING: Final = frozenset(_WORDS["asking"])
_TWO: Final = 2
_SHORT: Final = 3
_SYMBOLS: Final = {"$": "dollar", "£": "pound", "€": "euro", "₹": "rupee", "₦": "naira", "₱": "peso"}
_SIGN: Final = r"(?:[$£€₹₦₱]|\b(?:USD|GBP|EUR|INR|CAD|AUD|CHF|AED|KES|KSh|NGN|NZD|PHP|SGD|ZAR|Rs?\.?))"
_CURRENCY: Final = late_pattern(rf"[$£€₹₦₱]|\b(?:{_any_of('currencyNames')})(?=s?\b)")
_PRONOUN: Final = late_pattern(rf"\b(?:{_any_of('pronouns')})\b", re.IGNORECASE)
_POINTING: Final = late_pattern(rf"\b(?:{_any_of('pointing')})\b", re.IGNORECASE)
_LIMITS: Final = {
    ENGLISH: (_whole(_any_of("limits")), _whole(_any_of("notSet"))),
    **{
        language: (_whole("|".join(words["limits"])), _whole("|".join(words["notSet"])))
        for language, words in _WORDS["languages"].items()
    },
}
"""The words that speak of a limit, and those that say that none is meant, in each language."""
_RECOMMENDING: Final = late_pattern(rf"[®™]|\b(?:{_any_of('recommending')})\b", re.IGNORECASE)
_AUTHORITY: Final = late_pattern(rf"(?:^|\.)(?:{_any_of('authorities')})(?:\.[a-z]{{2}})?$")
"""A government's domain, its country's ending included: ``irs.gov``, ``ato.gov.au``."""
_SENTENCE_END: Final = late_pattern(r"[.!?\u0964](?=\s|$|\")")
_SENTENCE_GAP: Final = late_pattern(r"(?<=[.!?])\s+(?=[A-Z\d\"])|(?<=\u0964)\s+")
_HEADING_IN_DETAILS: Final = late_pattern(r"^#", re.MULTILINE)
_YEAR: Final = late_pattern(r"\b(?:19|20)\d\d\b")
_NUMBER: Final = late_pattern(r"\d[\d,]*(?:\.\d+)?")
_LARGE: Final = late_pattern(r"\d\d")
"""A limit has two digits at least; "each £1" is a unit."""
_AMOUNT: Final = late_pattern(
    rf"{_SIGN}\s?\d[\d,]*"
    rf"|\b\d[\d,.]*\s?(?:[€£]|(?i:{'|'.join(_WORDS['amountUnits'])})\b)"
)
_RESULT: Final = late_pattern(
    rf"\b(?:{_any_of('results')}) (?:about|around|roughly|nearly) (?:{_SIGN} ?)?\d[\d,]*"
)
_PART_OF_RESULT: Final = late_pattern(
    rf"\b(?:{_any_of('fractions')}|\d+ ?%) of (?:the|your|its) (?:{_any_of('outcomes')})\b", re.IGNORECASE
)
_YEARS: Final = late_pattern(r"\b\d+\s+years\b")
_GROWTH: Final = late_pattern(r"\d ?% (?:a|per) year|\d ?% (?:return|growth)")
_TERM: Final = late_pattern(r"\b(?:[A-Z]{2,}|\d+\([a-z]\))(?!\w)")
_ADDRESS: Final = late_pattern(
    r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|gov|uk|au|ca|in|de|fr|eu|ie|io|app|sg|nz|ae|za|ng|ke|ph)\b",
    re.IGNORECASE,
)
