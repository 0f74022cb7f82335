"""The composition root: which adapter stands behind which port, which port goes into which use case.

``Adapters`` names every adapter like the port field that it fills. Use cases are wired by those names:
a field called ``messages`` gets the provider called ``messages``, so a new use case is one more line in
``USE_CASES``. The container is synchronous; what must be opened and closed is in ``resources``.
"""

import inspect
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from dependency_injector import containers, providers

from finassist.adapters.classifier.distress import LinearDistressClassifier
from finassist.adapters.classifier.linear import LinearQuestionClassifier
from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.data_files.links import default_links
from finassist.adapters.data_files.prompts import system_prompt
from finassist.adapters.data_files.quote_images import quote_image_categories
from finassist.adapters.decoding.inspector import FileDecoder
from finassist.adapters.decoding.pool import DecodingPool
from finassist.adapters.identity.local import LocalIdentityProvider
from finassist.adapters.identity.passwords import Passwords
from finassist.adapters.sms.numbers import NumberingPlans
from finassist.adapters.system.clock import SystemClock, SystemIds
from finassist.adapters.system.fingerprints import HmacFingerprints
from finassist.adapters.telemetry.prometheus import PrometheusTelemetry
from finassist.adapters.tools.calculators import CalculatorTools
from finassist.application import (
    chat,
    conversations,
    launch,
    links,
    preprompts,
    quotas,
    seeding,
)
from finassist.application import (
    data_export as exporting,
)
from finassist.application import (
    profile_cards as cards,
)
from finassist.application import (
    quote_images as embeds,
)
from finassist.application.accounts import avatars
from finassist.application.accounts import overview as accounts
from finassist.application.auth import (
    backend_secret as backend,
)
from finassist.application.auth import (
    callers,
    otp,
)
from finassist.application.auth import (
    oauth as hosted,
)
from finassist.application.auth import (
    sign_in as auth,
)
from finassist.application.auth import (
    social_redirect as login,
)
from finassist.application.auth import (
    social_tokens as social,
)
from finassist.application.erasure import admission
from finassist.application.erasure import requests as erasure
from finassist.application.files import objects
from finassist.application.files import records as files
from finassist.application.retrieval import embedding, knowledge, rewriting
from finassist.application.retrieval import search as retrieval
from finassist.application.shares import owner as sharing
from finassist.application.shares import public as public_shares
from finassist.composition import factories
from finassist.composition.resources import open_resources
from finassist.config import Settings

USE_CASES: Final = (
    # in the order of their needs: a use case may take the ones above it
    backend.AdmitBackend,
    links.GetLinks,
    links.SetLinks,
    quotas.GetAllowance,
    quotas.CountChatRequest,
    quotas.GrantQuota,
    admission.EraseAgain,
    admission.FindErasure,
    admission.AdmitIdentity,
    admission.RequireAccount,
    callers.AdmitDevice,
    callers.FindTokenUser,
    callers.ResolveCaller,
    avatars.GetAvatarUrl,
    auth.OpenSession,
    auth.LimitSignIns,
    auth.SignUp,
    auth.SignIn,
    auth.RefreshSession,
    auth.SignOut,
    auth.DescribeProvider,
    auth.SetPassword,
    auth.RotateKeys,
    auth.DeleteExpiredLogins,
    login.StartLogin,
    login.FinishLogin,
    social.SignInSocial,
    hosted.OfferForm,
    hosted.TakeForm,
    hosted.AuthorizeSignIn,
    hosted.AuthorizeSignUp,
    hosted.GrantTokens,
    otp.SendOtp,
    otp.VerifyOtp,
    cards.DescribeAnswers,
    cards.SummariseProfile,
    cards.GetProfileCards,
    cards.CheckAnswers,
    cards.AnswerCards,
    cards.StartCardSession,
    accounts.DescribeAccount,
    accounts.GetAccount,
    accounts.UpdateAccount,
    accounts.AdmitWebhook,
    accounts.SyncUser,
    objects.FollowObjectLink,
    files.LinkFile,
    files.StoreFile,
    files.UploadFile,
    files.ListFiles,
    files.GetFile,
    files.DeleteFile,
    files.LinkAttachments,
    files.SweepFiles,
    launch.ClaimGuest,
    launch.VerifyLaunchToken,
    launch.LaunchApp,
    conversations.ListConversations,
    conversations.GetConversation,
    conversations.ListMessages,
    conversations.UpdateConversation,
    conversations.ArchiveConversation,
    conversations.RestoreConversation,
    conversations.DeleteConversation,
    conversations.GiveFeedback,
    preprompts.ListPreprompts,
    preprompts.CreatePreprompt,
    preprompts.UpdatePreprompt,
    preprompts.DeletePreprompt,
    sharing.ReadConversation,
    sharing.CreateShare,
    sharing.PreviewShare,
    sharing.ListShares,
    sharing.UpdateShare,
    sharing.RevokeShare,
    sharing.AnalyseShare,
    public_shares.OpenShare,
    public_shares.CountView,
    public_shares.ViewShare,
    public_shares.ContinueShare,
    seeding.SeedPreprompts,
    seeding.SeedLinks,
    knowledge.AddArticles,
    knowledge.ListArticles,
    knowledge.SearchKnowledge,
    knowledge.EvaluateKnowledge,
    knowledge.SeedKnowledge,
    embedding.EmbedArticles,
    embedding.EmbedAnew,
    rewriting.RewriteQuery,
    retrieval.ConsiderMessage,
    retrieval.Retrieve,
    chat.ReadFiles,
    chat.ChatAttachments,
    chat.RecallFiles,
    chat.ComposePrompt,
    chat.PrepareReply,
    chat.ChatGuidance,
    chat.SettleTurn,
    chat.BeginTurn,
    chat.CollectOrphans,
    chat.DeleteExpired,
    chat.CallTools,
    chat.AddNotice,
    embeds.ReadQuoteImages,
    embeds.ListQuoteImages,
    embeds.GetQuoteImage,
    embeds.ListQuoteImageCategories,
    embeds.CheckCategories,
    embeds.CreateQuoteImages,
    embeds.SeedQuoteImages,
    embeds.UpdateQuoteImage,
    embeds.DeleteQuoteImage,
    embeds.OpenQuoteImage,
    embeds.MatchQuoteImage,
    chat.AddQuoteImage,
    chat.AskModel,
    chat.WriteReply,
    chat.TurnRunner,
    chat.LoadReply,
    chat.FollowTurn,
    chat.ClaimIdempotencyKey,
    chat.StopTurn,
    chat.StopTurnByKey,
    chat.OfferHelp,
    chat.AssessMessage,
    chat.OfferedModels,
    chat.DraftTurn,
    chat.SendMessage,
    chat.DescribeAssistant,
    exporting.ReadOwnedRecords,
    erasure.ConfirmErasure,
    erasure.EndAccess,
    erasure.ErasureRunner,
    erasure.RequestErasure,
    erasure.GetErasure,
)

