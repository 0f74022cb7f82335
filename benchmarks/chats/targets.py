"""What is chatted with, and the questions that are asked."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from benchmarks import model
from benchmarks.load import Job, Result
from benchmarks.processes import Server, load
from benchmarks.requests import post

CONCURRENCY = 16
CROWD = 64

QUESTION = "How large should my emergency fund be, and where should I keep it?"
_BEGINNINGS = (
    "How large should my emergency fund be,",
    "How big is a good rainy day reserve,",
    "What should sit in my savings buffer,",
    "How many months of spending do I save,",
    "Is three months of pay enough for emergencies,",
    "How much cash do I hold for bad times,",
    "What size has a sensible reserve fund,",
    "How much must I put aside for emergencies,",
    "What is enough money for a broken boiler or a lost job,",
    "How much of my savings should stay at hand,",
    "How long should my savings last without pay,",
    "What do people keep for surprises,",
)
_ENDINGS = (
    "and where should I keep it?",
    "and in which account is it best?",
    "and what would a bank say?",
    "and how do I build it up?",
    "and should I invest any of it?",
    "and when may I use it?",
    "and is it safe there now?",
    "and what if I rent?",
    "and what if I own a home?",
    "and what if I have debts?",
    "and what about a child?",
    "and how fast can I get it?",
)
NEW_QUESTIONS = [f"{beginning} {ending}" for ending in _ENDINGS for beginning in _BEGINNINGS]
"""More than the embedder remembers, and about as long as ``QUESTION``."""
TOKEN = b'"type":"token"'
"""In each token that the service, or the relay, sends."""
_RATE_SECONDS = 3.0
_LATENCY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Run:
    """What the load saw, and what the server used of processors meanwhile."""

    result: Result
    cpu_seconds: float

    @property
    def cpu_ms(self) -> float:
        """Of one answer."""
        return self.cpu_seconds * 1000 / self.result.answers


class Target:
    """Something that streams, and the requests that make it do so. ``rates`` are of ``CONCURRENCY`` clients.

    ``spread`` is the seconds over which the clients begin, ``loading`` the module of the load.
    """

    def __init__(
        self,
        server: Server,
        requests: Sequence[bytes],
        marker: bytes = TOKEN,
        spread: float = 0,
        loading: str = "benchmarks.load",
    ) -> None:
        self.server = server
        self._requests = list(requests)
        self._marker = marker
        self._spread = spread
        self._loading = loading
        self._runs: dict[int, list[Run]] = {}
        self.rates: list[float] = []

    def time_first_token(self) -> None:
        """One client, for a moment."""
        self.ask(1, _LATENCY_SECONDS)

    def count_answers(self) -> None:
        """Whole answers per second to many clients."""
        self.rates.append(self.ask(CONCURRENCY, _RATE_SECONDS).result.rate)

    def ask(self, clients: int, seconds: float = _RATE_SECONDS) -> Run:
        """So many clients ask for so long."""
        before = self.server.cpu_seconds()
        result = load(self.job(clients, seconds), self._loading)
        run = Run(result, self.server.cpu_seconds() - before)
        self._runs.setdefault(clients, []).append(run)
        asked = result.answers % len(self._requests)
        self._requests = [*self._requests[asked:], *self._requests[:asked]]
        return run

    def job(self, clients: int, seconds: float) -> Job:
        """What so many clients ask for so long."""
        return Job(
            port=self.server.port,
            requests=self._requests,
            connections=clients,
            seconds=seconds,
            marker=self._marker,
            count=len(model.TOKENS),
            spread=self._spread,
        )

    def forget(self) -> None:
        """What was measured to get warm."""
        self._runs.clear()
        self.rates.clear()

    def median(self, clients: int, figure: Callable[[Run], float]) -> float:
        """Of the runs with so many clients."""
        return statistics.median(map(figure, self._runs[clients]))


def model_settings(url: str) -> dict[str, str]:
    """What makes the service ask the model at ``url``."""
    return {
        "LLM_PROVIDER": "openai",
        "LLM_MODEL": "benchmark",
        "OPENAI_API_KEY": "benchmark",
        "OPENAI_BASE_URL": url,
        "LLM_IDLE_TIMEOUT_SECONDS": "600",
        "LLM_TOTAL_TIMEOUT_SECONDS": "600",
        "IMPROVE_TITLES": "false",
    }


def questions(text: str, clients: int = CROWD) -> list[bytes]:
    """Requests that start a conversation each, of so many guests."""
    return [question(text, f"benchmark-{client}") for client in range(clients)]


def question(text: str, device_id: str) -> bytes:
    """The request of one guest."""
    body = msgspec.json.encode({"message": text})
    return post("/api/v1/ai/chat", body, {"x-device-id": device_id, "stream": "true"})
