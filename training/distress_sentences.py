"""The sentences that the distress classifier is trained on.

``sentences/help`` holds what people write who need help, and what only sounds like it: a line each,
``[a|b]`` being a choice and ``[a|]`` something that can be left out. Lines of ``scam.txt`` begin with the
signs that they show (``rate,stranger: …``, a hyphen for none), lines of the other languages with what they
ask help for (``scam rate: …``), as those of ``plain.txt``, ``asked.txt`` and ``told.txt``. ``upset`` has what
people write about money who are glad, sad, angry or tired, hardly any of whom need help; ``swindles`` what
they write before, while and after somebody tries to cheat them. The lines are also varied by
``interchangeable.txt`` and by typing errors. Ordinary are the questions of DATA, the other sentences and the
questions beside this script, the examples of the calculators, and sentences and questions of the articles.
"""

import hashlib
import random
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from calculations import DATA as CALCULATIONS
from calculations import with_numbers
from question_classifier import (
    ARTICLE_SENTENCE_LENGTHS,
    ARTICLE_WEIGHT,
    HEADING,
    SENTENCE_END,
    SENTENCES,
    json_lines,
    normalised,
)

from finassist.adapters.data_files.articles import articles_below, starter_articles
from finassist.domain.safety import Concern, Sign

HELP = SENTENCES / "help"
QUESTIONS = SENTENCES.parent / "questions"

NONE = "none"
"""The label of whatever is for the model to answer."""
FRAUD_REPORTS = re.compile(
    r"\b(?:report|about|been|made|victim)\b.*\b(?:fraud|fraudulent|unauthori[sz]ed|suspicious)\b"
    r"|\b(?:fraud|unauthori[sz]ed)\b.*\bmy\b.*\bcard\b|\bcard (?:is|was) stolen\b|\bstolen card\b"
    r"|\b(?:cloned|scam seller|stole my|used by someone else|charging my card|wallet was stolen)\b"
)
"""The ordinary questions and sentences that report a fraud, which gets help."""
ORDINARY = ("fiqa_dev", "small_talk_dev", "other", "questions", "calculations", "articles")
ABOUT_HELP = re.compile(
    r"wages-trouble|court-|recovery-papers|money-emergency|parent-money|home-split"
    r"|scam|fraud|theft|stolen|foreclos|evict|repossess|hardship|arrears|debt|gambl|bailiff|payday|job|redundan"
    r"|unemploy|insolv|bankrupt|garnish|lawsuit|loan-shark|dro-|-iva|-ccj|-ei|charge-offs|breathing|credit-counsel"
)
"""Articles that speak to people in trouble."""
IN_OTHER_LANGUAGES = files("finassist.data") / "languages" / "knowledge"
ABOUT_HELP_THERE = re.compile(
    r"schulden|betrug|jobverlust|pkonto|trennung|dettes|arnaques|chomage|couple|deudas|estafas|paro|dividas|golpes"
    r"|desemprego|debiti|truffe|lavoro-perso|donne|karz|thagi|shikayat"
)
"""The same of those in other languages."""
UNCLEAR = re.compile(
    r"\b(?:scam\w*|fraud\w*|legit|evict\w*|suicid\w*|garnish\w*|bailiffs?|repossess\w*|foreclos\w*|huissier"
    r"|gambl\w*|lost my job|laid off|fired|redundan\w*|layoffs?|drowning|debt (?:help|collector\w*|advice)"
    r"|in debt|real or|changed the locks|landlord wants|hacked|can.?t (?:pay|afford|cover)|struggling|maxed"
    r"|stuck in|desperate|stressed|no income|threaten\w*|unemployed|deepfake|genuine|promises|telegram"
    r"|is it real|owe|let (?:me|him|her|them) go|let go|dismissed|(?:is|are) gone|disappeared"
    r"|no (?:salary|wages|pay)|takes? my (?:wages|pay|money)|keeps? my money|emptied|homeless|sleeping in)\b"
)
"""Sentences and questions that were written for other ends and may be of people who need help: left out."""
ARTICLES_USED = 3
ARTICLES_THERE = 2
"""One of so many sentences and wordings of the articles is trained on, in English and in other languages."""
LIFE = "life"
"""What articles on everyday life begin with; their texts are all trained on, among what sounds alike."""
ENGLISH = ("plain", "asked", "told", "everyday", "in_passing", "sober", "messages")
"""Files that name the label of each line, as those of ``languages`` do: plain wordings, those of the
``questions`` below whose writers need help, what is told without the usual words, messages of everyday
life with money in it, few of which ask for help, short messages of conversations about money, messages
that ask soberly in the middle of hardship or tell softly of what needs help, and first messages of which it
was hard to tell, most of them written to entries: readers chose what help each needs, if any."""
STAGES = {
    "lost": Concern.FRAUD,
    "live": Concern.FRAUD,
    "met": Concern.SCAM,
    "past": NONE,
    "innocent": NONE,
}
"""Files of ``swindles``: money or data went, somebody is on the line now, somebody tries and got nothing, it
is long over, it is no swindle. Lines of ``met`` begin with their signs."""

