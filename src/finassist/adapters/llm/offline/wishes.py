"""What a message asks of the last answer: its sources, an example, a shorter one, its reason, or a text to
send; how a first one begins that asks nothing yet: with good news, a complaint, "you there?", "help",
"should I do it?"; and what a reaction to a reply feels. All are told by meaning."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from finassist.adapters.embeddings.likeness import (
    FEELINGS,
    OPENINGS,
    UNCLEAR,
    WISHES,
    Likeness,
    LikenessByKind,
)
from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.adapters.llm.offline.again import is_calculated, without_citations
from finassist.adapters.llm.offline.nearness import Nearness
from finassist.adapters.llm.offline.parts import names_step, parts_of
from finassist.adapters.llm.offline.quotes import offer
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.application.ports.language_model import ModelRequest
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.openings import Feeling, Opening
from finassist.domain.retrieval.queries import BEYOND_DOUBT
from finassist.domain.retrieval.questions import only_thanks
from finassist.domain.retrieval.wishes import Wish

K = TypeVar("K", bound=str)

_WORDS_MAX: Final = 12
"""Longer messages say what they are about."""
_OFFERED: Final = 0.4
"""The least score of what is offered below a fitting word."""
_MUCH_THE_SAME: Final = 0.6
"""The least cosine of an entry below a fitting word whose subject the message does not name alone."""
_ANSWERED: Final = 0.45
"""From this cosine on an entry answers though a message sounds unclear: "gym wont let me cancel" has 0.56,
and what "can i undo it" finds 0.38."""
_DISPLEASED_MIN: Final = 0.6
"""The least log odds with which a message that ends with thanks is a complaint: "that is not what I asked,
thanks" has 0.8, "oh ok so she's wrong lol thanks" 0.3."""
_SAME_LETTERS: Final = 7
"""An answer that begins like the fitting word needs none."""
_WORD: Final[Mapping[Opening, str]] = {
    Opening.GOOD: "Congratulations!",
    Opening.TROUBLE: "I am sorry, that is no fun.",
    Opening.PRESENCE: "Yes, I am here.",
    Opening.OPENING: "Of course, I am happy to help.",
    Opening.UNDECIDED: "That depends on what it is about.",
    Opening.UNCLEAR: "I would like to help, but I cannot tell yet what it is about.",
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
    Opening.UNDECIDED: (
        "What would you decide between, and what does it cost or bring? A country and a few numbers help."
    ),
    Opening.UNCLEAR: (
        "Is it a bill or a letter, a loan or a card, pay or benefits, your home, insurance, savings, or "
        "something else? Tell me in a sentence or two what happened, what you would like to know, and which "
        "country you are in."
    ),
}
_FOR_EXAMPLE: Final = "For example:"
_FELT: Final[Mapping[Feeling, str]] = {
    Feeling.THANKS: "You are welcome! Ask me whenever another money question comes up.",
    Feeling.WORRY: "I understand that this worries you. What worries you most about it?",
    Feeling.SHAME: (
        "Please do not be hard on yourself: this happens to careful and clever people every day, and asking "
        "is the right thing to do."
    ),
    Feeling.SORRY: "I am sorry, that is hard. What would you like to sort out first?",
    Feeling.SURPRISE: "Yes, that surprises many people. Ask me what lies behind it, if you like.",
    Feeling.PLAN: "That sounds like a plan; I hope it goes well. Come back whenever a question comes up.",
    Feeling.GLAD: "I am glad to hear that. Ask me whenever something else comes up.",
    Feeling.DOUBT: "That is a fair doubt, and the decision is yours. What speaks against it for you?",
    Feeling.OVERWHELMED: (
        "It is a lot at once, and nobody has to do it all today. Which part matters most to you?"
    ),
    Feeling.DISPLEASED: (
        "I am sorry that this was no help. I only quote articles and calculate, and I may have misread you: "
        "tell me in a sentence what you would like to know, and I look again."
    ),
}
_WITH_STEP: Final[Mapping[Feeling, str]] = {
    Feeling.WORRY: "I understand that this worries you. One clear step helps most: \u201c{}\u201d",
    Feeling.OVERWHELMED: (
        "It is a lot at once, and nobody has to do it all today. One step is enough for now: \u201c{}\u201d"
    ),
}
_DECEIVED: Final = (
    "Please do not be hard on yourself: it was a crime against you, done by people who do this for a living, "
    "and it happens to careful and clever people every day. That you act now is what counts."
)
_FRAUD: Final = "I was deceived by fraudsters in a scam"
_FRAUD_LEAST: Final = 0.4
"""From this cosine on a reply is about a fraud."""
_ADDS_UP: Final = "Yes, it adds up. Give me other numbers, and I show you what changes."


