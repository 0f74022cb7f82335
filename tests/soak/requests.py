"""Sending requests to a service that is being broken, and telling how they ended."""

import asyncio
import itertools
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx2

from soak.history import History, Outcome, Request

PATIENCE = 30
"""Seconds that a client waits for a response, longer than a frozen member stays frozen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How a request ended. ``data`` is that of the envelope."""

    begun: float
    ended: float
    code: int = 0
    body: bytes = b""

    @property
    def outcome(self) -> Outcome:
        """What its client knows."""
        return outcome_of(self.code)

    @property
    def data(self) -> dict[str, Any]:
        """The data of a JSON response; nothing for any other."""
        try:
            found: dict[str, Any] = json.loads(self.body).get("data") or {}
        except (ValueError, AttributeError):
            return {}
        return found

    @property
    def known(self) -> dict[str, Any]:
        """The fields that every entry of a history has."""
        return {"begun": self.begun, "ended": self.ended, "code": self.code, "outcome": self.outcome}


def outcome_of(code: int) -> Outcome:
    """What a status says; 0 is no response. After a failure of the server nobody knows what it did."""
    if 200 <= code < 300:
        return Outcome.OK
    return Outcome.REFUSED if 400 <= code < 500 else Outcome.UNKNOWN


@dataclass(slots=True, kw_only=True)
class World:
    """What all clients share: the addresses that answer, the history, one source of chance."""

    addresses: Sequence[str]
    seed: int = 1
    history: History = field(default_factory=History)
    shares: list[str] = field(default_factory=list)
    random: Random = field(init=False)
    _clients: dict[str, httpx2.AsyncClient] = field(default_factory=dict)
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def number(self) -> int:
        """One that nobody else gets."""
        return next(self._numbers)

    def client(self) -> httpx2.AsyncClient:
        """The client of some address."""
        address = self.random.choice(self.addresses)
        if address not in self._clients:
            limits = httpx2.Limits(max_connections=500, max_keepalive_connections=10)
            self._clients[address] = httpx2.AsyncClient(base_url=address, timeout=PATIENCE, limits=limits)
        return self._clients[address]

    async def send(self, method: str, path: str, *, headers: Mapping[str, str], **request: Any) -> Answer:
        """Send it to some address, once."""
        begun = now()
        code, body = 0, b""
        try:
            async with asyncio.timeout(PATIENCE):
                response = await self.client().request(method, path, headers=headers, **request)
            code, body = response.status_code, response.content
        except (httpx2.HTTPError, TimeoutError):
            pass
        answer = Answer(begun=begun, ended=now(), code=code, body=body)
        if answer.outcome is Outcome.UNKNOWN:
            await asyncio.sleep(self.random.uniform(0.1, 0.5))
        return answer

    async def sure(
        self, method: str, path: str, *, headers: Mapping[str, str], seconds: float = 60, **request: Any
    ) -> Answer:
        """Send it until it is answered. Fails after so many seconds."""
        async with asyncio.timeout(seconds):
            while True:
                answer = await self.send(method, path, headers=headers, **request)
                if answer.outcome is not Outcome.UNKNOWN:
                    return answer

    def keep(self, request: Request) -> None:
        """Write it into the history."""
        self.history.requests.append(request)

    async def close(self) -> None:
        """Drop all connections."""
        for client in self._clients.values():
            await client.aclose()


now = time.monotonic