LEVELS = {"crisis": Concern.SELF_HARM, "crime": Concern.FRAUD, "eviction": Concern.HOME, "innocent": NONE}
"""How files of others call what they ask help for."""

CHOICE = re.compile(r"\[([^\[\]]*)\]")
PARTS = 5
EXPANSIONS_MAX = 8
VARIANTS = 2
"""Of an English text, with other words in the places of some."""
VARIED_SHARE = 0.6
TYPING_ERROR_EVERY = 7
"""Words, in the copy of each text that is typed badly."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text, what it is about, where it is from, and what it counts for."""

    text: str
    label: str
    source: str
    part: int
    weight: float
    signs: frozenset[Sign] = frozenset()
    """What is wrong with the offer, of a text about a possible scam."""
    is_varied: bool = False


def part_of(line: str) -> int:
    return int(hashlib.sha256(normalised(line).encode()).hexdigest(), 16) % PARTS


def lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def expanded(line: str) -> list[str]:
    """The texts of a line, or those eight that its own hash draws."""
    texts = [line]
    while CHOICE.search(texts[0]):
        texts = [CHOICE.sub(lambda _, one=one: one, text, count=1) for text in texts for one in choices(text)]
    if len(texts) > EXPANSIONS_MAX:
        texts = random.Random(zlib.crc32(line.encode())).sample(texts, EXPANSIONS_MAX)
    return [" ".join(text.split()).replace(" ,", ",") for text in texts]


def pairs() -> list[Example]:
    """What differs only in whether something went: for the second look at swindles alone."""
    lines = [line.partition(": ") for line in lines_of(HELP / "swindles" / "pairs.txt")]
    return [
        Example(text, label, "english", part_of(line), 1.0)
        for label, _, line in lines
        for text in expanded(line)
    ]


def choices(text: str) -> list[str]:
    found = CHOICE.search(text)
    return found[1].split("|") if found else []


def written() -> Iterator[tuple[str, str, frozenset[Sign], str]]:
    """The lines of ``sentences/help``: source, label, signs, line."""
    labels = {f"{concern}.txt": str(concern) for concern in Concern} | {"left_alone.txt": NONE}
    labels |= {f"swindles/{stage}.txt": label for stage, label in STAGES.items()}
    for name, label in labels.items():
        for line in lines_of(HELP / name):
            signs, text = line.split(": ", 1) if label == Concern.SCAM else ("", line)
            yield "english", label, signs_of(signs), text
    by_language = (file for name in ("upset", "languages") for file in sorted((HELP / name).glob("*.txt")))
    for file in (*(HELP / f"{name}.txt" for name in ENGLISH), *by_language):
        for line in lines_of(file):
            head, _, text = line.partition(": ")
            label, _, signs = head.partition(" ")
            yield "english" if file.stem in ENGLISH else file.stem, label, signs_of(signs), text


def signs_of(text: str) -> frozenset[Sign]:
    """``rate,stranger``; a hyphen or nothing stands for none."""
    return frozenset(Sign(sign) for sign in text.strip("-").split(",") if sign)


def distress() -> list[Example]:
    """What people in distress write, and what only sounds like it."""
    examples = []
    for source, label, signs, line in written():
        texts = expanded(line)
        weight = len(texts) ** -0.5
        examples += [Example(text, label, source, part_of(line), weight, signs) for text in texts]
    return examples


def usual(text: str) -> str:
    return Concern.FRAUD if FRAUD_REPORTS.search(text.casefold()) else NONE


def ordinary(folder: Path, known: set[str]) -> Iterator[Example]:
    """The questions of DATA and the sentences of the question classifier, except the ``known`` texts."""
    for name, key in (("fiqa_dev", "question"), ("small_talk_dev", "text")):
        for line in json_lines(folder / f"{name}.jsonl"):
            text = str(line[key])
            yield Example(text, usual(text), name, part_of(text), 1.0)
    for file in sorted(SENTENCES.rglob("*.txt")):
        if HELP not in file.parents and file.stem != "bank_services":
            for text in lines_of(file):
                if normalised(text) not in known and not UNCLEAR.search(text.casefold()):
                    yield Example(text, usual(text), "other", part_of(text), 1.0)


def questions(known: set[str]) -> Iterator[Example]:
    """The questions that other scripts learn from, and what follows them in a conversation, except the
    ``known`` texts; and calculations in many languages, with numbers."""
    texts = {
        str(line[key])
        for name, keys in (("answerable", ("text",)), ("follow_ups", ("first", "second")))
        for line in json_lines(QUESTIONS / f"{name}.jsonl")
        for key in keys
    }
    for text in (*sorted(texts), *written_to_entries()):
        if normalised(text) not in known and not UNCLEAR.search(text.casefold()):
            yield Example(text, NONE, "questions", part_of(text), 1.0)
    for line in lines_of(CALCULATIONS / "examples.txt"):
        if line and line[0] not in "[#":
            text = with_numbers(line, zlib.crc32(line.encode()))
            yield Example(text, NONE, "calculations", part_of(line), 1.0)


