"""The composition root: which adapter stands behind which port, which port goes into which use case.

``Adapters`` names every adapter like the port field that it fills. Use cases are wired by those names:
a field called ``messages`` gets the provider called ``messages``, so a new use case is one more line in
``USE_CASES``. The container is synchronous; what must be opened and closed is in ``open_resources``.
"""

import inspect
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from dependency_injector import containers, providers

from finassist.adapters import packaged
from finassist.adapters.fingerprints import HmacFingerprints
from finassist.adapters.identity.keys import KeyFiles, KeyRing
from finassist.adapters.identity.local import AUDIENCE, DEFAULT_ISSUER, LocalIdentityProvider
from finassist.adapters.llm.offline import OfflineModel
from finassist.adapters.local_secret import load_or_create_secret
from finassist.adapters.sqlite.conversations import SqliteConversations
from finassist.adapters.sqlite.database import Database
from finassist.adapters.sqlite.devices import SqliteDevices
from finassist.adapters.sqlite.idempotency import SqliteIdempotencyKeys
from finassist.adapters.sqlite.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.messages import SqliteMessages
from finassist.adapters.sqlite.probe import SqliteProbe
from finassist.adapters.sqlite.quotas import SqliteQuotas
from finassist.adapters.sqlite.rate_windows import SqliteRateWindows
from finassist.adapters.sqlite.users import SqliteUsers
from finassist.adapters.system import SystemClock, SystemIds
from finassist.adapters.tools.calculators import CalculatorTools
from finassist.application import callers, chat, conversations, knowledge, launch, links, quotas, retrieval
from finassist.application.periodic import Periodic
from finassist.application.ports.gateways import Clock, LanguageModel
from finassist.config import Settings, SettingsError

_COLLECT_SECONDS: Final = 5
_DELETE_EXPIRED_SECONDS: Final = 300

USE_CASES: Final = (
    # in the order of their needs: a use case may take the ones above it
    links.GetLinks,
    quotas.GetAllowance,
    quotas.CountChatRequest,
    quotas.GrantQuota,
    callers.AdmitDevice,
    callers.FindTokenUser,
    callers.ResolveCaller,
    launch.ClaimGuest,
    launch.LaunchApp,
    conversations.ListConversations,
    conversations.GetConversation,
    conversations.ListMessages,
    conversations.UpdateConversation,
    conversations.ArchiveConversation,
    conversations.RestoreConversation,
    conversations.DeleteConversation,
    conversations.GiveFeedback,
    knowledge.AddArticles,
    knowledge.ListArticles,
    knowledge.SearchKnowledge,
    knowledge.EvaluateKnowledge,
    knowledge.SeedKnowledge,
    retrieval.Retrieve,
    chat.ComposePrompt,
    chat.PrepareReply,
    chat.ClaimIdempotencyKey,
    chat.SettleTurn,
    chat.CollectOrphans,
    chat.DeleteExpired,
    chat.CallTools,
    chat.AddNotice,
    chat.WriteReply,
    chat.TurnRunner,
    chat.LoadReply,
    chat.FollowTurn,
    chat.StopTurn,
    chat.StopTurnByKey,
    chat.SendMessage,
    chat.DescribeAssistant,
)


_NOT_BUILT: Final = (
    ("database_url", "sqlite"),
    ("object_store_url", ""),
    ("vector_store_url", ""),
    ("identity_provider", "local"),
    ("sms_provider", "console"),
)


def _refuse_what_is_not_built(settings: Settings) -> None:
    """Raise SettingsError for settings that ask for an adapter which this version does not have."""
    problems = {
        name.upper(): "not available in this version"
        for name, built in _NOT_BUILT
        if (value := getattr(settings, name)) and not (built and value.startswith(built))
    }
    if problems:
        raise SettingsError(problems)


def _secret_key(settings: Settings) -> bytes:
    if settings.secret_key is not None:
        return settings.secret_key.reveal().encode()
    return load_or_create_secret(settings.data_dir)


def _identity_provider(settings: Settings, clock: Clock) -> LocalIdentityProvider:
    return LocalIdentityProvider(
        KeyRing(KeyFiles(settings.data_dir / "keys"), clock),
        settings.public_base_url or DEFAULT_ISSUER,
        AUDIENCE,
        clock,
        settings.access_token_ttl_seconds,
    )


