"""What is opened when the service starts and closed when it ends: connections, background jobs."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import Final, Protocol, runtime_checkable

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.data_files.knowledge_base import unpack_base
from finassist.adapters.system.private_files import keep_private
from finassist.application.concurrency.background import Periodic
from finassist.composition.application import Finassist
from finassist.patterns import compile_late

_log = logging.getLogger(__name__)

_LATE_IMPORTS: Final = "finassist.composition.late_imports"
_COLLECT_SECONDS: Final = 5
_DELETE_EXPIRED_SECONDS: Final = 300
_SWEEP_SECONDS: Final = 6 * 3600
_FILL_KNOWLEDGE_SECONDS: Final = 60
_FILL_CATALOGS_SECONDS: Final = 60


class _Resource(Protocol):
    """A background job, from ``open`` to ``close``."""

    async def open(self) -> None: ...

    async def close(self) -> None: ...


@runtime_checkable
class _Prepared(Protocol):
    """A language model with something to do before the first question, which takes its time."""

    async def prepare(self) -> None: ...


@asynccontextmanager
async def open_resources(finassist: Finassist) -> AsyncIterator[None]:
    """Open what must be opened, in order, and close it in the opposite order."""
    adapters, workers = finassist.adapters, finassist.workers
    keep_private(finassist.settings.data_dir)
    async with AsyncExitStack() as stack:
        if _fills_a_file(finassist) and adapters.starter_articles is starter_articles:
            await asyncio.to_thread(unpack_base, finassist.settings.knowledge_path)
        for database in (adapters.database, adapters.knowledge_database):
            await database.open()
            stack.push_async_callback(database.close)
        if _fills_a_file(finassist):
            await workers.seed_knowledge()
        for optional in (adapters.embedder, adapters.social_tokens, adapters.speech_to_text):
            if optional is not None:
                stack.push_async_callback(optional.close)
        stack.callback(adapters.tracing.close)
        stack.push_async_callback(adapters.language_model.close)
        stack.callback(adapters.passwords.close)
        stack.push_async_callback(workers.count_view.close)
        stack.push_async_callback(adapters.sms_sender.close)
        stack.push_async_callback(adapters.email_sender.close)
        stack.push_async_callback(workers.outbox.close)
        stack.push_async_callback(adapters.identity_provider.close)
        await adapters.object_store.connect()
        stack.push_async_callback(adapters.object_store.close)
        stack.push_async_callback(adapters.decoding_pool.close)
        for job in _jobs(finassist):
            await job.open()
            stack.push_async_callback(job.close)
        yield


@asynccontextmanager
async def filled_catalogs(finassist: Finassist) -> AsyncIterator[None]:
    """Fill the catalogs of a new service while it responds already; for a service, not for a script."""
    filling = _periodic(finassist, "fill catalogs", finassist.workers.fill_catalogs, _FILL_CATALOGS_SECONDS)
    await filling.open()
    try:
        yield
    finally:
        await filling.close()


@asynccontextmanager
async def prepared_replies(finassist: Finassist) -> AsyncIterator[None]:
    """Load what the first question needs while the service responds already."""
    preparing = asyncio.create_task(_prepare(finassist), name="prepare replies")
    try:
        yield
    finally:
        await preparing


async def _prepare(finassist: Finassist) -> None:
    model = finassist.adapters.language_model
    try:
        if isinstance(model, _Prepared):
            await model.prepare()
        if finassist.adapters.vector_index is not None:
            await asyncio.to_thread(import_module, _LATE_IMPORTS)
        await asyncio.to_thread(finassist.adapters.toolbox.specs)
        await asyncio.to_thread(compile_late)
        _log.info("prepared")
    except Exception:  # the first question tries again, and fails for its user
        finassist.workers.background_tasks.failed("prepare replies")


def _jobs(finassist: Finassist) -> Iterator[_Resource]:
    """The background jobs, in the order in which they are opened."""
    workers = finassist.workers
    yield workers.turn_runner
    yield workers.erasure_runner
    yield _periodic(finassist, "collect orphans", workers.collect_orphans, _COLLECT_SECONDS)
    for name, job in (
        ("delete expired", workers.delete_expired),
        ("delete expired logins", workers.delete_expired_logins),
        ("delete old audit", workers.delete_old_audit),
    ):
        yield _periodic(finassist, name, job, _DELETE_EXPIRED_SECONDS)
    yield _periodic(finassist, "sweep files", workers.sweep_files, _SWEEP_SECONDS)
    yield _periodic(finassist, "delete unused devices", workers.delete_unused_devices, _SWEEP_SECONDS)
    yield from _knowledge_fillers(finassist)


def _periodic(
    finassist: Finassist, name: str, job: Callable[[], Awaitable[object]], seconds: float
) -> Periodic:
    return Periodic(name, job, seconds=seconds, tasks=finassist.workers.background_tasks)


def _knowledge_fillers(finassist: Finassist) -> Iterator[Periodic]:
    """The jobs that fill the knowledge base while the service is already running."""
    # A server that may be out of reach, or have to embed first.
    if finassist.settings.vector_store_url:
        yield _periodic(
            finassist, "seed knowledge", finassist.workers.seed_knowledge, _FILL_KNOWLEDGE_SECONDS
        )
    if finassist.adapters.vector_index is not None:
        yield _periodic(finassist, "embed articles", finassist.embed_articles, _FILL_KNOWLEDGE_SECONDS)


def _fills_a_file(finassist: Finassist) -> bool:
    """Whether the knowledge base is a file of this service, and is searched."""
    return finassist.settings.rag_enabled and not finassist.settings.vector_store_url