def written_to_entries() -> Iterator[str]:
    """The messages that were written to entries, except for those that speak to people in trouble, and those
    that readers labelled."""
    troubled = {article.title for article in starter_articles() if ABOUT_HELP.search(article.id)}
    labelled = {line.partition(": ")[2] for line in lines_of(HELP / "messages.txt")}
    labelled |= {str(line["text"]) for line in json_lines(QUESTIONS / "help_messages.jsonl")}
    for name, key in (("messages_of_entries", "entry"), ("answered_by", "entries")):
        for line in json_lines(QUESTIONS / f"{name}.jsonl"):
            titles = line[key] if isinstance(line[key], list) else [line[key]]
            if troubled.isdisjoint(titles) and line["text"] not in labelled:
                yield str(line["text"])


def articles(known: set[str]) -> Iterator[Example]:
    """Of the articles that ship with the package some sentences, which a bank or adviser would say, and some
    wordings of their questions, except the ``known`` texts."""
    for article in starter_articles():
        if ABOUT_HELP.search(article.id):
            continue
        is_life = article.id.startswith(f"{LIFE}-")
        every, source = (1, LIFE) if is_life else (ARTICLES_USED, "articles")
        sentences = (text.strip() for text in SENTENCE_END.split(HEADING.sub("", article.body)))
        told = [text for text in sentences if len(text) in ARTICLE_SENTENCE_LENGTHS]
        asked = [article.title, *article.variants]
        for text, weight in [*((text, ARTICLE_WEIGHT) for text in told), *((text, 1.0) for text in asked)]:
            is_used = zlib.crc32(text.encode()) % every == 0 and normalised(text) not in known
            if is_used and not UNCLEAR.search(text.casefold()):
                yield Example(text, NONE, source, part_of(text), weight)
    for article in articles_below(IN_OTHER_LANGUAGES):
        for text in (article.title, *article.variants):
            is_used = zlib.crc32(text.encode()) % ARTICLES_THERE == 0 and normalised(text) not in known
            if is_used and not ABOUT_HELP_THERE.search(article.id) and not UNCLEAR.search(text.casefold()):
                yield Example(text, NONE, "articles", part_of(text), 1.0)


def examples_with(folder: Path) -> list[Example]:
    """All that is trained on: what was written about help, and ordinary texts, with those of DATA."""
    own = distress()
    known = {normalised(example.text) for example in own if example.label != NONE}
    return [*own, *ordinary(folder, known), *questions(known), *articles(known)]


def held_out(file: Path) -> list[Example]:
    """The messages of a file that nothing was trained on: lines of JSON, or, in a ``.txt``, what help is for,
    earlier messages and the message, with tabs between them."""
    if file.suffix == ".txt":
        columns = [line.split("\t") for line in lines_of(file) if line]
        told = [(label, turns[-1]) for label, *turns in columns]
    else:
        told = [(str(line.get("level") or line.get("kind")), str(line["text"])) for line in json_lines(file)]
    return [Example(text, LEVELS.get(level, level), "fresh", 0, 1.0) for level, text in told]


class Variations:
    """Texts as other people would have put or typed them."""

    def __init__(self) -> None:
        groups = [line.split("|") for line in lines_of(HELP / "interchangeable.txt")]
        self._group_of = {phrase: group for group in reversed(groups) for phrase in group}
        phrases = "|".join(sorted(map(re.escape, self._group_of), key=lambda text: (-len(text), text)))
        self._phrase = re.compile(rf"(?<!\w)(?:{phrases})(?!\w)")

    def of(self, example: Example) -> Iterator[Example]:
        """The example, and its variations; ordinary questions have none."""
        yield example
        if example.source in ORDINARY:
            return
        chance = random.Random(zlib.crc32(example.text.encode()))
        texts = {self._typed_badly(example.text, chance)}
        if example.source == "english":
            texts.update(self._reworded(example.text, chance) for _ in range(VARIANTS))
        for text in sorted(texts - {example.text}):
            yield replace(example, text=text, is_varied=True)

    def _reworded(self, text: str, chance: random.Random) -> str:
        def other(found: re.Match[str]) -> str:
            return chance.choice(self._group_of[found[0]]) if chance.random() < VARIED_SHARE else found[0]

        return self._phrase.sub(other, text)

    def _typed_badly(self, text: str, chance: random.Random) -> str:
        words = text.split()
        long = [place for place, word in enumerate(words) if len(word) > 3 and word.isalpha()]
        for place in chance.sample(long, min(len(long), max(1, len(words) // TYPING_ERROR_EVERY))):
            word = words[place]
            at = chance.randrange(1, len(word) - 1)
            tails = (word[at + 1 :], word[at + 1] + word[at] + word[at + 2 :], word[at] + word[at:])
            words[place] = word[:at] + chance.choice(tails)
        return " ".join(words)
