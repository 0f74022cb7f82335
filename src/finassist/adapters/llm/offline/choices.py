"""What the offline model says where no one entry is asked for: to a user who wants more of what it told, who
asks what to choose or to do first, who names a subject alone, or a country that has nothing on the question
before."""

import re
from collections.abc import Sequence
from typing import Final

from finassist.adapters.llm.offline.again import is_quoted
from finassist.adapters.llm.offline.nearness import Nearness, fit_in_conversation
from finassist.adapters.llm.offline.parts import is_sentence, names_step, parts_of
from finassist.adapters.llm.offline.quotes import LAST_REPLIES, below_title_of, offer
from finassist.adapters.llm.offline.words import any_of
from finassist.application.ports.language_model import ModelMessage, ModelRequest
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import ELSEWHERE, GENERAL, name_of
from finassist.domain.retrieval.wishes import Wish

_DECIDES: Final = re.compile(rf"\b{any_of('deciding')}\b", re.IGNORECASE)
_ASKS_HOW: Final = re.compile(rf"{any_of('doing')} I\b", re.IGNORECASE)
_ASKS_WHICH: Final = re.compile(rf"{any_of('choosing')}\b", re.IGNORECASE)
_SAME_SUBJECT: Final = 0.4
_SAME_CHOICE: Final = 0.6
"""From so near a title on an entry is on the subject that was quoted, or helps to choose there."""
_PARTS: Final = 2

_DECIDE: Final = "I am a program and cannot take that decision from you."
_HELPS: Final = "{} This helps with it:\n\n{}"
_HANGS_ON: Final = "{} What it hangs on, from my article \u201c{}\u201d:\n\n{}\n\n[{}]"
_FIRST: Final = "What my article \u201c{}\u201d says to do:\n\n{}\n\n[{}]"
_NEXT: Final = "That article says no more on it. The next on the subject is:\n\n{}"
_WIDE: Final = "That can mean many things. This may be a place to start:"
_WHICH: Final = (
    "What would you like to decide or find out? Tell me in a sentence, with your country if it is about "
    "rules, or ask me:"
)
_NOT_THERE: Final = "I have nothing on just that for {} alone."
_THAT_COUNTRY: Final = "that country"
_THERE_ALREADY: Final = "What I quoted are the rules of {}."
_EVERYWHERE: Final = "This holds in general:"
_STILL_HOLDS: Final = "What I quoted holds in general."
_NEAREST_THERE: Final = "The nearest questions that I have are:"
_WHAT_ABOUT: Final = (
    "Tell me a little more, and I can look it up: what is it about, and what would you like to decide or "
    "find out?"
)
_FOR_EXAMPLE: Final = f"{_WHAT_ABOUT} For example:"


async def told_on(wish: Wish, request: ModelRequest, nearness: Nearness) -> str:
    """What more there is on the subject of the last replies, what a choice hangs on, or what to do first;
    empty when they quoted nothing, or there is no more."""
    references = [hit for hit in request.references if hit.snippet.strip()]
    replies = [each.content for each in reversed(request.messages) if each.role is Role.ASSISTANT]
    last = [hit for reply in replies[:LAST_REPLIES] for hit in references if is_quoted(hit, [reply])]
    quoted = list(dict.fromkeys(last))
    if not quoted:
        return ""
    holding = (None, GENERAL, request.country, quoted[0].jurisdiction)
    fresh = [hit for hit in references if hit.jurisdiction in holding and not is_quoted(hit, replies)]
    if wish is Wish.CHOICE:
        asking = [hit for hit in fresh if _ASKS_WHICH.match(hit.title)]
        helping = await _on_subject(quoted[0], asking, nearness, _SAME_CHOICE)
        if helping is None:
            return await _what_decides(request, quoted, nearness)
        return _HELPS.format(_DECIDE, below_title_of(helping, request.references, request.country))
    if wish is Wish.STEP:
        return await _first_step(request, quoted[0], fresh, nearness)
    details = quoted[0].details
    if details and not any(details in reply for reply in replies):
        return f"{details}\n\n[{request.references.index(quoted[0]) + 1}]"
    following = await _on_subject(quoted[0], fresh, nearness, _SAME_SUBJECT)
    if following is None:
        return ""
    return _NEXT.format(below_title_of(following, request.references, request.country))


