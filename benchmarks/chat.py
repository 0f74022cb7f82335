"""The chat against a model that streams 100 tokens: first token, chats per second, memory per stream."""

import statistics
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from benchmarks import model
from benchmarks.load import Job
from benchmarks.processes import Server, companion, held_open, load, service
from benchmarks.report import Figure, Section
from benchmarks.requests import post

ROUNDS = 5
CONCURRENCY = 16
STREAMS = 1000
FIRST_TOKEN_MS = 5.0
RATE_SHARE = 0.5
MEMORY_KB = 100.0

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
_SERVICES = {
    "plain": "retrieval off",
    "retrieving": "retrieval on",
    "new": "retrieval on, new questions",
}
_CLIENTS = 64
_RATE_SECONDS = 4.0
_LATENCY_SECONDS = 1.0
_PAUSE_MS = 10
_TOKEN = b'"type":"token"'

_NOTES = f"""\
A question starts a new conversation and is answered by a stream. {_CLIENTS} guests take turns. The model is
a process on loopback that writes its 100 tokens one by one, without a pause. The relay is the least that a
chat over a model can be: an ASGI function that reads the model's stream with httpx2 and msgspec and sends
each token on as an event of its own, with no caller, storage or limit. Retrieval off is `RAG_ENABLED=false`.
Titles are not improved (`IMPROVE_TITLES=false`): that is a second question to the model for each first one.
The first token is timed with one client, from the request's first byte; its baseline is the model asked
directly. `{QUESTION}` is asked again and again, so its
vector is remembered; of {len(NEW_QUESTIONS)} new questions, asked in turns, each is embedded. Memory is the
growth of the process's resident set with {STREAMS} streams open, 99 tokens into their reply, which came
{_PAUSE_MS} ms apart, divided by {STREAMS}."""


class Target:
    """Something that streams, and the requests that make it do so."""

    def __init__(self, server: Server, requests: list[bytes], marker: bytes = _TOKEN) -> None:
        self.server = server
        self._requests = requests
        self._marker = marker
        self.first_ms: list[float] = []
        self.rates: list[float] = []

    def time_first_token(self) -> None:
        """One client's median time to the first token."""
        result = load(self._job(1, _LATENCY_SECONDS))
        self.first_ms.append(result.first_ms)
        asked = result.answers % len(self._requests)
        self._requests = [*self._requests[asked:], *self._requests[:asked]]

    def count_answers(self) -> None:
        """Whole answers per second to many clients."""
        self.rates.append(load(self._job(CONCURRENCY, _RATE_SECONDS)).rate)

    def _job(self, connections: int, seconds: float) -> Job:
        return Job(
            port=self.server.port,
            requests=self._requests,
            connections=connections,
            seconds=seconds,
            marker=self._marker,
            count=len(model.TOKENS),
        )


def measure(directory: Path) -> Section:
    """All figures of the chat."""
    with ExitStack() as stack:
        upstream = stack.enter_context(companion("model"))
        targets = _targets(stack, upstream, directory)
        for target in targets.values():
            target.count_answers()
            target.rates.clear()
        for _ in range(ROUNDS):
            for target in targets.values():
                target.time_first_token()
            for name, target in targets.items():
                if name != "model":
                    target.count_answers()
        figures = [*_first_token(targets), *_rates(targets)]
    return Section(title="Chat", notes=_NOTES, figures=[*figures, *_memory(directory)])


def _targets(stack: ExitStack, upstream: Server, directory: Path) -> dict[str, Target]:
    url = f"http://127.0.0.1:{upstream.port}/v1"
    settings = model_settings(url)
    plain = stack.enter_context(service(directory / "plain", RAG_ENABLED="false", **settings))
    retrieving = stack.enter_context(service(directory / "retrieving", RAG_ENABLED="true", **settings))
    relay = stack.enter_context(companion("baselines", "relay", url))
    asked_directly = [post("/v1/chat/completions", model.question(QUESTION))]
    return {
        "model": Target(upstream, asked_directly, b'"content":" word'),
        "relay": Target(relay, questions(QUESTION)),
        "plain": Target(plain, questions(QUESTION)),
        "retrieving": Target(retrieving, questions(QUESTION)),
        "new": Target(retrieving, [_question(text, each) for each, text in enumerate(NEW_QUESTIONS)]),
    }


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


def questions(text: str, clients: int = _CLIENTS) -> list[bytes]:
    """Requests that start a conversation each, of so many guests."""
    return [_question(text, client) for client in range(clients)]


def _question(text: str, client: int) -> bytes:
    body = msgspec.json.encode({"message": text})
    return post("/api/v1/ai/chat", body, {"x-device-id": f"benchmark-{client}", "stream": "true"})


def _first_token(targets: Mapping[str, Target]) -> list[Figure]:
    medians = {name: statistics.median(target.first_ms) for name, target in targets.items()}
    names = {"relay": "the bare relay", **_SERVICES}
    figures = []
    for name, described in names.items():
        behind = medians[name] - medians["model"]
        figures.append(
            Figure(
                what=f"first token, p50: {described}",
                measured=f"{medians[name]:.2f} ms",
                baseline=f"model {medians['model']:.2f} ms",
                compared=f"{behind:.2f} ms behind",
                target=f"at most {FIRST_TOKEN_MS:g} ms" if name == "plain" else "",
                met=behind <= FIRST_TOKEN_MS if name == "plain" else None,
            )
        )
    return figures


def _rates(targets: Mapping[str, Target]) -> list[Figure]:
    medians = {name: statistics.median(target.rates) for name, target in targets.items() if target.rates}
    figures = []
    for name, described in _SERVICES.items():
        share = medians[name] / medians["relay"]
        figures.append(
            Figure(
                what=f"chats per second, {CONCURRENCY} clients: {described}",
                measured=f"{medians[name]:.0f}",
                baseline=f"relay {medians['relay']:.0f}",
                compared=f"{share:.2f} times",
                target=f"at least {RATE_SHARE:g} times" if name == "plain" else "",
                met=share >= RATE_SHARE if name == "plain" else None,
            )
        )
    return figures


def _memory(directory: Path) -> list[Figure]:
    with companion("model", str(_PAUSE_MS)) as upstream:
        url = f"http://127.0.0.1:{upstream.port}/v1"
        with companion("baselines", "relay", url) as relay:
            baseline = _memory_per_stream(relay)
        with service(directory / "memory", RAG_ENABLED="false", **model_settings(url)) as plain:
            measured = _memory_per_stream(plain)
    return [
        Figure(
            what=f"memory per open stream, {STREAMS} streams",
            measured=f"{measured:.0f} KB",
            baseline=f"relay {baseline:.0f} KB",
            compared=f"{measured - baseline:+.0f} KB",
            target=f"below {MEMORY_KB:g} KB",
            met=measured < MEMORY_KB,
        )
    ]


def _memory_per_stream(server: Server) -> float:
    """In KB, once the process has answered as many clients as it is going to hold."""
    warm = Target(server, questions(QUESTION))
    warm.count_answers()
    before = server.memory()
    job = Job(
        port=server.port,
        requests=questions(model.HOLD.decode(), STREAMS),
        connections=STREAMS,
        seconds=0,
        marker=model.LAST_BEFORE_HOLD,
    )
    with held_open(job):
        return (server.memory() - before) / STREAMS / 1000
