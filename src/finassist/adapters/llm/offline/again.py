"""What the offline model says of an answer that it has just given: the part that a follow-up asks about, its
sources, its reason, an example in it, its main sentences, or what of it belongs into a letter."""

import re
from collections.abc import Sequence
from typing import Final

from finassist.adapters.llm.offline.nearness import Nearness
from finassist.adapters.llm.offline.parts import (
    example_in,
    first_sentence,
    gives_reason,
    has_figures,
    has_wording,
    is_sentence,
    part_asked_for,
    parts_of,
)
from finassist.adapters.llm.offline.phrases import Phrases, all_phrases, phrases_in
from finassist.adapters.llm.offline.words import ASKING_STEMS, stems_of
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.questions import telling_part
from finassist.domain.retrieval.wishes import Wish
from finassist.domain.retrieval.words import words_of

_CITED: Final = re.compile(r"\s\[\d+\]")
_CALCULATED: Final = "\n\nFormula: "
_TAKEN: Final = re.compile(r"^- Taken: (.+)\.$", re.MULTILINE)
_ONE: Final = re.compile(r"\bone (?:sentence|line)\b", re.IGNORECASE)
_LISTED: Final = re.compile(r"\b(?:bullets?|points|list|steps)\b", re.IGNORECASE)
_ANOTHER: Final = 0.45
"""So near is the title of the entry that answers a message."""
_CLEARLY: Final = 0.6
"""So near it is when what was quoted is not meant."""
_REASONS: Final = 2
_ENTRIES: Final = 2
_QUOTE_MARKS: Final = "\u201c\u201d\u201e\u00ab\u00bb"
_SENTENCES: Final = 2
_AS_GOOD: Final = 0.8
"""The least share of the score of what was quoted, of an entry that answers a message instead."""

_EXAMPLE: Final = "For example:\n\n{}"
_EXACT: Final = (
    "The arithmetic is exact: the formula and every step stand above. But I may have misread you.{} If "
    "that is not what you meant, tell me what is different, and I calculate again."
)
_TAKEN_AS: Final = " I took it as: {}."
_GIVEN: Final = (
    "\n\nThe reasons that it gives:\n\n{}\n\n"
    "If somebody told you otherwise, ask which rule or which case they mean."
)
_WHY: Final = "The reason, from my article \u201c{title}\u201d{as_of}:\n\n{reasons}\n\n{place}"
CANNOT_WRITE: Final = "I cannot write a text for you: I run offline and only quote."
_WORDING: Final = "My article \u201c{title}\u201d has words that you can use:\n\n{text}\n\n{place}"
_POINTS: Final = "These points of my article \u201c{title}\u201d belong into it:\n\n{text}\n\n{place}"
_AGAIN: Final = tuple(
    text.partition("{")[0].partition("\u201c")[0]
    for text in (
        *(_EXAMPLE, _EXACT, _WHY, CANNOT_WRITE),
        *(
            text
            for say in all_phrases()
            for text in (say.in_short, say.part, say.no_part, say.source, say.unknown_source)
        ),
    )
)
"""How these replies begin."""


async def said_again(
    wish: Wish, message: str, reply: str, references: Sequence[Hit], nearness: Nearness
) -> str:
    """The last reply in the way that a message wishes; empty when it was neither quoted nor calculated, or
    has nothing of that kind."""
    if _CALCULATED in reply and not _CITED.search(reply):
        return _calculated_again(wish, reply)
    quoted = [hit for hit in references if is_quoted(hit, [reply])][:_ENTRIES]
    if wish is Wish.WRITE:
        return await _to_send(message, quoted, references, nearness)
    if not quoted:
        return _unknown_again(wish, reply, phrases_in(references[0].language if references else ENGLISH))
    if wish in (Wish.WHY, Wish.DOUBT) and await _asks_another(message, quoted, references, nearness):
        return ""
    if wish is Wish.SHORTER:
        return await _in_short(message, quoted, references, nearness)
    if wish is Wish.EXAMPLE:
        return next((_example(hit, references) for hit in quoted if example_in(hit.snippet)), "")
    return await _with_reasons(wish, message, quoted, references, nearness)


