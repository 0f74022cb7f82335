"""One MongoDB database: the client, the documents that are bound to it, their indexes and migrations."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, ClassVar, Concatenate, Final, ParamSpec, Protocol, TypeVar

from beanie import init_beanie
from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError

from finassist.adapters.mongo.engine.collections import ALL_DOCUMENTS
from finassist.adapters.mongo.engine.connection import CALL_SECONDS, Client, bounded_call, connect
from finassist.adapters.mongo.engine.gate import GatedDatabase
from finassist.adapters.mongo.engine.migrations import migrate
from finassist.adapters.mongo.engine.server_time import ClockDiffers, CorrectableClock, ServerTime
from finassist.domain.errors import ServiceUnavailable

P = ParamSpec("P")
T = TypeVar("T")

_BINDING_SECONDS: Final = 3600
_INDEX_ATTEMPTS: Final = 5
_INDEX_RETRY_SECONDS: Final = 0.2


class MongoDatabase:
    """The database that ``url`` names (``mongodb://HOST/NAME``).

    One URL at a time in a process, because Beanie binds the classes of the documents; several instances
    with that URL share the binding. While the servers are out of reach every call raises
    ServiceUnavailable, after ``call_seconds`` at the latest; once they are back, calls are answered
    again. ``observe`` hears of every call: the repository's verb, and seconds. A ``clock`` that can be
    corrected keeps the time of the servers' primary.
    """

    _bound: ClassVar["MongoDatabase | None"] = None
    """Whose client the documents use."""

    _has_read_documents: ClassVar[bool] = False
    """Whether Beanie has read the classes of the documents, which stay as they are."""

    def __init__(
        self,
        url: str,
        *,
        call_seconds: float = CALL_SECONDS,
        clock: object | None = None,
        observe: Callable[[str, float], None] | None = None,
    ) -> None:
        self._url = url
        self.call_seconds = call_seconds
        self.observe = observe or _nobody
        self._server_time = ServerTime(clock) if isinstance(clock, CorrectableClock) else None
        self._client: Client | None = None
        self._binding: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect, make the indexes that are missing, and migrate what older versions stored; many processes
        may do so at once.

        Servers that do not answer yet are no error here: the first call that reaches them goes on with
        it. Raises ServiceUnavailable when they answer and refuse, for a wrong password or for an index
        that contradicts ours.
        """
        self._client = connect(self._url, self.call_seconds)
        try:
            await self.ready()
        except ClockDiffers:
            await self.close()
            raise
        except ServiceUnavailable as error:
            if not _is_out_of_reach(error.__cause__):
                await self.close()
                raise ServiceUnavailable(
                    "MongoDB refuses the service: see finassist check-config."
                ) from error

    async def close(self) -> None:
        """Drop the connections. Closing twice changes nothing."""
        client, binding = self._client, self._binding
        self._client = self._binding = None
        if MongoDatabase._bound is self:
            MongoDatabase._bound = None
        if binding is not None:
            binding.cancel()
            await asyncio.gather(binding, return_exceptions=True)
        if self._server_time is not None:
            await self._server_time.close()
        if client is not None:
            await client.close()

    async def ready(self) -> None:
        """Return at once when the documents are bound, else wait for it, not longer than for a call."""
        if self._client is None:
            raise ServiceUnavailable()
        await self._ready(self._client)
        if self._server_time is not None:
            with bounded_call(self.call_seconds):
                await self._server_time.keep(self._client)

    async def _ready(self, client: Client) -> None:
        bound = MongoDatabase._bound
        if bound is not None:
            if bound._url != self._url:
                raise RuntimeError("another MongoDB database is open in this process")
            return
        # One attempt for all that wait: one after the other, they would wait for each other's time limit.
        if self._binding is None or self._binding.done():
            self._binding = asyncio.create_task(self._bind(client), name="bind-documents")
        try:
            await asyncio.wait_for(asyncio.shield(self._binding), self.call_seconds)
        except TimeoutError as error:
            raise ServiceUnavailable() from error

    async def _bind(self, client: Client) -> None:
        # Indexing and migrating what is there takes its time, and must not be begun again and again.
        with bounded_call(_BINDING_SECONDS):
            await self._bind_documents(GatedDatabase(client))
            for attempts_left in reversed(range(_INDEX_ATTEMPTS)):
                try:
                    await _make_indexes()
                    break
                except OperationFailure:  # another process makes the same index or collection right now
                    if attempts_left == 0:
                        raise
                    await asyncio.sleep(_INDEX_RETRY_SECONDS)
            await migrate()
        MongoDatabase._bound = self

    async def _bind_documents(self, database: GatedDatabase) -> None:
        if MongoDatabase._has_read_documents:
            for kind in ALL_DOCUMENTS:
                kind.get_settings().pymongo_collection = database[kind.Settings.name]
        else:
            await init_beanie(database=database, document_models=ALL_DOCUMENTS, skip_indexes=True)
            MongoDatabase._has_read_documents = True


async def _make_indexes() -> None:
    """Make the indexes that are missing. Beanie would list those of each collection first."""
    for kind in ALL_DOCUMENTS:
        if kind.Settings.indexes:
            await kind.get_pymongo_collection().create_indexes(list(kind.Settings.indexes))


class _Repository(Protocol):
    @property
    def database(self) -> MongoDatabase: ...


R = TypeVar("R", bound=_Repository)


def database_call(
    verb: Callable[Concatenate[R, P], Awaitable[T]],
) -> Callable[Concatenate[R, P], Coroutine[Any, Any, T]]:
    """Make a method of a repository a call: on bound documents, within the time limit.

    Whatever the driver raises becomes ServiceUnavailable.
    """

    @wraps(verb)
    async def call(repository: R, /, *args: P.args, **kwargs: P.kwargs) -> T:
        started = time.perf_counter()
        try:
            await repository.database.ready()
            with bounded_call(repository.database.call_seconds):
                return await verb(repository, *args, **kwargs)
        finally:
            repository.database.observe(verb.__name__, time.perf_counter() - started)

    return call


def _nobody(operation: str, seconds: float) -> None:
    """Nobody wants to know how long calls take."""


def _is_out_of_reach(cause: BaseException | None) -> bool:
    if isinstance(cause, PyMongoError):
        return isinstance(cause, ConnectionFailure) or cause.timeout
    return isinstance(cause, TimeoutError)
