"""A loopback server that speaks Anthropic's message stream as a test scripts it."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from servers.loopback import serving
from servers.model_server import Behaviour, ModelServer

_STOP_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}


class AnthropicServer(ModelServer):
    """``ModelServer`` with events of other names; ``thoughts`` makes it think before it answers."""

    thoughts = ""

    @property
    def environ(self) -> dict[str, str]:
        return {
            "LLM_PROVIDER": "anthropic",
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "sk-ant-test",
            "RAG_ENABLED": "false",
        }

    def sent(self, event: dict[str, Any]) -> bytes:
        return b"event: %b\ndata: %b\n\n" % (event["type"].encode(), json.dumps(event).encode())

    def error(self, kind: str, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    def beginning(self, how: Behaviour) -> Iterator[bytes]:
        usage: dict[str, int] = {}
        if how.usage is not None:
            usage = {"input_tokens": how.usage[0] - 4, "cache_read_input_tokens": 4, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": usage}
        yield self.sent({"type": "message_start", "message": message})
        yield self.sent({"type": "ping"})
        if self.thoughts:
            yield self._start(0, {"type": "thinking", "thinking": "", "signature": ""})
            yield self._delta_of(0, {"type": "thinking_delta", "thinking": self.thoughts})
            yield self._delta_of(0, {"type": "signature_delta", "signature": "signed"})
            yield self.sent({"type": "content_block_stop", "index": 0})
        if how.texts:
            yield self._start(1, {"type": "text", "text": ""})

    def text(self, text: str) -> bytes:
        return self._delta_of(1, {"type": "text_delta", "text": text})

    def tool_calls(self, how: Behaviour) -> Iterator[bytes]:
        if how.texts:
            yield self.sent({"type": "content_block_stop", "index": 1})
        for index, (call_id, name, arguments) in enumerate(how.calls, 2):
            half = len(arguments) // 2
            yield self._start(index, {"type": "tool_use", "id": call_id, "name": name, "input": {}})
            for piece in (arguments[:half], arguments[half:]):
                yield self._delta_of(index, {"type": "input_json_delta", "partial_json": piece})
            yield self.sent({"type": "content_block_stop", "index": index})

    def ending(self, how: Behaviour) -> Iterator[bytes]:
        if how.finish_reason is None:
            return
        reason = _STOP_REASONS.get(how.finish_reason, how.finish_reason)
        delta = {"stop_reason": reason, "stop_sequence": None}
        usage = {} if how.usage is None else {"output_tokens": how.usage[1]}
        yield self.sent({"type": "message_delta", "delta": delta, "usage": usage})
        yield self.sent({"type": "message_stop"})

    def _start(self, index: int, block: dict[str, Any]) -> bytes:
        return self.sent({"type": "content_block_start", "index": index, "content_block": block})

    def _delta_of(self, index: int, delta: dict[str, Any]) -> bytes:
        return self.sent({"type": "content_block_delta", "index": index, "delta": delta})


@asynccontextmanager
async def serve_anthropic() -> AsyncIterator[AnthropicServer]:
    """Run Anthropic's server."""
    async with serving(AnthropicServer()) as model:
        yield model