SECOND_OPINION: Final[Mapping[str, type]] = {
    "list_second_opinion_preprompts": preprompts.ListPreprompts,
    "get_second_opinion_preprompt": preprompts.GetPreprompt,
    "create_second_opinion_preprompt": preprompts.CreatePreprompt,
    "update_second_opinion_preprompt": preprompts.UpdatePreprompt,
    "delete_second_opinion_preprompt": preprompts.DeletePreprompt,
    "seed_second_opinion": seeding.SeedPreprompts,
}
"""The use cases of the second catalog: the classes of the main one, wired a second time."""


class Adapters(containers.DeclarativeContainer):
    """Every adapter, and the settings that use cases take by their own name."""

    settings: Any = providers.Dependency(instance_of=Settings)

    clock = providers.Singleton(SystemClock)
    ids = providers.Singleton(SystemIds)
    secret_key = providers.Singleton(factories.secret_key, settings)
    fingerprints = providers.Singleton(HmacFingerprints, secret_key)
    language_model = providers.Singleton(factories.language_model, settings)
    distress_classifier = providers.Singleton(LinearDistressClassifier)
    question_classifier = providers.Singleton(LinearQuestionClassifier)
    toolbox = providers.Singleton(CalculatorTools)
    default_links = providers.Singleton(default_links)
    system_prompt = providers.Singleton(system_prompt)
    starter_articles = providers.Object(starter_articles)

    telemetry = providers.Singleton(PrometheusTelemetry)
    tracing = providers.Singleton(factories.tracing)

    database = providers.Singleton(factories.database, settings, telemetry)
    database_probe = providers.Singleton(factories.repository, database, "database_probe")
    users = providers.Singleton(factories.repository, database, "users")
    devices = providers.Singleton(factories.repository, database, "devices")
    conversations = providers.Singleton(factories.repository, database, "conversations")
    messages = providers.Singleton(factories.repository, database, "messages")
    files = providers.Singleton(factories.repository, database, "files")
    shares = providers.Singleton(factories.repository, database, "shares")
    quotas = providers.Singleton(factories.repository, database, "quotas")
    rate_windows = providers.Singleton(factories.repository, database, "rate_windows")
    idempotency_keys = providers.Singleton(factories.repository, database, "idempotency_keys")
    local_accounts = providers.Singleton(factories.repository, database, "local_accounts")
    refresh_tokens = providers.Singleton(factories.repository, database, "refresh_tokens")
    sign_in_failures = providers.Singleton(factories.repository, database, "sign_in_failures")
    otp_codes = providers.Singleton(factories.repository, database, "otp_codes")
    login_states = providers.Singleton(factories.repository, database, "login_states")
    login_forms = providers.Singleton(factories.repository, database, "login_forms")
    preprompts = providers.Singleton(factories.repository, database, "preprompts")
    second_opinion_preprompts = providers.Singleton(
        factories.repository, database, "second_opinion_preprompts"
    )
    links = providers.Singleton(factories.repository, database, "links")
    owned_records = providers.Singleton(factories.repository, database, "owned_records")
    erasures = providers.Singleton(factories.repository, database, "erasures")
    authorization_codes = providers.Singleton(factories.repository, database, "authorization_codes")

    profile_cards = providers.Singleton(factories.repository, database, "profile_cards")
    quote_images = providers.Singleton(factories.repository, database, "quote_images")
    quote_image_categories = providers.Singleton(quote_image_categories)
    card_catalog = providers.Singleton(factories.card_catalog, settings)

    sms_sender = providers.Singleton(factories.sms_sender, settings)
    phone_numbers = providers.Singleton(NumberingPlans, settings.provided.sms_countries)
    object_store = providers.Singleton(factories.object_store, settings, fingerprints, clock)
    backend_secret = providers.Singleton(factories.backend_secret, settings)
    decoding_pool = providers.Singleton(DecodingPool)
    file_inspector = providers.Singleton(FileDecoder, decoding_pool)
    document_reader = providers.Singleton(FileDecoder, decoding_pool)
    image_editor = providers.Singleton(FileDecoder, decoding_pool)
    spool = providers.Singleton(factories.spool, settings)
    webhook_secret = providers.Singleton(factories.webhook_secret, settings)

    key_store = providers.Singleton(factories.key_store, settings, database, clock)
    token_signer = providers.Singleton(factories.token_signer, settings, key_store, clock)
    passwords = providers.Singleton(Passwords)
    authorization_server = providers.Singleton(
        LocalIdentityProvider,
        key_store=key_store,
        signer=token_signer,
        passwords=passwords,
        accounts=local_accounts,
        refresh_tokens=refresh_tokens,
        authorization_codes=authorization_codes,
        clock=clock,
        ids=ids,
        refresh_token_ttl=settings.provided.refresh_token_ttl_seconds,
        refresh_grace_window=settings.provided.refresh_grace_window_seconds,
        authorization_path=login.AUTHORIZATION_PATH,
        callback_path=login.CALLBACK_PATH,
    )
    outer_identity_provider = providers.Singleton(
        factories.outer_identity_provider, settings, secret_key, clock
    )
    identity_provider = providers.Selector(
        settings.provided.identity_provider,
        local=authorization_server,
        oidc=outer_identity_provider,
        keycloak=outer_identity_provider,
        auth0=outer_identity_provider,
    )
    social_tokens = providers.Singleton(factories.social_tokens, settings, clock)

    embedder = providers.Singleton(factories.embedder, settings)
    knowledge_database = providers.Singleton(factories.knowledge_database, settings, embedder)
    vector_index = providers.Singleton(factories.vector_index, knowledge_database, embedder)
    vector_server = providers.Singleton(factories.vector_server, knowledge_database)
    knowledge = providers.Singleton(factories.knowledge, knowledge_database, vector_index, embedder)