def _language_model(settings: Settings) -> LanguageModel:
    if settings.llm_provider == "offline":
        return OfflineModel()
    given: dict[str, Any] = {
        "default_model": settings.llm_model,
        "models": settings.llm_models,
        "first_token_timeout": settings.llm_first_token_timeout_seconds,
        "idle_timeout": settings.llm_idle_timeout_seconds,
        "total_timeout": settings.llm_total_timeout_seconds,
    }
    # The vendors' libraries take half a second and more to import.
    if settings.llm_provider == "anthropic":
        from finassist.adapters.llm.anthropic import AnthropicModel

        key = settings.anthropic_api_key
        return AnthropicModel(
            api_key=key.reveal() if key else None, base_url=settings.anthropic_base_url or None, **given
        )
    from finassist.adapters.llm.openai import OpenAiModel

    key = settings.openai_api_key
    return OpenAiModel(
        api_key=key.reveal() if key else None, base_url=settings.openai_base_url or None, **given
    )


class Adapters(containers.DeclarativeContainer):
    """Every adapter, and the settings that use cases take by their own name."""

    settings: Any = providers.Dependency(instance_of=Settings)

    clock = providers.Singleton(SystemClock)
    ids = providers.Singleton(SystemIds)
    fingerprints = providers.Singleton(HmacFingerprints, providers.Callable(_secret_key, settings))
    identity_provider = providers.Singleton(_identity_provider, settings, clock)
    language_model = providers.Singleton(_language_model, settings)
    toolbox = providers.Singleton(CalculatorTools)
    default_links = providers.Singleton(packaged.default_links)
    system_prompt = providers.Singleton(packaged.system_prompt)
    starter_articles = providers.Object(packaged.starter_articles)

    database = providers.Singleton(Database, settings.provided.sqlite_path)
    database_probe = providers.Singleton(SqliteProbe, database)
    users = providers.Singleton(SqliteUsers, database)
    devices = providers.Singleton(SqliteDevices, database)
    conversations = providers.Singleton(SqliteConversations, database)
    messages = providers.Singleton(SqliteMessages, database)
    quotas = providers.Singleton(SqliteQuotas, database)
    rate_windows = providers.Singleton(SqliteRateWindows, database)
    idempotency_keys = providers.Singleton(SqliteIdempotencyKeys, database)
    knowledge_database = providers.Singleton(Database, settings.provided.knowledge_path, "knowledge")
    knowledge = providers.Singleton(SqliteKnowledge, knowledge_database)


def build_container(settings: Settings, **adapters: object) -> containers.DynamicContainer:
    """Wire everything. ``adapters`` replace providers by name: ``language_model=FakeModel()``.

    Raises TypeError for a name that no provider has, SettingsError for an adapter that does not exist.
    """
    _refuse_what_is_not_built(settings)
    container: Any = Adapters(settings=providers.Object(settings))
    for name, adapter in adapters.items():
        if name not in container.providers:
            raise TypeError(f"there is no adapter called {name!r}")
        container.providers[name].override(providers.Object(adapter))
    for use_case in USE_CASES:
        container.set_provider(_snake_case(use_case.__name__), _wire(container, use_case))
    wired: containers.DynamicContainer = container
    return wired


def _wire(container: Any, use_case: type) -> providers.Singleton[Any]:
    """A provider of the use case, every parameter filled by the provider or setting of its name."""
    settings = container.settings.provided
    available: Mapping[str, Any] = container.providers
    known = Settings.__dataclass_fields__
    return providers.Singleton(
        use_case,
        **{
            name: available[name] if name in available else getattr(settings, name)
            for name, parameter in inspect.signature(use_case).parameters.items()
            if name in available or name in known or parameter.default is parameter.empty
        },
    )


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@asynccontextmanager
async def open_resources(container: Any) -> AsyncIterator[None]:
    """Open what must be opened, in order, and close it in the opposite order."""
    async with AsyncExitStack() as stack:
        for database in (container.database(), container.knowledge_database()):
            await database.open()
            stack.push_async_callback(database.close)
        await container.seed_knowledge()()
        stack.push_async_callback(container.language_model().close)
        for resource in (
            container.turn_runner(),
            Periodic(container.collect_orphans(), seconds=_COLLECT_SECONDS),
            Periodic(container.delete_expired(), seconds=_DELETE_EXPIRED_SECONDS),
        ):
            await resource.open()
            stack.push_async_callback(resource.close)
        yield


@asynccontextmanager
async def open_container(settings: Settings | None = None, **adapters: object) -> AsyncIterator[Any]:
    """The whole service for a script, without HTTP.

    ``settings`` default to the environment's; any adapter is replaced by an argument of its name::

        async with open_container() as finassist:
            turn = await finassist.send_message()(caller, ChatMessage(message="What is an ETF?"))
    """
    container = build_container(settings or Settings.from_env(), **adapters)
    async with open_resources(container):
        yield container
