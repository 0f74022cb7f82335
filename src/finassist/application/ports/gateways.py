"""What the core needs of the world besides storage, as Protocols."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from finassist.domain.knowledge import Article, Hit
from finassist.domain.messages import Role, Usage


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Now, aware UTC, cut to milliseconds."""
        ...


class IdFactory(Protocol):
    """New identifiers (domain/ids.py)."""

    def new_id(self) -> str:
        """A new identifier, greater than all that this process made before."""
        ...


class Fingerprints(Protocol):
    """Keyed one-way hashes, for what must be recognised but never stored."""

    def fingerprint(self, purpose: str, *parts: str) -> str:
        """The same text for the same parts and purpose; 32 hexadecimal characters."""
        ...


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """One message of the prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """What a model is asked.

    ``system`` is complete: role, rules and the reference text. ``references`` repeats the passages in
    structured form for a model that quotes instead of generating. The last of ``messages`` is the
    user's. ``max_tokens`` bounds the reply.
    """

    model: str
    system: str
    messages: Sequence[ModelMessage]
    references: Sequence[Hit] = ()
    max_tokens: int = 1024


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallRequest:
    """The model wants a tool to be called; ``arguments`` is what it wrote, not yet validated."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelFinished:
    """The model ended by itself: ``stop``, ``length`` or ``tool_calls``. ``usage`` is None when the
    provider does not say."""

    reason: str
    usage: Usage | None = None


ModelEvent = TextDelta | ToolCallRequest | ModelFinished
"""One event of a model's stream; a complete stream ends with ``ModelFinished``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCapabilities:
    """What the configured model can do, as ``ai/health`` shows it."""

    tools: bool = False
    vision: bool = False
    pdf: bool = False


class LanguageModel(Protocol):
    """A model that answers."""

    @property
    def provider(self) -> str:
        """The provider's name: ``offline``, ``openai``, ``anthropic``."""
        ...

    @property
    def default_model(self) -> str:
        """The model used when a request names none."""
        ...

    @property
    def models(self) -> Sequence[str]:
        """The allow-list, the default first."""
        ...

    @property
    def capabilities(self) -> ModelCapabilities:
        """What the model can do."""
        ...

    def stream(self, request: ModelRequest) -> AbstractAsyncContextManager[AsyncGenerator[ModelEvent, None]]:
        """Ask the model. Leaving the context ends the call to the provider, finished or not.

        Raises LanguageModelError for every failure of the provider, a stream that ends without saying
        why and the timeouts of contract section 12 included. Nothing is retried once text has come.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class KnowledgeBase(Protocol):
    """The articles that answers are taken from, and their search index."""

    async def add(self, articles: Sequence[Article]) -> int:
        """Store the articles, replacing those with the same id. Returns how many were stored."""
        ...

    async def store_edition(self, articles: Sequence[Article], *, edition: str) -> bool:
        """Put this edition of the articles that the service ships in place of the earlier one.

        Articles that ``add`` stored stay, also under the id of a shipped one. All or nothing, and once:
        False when the edition is there already, and for all but one of many parallel calls.
        """
        ...

    async def list(self, *, limit: int, offset: int) -> Sequence[Article]:
        """Articles by id."""
        ...

    async def count(self) -> int:
        """How many articles there are."""
        ...

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        """The passages that answer the query best, best first, one hit an article."""
        ...
