"""Ports of language models and of the tools that they may call."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from finassist.domain.conversations.message import Role, Usage
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.statements.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as it is described to the model; ``parameters`` is the JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool returned, in JSON types. An error says what was wrong, so that the model can try again.

    ``brief`` goes into a model's prompt instead of ``result`` when that holds what only a client needs:
    the points of a chart.
    """

    result: Any
    is_error: bool = False
    brief: Any = None

    @property
    def for_prompt(self) -> Any:
        """The result as a generating model reads it."""
        return self.result if self.brief is None else self.brief


class Toolbox(Protocol):
    """The tools that a model may call."""

    def specs(self) -> Sequence[ToolSpec]:
        """All tools."""
        ...

    async def likely_specs(self, said: Sequence[str]) -> Sequence[ToolSpec]:
        """The tools that a conversation may need, by what the user said, oldest first: each tool costs
        tokens with every request."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Check the arguments that a model wrote against the tool's schema, and call it.

        Never raises for what a model may get wrong: an unknown tool, arguments of the wrong type or
        numbers without an answer are outcomes with ``is_error``.
        """
        ...


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image that goes with a message: JPEG, PNG, GIF or WebP."""

    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class PdfPart:
    """A PDF that goes with a message."""

    filename: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class FilePart:
    """Any other file that goes with a message, and a PDF whose text was taken.

    ``text`` is what a model is shown of it, delimited as data. ``pages`` repeats the text of its pages,
    from the first, for a model that quotes instead of generating; a file without pages has one. ``labels``
    name the pages, as ``page 3`` or ``sheet Income``.
    """

    filename: str
    text: str = field(repr=False)
    pages: Sequence[str] = field(default=(), repr=False)
    labels: Sequence[str] = ()


Part = ImagePart | PdfPart | FilePart
"""What a message holds besides its text."""


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """One message of the prompt. Only the user's have ``parts``; ``ModelCapabilities`` says which kinds
    the model reads."""

    role: Role
    content: str
    parts: Sequence[Part] = ()


@dataclass(frozen=True, slots=True)
class ToolCallRequest:
    """A tool call that the model requests; ``arguments`` is what it wrote, not yet validated.

    ``problem`` says why the arguments could not even be read; they are empty then.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool call of the model, and its outcome."""

    call: ToolCallRequest
    outcome: ToolOutcome


@dataclass(frozen=True, slots=True)
class ToolRound:
    """The text of the model before it called tools, and the results of these calls.

    ``state`` is the ``ModelFinished.state`` of that answer.
    """

    text: str
    answers: Sequence[ToolAnswer]
    state: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A request to a model.

    ``system`` is complete: role, rules and the reference text. ``references`` repeats the passages in
    structured form for a model that quotes instead of generating. ``near`` are passages that may not answer
    the question, given only when no passage is likely to: a model that quotes offers their titles. The last
    of ``messages`` is the user's; ``rounds`` are the tool calls since, with their results.
    ``may_call_tools`` is False when the model has to answer without further calls. ``max_tokens`` bounds the
    reply. ``remarks`` are no part of the prompt: they are what the service adds to the reply, such as that a
    file was too long to be read. ``language`` is the one that the question is in (ISO 639-1), ``country``
    where the user lives (ISO 3166-1, or ``ELSEWHERE``). ``asks_nothing`` says that the message is small
    talk, thanks or another reaction, ``is_vague`` that it names a subject alone: ``near`` are then where
    it may lead, ``lacks_country`` that the question before it was asked again for a country that has no entry
    on it. ``ledger`` are the bank statements of the conversation, no part of the
    prompt either: a tool calculates from them.
    """

    model: str
    system: str
    messages: Sequence[ModelMessage]
    references: Sequence[Hit] = ()
    near: Sequence[Hit] = ()
    tools: Sequence[ToolSpec] = ()
    rounds: Sequence[ToolRound] = ()
    may_call_tools: bool = True
    max_tokens: int = 1024
    remarks: Sequence[str] = ()
    language: str = ENGLISH
    country: str | None = None
    asks_nothing: bool = False
    is_vague: bool = False
    lacks_country: bool = False
    ledger: Ledger | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelFinished:
    """The model ended by itself: ``stop``, ``length``, ``tool_calls``, or ``fallback`` when it has no answer.
    ``usage`` is None when the provider does not say. ``state`` is opaque: what the adapter needs back in the
    ``ToolRound``."""

    reason: str
    usage: Usage | None = None
    state: Any = None


ModelEvent = TextDelta | ToolCallRequest | ModelFinished
"""One event of a model's stream: text, then the tool calls, all complete, then ``ModelFinished``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCapabilities:
    """What a model can do; ``writes`` is false for one that only quotes."""

    tools: bool = False
    vision: bool = False
    pdf: bool = False
    writes: bool = True


class LanguageModel(Protocol):
    """A language model, as a stream of events for each request."""

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

    def capabilities_of(self, model: str) -> ModelCapabilities:
        """What one model of the allow-list can do."""
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
