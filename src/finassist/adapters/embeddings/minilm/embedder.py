"""The embedder that needs no server: all-MiniLM-L6-v2 on a thread of this process."""

import asyncio
import logging
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from finassist.adapters.data_files.sharing import once_per_file
from finassist.adapters.embeddings.help import LONG_FROM, HelpOdds
from finassist.adapters.embeddings.minilm.wordpiece import TOKENS_MAX, WordPiece
from finassist.application.ports.knowledge import Vector
from finassist.domain.calculators.stories.scores import StoryScores
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.languages import ENGLISH

if TYPE_CHECKING:
    from finassist.adapters.embeddings.minilm.encoder import Encoder
    from finassist.adapters.embeddings.minilm.help import HelpHead
    from finassist.adapters.embeddings.minilm.stories import StoryHead
    from finassist.adapters.embeddings.minilm.weights import Arrays

_log = logging.getLogger(__name__)

MODEL: Final = "all-MiniLM-L6-v2"
SEARCH: Final = "search"
HELP: Final = "help"
HELP_IN_STORIES: Final = "help in stories"
STORIES: Final = "stories"

_FILES: Final = files("finassist.data") / "sentence_encoder"
_SHIPPED: Final = _FILES / "tiles.safetensors"
_SHIPPED_FOR_SEARCH: Final = _FILES / "search_layers.safetensors"
_SHIPPED_FOR_HELP: Final = _FILES / "help_layers.safetensors"
_SHIPPED_FOR_HELP_IN_STORIES: Final = _FILES / "help_in_stories_layers.safetensors"
_SHIPPED_FOR_STORIES: Final = _FILES / "story_layers.safetensors"
_QUERY_SECONDS: Final = 3.0
_COMPARING: Final = ""

P = ParamSpec("P")
T = TypeVar("T")
_Model = tuple[WordPiece, "Encoder", Mapping[str, "HelpHead"], "StoryHead | None"]
_PURPOSES: Final = (SEARCH, HELP, HELP_IN_STORIES, STORIES)


