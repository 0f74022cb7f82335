"""All adapters, by name and port, and the arguments by which a script replaces them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from finassist.adapters.decoding.pool import DecodingPool
from finassist.adapters.identity.keys import SigningKeyStore
from finassist.adapters.identity.passwords import Passwords
from finassist.adapters.identity.signing import TokenSigner
from finassist.application.ports.auth import (
    AppLogin,
    AuditRepository,
    AuthorizationCode,
    CommonPasswords,
    EmailSender,
    EmailVerification,
    LiveSessions,
    LocalAccountRepository,
    LoginState,
    OtpRepository,
    PasswordReset,
    PhoneNumbers,
    RefreshTokenRepository,
    SecondFactorChallenges,
    SecondFactorRepository,
    SecondFactors,
    SessionRepository,
    SignInAddressRepository,
    SignInFailures,
    SmsSender,
    Tickets,
    UsedSocialToken,
)
from finassist.application.ports.catalogs import (
    CatalogFilling,
    LinkRepository,
    PrepromptRepository,
    QuoteImageRepository,
)
from finassist.application.ports.classifiers import (
    DistressClassifier,
    FollowUpClassifier,
    LanguageDetector,
    QuestionClassifier,
    VagueQuestions,
)
from finassist.application.ports.conversations import ConversationRepository, MessageRepository
from finassist.application.ports.data_export import OwnedRecordRepository
from finassist.application.ports.database import DatabaseConnection, DatabaseProbe, RecordChecks
from finassist.application.ports.erasure import ErasureRepository
from finassist.application.ports.files import (
    DocumentReader,
    FileInspector,
    FileRepository,
    ImageEditor,
    ObjectStore,
    PayeeCategoryRepository,
    SpeechToText,
    Spool,
    StatementReader,
)
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.identity import (
    AuthorizationRequest,
    AuthorizationServer,
    IdentityProvider,
    SocialTokens,
)
from finassist.application.ports.knowledge import (
    Embedder,
    EntriesByLanguage,
    EntryWordings,
    KnowledgeBase,
    VectorIndex,
    VectorServer,
)
from finassist.application.ports.language_model import LanguageModel, Toolbox
from finassist.application.ports.profile_cards import ProfileCardRepository
from finassist.application.ports.quotas import QuotaRepository, RateWindowRepository
from finassist.application.ports.repositories import Repositories
from finassist.application.ports.shares import ShareRepository
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.application.ports.telemetry import Telemetry, Tracing
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.application.seeding import ShippedCatalogs
from finassist.domain.catalogs.quote_images import QuoteImageCategories
from finassist.domain.knowledge import Article
from finassist.domain.links import Links
from finassist.domain.profile_cards import CardCatalog
from finassist.domain.retrieval.judgement import Meaning
from finassist.domain.safety import HelpTexts

StarterArticles = Callable[[], Sequence[Article]]
"""Reads the articles that a fresh knowledge base begins with."""
StarterEdition = Callable[[], str]
"""Names the edition of those articles."""


@dataclass(frozen=True, kw_only=True)
class Adapters(Repositories):
    """Every adapter of a service, the repositories included. A field's type is the port that it fills."""

    clock: Clock
    ids: IdFactory
    secret_key: bytes
    backend_secrets: tuple[bytes, ...]
    webhook_secret: bytes | None
    fingerprints: Fingerprints
    telemetry: Telemetry
    tracing: Tracing
    database: DatabaseConnection

    language_model: LanguageModel
    toolbox: Toolbox
    system_prompt: str
    help_texts: HelpTexts
    distress_classifier: DistressClassifier
    question_classifier: QuestionClassifier
    follow_up_classifier: FollowUpClassifier
    vague_questions: VagueQuestions
    language_detector: LanguageDetector

    embedder: Embedder | None
    knowledge_database: DatabaseConnection
    knowledge_checks: RecordChecks | None
    knowledge: KnowledgeBase
    entry_wordings: EntryWordings | None
    entries_by_language: EntriesByLanguage
    meaning: Meaning
    vector_index: VectorIndex | None
    vector_server: VectorServer | None
    starter_articles: StarterArticles
    starter_edition: StarterEdition

    default_links: Links
    shipped_catalogs: Callable[[], ShippedCatalogs]
    card_catalog: CardCatalog
    quote_image_categories: QuoteImageCategories

    object_store: ObjectStore
    spool: Spool
    decoding_pool: DecodingPool
    file_inspector: FileInspector
    document_reader: DocumentReader
    statement_reader: StatementReader
    image_editor: ImageEditor
    speech_to_text: SpeechToText | None

    identity_provider: IdentityProvider
    authorization_server: AuthorizationServer
    social_tokens: SocialTokens | None
    key_store: SigningKeyStore
    token_signer: TokenSigner
    passwords: Passwords
    live_sessions: LiveSessions
    account_second_factors: SecondFactors
    email_sender: EmailSender
    common_passwords: CommonPasswords
    sms_sender: SmsSender
    phone_numbers: PhoneNumbers


