"""Signing in: what a verified token costs, and what running streams notice of twenty sign-ins a second."""

import asyncio
import statistics
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import msgspec
import uvloop
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from benchmarks.chats import targets
from benchmarks.processes import Broken, Server, companion, service
from benchmarks.report import Figure, Section
from benchmarks.requests import post
from finassist.composition.application import Finassist
from finassist.composition.container import build_application
from finassist.config import Settings

ROUNDS = 5
VERIFICATION_MS = 0.2
GAP_FACTOR = 2.0
STREAMS = 4
SIGN_INS_PER_SECOND = 20
PAUSE_MS = 20

_TOKENS = 1000
_SECONDS = 4.0
_WARM_UP_SECONDS = 1.0
_PASSWORD = "Correct horse battery staple 7!"
_TOKEN = b'"type":"token"'
_DONE = b'"type":"done"'

_NOTES = f"""\
A token is verified in this process by the built-in provider: parsed, its ES256 signature checked, its claims
held against the rules; {_TOKENS:,} different tokens a round, none of them seen before. The baseline is the
signature alone, checked by the library underneath. The gaps are the times between two tokens at a client of
a stream; {STREAMS} streams run at once, of a model that writes a token every {PAUSE_MS} ms. Rounds with and
without sign-ins take turns, {_SECONDS:g} s each, and the gaps of all rounds of a kind are one sample.
Sign-ins are sent {SIGN_INS_PER_SECOND} a second at even distances, whether earlier ones are answered or not,
by {SIGN_INS_PER_SECOND} accounts in turn; each costs an argon2id hash of 19 MiB in the service. The client
and the model share the machine's cores with the service, so the gaps hold their waiting too."""


