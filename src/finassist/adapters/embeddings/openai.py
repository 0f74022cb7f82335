"""Embeddings of OpenAI, and of every server with the same API."""

import asyncio
import math
import random
import re
from array import array
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import httpx2
import msgspec

from finassist.application.ports.knowledge import Vector
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.languages import ENGLISH

API: Final = "https://api.openai.com/v1"

_BATCH: Final = 64
_BATCH_CHARACTERS: Final = 200_000
"""Servers bound a request by its tokens (OpenAI: 300,000); some scripts need one for every character."""
_TEXT_MAX: Final = 24_000
_CONNECT_SECONDS: Final = 5.0
_QUERY_SECONDS: Final = 3.0
_BATCH_SECONDS: Final = 60.0
_ATTEMPTS: Final = 5
_PAUSE_SECONDS: Final = 0.5
_LONGEST_PAUSE_SECONDS: Final = 30.0
_DIMENSIONS_MAX: Final = 16_384
_RATE_LIMITED: Final = 429
_SERVER_ERRORS: Final = 500
_LONG: Final = 3600
_ENGLISH_ALONE: Final = re.compile(
    r"(?<![a-z])en(?:glish)?(?![a-z])|^(?!.*multilingual).*(?:minilm|gte-(?:small|base|large)$)",
    re.IGNORECASE,
)
"""``bge-small-en-v1.5``, ``all-MiniLM-L6-v2``, ``gte-base``; servers do not say what a model understands."""
_REFUSED: Final = frozenset({401, 403})


class _Item(msgspec.Struct):
    embedding: Annotated[list[float], msgspec.Meta(min_length=1, max_length=_DIMENSIONS_MAX)]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Item]


_decode = msgspec.json.Decoder(_Answer).decode


class OpenAiEmbedder:
    """``Embedder`` over ``POST /embeddings``.

    Embedding changes nothing on the server, so a batch is retried after a 429, a 5xx, a lost connection or a
    timeout, after the delay that the server asks for. A query is tried once: a user is waiting for the reply.
    ``query_seconds`` and ``batch_seconds`` bound one attempt.
    """

    def __init__(
        self,
        *,
        model: str,
        api_key: str | None = None,
        base_url: str = "",
        query_seconds: float = _QUERY_SECONDS,
        batch_seconds: float = _BATCH_SECONDS,
        pause_seconds: float = _PAUSE_SECONDS,
    ) -> None:
        self.model = model
        self._query_seconds = query_seconds
        self._batch_seconds = batch_seconds
        self._pause_seconds = pause_seconds
        self._dimensions: int | None = None
        self._client = httpx2.AsyncClient(
            base_url=base_url or API,
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),  # each attempt has a deadline of its own
        )

    def understands(self, language: str) -> bool:
        """Every language, unless the model's name says that it is for English alone."""
        return language == ENGLISH or not _ENGLISH_ALONE.search(self.model)

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors, batch by batch."""
        vectors: list[Vector] = []
        for batch in _batches([_sendable(text) for text in texts]):
            vectors += await self._patiently(batch)
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question, or EmbeddingError."""
        (vector,) = await self._attempt([_sendable(text)], self._query_seconds)
        return vector

    async def embed_search(self, text: str) -> Vector:
        """That of ``embed_query``: one model embeds questions and passages."""
        return await self.embed_query(text)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _patiently(self, batch: Sequence[str]) -> Sequence[Vector]:
        pause = self._pause_seconds
        for _ in range(_ATTEMPTS - 1):
            try:
                return await self._attempt(batch, self._batch_seconds)
            except EmbeddingError as error:
                wait = max(error.retry_after or 0, pause * random.uniform(0.5, 1))  # noqa: S311
                if not error.retryable or wait > _LONGEST_PAUSE_SECONDS:
                    raise
            await asyncio.sleep(wait)
            pause *= 2
        return await self._attempt(batch, self._batch_seconds)

    async def _attempt(self, batch: Sequence[str], seconds: float) -> Sequence[Vector]:
        body = {"model": self.model, "input": batch}
        try:
            async with asyncio.timeout(seconds):
                response = await self._client.post("/embeddings", json=body)
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise _failure("timeout") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _failure("connection") from error
        if not response.is_success:
            raise _refusal(response)
        return self._vectors(response.content, len(batch))

    def _vectors(self, content: bytes, expected: int) -> Sequence[Vector]:
        try:
            items = _decode(content).data
        except (ValueError, RecursionError) as error:
            raise _failure("malformed", retryable=False) from error
        positions = [position if item.index is None else item.index for position, item in enumerate(items)]
        if sorted(positions) != list(range(expected)):
            raise _failure("wrong_count", retryable=False)
        by_position = dict(zip(positions, items, strict=True))
        vectors = [_normalised(by_position[position].embedding) for position in range(expected)]
        self._check_dimensions({len(vector) for vector in vectors})
        return vectors

    def _check_dimensions(self, found: set[int]) -> None:
        """A model has one dimension; what differs is another model behind the same name."""
        if self._dimensions is not None:
            found = found | {self._dimensions}
        if len(found) > 1:
            raise _failure("wrong_dimension", retryable=False)
        (self._dimensions,) = found


def _sendable(text: str) -> str:
    """A text that every server accepts: without lone surrogates, not too long, and not empty."""
    return text[:_TEXT_MAX].encode("utf-8", "replace").decode() or " "


def _batches(texts: Sequence[str]) -> Sequence[Sequence[str]]:
    batches: list[list[str]] = []
    size = 0
    for text in texts:
        if not batches or len(batches[-1]) == _BATCH or size + len(text) > _BATCH_CHARACTERS:
            batches.append([])
            size = 0
        batches[-1].append(text)
        size += len(text)
    return batches


def _normalised(numbers: Sequence[float]) -> Vector:
    """As float32, of length 1. Raises EmbeddingError for what has no direction."""
    length = math.hypot(*numbers)
    if not 0 < length < math.inf:
        raise _failure("malformed", retryable=False)
    return array("f", [number / length for number in numbers])


def _refusal(response: httpx2.Response) -> EmbeddingError:
    status = response.status_code
    if status in _REFUSED:
        return _failure("auth", retryable=False)
    if status == _RATE_LIMITED or status >= _SERVER_ERRORS:
        kind = "rate_limited" if status == _RATE_LIMITED else "overloaded"
        return _failure(kind, retry_after=_wait(response.headers))
    return _failure("bad_request", retryable=False)


def _wait(headers: Mapping[str, str]) -> int:
    """The seconds that a server asks to wait; a date counts as long."""
    try:
        return math.ceil(float(headers.get("retry-after", 0)))
    except (ValueError, OverflowError):
        return _LONG


def _failure(kind: str, *, retryable: bool = True, retry_after: int = 0) -> EmbeddingError:
    """A failure of that kind, without the server's text, which may repeat what was sent."""
    return EmbeddingError(
        f"The embedder failed: {kind}.", kind=kind, retryable=retryable, retry_after=retry_after
    )
