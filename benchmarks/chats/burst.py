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
FIRST_TOKEN_MS = 1.5
FIRST_P99_MS = 3.5
SEARCH_MS = 6.0

_SERVICES = {
    "plain": "retrieval off",
    "retrieving": "retrieval on",
    "new": "retrieval on, new questions",
}
_RELAYS = {"relay": "relay", "aiohttp": "aiohttp relay"}
_RATE_SHARES = {"plain": {"relay": 1.0, "aiohttp": 0.45}, "retrieving": {"relay": 0.6}}
"""Of the chats per second of a relay, at ``CONCURRENCY`` clients."""

_CROWDS = ("relay", "aiohttp", "plain", "retrieving")

_NOTES = f"""\
A question starts a new conversation and is answered by a stream. {CROWD} guests take turns. The model is
a process on loopback that writes its 100 tokens one by one, without a pause. The relay is the least that a
chat over a model can be: an ASGI function that reads the model's stream with httpx2 and msgspec and sends
each token on as an event of its own, with no caller, storage or limit; the aiohttp relay reads with aiohttp.
Retrieval off is `RAG_ENABLED=false`.
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
    aiohttp = stack.enter_context(companion("baselines", "aiohttp-relay", url))
    asked_directly = [post("/v1/chat/completions", model.question(QUESTION))]
    new = [question(text, f"benchmark-{number}") for number, text in enumerate(NEW_QUESTIONS)]
    return {
        "model": Target(upstream, asked_directly, model.FIRST),
        "relay": Target(relay, questions(QUESTION)),
        "aiohttp": Target(aiohttp, questions(QUESTION)),
        "plain": Target(plain, questions(QUESTION)),
        "retrieving": Target(retrieving, questions(QUESTION)),
        "new": Target(retrieving, new),
    }


def _first_token(targets: Mapping[str, Target]) -> list[Figure]:
    """Behind the model; and with retrieval, behind retrieval off."""
    medians = {name: target.median(1, lambda run: run.result.first_ms) for name, target in targets.items()}
    names = {"relay": "the bare relay", "aiohttp": "the bare aiohttp relay", **_SERVICES}
    at_most = {"plain": FIRST_TOKEN_MS}
    figures = [
        _behind(medians, name, "model", described, at_most.get(name)) for name, described in names.items()
    ]
    for name in ("retrieving", "new"):
        figures.append(_behind(medians, name, "plain", _SERVICES[name], SEARCH_MS))
    return figures


def _behind(
    medians: Mapping[str, float], name: str, baseline: str, described: str, at_most: float | None
) -> Figure:
    behind = medians[name] - medians[baseline]
    return Figure(
        what=f"first token, p50: {described}",
        measured=f"{medians[name]:.2f} ms",
        baseline=f"{_SERVICES.get(baseline, baseline)} {medians[baseline]:.2f} ms",
        compared=f"{behind:.2f} ms behind",
        target=f"at most {at_most:g} ms" if at_most else "",
        met=behind <= at_most if at_most else None,
    )


def _crowded(targets: Mapping[str, Target]) -> list[Figure]:
    """How long the slowest wait with one client, and with many."""
    figures = []
    for clients, described in ((1, "one client"), (CROWD, f"{CROWD} clients")):
        slow = {name: targets[name].median(clients, lambda run: run.result.first_p99_ms) for name in _CROWDS}
        for name in ("plain", "retrieving"):
            aimed = name == "plain" and clients == 1
            figures.append(
                Figure(
                    what=f"first token, p99, {described}: {_SERVICES[name]}",
                    measured=f"{slow[name]:.1f} ms",
                    baseline=f"relay {slow['relay']:.1f} ms",
                    compared=f"{slow[name] / slow['relay']:.2f} times",
                    target=f"at most {FIRST_P99_MS:g} ms" if aimed else "",
                    met=slow[name] <= FIRST_P99_MS if aimed else None,
                )
            )
    return figures


def _rates(targets: Mapping[str, Target]) -> list[Figure]:
    figures = []
    for clients, names in ((CONCURRENCY, _SERVICES), (CROWD, ("plain", "retrieving"))):
        rates = {
            name: targets[name].median(clients, lambda run: run.result.rate) for name in (*_RELAYS, *names)
        }
        for name in names:
            shares = _RATE_SHARES.get(name, {}) if clients == CONCURRENCY else {}
            for baseline, described in _RELAYS.items():
                share, wanted = rates[name] / rates[baseline], shares.get(baseline)
                figures.append(
                    Figure(
                        what=f"chats per second, {clients} clients: {_SERVICES[name]}",
                        measured=f"{rates[name]:.0f}",
                        baseline=f"{described} {rates[baseline]:.0f}",
                        compared=f"{share:.2f} times",
                        target=f"at least {wanted:g} times" if wanted else "",
                        met=share >= wanted if wanted else None,
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
