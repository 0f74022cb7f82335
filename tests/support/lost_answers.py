"""A database that carries calls out and loses its answers."""

from typing import Any

import pytest

from finassist.domain.errors import ServiceUnavailable


def lose_answers(monkeypatch: pytest.MonkeyPatch, kind: Any, verb: str, times: int) -> None:
    """Let the calls of a verb be carried out, and lose so many answers."""
    call, left = getattr(kind, verb), [times]

    async def lost(*arguments: Any, **named: Any) -> Any:
        answer = await call(*arguments, **named)
        if left[0]:
            left[0] -= 1
            raise ServiceUnavailable()
        return answer

    monkeypatch.setattr(kind, verb, lost)
