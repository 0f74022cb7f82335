"""What the offline model says to who asks for more of what it told, or what to choose: the next entry on the
subject, or what the choice hangs on."""

import math
import re
from collections.abc import Sequence
from typing import Final

from finassist.adapters.llm.offline_again import is_quoted
from finassist.adapters.llm.offline_nearness import Nearness
from finassist.adapters.llm.offline_parts import is_sentence, parts_of
from finassist.adapters.llm.offline_quotes import LAST_REPLIES, below_title_of
from finassist.adapters.llm.offline_words import any_of
from finassist.application.ports.language_model import ModelRequest
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import GENERAL
from finassist.domain.retrieval.wishes import Wish

_DECIDES: Final = re.compile(rf"\b{any_of('deciding')}\b", re.IGNORECASE)
_ASKS_WHICH: Final = re.compile(rf"{any_of('choosing')}\b", re.IGNORECASE)
_LIKELIHOOD: Final = 0.2
_HARDLY: Final = 0.001
_SAME_SUBJECT: Final = 0.4
_SAME_CHOICE: Final = 0.6
"""From so near a title on an entry is on the subject that was quoted, or helps to choose there."""
_PARTS: Final = 2

_DECIDE: Final = "I am a program and cannot take that decision from you."
_HELPS: Final = "{} This helps with it:\n\n{}"
_HANGS_ON: Final = "{} What it hangs on, from my article \u201c{}\u201d:\n\n{}\n\n[{}]"
_NEXT: Final = "That article says no more on it. The next on the subject is:\n\n{}"


async def told_on(wish: Wish, request: ModelRequest, nearness: Nearness) -> str:
    """What more there is on the subject of the last replies, or what a choice hangs on; empty when they
    quoted nothing, or there is no more."""
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
    details = quoted[0].details
    if details and not any(details in reply for reply in replies):
        return f"{details}\n\n[{request.references.index(quoted[0]) + 1}]"
    following = await _on_subject(quoted[0], fresh, nearness, _SAME_SUBJECT)
    if following is None:
        return ""
    return _NEXT.format(below_title_of(following, request.references, request.country))


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


async def _on_subject(quoted: Hit, hits: Sequence[Hit], nearness: Nearness, least: float) -> Hit | None:
    """The likeliest of the entries whose titles are at ``least`` so near to the one that was quoted."""
    near = await nearness.to_message(quoted.title, [hit.title for hit in hits])
    fitting = [
        (cosine + _LIKELIHOOD * math.log(max(hit.score, _HARDLY)), place)
        for place, (hit, cosine) in enumerate(zip(hits, near, strict=bool(near)))
        if cosine >= least
    ]
    return hits[max(fitting)[1]] if fitting else None