def is_calculated(reply: str) -> bool:
    """Whether a reply tells what was calculated."""
    return _CALCULATED in reply


def has_citation(reply: str) -> bool:
    """Whether a reply quotes an article."""
    return _CITED.search(reply) is not None


def without_citations(reply: str) -> str:
    """What a reply quotes, without its citations; empty for one that quotes nothing."""
    return _CITED.sub("", reply) if has_citation(reply) else ""


def is_said_again(reply: str) -> bool:
    """Whether a reply says an earlier one once more."""
    return reply.startswith(_AGAIN)


def is_quoted(hit: Hit, said: Sequence[str]) -> bool:
    """Whether one of these replies quotes the entry, or a part of it under its title."""
    return bool(hit.answer) and any(hit.answer in reply or _is_named(hit.title, reply) for reply in said)


def _is_named(title: str, reply: str) -> bool:
    """Whether a reply has a title between quotation marks."""
    if title not in reply:  # compiling the pattern takes a hundred times as long
        return False
    return re.search(rf"[{_QUOTE_MARKS}]\s?{re.escape(title)}\s?[{_QUOTE_MARKS}]", reply) is not None


def in_part(question: str, hit: Hit, place: int, said: Sequence[str], *, again: bool = True) -> str:
    """What else there is to say from an entry that was quoted: its details, if they were not; the part that
    is asked for; or the first sentence when the message names nothing. Empty when it names something that the
    entry has nothing on, or what the last reply told would have to be told ``again``."""
    details = hit.details
    if details and not any(details in reply for reply in said):
        return f"{details}\n\n[{place + 1}]"
    part = part_asked_for(question, hit)
    if part:
        first = part.partition("\n\n")[0] if is_sentence(part) else part
        is_read = any(first in reply for reply in said[-1:])
        return "" if is_read and not again else told_in_part(hit, first, place, said)
    names_one = stems_of(telling_part(question)) - ASKING_STEMS
    in_short = phrases_in(hit.language).in_short.format(first_sentence(hit.answer))
    return f"{in_short} [{place + 1}]" if again and not names_one else ""


def told_in_part(hit: Hit, part: str, place: int, said: Sequence[str]) -> str:
    """A part of an entry that was quoted: an item or a row as it is, and a sentence with the one behind it,
    which is often meant. Empty when it was picked out before."""
    say = phrases_in(hit.language)
    if any(part in reply for reply in said if reply.startswith(say.part.partition("{")[0])):
        return ""
    sentences = parts_of(hit.answer)
    if is_sentence(part) and part in sentences:
        begin = sentences.index(part)
        part = " ".join(sentences[begin : begin + _SENTENCES])
    return f"{say.part.format(title=hit.title, part=part)}\n\n[{place + 1}]"


def _calculated_again(wish: Wish, reply: str) -> str:
    if wish is Wish.SHORTER:
        return phrases_in(ENGLISH).in_short.format(reply.partition("\n\n")[0])
    taken = _TAKEN.search(reply)
    return _EXACT.format(_TAKEN_AS.format(taken[1]) if taken else "") if wish is Wish.DOUBT else ""


def _unknown_again(wish: Wish, reply: str, say: Phrases) -> str:
    """A reply that quotes none of what was found, once more."""
    text = without_citations(reply)
    if not text:
        return ""
    if wish is Wish.SHORTER:
        return say.in_short.format(first_sentence(text))
    if wish is Wish.EXAMPLE:
        return example_in(text) and _EXAMPLE.format(example_in(text))
    return say.unknown_source if wish is Wish.DOUBT else ""


def _example(hit: Hit, references: Sequence[Hit]) -> str:
    return f"{_EXAMPLE.format(example_in(hit.snippet))}\n\n{_place(hit, references)}"


