"""What is opened before the service answers, and closed when it ends: connections, and housekeeping."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from finassist.application.concurrency.periodic import Periodic

_COLLECT_SECONDS: Final = 5
_DELETE_EXPIRED_SECONDS: Final = 300
_SWEEP_SECONDS: Final = 6 * 3600
_FILL_KNOWLEDGE_SECONDS: Final = 60


@asynccontextmanager
async def open_resources(container: Any) -> AsyncIterator[None]:
    """Open what must be opened, in order, and close it in the opposite order."""
    async with AsyncExitStack() as stack:
        for database in (container.database(), container.knowledge_database()):
            await database.open()
            stack.push_async_callback(database.close)
        if not container.settings().vector_store_url:
            await container.seed_knowledge()()
        if (embedder := container.embedder()) is not None:
            stack.push_async_callback(embedder.close)
        stack.callback(container.tracing().close)
        stack.push_async_callback(container.language_model().close)
        stack.callback(container.passwords().close)
        stack.push_async_callback(container.count_view().close)
        stack.push_async_callback(container.sms_sender().close)
        stack.push_async_callback(container.identity_provider().close)
        if (social_tokens := container.social_tokens()) is not None:
            stack.push_async_callback(social_tokens.close)
        await container.object_store().connect()
        stack.push_async_callback(container.object_store().close)
        stack.push_async_callback(container.decoding_pool().close)
        for resource in (
            container.turn_runner(),
            container.erasure_runner(),
            Periodic(container.collect_orphans(), seconds=_COLLECT_SECONDS),
            Periodic(container.delete_expired(), seconds=_DELETE_EXPIRED_SECONDS),
            Periodic(container.delete_expired_logins(), seconds=_DELETE_EXPIRED_SECONDS),
            Periodic(container.sweep_files(), seconds=_SWEEP_SECONDS),
            *_knowledge_fillers(container),
        ):
            await resource.open()
            stack.push_async_callback(resource.close)
        yield


def _knowledge_fillers(container: Any) -> Iterator[Periodic]:
    """What fills the knowledge base while the service answers already."""
    if container.settings().vector_store_url:  # a server that may be out of reach, or have to embed first
        yield Periodic(container.seed_knowledge(), seconds=_FILL_KNOWLEDGE_SECONDS)
    if container.vector_index() is not None:
        yield Periodic(container.embed_articles(), seconds=_FILL_KNOWLEDGE_SECONDS)
