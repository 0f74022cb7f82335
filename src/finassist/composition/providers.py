"""The adapter of each port: one provider for each, of the port's type.

Repositories come from the database; every other adapter is named like the field of ``Adapters`` that it
fills. The container is synchronous: what must be opened and closed is in ``resources``.
"""

from collections.abc import Callable

from dependency_injector import containers, providers

from finassist.adapters.classifier.calculations import DistressClassifierBesideCalculations
from finassist.adapters.classifier.language import FastTextLanguages
from finassist.adapters.classifier.linear import LinearQuestionClassifier
from finassist.adapters.data_files.articles import starter_articles, starter_edition
from finassist.adapters.data_files.catalogs import shipped_catalogs
from finassist.adapters.data_files.common_passwords import ShippedCommonPasswords
from finassist.adapters.data_files.help_texts import help_texts
from finassist.adapters.data_files.links import default_links
from finassist.adapters.data_files.prompts import system_prompt
from finassist.adapters.data_files.quote_images import quote_image_categories
from finassist.adapters.decoding.inspector import FileDecoder
from finassist.adapters.decoding.pool import DecodingPool
from finassist.adapters.identity.keys import SigningKeyStore
from finassist.adapters.identity.live_sessions import RememberedSessions
from finassist.adapters.identity.local import LocalIdentityProvider
from finassist.adapters.identity.passwords import Passwords
from finassist.adapters.identity.second_factors import LocalSecondFactors
from finassist.adapters.identity.sessions import TokenSessions
from finassist.adapters.identity.signing import TokenSigner
from finassist.adapters.identity.totp import TotpCodes
from finassist.adapters.languages.entries import ShippedEntriesByLanguage
from finassist.adapters.llm.offline.calculation import Calculations
from finassist.adapters.sms.numbers import NumberingPlans
from finassist.adapters.system.clock import CorrectedClock, SystemIds
from finassist.adapters.system.fingerprints import HmacFingerprints
from finassist.adapters.telemetry.prometheus import PrometheusTelemetry
from finassist.adapters.tools.calculators import CalculatorTools
from finassist.application.auth.social_redirect import AUTHORIZATION_PATH, CALLBACK_PATH
from finassist.application.ports.auth import (
    CommonPasswords,
    EmailSender,
    LiveSessions,
    PhoneNumbers,
    SecondFactors,
    SmsSender,
)
from finassist.application.ports.classifiers import (
    DistressClassifier,
    FollowUpClassifier,
    LanguageDetector,
    QuestionClassifier,
    VagueQuestions,
)
from finassist.application.ports.database import DatabaseConnection, RecordChecks
from finassist.application.ports.files import (
    DocumentReader,
    FileInspector,
    ImageEditor,
    ObjectStore,
    SpeechToText,
    Spool,
    StatementReader,
)
from finassist.application.ports.identity import AuthorizationServer, IdentityProvider, SocialTokens
from finassist.application.ports.knowledge import (
    Embedder,
    EntriesByLanguage,
    EntryWordings,
    KnowledgeBase,
    VectorIndex,
    VectorServer,
)
from finassist.application.ports.language_model import LanguageModel, Toolbox
from finassist.application.ports.repositories import Repositories
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.application.ports.telemetry import Telemetry, Tracing
from finassist.application.seeding import ShippedCatalogs
from finassist.composition import factories
from finassist.composition.adapters import StarterArticles, StarterEdition
from finassist.composition.verification import knowledge_checks
from finassist.config import Settings
from finassist.domain.catalogs.quote_images import QuoteImageCategories
from finassist.domain.links import Links
from finassist.domain.profile_cards import CardCatalog
from finassist.domain.retrieval.judgement import Meaning
from finassist.domain.safety import HelpTexts