async def _asks_another(
    message: str, quoted: Sequence[Hit], references: Sequence[Hit], nearness: Nearness
) -> bool:
    """Whether a message is what another entry answers: "why did it go up", "does it matter which broker"."""
    if quoted[0].language != ENGLISH:
        return False
    enough = _AS_GOOD * quoted[0].score
    others = [hit for hit in references if hit not in quoted]
    if any("why" in words_of(hit.title) and hit.score >= enough for hit in others):
        return True
    near = await nearness.to_message(message, [hit.title for hit in others])
    return max(near, default=0.0) >= _ANOTHER


async def _in_short(
    message: str, quoted: Sequence[Hit], references: Sequence[Hit], nearness: Nearness
) -> str:
    """The first sentence of each answer, and the one that says most of what the whole says; or all of them as
    a list. One with figures is no second, because others have their premises."""
    told = []
    for hit in quoted:
        sentences = parts_of(hit.answer)
        heading = f"**{hit.title}** " if len(quoted) > 1 else ""
        if _LISTED.search(message):
            told.append(f"{heading}\n\n{_listed(sentences)}\n\n{_place(hit, references)}")
            continue
        plain = [sentence for sentence in sentences[1:] if not has_figures(sentence)]
        is_one = hit.language != ENGLISH or _ONE.search(message)
        near = [] if is_one else await nearness.to_entry(hit, plain)
        best = [sentences[0], *_best(plain, near, 1)] if near else [first_sentence(hit.answer)]
        told.append(f"{heading}{' '.join(best)} {_place(hit, references)}")
    return phrases_in(quoted[0].language).in_short.format("\n\n".join(told))


async def _with_reasons(
    wish: Wish, message: str, quoted: Sequence[Hit], references: Sequence[Hit], nearness: Nearness
) -> str:
    """What an answer rests on, and the reasons that it gives; for a message that asks why alone these."""
    hit, *_ = quoted
    say = phrases_in(hit.language)
    every = parts_of(hit.snippet)
    parts = [part for part in every if gives_reason(part)] or (every if wish is Wish.WHY else [])
    near = await nearness.to_message(f"{hit.title} {message}", parts)
    best = _best(parts, near, _REASONS) if near else parts[:_REASONS]
    reasons = "\n\n".join(best)
    if wish is Wish.WHY:
        place = _place(hit, references)
        return reasons and _WHY.format(title=hit.title, as_of=say.dated(hit), reasons=reasons, place=place)
    url = "" if hit.url is None else say.rests_on.format(hit.url)
    place = f" {_place(hit, references)}"
    source = say.source.format(title=hit.title, as_of=say.dated(hit), url=url, place=place)
    return f"{source}{_GIVEN.format(reasons) if reasons else ''}"


async def _to_send(message: str, quoted: Sequence[Hit], references: Sequence[Hit], nearness: Nearness) -> str:
    """What there is for a letter or a call: an entry with words for it, or the points of the answer. Of those
    that were found the one is taken whose title is nearest to the message, unless none is near."""
    told = [hit for hit in references if hit.snippet.strip()]
    if not told:
        return ""
    near = await nearness.to_message(message, [hit.title for hit in told]) or [0.0] * len(told)
    nearest = told[near.index(max(near))]
    if not quoted and max(near) < _ANOTHER:
        return ""
    likely = [*([nearest] if max(near) >= _CLEARLY else ()), *quoted, nearest, *told[:_ENTRIES]]
    hit = next((hit for hit in likely if has_wording(hit)), likely[0])
    worded = has_wording(hit)
    text = hit.snippet if worded else _listed(parts_of(hit.answer))
    form = _WORDING if worded else _POINTS
    return f"{CANNOT_WRITE} {form.format(title=hit.title, text=text, place=_place(hit, references))}"


def _listed(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _best(parts: Sequence[str], near: Sequence[float], count: int) -> Sequence[str]:
    """The nearest parts, in their order."""
    nearest = sorted(range(len(parts)), key=near.__getitem__, reverse=True)[:count]
    return [parts[place] for place in sorted(nearest)]


def _place(hit: Hit, references: Sequence[Hit]) -> str:
    return f"[{references.index(hit) + 1}]"
