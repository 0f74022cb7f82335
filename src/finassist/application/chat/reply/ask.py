"""Asking the model in a turn: text, tool calls, and text again (contract section 4)."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from finassist.application.chat.reply.prompt import estimate_tokens
from finassist.application.chat.reply.tools import CallTools
from finassist.application.chat.turns.live import LiveTurn
from finassist.application.ports.language_model import (
    FilePart,
    LanguageModel,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
    Toolbox,
    ToolCallRequest,
    ToolRound,
    ToolSpec,
)
from finassist.application.ports.telemetry import Telemetry, Tracing
from finassist.application.statements.tool import StatementTools
from finassist.domain.chat.events import FALLBACK_REPLY
from finassist.domain.conversations.message import REPLY_BYTES_MAX, FinishReason, Role, Usage
from finassist.domain.errors import LanguageModelError

ROUNDS_MAX: Final = 4
_PARAGRAPH: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the model answered to one request."""

    text: str
    calls: Sequence[ToolCallRequest]
    reason: str
    state: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Let the model write the reply; it may call tools for at most four rounds before it has to answer.

    Returns why the reply ended. All rounds together have ``llm_total_timeout_seconds``. Raises
    LanguageModelError.
    """

    language_model: LanguageModel
    toolbox: Toolbox
    call_tools: CallTools
    statement_tools: StatementTools
    telemetry: Telemetry
    tracing: Tracing
    llm_total_timeout_seconds: float

    async def __call__(self, turn: LiveTurn, request: ModelRequest) -> FinishReason:
        request = replace(request, tools=await self._tools(request))
        try:
            async with asyncio.timeout(self.llm_total_timeout_seconds):
                reason = await self._rounds(turn, request)
        except TimeoutError as error:
            raise LanguageModelError("The model took too long.", kind="timeout") from error
        if not turn.has_text:
            turn.say(FALLBACK_REPLY)
            return FinishReason.FALLBACK
        turn.say_rest()
        for remark in request.remarks:
            turn.say(f"{_PARAGRAPH}({remark})")
        if reason == FinishReason.FALLBACK:
            return FinishReason.FALLBACK
        return FinishReason.LENGTH if reason == "length" else FinishReason.STOP

    async def _tools(self, request: ModelRequest) -> Sequence[ToolSpec]:
        """All of them for a model that is in this process; those that are likely for one that is paid by the
        token; and those for bank statements, when there are some."""
        capabilities = self.language_model.capabilities_of(request.model)
        if not capabilities.tools:
            return ()
        of_statements = () if request.ledger is None else self.statement_tools.specs(request.ledger)
        if not capabilities.writes:
            return (*self.toolbox.specs(), *of_statements)
        said = [message.content for message in request.messages if message.role is Role.USER]
        return (*await self.toolbox.likely_specs(said), *of_statements)

    async def _rounds(self, turn: LiveTurn, request: ModelRequest) -> str:
        while True:
            answer = await self._listen(turn, request)
            if not answer.calls or not request.may_call_tools:
                return answer.reason
            answers = await self.call_tools(turn, answer.calls, request.ledger)
            rounds = (*request.rounds, ToolRound(answer.text, answers, answer.state))
            request = replace(request, rounds=rounds, may_call_tools=len(rounds) < ROUNDS_MAX)

    async def _listen(self, turn: LiveTurn, request: ModelRequest) -> _Answer:
        """Publish what the model writes. Its tokens are added to the reply's: estimated while it runs, when
        it does not finish, and when the provider does not report them.
        """
        said = "".join(earlier.text for earlier in request.rounds)
        room = REPLY_BYTES_MAX - len(said.encode())
        written = ""
        calls: list[ToolCallRequest] = []
        finished = ModelFinished("stop")
        before, asked = turn.reply.usage, Usage(prompt_tokens=_prompt_tokens(request))
        turn.count_tokens(before + asked)
        try:
            async with self._stream(request) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        if not (text := event.text):
                            continue
                        if not turn.has_text:
                            self.telemetry.first_token(turn.seconds)
                        if not written and _runs_on(said, text):
                            turn.say(_PARAGRAPH)
                        if (size := len(text.encode())) > room:
                            text = _at_most(room, text)
                        room -= size
                        written += text
                        turn.say(text)
                        if room < 0:
                            return _Answer(written, (), "length", None)
                    elif isinstance(event, ToolCallRequest):
                        calls.append(event)
                    else:
                        finished = event
        finally:
            turn.count_tokens(before + _with_completion(finished.usage or asked, written))
        return _Answer(written, calls, finished.reason, finished.state)

    @asynccontextmanager
    async def _stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[ModelEvent], None]:
        with self.tracing.span("model call", {"gen_ai.request.model": request.model}):
            async with self.language_model.stream(request) as events:
                yield events


def _at_most(size: int, text: str) -> str:
    """The beginning of a text that has at most ``size`` bytes in UTF-8."""
    return text.encode()[:size].decode(errors="ignore")


def _runs_on(before: str, after: str) -> bool:
    """Whether two texts with tool calls between them would read as one word."""
    return bool(before) and not before[-1].isspace() and not after[0].isspace()


def _prompt_tokens(request: ModelRequest) -> int:
    prompt = [request.system, *(message.content for message in request.messages)]
    parts = (part for message in request.messages for part in message.parts)
    prompt += (part.text for part in parts if isinstance(part, FilePart))
    for earlier in request.rounds:
        prompt.append(earlier.text)
        prompt += (str(answer.outcome.for_prompt) for answer in earlier.answers)
    return sum(map(estimate_tokens, prompt))


def _with_completion(usage: Usage, text: str) -> Usage:
    return usage if usage.completion_tokens else replace(usage, completion_tokens=estimate_tokens(text))