class AdapterProviders(containers.DeclarativeContainer):
    """A provider for every adapter. mypy holds each to its port, and factories choose by the settings."""

    settings: providers.Dependency[Settings] = providers.Dependency(instance_of=Settings)

    ids: providers.Provider[IdFactory] = providers.Singleton(SystemIds)
    secret_key: providers.Provider[bytes] = providers.Singleton(factories.secret_key, settings)
    backend_secrets: providers.Provider[tuple[bytes, ...]] = providers.Singleton(
        factories.backend_secrets, settings
    )
    webhook_secret: providers.Provider[bytes | None] = providers.Singleton(factories.webhook_secret, settings)
    fingerprints: providers.Provider[Fingerprints] = providers.Singleton(HmacFingerprints, secret_key)
    telemetry: providers.Provider[Telemetry] = providers.Singleton(PrometheusTelemetry)
    clock: providers.Provider[Clock] = providers.Singleton(
        CorrectedClock, report=telemetry.provided.clock_corrected
    )
    tracing: providers.Provider[Tracing] = providers.Singleton(factories.tracing)

    database: providers.Provider[DatabaseConnection] = providers.Singleton(
        factories.database, settings, telemetry, clock
    )
    repositories: providers.Singleton[Repositories] = providers.Singleton(factories.repositories, database)

    embedder: providers.Provider[Embedder | None] = providers.Singleton(factories.embedder, settings)
    language_model: providers.Provider[LanguageModel] = providers.Singleton(
        factories.language_model, settings, embedder
    )
    calculations = providers.Singleton(Calculations, embedder)
    toolbox: providers.Provider[Toolbox] = providers.Singleton(
        CalculatorTools, likely=calculations.provided.likely
    )
    system_prompt: providers.Provider[str] = providers.Singleton(system_prompt)
    help_texts: providers.Provider[HelpTexts] = providers.Singleton(help_texts)
    question_classifier: providers.Provider[QuestionClassifier] = providers.Singleton(
        LinearQuestionClassifier
    )
    language_detector: providers.Provider[LanguageDetector] = providers.Singleton(FastTextLanguages)

    follow_up_classifier: providers.Provider[FollowUpClassifier] = providers.Singleton(
        factories.follow_up_classifier, settings, embedder
    )
    vague_questions: providers.Provider[VagueQuestions] = providers.Singleton(
        factories.vague_questions, settings, embedder
    )
    distress_classifier: providers.Provider[DistressClassifier] = providers.Singleton(
        DistressClassifierBesideCalculations,
        providers.Singleton(factories.distress_classifier, embedder),
        calculations.provided.calculator_of,
    )
    knowledge_database: providers.Provider[DatabaseConnection] = providers.Singleton(
        factories.knowledge_database, settings, embedder
    )
    knowledge_checks: providers.Provider[RecordChecks | None] = providers.Singleton(
        knowledge_checks, knowledge_database
    )
    vector_index: providers.Provider[VectorIndex | None] = providers.Singleton(
        factories.vector_index, settings, knowledge_database, embedder
    )
    vector_server: providers.Provider[VectorServer | None] = providers.Singleton(
        factories.vector_server, knowledge_database
    )
    meaning: providers.Provider[Meaning] = providers.Singleton(factories.meaning, settings)
    knowledge: providers.Provider[KnowledgeBase] = providers.Singleton(
        factories.knowledge, knowledge_database, vector_index, embedder, meaning, language_detector
    )
    entry_wordings: providers.Provider[EntryWordings | None] = providers.Singleton(
        factories.entry_wordings, embedder
    )
    entries_by_language: providers.Provider[EntriesByLanguage] = providers.Singleton(ShippedEntriesByLanguage)
    starter_articles: providers.Provider[StarterArticles] = providers.Object(starter_articles)
    starter_edition: providers.Provider[StarterEdition] = providers.Object(starter_edition)

    default_links: providers.Provider[Links] = providers.Singleton(default_links)
    shipped_catalogs: providers.Provider[Callable[[], ShippedCatalogs]] = providers.Object(shipped_catalogs)
    card_catalog: providers.Provider[CardCatalog] = providers.Singleton(factories.card_catalog, settings)
    quote_image_categories: providers.Provider[QuoteImageCategories] = providers.Singleton(
        quote_image_categories
    )

    object_store: providers.Provider[ObjectStore] = providers.Singleton(
        factories.object_store, settings, fingerprints, clock
    )
    spool: providers.Provider[Spool] = providers.Singleton(factories.spool, settings)
    decoding_pool: providers.Provider[DecodingPool] = providers.Singleton(
        DecodingPool,
        seconds_per_caller=settings.provided.decoding_seconds_per_caller,
        seconds_per_address=settings.provided.decoding_seconds_per_address,
    )
    file_inspector: providers.Provider[FileInspector] = providers.Singleton(FileDecoder, decoding_pool)
    document_reader: providers.Provider[DocumentReader] = providers.Singleton(FileDecoder, decoding_pool)
    statement_reader: providers.Provider[StatementReader] = providers.Singleton(FileDecoder, decoding_pool)
    image_editor: providers.Provider[ImageEditor] = providers.Singleton(FileDecoder, decoding_pool)

    speech_to_text: providers.Provider[SpeechToText | None] = providers.Singleton(
        factories.speech_to_text, settings
    )

    key_store: providers.Provider[SigningKeyStore] = providers.Singleton(
        factories.key_store, settings, database, clock
    )
    token_signer: providers.Provider[TokenSigner] = providers.Singleton(
        factories.token_signer, settings, key_store, clock
    )
    passwords: providers.Provider[Passwords] = providers.Singleton(Passwords)
    live_sessions: providers.Provider[LiveSessions] = providers.Singleton(
        RememberedSessions, repositories.provided.sessions, clock
    )
    token_sessions: providers.Provider[TokenSessions] = providers.Singleton(
        TokenSessions,
        signer=token_signer,
        accounts=repositories.provided.local_accounts,
        refresh_tokens=repositories.provided.refresh_tokens,
        sessions=repositories.provided.sessions,
        live_sessions=live_sessions,
        clock=clock,
        ids=ids,
        secret_key=secret_key,
        refresh_token_ttl=settings.provided.refresh_token_ttl_seconds,
        refresh_grace_window=settings.provided.refresh_grace_window_seconds,
        session_max=settings.provided.session_max_seconds,
    )
    account_second_factors: providers.Provider[SecondFactors] = providers.Singleton(
        LocalSecondFactors,
        accounts=repositories.provided.local_accounts,
        factors=repositories.provided.second_factors,
        challenges=repositories.provided.second_factor_challenges,
        failures=repositories.provided.sign_in_failures,
        codes=providers.Singleton(TotpCodes, secret_key),
        fingerprints=fingerprints,
        clock=clock,
    )
    authorization_server: providers.Provider[AuthorizationServer] = providers.Singleton(
        LocalIdentityProvider,
        key_store=key_store,
        signer=token_signer,
        passwords=passwords,
        accounts=repositories.provided.local_accounts,
        sessions=token_sessions,
        live_sessions=live_sessions,
        second_factors=account_second_factors,
        authorization_codes=repositories.provided.authorization_codes,
        clock=clock,
        ids=ids,
        authorization_path=AUTHORIZATION_PATH,
        callback_path=CALLBACK_PATH,
    )
    outer_identity_provider: providers.Provider[IdentityProvider] = providers.Singleton(
        factories.outer_identity_provider, settings, secret_key, clock
    )
    identity_provider: providers.Provider[IdentityProvider] = providers.Selector(
        settings.provided.identity_provider,
        local=authorization_server,
        oidc=outer_identity_provider,
        keycloak=outer_identity_provider,
        auth0=outer_identity_provider,
    )
    social_tokens: providers.Provider[SocialTokens | None] = providers.Singleton(
        factories.social_tokens, settings, clock
    )
    email_sender: providers.Provider[EmailSender] = providers.Singleton(factories.email_sender, settings)
    common_passwords: providers.Provider[CommonPasswords] = providers.Singleton(ShippedCommonPasswords)
    sms_sender: providers.Provider[SmsSender] = providers.Singleton(factories.sms_sender, settings)
    phone_numbers: providers.Provider[PhoneNumbers] = providers.Singleton(
        NumberingPlans, settings.provided.sms_countries
    )