def lead_on(references: Sequence[Hit], near: Sequence[Hit], country: str | None) -> str:
    """What to say to a question that names a subject alone: the widest entry on it in short, if its subject
    is plain, and what would tell more."""
    titles = [hit.title for hit in near]
    if not references:
        return offer(titles, _FOR_EXAMPLE) if titles else _WHAT_ABOUT
    [widest] = references[:1]
    shown = below_title_of(widest, references, country)
    return f"{_WIDE}\n\n{shown}\n\n{offer(titles, _WHICH)}" if titles else shown


def beyond_country(
    references: Sequence[Hit], near: Sequence[Hit], messages: Sequence[ModelMessage], country: str | None
) -> str:
    """What to say to somebody who tells a country that has nothing new on the question before: that, what
    holds everywhere if it was not quoted just before, and the nearest that the country has."""
    name = _THAT_COUNTRY if country in (None, ELSEWHERE) else name_of(country)
    first = next(iter(references), None)
    replies = [message.content for message in messages if message.role is Role.ASSISTANT]
    was_quoted = first is not None and is_quoted(first, replies[-LAST_REPLIES:])
    text = _NOT_THERE.format(name)
    if first is not None and first.jurisdiction not in (None, GENERAL):
        text = _THERE_ALREADY.format(name)
    elif was_quoted:
        text = f"{text} {_STILL_HOLDS}"
    elif first is not None:
        text = f"{text} {_EVERYWHERE}\n\n{below_title_of(first, references, country)}"
    return f"{text}\n\n{offer([hit.title for hit in near], _NEAREST_THERE)}" if near else text


async def _what_decides(request: ModelRequest, quoted: Sequence[Hit], nearness: Nearness) -> str:
    """The sentences of what was quoted that tell what fits whom, of an entry that asks what to choose if
    one has some; empty without."""
    message = request.messages[-1].content
    every = [
        (hit, part)
        for hit in quoted
        for part in parts_of(hit.answer)
        if is_sentence(part) and _DECIDES.search(part)
    ]
    parts = [(hit, part) for hit, part in every if _ASKS_WHICH.match(hit.title)] or every
    near = await nearness.in_context(message, quoted[0].title, [part for _, part in parts])
    ranked = sorted(range(len(near)), key=near.__getitem__, reverse=True)
    if not ranked:
        return ""
    hit, _ = parts[ranked[0]]
    chosen = sorted([place for place in ranked if parts[place][0] is hit][:_PARTS])
    told = " ".join(parts[place][1] for place in chosen)
    return _HANGS_ON.format(_DECIDE, hit.title, told, request.references.index(hit) + 1)


async def _first_step(request: ModelRequest, quoted: Hit, fresh: Sequence[Hit], nearness: Nearness) -> str:
    """The entry on the subject that asks how to do it, or else the first sentences of what was quoted that
    tell what to do; empty without, and when they were told so before."""
    asking = [hit for hit in fresh if _ASKS_HOW.match(hit.title)]
    helping = await _on_subject(quoted, asking, nearness, _SAME_CHOICE)
    if helping is not None:
        return below_title_of(helping, request.references, request.country)
    parts = [part for part in parts_of(quoted.snippet) if names_step(part)][:_PARTS]
    place = request.references.index(quoted) + 1
    steps = _FIRST.format(quoted.title, "\n".join(f"- {part}" for part in parts), place) if parts else ""
    return "" if any(steps in message.content for message in request.messages) else steps


async def _on_subject(quoted: Hit, hits: Sequence[Hit], nearness: Nearness, least: float) -> Hit | None:
    """The likeliest of the entries whose titles are at ``least`` so near to the one that was quoted."""
    near = await nearness.to_message(quoted.title, [hit.title for hit in hits])
    fitting = [
        (fit_in_conversation(hit, cosine), place)
        for place, (hit, cosine) in enumerate(zip(hits, near, strict=bool(near)))
        if cosine >= least
    ]
    return hits[max(fitting)[1]] if fitting else None