class MiniLmEmbedder:
    """``Embedder`` that computes its vectors: 384 dimensions, for English, of the first 256 tokens of a text.

    One thread computes, so that the event loop stays free. A query waits for earlier queries and for at most
    256 tokens of passages, because ``embed`` submits no more than that at a time.
    """

    def __init__(
        self,
        *,
        weights: Traversable = _SHIPPED,
        search_weights: Traversable = _SHIPPED_FOR_SEARCH,
        help_weights: Traversable = _SHIPPED_FOR_HELP,
        long_help_weights: Traversable = _SHIPPED_FOR_HELP_IN_STORIES,
        story_weights: Traversable = _SHIPPED_FOR_STORIES,
        query_seconds: float = _QUERY_SECONDS,
    ) -> None:
        """``weights`` is the file that ``training/sentence_encoder.py`` makes, ``search_weights`` that of
        ``training/query_encoder.py``, ``help_weights`` that of ``training/help_encoder.py``, with which it
        reads short texts (``long_help_weights``: long ones), and ``story_weights`` that of
        ``training/story_encoder.py``; all are loaded with the first call."""
        self.model = MODEL
        self._files = weights, search_weights, help_weights, long_help_weights, story_weights
        self._query_seconds = query_seconds
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sentence-encoder")
        self._passages = asyncio.Lock()
        self._loaded: _Model | None = None
        self._closed = False

    def understands(self, language: str) -> bool:
        """English alone."""
        return language == ENGLISH

    async def load(self) -> None:
        """Load the weights now, so that no query waits for it.

        Raises EmbeddingError when they are missing or damaged.
        """
        await self._run(self._model)

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors, short texts first. Raises EmbeddingError without weights and after ``close``."""
        steps = self._steps(texts)
        vectors: dict[int, Vector] = {}
        while len(vectors) < len(texts):
            async with self._passages:  # callers take turns, and queries come between any two steps
                vectors.update(await self._run(next, steps))
        return [vectors[place] for place in range(len(texts))]

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question, or EmbeddingError."""
        return await self._soon(self._vector, text, _COMPARING)

    async def embed_search(self, text: str) -> Vector:
        """The vector that passages are searched for with, or EmbeddingError."""
        return await self._soon(self._vector, text, SEARCH)

    async def help_odds(self, text: str) -> HelpOdds | None:
        """What a text asks help for, by the layers that were tuned for it, or None without them."""
        return await self._soon(self._help_odds, text)

    async def story_scores(self, text: str, starts: Sequence[int]) -> StoryScores | None:
        """Which story a text tells, and the roles of the numbers that start at some characters, by the layers
        that were tuned for it; None without them, and when a number is behind the first 256 tokens."""
        return await self._soon(self._story_scores, text, starts)

    async def close(self) -> None:
        """Finish the queries and the passages that were submitted, and end the thread."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown)
        self._loaded = None

    async def _soon(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        try:
            async with asyncio.timeout(self._query_seconds):
                return await self._run(work, *arguments, **named)
        except TimeoutError as error:
            raise _failure("timeout", retryable=True) from error

    async def _run(self, work: Callable[P, T], *arguments: P.args, **_: P.kwargs) -> T:
        if self._closed:
            raise _failure("closed", retryable=False)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _model(self) -> _Model:
        """Tokenizer, encoder and head. Only the thread calls it, so they are loaded once."""
        if self._loaded is None:
            self._loaded = _load(*self._files)
        return self._loaded

    def _vector(self, text: str, purpose: str) -> Vector:
        pieces, encoder, *_ = self._model()
        (row,) = encoder.encode([pieces.ids(text)], purpose=purpose)
        return array("f", row.tobytes())

    def _help_odds(self, text: str) -> HelpOdds | None:
        pieces, encoder, heads, _ = self._model()
        purpose = HELP if len(text) <= LONG_FROM else HELP_IN_STORIES
        head = heads.get(purpose)
        return None if head is None else head.odds(encoder.mean(pieces.ids(text), purpose=purpose))

    def _story_scores(self, text: str, starts: Sequence[int]) -> StoryScores | None:
        pieces, encoder, _, head = self._model()
        places = [place for place in pieces.places(text, starts) if place is not None]
        if head is None or not starts or len(places) < len(starts):
            return None
        return head.scores(encoder.states(pieces.ids(text), purpose=STORIES), places)

    def _steps(self, texts: Sequence[str]) -> Iterator[Mapping[int, Vector]]:
        """The vectors by the position of their text; each step takes up to 256 tokens, padding included."""
        pieces, encoder, *_ = self._model()
        waiting: dict[int, Sequence[int]] = {}
        for place in sorted(range(len(texts)), key=lambda place: len(texts[place])):
            ids = pieces.ids(texts[place])
            if waiting and (len(waiting) + 1) * max(len(ids), *map(len, waiting.values())) > TOKENS_MAX:
                yield _encoded(encoder, waiting)
                waiting = {}
            waiting[place] = ids
        yield _encoded(encoder, waiting)


def _load(file: Traversable, *tuned_files: Traversable) -> _Model:
    # imported here because numpy takes its time
    from finassist.adapters.embeddings.minilm.encoder import Encoder
    from finassist.adapters.embeddings.minilm.help import HelpHead
    from finassist.adapters.embeddings.minilm.weights import vocabulary

    arrays = _arrays(file)
    found = {purpose: _tuned(each) for purpose, each in zip(_PURPOSES, tuned_files, strict=True)}
    tuned = {purpose: each for purpose, each in found.items() if each is not None}
    return (
        WordPiece(vocabulary(arrays)),
        Encoder(arrays, tuned),
        {purpose: HelpHead(tuned[purpose]) for purpose in (HELP, HELP_IN_STORIES) if purpose in tuned},
        _story_head(tuned),
    )


def _story_head(tuned: "Mapping[str, Arrays]") -> "StoryHead | None":
    """None without the layers for stories, and with those that know other stories."""
    from finassist.adapters.embeddings.minilm.stories import StoryHead

    try:
        return StoryHead(tuned[STORIES]) if STORIES in tuned else None
    except EmbeddingError as error:
        _log.warning("%s", error)
        return None


def _tuned(file: Traversable) -> "Arrays | None":
    """Layers that were tuned for a purpose. Without their file those of any text search, words and vectors
    alone say who asks for help, and patterns alone read sums."""
    try:
        return _arrays(file)
    except EmbeddingError as error:
        _log.warning("%s", error)
        return None


@once_per_file(
    _SHIPPED, _SHIPPED_FOR_SEARCH, _SHIPPED_FOR_HELP, _SHIPPED_FOR_HELP_IN_STORIES, _SHIPPED_FOR_STORIES
)
def _arrays(file: Traversable) -> "Arrays":
    from finassist.adapters.embeddings.minilm.weights import read_weights

    return read_weights(file)


def _encoded(encoder: "Encoder", sequences: Mapping[int, Sequence[int]]) -> Mapping[int, Vector]:
    rows = encoder.encode(list(sequences.values()))
    return {place: array("f", row.tobytes()) for place, row in zip(sequences, rows, strict=True)}


def _failure(kind: str, *, retryable: bool) -> EmbeddingError:
    return EmbeddingError(f"The sentence encoder failed: {kind}.", kind=kind, retryable=retryable)
