"""What a message asks of the last answer: its sources, an example, a shorter one, its reason, or a text to
send; and how a first one begins that asks nothing yet: with good news, a complaint, "you there?", "help".
Both are told by meaning."""

from collections.abc import Mapping, Sequence
from typing import Final

from finassist.adapters.embeddings.likeness import OPENINGS, WISHES, Likeness, LikenessByKind
from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.adapters.llm.offline_quotes import offer
from finassist.application.ports.knowledge import Embedder
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.openings import Opening
from finassist.domain.retrieval.wishes import Wish

_WORDS_MAX: Final = 12
"""Longer messages say what they are about."""
_OPENING_MAX: Final = 8
_SAME_LETTERS: Final = 7
"""An answer that begins like the fitting word needs none."""
_WORD: Final[Mapping[Opening, str]] = {
    Opening.GOOD: "Congratulations!",
    Opening.TROUBLE: "I am sorry, that is no fun.",
    Opening.PRESENCE: "Yes, I am here.",
    Opening.OPENING: "Of course, I am happy to help.",
}
_BACK: Final[Mapping[Opening, str]] = {
    Opening.GOOD: (
        "Would you like to know what to do first with the money, or what changes for taxes and insurance?"
    ),
    Opening.TROUBLE: "What would you like to change first: what comes in, what goes out, or what you owe?",
    Opening.PRESENCE: (
        "I am a program that answers questions about money and calculates loans, savings and budgets. What "
        "would you like to know?"
    ),
    Opening.OPENING: (
        "What is it about, and what would you like to decide or find out? A country and a few numbers help."
    ),
}
_FOR_EXAMPLE: Final = "For example:"


class Wishes:
    """Tells what a message wishes of the answer before it, for the vectors of the model that ships."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder
        self._likeness: Final[Mapping[Wish, Likeness]] = {
            wish: Likeness(file) for wish, file in WISHES.items()
        }

    async def of(self, message: str) -> Wish | None:
        """The likeliest wish; None for none."""
        if self._embedder is None or self._embedder.model != MODEL or len(message.split()) > _WORDS_MAX:
            return None
        try:
            vector = await self._embedder.embed_query(asked_for(message))
        except EmbeddingError:
            return None
        odds = {wish: likeness(vector) for wish, likeness in self._likeness.items()}
        likeliest = max(odds, key=odds.__getitem__)
        return likeliest if odds[likeliest] > 0 else None


class Openings:
    """Tells how a conversation begins, for the vectors of the model that ships."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder
        self._likeness: Final = LikenessByKind(OPENINGS)

    async def of(self, message: str) -> Opening | None:
        """The likeliest; None for a message that asks something, greets or thanks."""
        if self._embedder is None or self._embedder.model != MODEL or len(message.split()) > _OPENING_MAX:
            return None
        try:
            odds = self._likeness(await self._embedder.embed_query(asked_for(message)))
        except EmbeddingError:
            return None
        likeliest = max(odds, key=odds.__getitem__)
        return Opening(likeliest) if odds[likeliest] > 0 else None


def opened(opening: Opening, text: str, titles: Sequence[str], *, is_answer: bool) -> str:
    """A fitting word, and the text if it is an answer, or else a question back with what can be asked."""
    word = _WORD[opening]
    if is_answer:
        return text if text.startswith(word[:_SAME_LETTERS]) else f"{word}\n\n{text}"
    back = f"{word} {_BACK[opening]}"
    has_subject = opening in (Opening.GOOD, Opening.TROUBLE)
    return offer(titles, f"{back} {_FOR_EXAMPLE}") if titles and has_subject else back
