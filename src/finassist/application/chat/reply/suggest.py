"""What can be asked next, under a reply that found nothing but what is near (contract section 4)."""

from collections.abc import Sequence

from finassist.application.ports.language_model import ModelRequest
from finassist.domain.conversations.citations import cited_in
from finassist.domain.conversations.message import SUGGESTIONS_MAX, FinishReason, Message, Suggestion


def suggested(reply: Message, request: ModelRequest, reason: FinishReason) -> Sequence[Suggestion]:
    """The titles ``near`` to the question, best first; none when the reply is more than an offer of them."""
    if reason is not FinishReason.FALLBACK and not _leaves_open(reply, request):
        return ()
    titles = dict.fromkeys(title for hit in request.near if (title := hit.title.strip()))
    return [Suggestion(title=title, message=title) for title in list(titles)[:SUGGESTIONS_MAX]]


def _leaves_open(reply: Message, request: ModelRequest) -> bool:
    """Whether a model that was given what is near used none of it, and no calculation and no file either."""
    reads_files = any(message.parts for message in request.messages)
    return bool(request.references) and not (reply.tool_calls or reads_files or cited_in(reply.content))
