"""The chat against a model that streams 100 tokens without a pause: first token, chats per second, CPU."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from benchmarks import model
from benchmarks.chats.targets import (
    CONCURRENCY,
    CROWD,
    NEW_QUESTIONS,
    QUESTION,
    Target,
    model_settings,
    question,
    questions,
)
from benchmarks.processes import Server, companion, service
from benchmarks.report import Figure, Section
from benchmarks.requests import post

ROUNDS = 5
FIRST_TOKEN_MS = 5.0
RATE_SHARE = 0.5

_SERVICES = {
    "plain": "retrieval off",
    "retrieving": "retrieval on",
    "new": "retrieval on, new questions",
}
_CROWDS = ("relay", "plain", "retrieving")

_NOTES = f"""\
A question starts a new conversation and is answered by a stream. {CROWD} guests take turns. The model is
a process on loopback that writes its 100 tokens one by one, without a pause. The relay is the least that a
chat over a model can be: an ASGI function that reads the model's stream with httpx2 and msgspec and sends
each token on as an event of its own, with no caller, storage or limit. Retrieval off is `RAG_ENABLED=false`.
Titles are not improved (`IMPROVE_TITLES=false`): that is a second question to the model for each first one.
The first token is timed with one client, from the request's first byte; its baseline is the model asked
directly. With {CROWD} clients, each asks again as soon as it is answered. `{QUESTION}` is asked again and
again, so its vector is remembered; of {len(NEW_QUESTIONS)} new questions, asked in turns, each is embedded.
CPU is what the process used of processors, in the kernel too, divided by the chats it answered
({CONCURRENCY} clients)."""


def measure(directory: Path) -> Section:
    """All figures of the chat in bursts."""
    with ExitStack() as stack:
        upstream = stack.enter_context(companion("model"))
        targets = _targets(stack, upstream, directory)
        for target in targets.values():
            target.count_answers()
            target.forget()
        for _ in range(ROUNDS):
            _round(targets)
    figures = [*_first_token(targets), *_crowded(targets), *_rates(targets), *_cpu(targets)]
    return Section(title="Chat", notes=_NOTES, figures=figures)


def _round(targets: Mapping[str, Target]) -> None:
    for target in targets.values():
        target.time_first_token()
    for name, target in targets.items():
        if name != "model":
            target.count_answers()
    for name in _CROWDS:
        targets[name].ask(CROWD)


def _targets(stack: ExitStack, upstream: Server, directory: Path) -> dict[str, Target]:
    url = f"http://127.0.0.1:{upstream.port}/v1"
    settings = model_settings(url)
    plain = stack.enter_context(service(directory / "plain", RAG_ENABLED="false", **settings))
    retrieving = stack.enter_context(service(directory / "retrieving", RAG_ENABLED="true", **settings))
    relay = stack.enter_context(companion("baselines", "relay", url))
    asked_directly = [post("/v1/chat/completions", model.question(QUESTION))]
    new = [question(text, f"benchmark-{number}") for number, text in enumerate(NEW_QUESTIONS)]
    return {
        "model": Target(upstream, asked_directly, model.FIRST),
        "relay": Target(relay, questions(QUESTION)),
        "plain": Target(plain, questions(QUESTION)),
        "retrieving": Target(retrieving, questions(QUESTION)),
        "new": Target(retrieving, new),
    }


def _first_token(targets: Mapping[str, Target]) -> list[Figure]:
    medians = {name: target.median(1, lambda run: run.result.first_ms) for name, target in targets.items()}
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


def _crowded(targets: Mapping[str, Target]) -> list[Figure]:
    """How long the slowest wait with one client, and with many."""
    figures = []
    for clients, described in ((1, "one client"), (CROWD, f"{CROWD} clients")):
        slow = {name: targets[name].median(clients, lambda run: run.result.first_p99_ms) for name in _CROWDS}
        figures += [
            Figure(
                what=f"first token, p99, {described}: {_SERVICES[name]}",
                measured=f"{slow[name]:.1f} ms",
                baseline=f"relay {slow['relay']:.1f} ms",
                compared=f"{slow[name] / slow['relay']:.2f} times",
            )
            for name in _CROWDS
            if name in _SERVICES
        ]
    return figures


def _rates(targets: Mapping[str, Target]) -> list[Figure]:
    figures = []
    for clients, names in ((CONCURRENCY, ["relay", *_SERVICES]), (CROWD, _CROWDS)):
        rates = {name: targets[name].median(clients, lambda run: run.result.rate) for name in names}
        relay = rates.pop("relay")
        for name, rate in rates.items():
            aimed = name == "plain" and clients == CONCURRENCY
            figures.append(
                Figure(
                    what=f"chats per second, {clients} clients: {_SERVICES[name]}",
                    measured=f"{rate:.0f}",
                    baseline=f"relay {relay:.0f}",
                    compared=f"{rate / relay:.2f} times",
                    target=f"at least {RATE_SHARE:g} times" if aimed else "",
                    met=rate >= RATE_SHARE * relay if aimed else None,
                )
            )
    return figures


def _cpu(targets: Mapping[str, Target]) -> list[Figure]:
    names = ("relay", *_SERVICES)
    spent = {name: targets[name].median(CONCURRENCY, lambda run: run.cpu_ms) for name in names}
    return [
        Figure(
            what=f"CPU per chat: {described}",
            measured=f"{spent[name]:.2f} ms",
            baseline=f"relay {spent['relay']:.2f} ms",
            compared=f"{spent[name] - spent['relay']:+.2f} ms",
        )
        for name, described in _SERVICES.items()
        if spent["relay"]
    ]