def build_container(settings: Settings, **adapters: object) -> containers.DynamicContainer:
    """Wire everything. ``adapters`` replace providers by name: ``language_model=FakeModel()``.

    Raises TypeError for a name that no provider has, SettingsError for what the settings ask for and cannot
    have.
    """
    container: Any = Adapters(settings=providers.Object(settings))
    for name, adapter in adapters.items():
        if name not in container.providers:
            raise TypeError(f"there is no adapter called {name!r}")
        container.providers[name].override(providers.Object(adapter))
    for use_case in USE_CASES:
        container.set_provider(_snake_case(use_case.__name__), _wire(container, use_case))
    _wire_second_catalog(container)
    container.card_catalog()  # an operator's file that is wrong stops the start
    wired: containers.DynamicContainer = container
    return wired


def _wire_second_catalog(container: Any) -> None:
    instead: dict[str, object] = {"preprompts": container.second_opinion_preprompts, "by_key": True}
    for name, use_case in SECOND_OPINION.items():
        provider = _wire(container, use_case, **instead)
        container.set_provider(name, provider)
        instead[_snake_case(use_case.__name__)] = provider  # those below take it, not the main catalog's


def _wire(container: Any, use_case: type, **instead: object) -> providers.Singleton[Any]:
    """A provider of the use case, every parameter filled by what is given ``instead``, or by the provider or
    setting of its name."""
    settings = container.settings.provided
    available: Mapping[str, Any] = {**container.providers, **instead}
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
async def open_container(settings: Settings | None = None, **adapters: object) -> AsyncIterator[Any]:
    """The whole service for a script, without HTTP.

    ``settings`` default to the environment's; any adapter is replaced by an argument of its name::

        async with open_container() as finassist:
            turn = await finassist.send_message()(caller, ChatMessage(message="What is an ETF?"))
    """
    container = build_container(settings or Settings.from_env(), **adapters)
    async with open_resources(container):
        yield container
