"""What can be asked next (contract section 4)."""

from collections.abc import Sequence

from finassist.application.ports.language_model import ModelRequest
from finassist.domain.conversations.citations import cited_in
from finassist.domain.conversations.message import SUGGESTIONS_MAX, FinishReason, Message, Suggestion


def suggested(reply: Message, request: ModelRequest, reason: FinishReason) -> Sequence[Suggestion]:
    """The titles ``near`` to the question when the reply is no answer, or else those that it offers in lines
    of their own; best first."""
    titles = [title for hit in request.near if (title := hit.title.strip())]
    if not titles or (reason is not FinishReason.FALLBACK and not _leaves_open(reply, request)):
        titles = list(_offered(reply, request))
    return [Suggestion(title=title, message=title) for title in list(dict.fromkeys(titles))[:SUGGESTIONS_MAX]]


def _offered(reply: Message, request: ModelRequest) -> Sequence[str]:
    lines = frozenset(reply.content.splitlines())
    titles = (hit.title.strip() for hit in (*request.references, *request.near))
    return [title for title in titles if f"- {title}" in lines]


def _leaves_open(reply: Message, request: ModelRequest) -> bool:
    """Whether a model that was given what is near used none of it, and no calculation and no file either."""
    reads_files = any(message.parts for message in request.messages)
    return bool(request.references) and not (reply.tool_calls or reads_files or cited_in(reply.content))