def measure(directory: Path) -> Section:
    """Tokens first, then streams."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        verified, bare = runner.run(_time_tokens(directory / "tokens"))
        data_dir = directory / "sign-ins"
        sign_ins = runner.run(_sign_up(data_dir))
        with companion("model", str(PAUSE_MS)) as upstream:
            settings = targets.model_settings(f"http://127.0.0.1:{upstream.port}/v1")
            with service(data_dir, RAG_ENABLED="false", **settings) as server:
                rounds = Rounds(runner, server, sign_ins)
                rounds.measure()
    return Section(title="Identity", notes=_NOTES, figures=[_verification(verified, bare), *rounds.figures()])


def _verification(verified: float, bare: float) -> Figure:
    return Figure(
        what="access token verified",
        measured=f"{verified:.3f} ms",
        baseline=f"signature alone {bare:.3f} ms",
        compared=f"{verified - bare:+.3f} ms",
        target=f"below {VERIFICATION_MS:g} ms",
        met=verified < VERIFICATION_MS,
    )


async def _time_tokens(data_dir: Path) -> tuple[float, float]:
    """Milliseconds a token, and a signature: the medians of the rounds."""
    container: Finassist = build_application(Settings(data_dir=data_dir))
    provider, signer, clock = (
        container.adapters.identity_provider,
        container.adapters.token_signer,
        container.adapters.clock,
    )
    verified, bare = [], []
    for number in range(ROUNDS + 1):
        claims = [{"sub": f"{number}-{index}", "email": "ann@example.org"} for index in range(_TOKENS)]
        tokens = [await signer.access_token(each, clock.now()) for each in claims]
        check = _bare_check()
        started = perf_counter()
        for token in tokens:
            await provider.verify_access_token(token)
        verified.append((perf_counter() - started) * 1000 / _TOKENS)
        started = perf_counter()
        for _ in range(_TOKENS):
            check()
        bare.append((perf_counter() - started) * 1000 / _TOKENS)
    return statistics.median(verified[1:]), statistics.median(bare[1:])


def _bare_check() -> Callable[[], None]:
    """Check one signature over as many bytes as a token has."""
    key, algorithm, data = ec.generate_private_key(ec.SECP256R1()), ec.ECDSA(SHA256()), bytes(400)
    public_key, signature = key.public_key(), key.sign(data, algorithm)
    return lambda: public_key.verify(signature, data, algorithm)


async def _sign_up(data_dir: Path) -> list[bytes]:
    """Requests that sign in, each another account, enough for a second."""
    container: Finassist = build_application(Settings(data_dir=data_dir))
    await container.adapters.database.open()
    requests = []
    try:
        for number in range(SIGN_INS_PER_SECOND):
            email = f"benchmark-{number}@example.org"
            await container.sign_up(email, _PASSWORD, "Benchmark")
            body = msgspec.json.encode({"email": email, "password": _PASSWORD})
            requests.append(post("/api/v1/auth/signin", body, {"connection": "close"}))
    finally:
        container.adapters.passwords.close()
        await container.adapters.database.close()
    return requests


class Rounds:
    """Streams with and without sign-ins, in turns. Times are in milliseconds."""

    def __init__(self, runner: asyncio.Runner, server: Server, sign_ins: Sequence[bytes]) -> None:
        self._runner = runner
        self._port = server.port
        self._sign_ins = sign_ins
        self._questions = targets.questions(targets.QUESTION, STREAMS)
        self._alone: list[float] = []
        self._beside: list[float] = []
        self._signed_in: list[float] = []

    def measure(self) -> None:
        """One short round to get warm, then all."""
        self._runner.run(self._listen(_WARM_UP_SECONDS))
        for _ in range(ROUNDS):
            self._alone += self._runner.run(self._listen(_SECONDS))
            self._beside += self._runner.run(self._listen_beside_sign_ins())

    def figures(self) -> list[Figure]:
        """The gaps, the median for orientation, and that the sign-ins were answered."""
        figures = []
        for percent, target in ((50, None), (99, GAP_FACTOR)):
            measured, baseline = _percentile(self._beside, percent), _percentile(self._alone, percent)
            figures.append(
                Figure(
                    what=f"gaps of a stream, p{percent}: {SIGN_INS_PER_SECOND} sign-ins a second",
                    measured=f"{measured:.1f} ms",
                    baseline=f"no sign-ins {baseline:.1f} ms",
                    compared=f"{measured / baseline:.2f} times as long",
                    target="" if target is None else f"at most {target:g} times",
                    met=None if target is None else measured <= target * baseline,
                )
            )
        answered = len(self._signed_in) / (ROUNDS * _SECONDS)
        middle = statistics.median(self._signed_in)
        figures.append(Figure(what="sign-ins answered beside the streams", measured=f"{answered:.1f}/s"))
        figures.append(Figure(what="a sign-in beside the streams, p50", measured=f"{middle:.0f} ms"))
        return figures

    async def _listen_beside_sign_ins(self) -> list[float]:
        gaps, _ = await asyncio.gather(self._listen(_SECONDS), self._keep_signing_in(_SECONDS))
        return gaps

    async def _listen(self, seconds: float) -> list[float]:
        """The gaps of all streams, each of which is followed by the next one until the time is over."""
        until = perf_counter() + seconds
        found = await asyncio.gather(*(self._follow(question, until) for question in self._questions))
        return [gap for gaps in found for gap in gaps]

    async def _follow(self, question: bytes, until: float) -> list[float]:
        gaps: list[float] = []
        while perf_counter() < until:
            arrivals = []
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(question)
            async for line in reader:
                if _TOKEN in line:
                    arrivals.append(perf_counter())
                if _DONE in line or (arrivals and perf_counter() >= until):
                    break
            writer.close()
            if not arrivals:
                raise Broken("a chat brought no token")
            gaps += ((later - earlier) * 1000 for earlier, later in pairwise(arrivals))
        return gaps

    async def _keep_signing_in(self, seconds: float) -> None:
        started = perf_counter()
        async with asyncio.TaskGroup() as tasks:
            for number in range(int(seconds * SIGN_INS_PER_SECOND)):
                due = started + number / SIGN_INS_PER_SECOND
                await asyncio.sleep(max(due - perf_counter(), 0))
                tasks.create_task(self._sign_in(self._sign_ins[number % len(self._sign_ins)]))

    async def _sign_in(self, request: bytes) -> None:
        started = perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        if not answer.startswith(b"HTTP/1.1 200 "):
            raise Broken(f"a sign-in was refused: {answer[:500]!r}")
        self._signed_in.append((perf_counter() - started) * 1000)


def _percentile(sample: Sequence[float], percent: int) -> float:
    return statistics.quantiles(sample, n=100, method="inclusive")[percent - 1]