class Wishes:
    """Tells what a message wishes of the answer before it, for the vectors of the model that ships."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder
        self._likeness: Final[Mapping[Wish, Likeness]] = {
            wish: Likeness(file) for wish, file in WISHES.items()
        }

    async def of(self, message: str) -> Wish | None:
        """The likeliest wish; None for none."""
        vector = await _vector(message, self._embedder)
        if vector is None:
            return None
        return _likeliest({wish: likeness(vector) for wish, likeness in self._likeness.items()})


class Openings:
    """Tells how a conversation begins, for the vectors of the model that ships."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder
        self._likeness: Final = LikenessByKind(OPENINGS)
        self._unclear: Final = Likeness(UNCLEAR)

    async def of(self, message: str) -> Opening | None:
        """The likeliest, or else that the message is unclear; None for one that asks something, greets or
        thanks."""
        vector = await _vector(message, self._embedder)
        if vector is None:
            return None
        kind = _likeliest(self._likeness(vector))
        if kind is not None:
            return Opening(kind)
        return Opening.UNCLEAR if self._unclear(vector) > 0 else None


class Feelings:
    """Tells what a reaction to a reply feels, and what to say to it."""

    def __init__(self, embedder: Embedder | None, nearness: Nearness) -> None:
        self._embedder: Final = embedder
        self._nearness: Final = nearness
        self._likeness: Final = LikenessByKind(FEELINGS)

    async def word(self, message: str, replies: Sequence[str]) -> str:
        """A fitting word on these replies, the last first; empty for a message that only agrees. A worry gets
        a step that they name, shame after a fraud who is to blame."""
        odds = await _odds(message, self._embedder, self._likeness)
        kind = _likeliest(odds)
        if kind is None:
            return ""
        feeling = Feeling(kind)
        if feeling is Feeling.DISPLEASED and only_thanks(message) and odds[kind] < _DISPLEASED_MIN:
            feeling = Feeling.THANKS
        if feeling is Feeling.SURPRISE and is_calculated(replies[0]):
            return _ADDS_UP
        if feeling is Feeling.SHAME:
            near = await self._nearness.to_message(_FRAUD, replies)
            return _DECEIVED if max(near, default=0.0) >= _FRAUD_LEAST else _FELT[feeling]
        parts = (part for reply in replies for part in parts_of(without_citations(reply)))
        step = next(filter(names_step, parts), "")
        with_step = _WITH_STEP.get(feeling, "") if step else ""
        return with_step.format(step) or _FELT[feeling]


async def _odds(message: str, embedder: Embedder | None, likeness: LikenessByKind) -> Mapping[str, float]:
    """The log odds of each kind of a short message; of none without a vector."""
    vector = await _vector(message, embedder)
    return {} if vector is None else likeness(vector)


async def _vector(message: str, embedder: Embedder | None) -> Vector | None:
    """The vector of a short message; None without one of the model that ships."""
    if embedder is None or embedder.model != MODEL or len(message.split()) > _WORDS_MAX:
        return None
    try:
        return await embedder.embed_query(asked_for(message))
    except EmbeddingError:
        return None


def _likeliest(odds: Mapping[K, float]) -> K | None:
    """What has the highest log odds, if they are above nothing."""
    likeliest = max(odds, key=odds.__getitem__, default=None)
    return likeliest if likeliest is not None and odds[likeliest] > 0 else None


def opened(opening: Opening, request: ModelRequest, text: str) -> str:
    """A fitting word, and the text if it quotes an entry that surely has to do with the message, or else a
    question back with what can be asked."""
    word = _WORD[opening]
    if opening is Opening.UNCLEAR:
        is_answered = any(_fits(hit, _ANSWERED) for hit in request.references[:1])
        return text if is_answered else f"{word} {_BACK[opening]}"
    if is_sure(request) and opening is not Opening.UNDECIDED:
        return text if text.startswith(word[:_SAME_LETTERS]) else f"{word}\n\n{text}"
    back = f"{word} {_BACK[opening]}"
    has_subject = request.is_vague and opening in (Opening.GOOD, Opening.TROUBLE)
    hits = (*request.references, *request.near)
    titles = [hit.title for hit in hits if hit.score >= _OFFERED] if has_subject else ()
    return offer(titles, f"{back} {_FOR_EXAMPLE}") if titles else back


def is_sure(request: ModelRequest) -> bool:
    """Whether the entries fit beyond doubt: the widest on the subject of the message, or else one that says
    much the same."""
    if request.near and not request.is_vague:
        return False
    least = 0.0 if request.is_vague else _MUCH_THE_SAME
    return any(_fits(hit, least) for hit in request.references[:1])


def _fits(hit: Hit, least: float) -> bool:
    """Whether an entry answers beyond doubt, and is at ``least`` so near."""
    return hit.score >= BEYOND_DOUBT and hit.cosine >= least