class RepositoryOverrides(TypedDict, total=False):
    """The repositories that ``open_container`` takes; the fields of ``Repositories``."""

    database_probe: DatabaseProbe
    record_checks: RecordChecks
    users: UserRepository
    devices: DeviceRepository
    conversations: ConversationRepository
    messages: MessageRepository
    shares: ShareRepository
    files: FileRepository
    quotas: QuotaRepository
    rate_windows: RateWindowRepository
    idempotency_keys: IdempotencyRepository
    local_accounts: LocalAccountRepository
    refresh_tokens: RefreshTokenRepository
    sessions: SessionRepository
    second_factors: SecondFactorRepository
    second_factor_challenges: SecondFactorChallenges
    sign_in_addresses: SignInAddressRepository
    sign_in_failures: SignInFailures
    otp_codes: OtpRepository
    login_states: Tickets[LoginState]
    app_logins: Tickets[AppLogin]
    login_forms: Tickets[AuthorizationRequest]
    authorization_codes: Tickets[AuthorizationCode]
    used_social_tokens: Tickets[UsedSocialToken]
    password_resets: Tickets[PasswordReset]
    email_verifications: Tickets[EmailVerification]
    quote_images: QuoteImageRepository
    profile_cards: ProfileCardRepository
    payee_categories: PayeeCategoryRepository
    preprompts: PrepromptRepository
    second_opinion_preprompts: PrepromptRepository
    links: LinkRepository
    catalog_filling: CatalogFilling
    owned_records: OwnedRecordRepository
    erasures: ErasureRepository
    audit_records: AuditRepository


class AdapterOverrides(RepositoryOverrides, total=False):
    """The adapters that ``open_container`` takes; the fields of ``Adapters``."""

    clock: Clock
    ids: IdFactory
    secret_key: bytes
    backend_secrets: tuple[bytes, ...]
    webhook_secret: bytes | None
    fingerprints: Fingerprints
    telemetry: Telemetry
    tracing: Tracing
    database: DatabaseConnection

    language_model: LanguageModel
    toolbox: Toolbox
    system_prompt: str
    help_texts: HelpTexts
    distress_classifier: DistressClassifier
    question_classifier: QuestionClassifier
    follow_up_classifier: FollowUpClassifier
    vague_questions: VagueQuestions
    language_detector: LanguageDetector

    embedder: Embedder | None
    knowledge_database: DatabaseConnection
    knowledge_checks: RecordChecks | None
    knowledge: KnowledgeBase
    entry_wordings: EntryWordings | None
    entries_by_language: EntriesByLanguage
    meaning: Meaning
    vector_index: VectorIndex | None
    vector_server: VectorServer | None
    starter_articles: StarterArticles
    starter_edition: StarterEdition

    default_links: Links
    shipped_catalogs: Callable[[], ShippedCatalogs]
    card_catalog: CardCatalog
    quote_image_categories: QuoteImageCategories

    object_store: ObjectStore
    spool: Spool
    decoding_pool: DecodingPool
    file_inspector: FileInspector
    document_reader: DocumentReader
    statement_reader: StatementReader
    image_editor: ImageEditor
    speech_to_text: SpeechToText | None

    identity_provider: IdentityProvider
    authorization_server: AuthorizationServer
    social_tokens: SocialTokens | None
    key_store: SigningKeyStore
    token_signer: TokenSigner
    passwords: Passwords
    live_sessions: LiveSessions
    account_second_factors: SecondFactors
    email_sender: EmailSender
    common_passwords: CommonPasswords
    sms_sender: SmsSender
    phone_numbers: PhoneNumbers
