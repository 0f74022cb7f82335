"""All repositories of one database, under the names by which use cases ask for them."""

from dataclasses import dataclass

from finassist.application.ports.auth import (
    AppLogin,
    AuditRepository,
    AuthorizationCode,
    EmailVerification,
    LocalAccountRepository,
    LoginState,
    OtpRepository,
    PasswordReset,
    RefreshTokenRepository,
    SecondFactorChallenges,
    SecondFactorRepository,
    SessionRepository,
    SignInAddressRepository,
    SignInFailures,
    Tickets,
    UsedSocialToken,
)
from finassist.application.ports.catalogs import (
    CatalogFilling,
    LinkRepository,
    PrepromptRepository,
    QuoteImageRepository,
)
from finassist.application.ports.conversations import ConversationRepository, MessageRepository
from finassist.application.ports.data_export import OwnedRecordRepository
from finassist.application.ports.database import DatabaseProbe, RecordChecks
from finassist.application.ports.erasure import ErasureRepository
from finassist.application.ports.files import FileRepository, PayeeCategoryRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.identity import AuthorizationRequest
from finassist.application.ports.profile_cards import ProfileCardRepository
from finassist.application.ports.quotas import QuotaRepository, RateWindowRepository
from finassist.application.ports.shares import ShareRepository
from finassist.application.ports.users import DeviceRepository, UserRepository


@dataclass(frozen=True, kw_only=True)
class Repositories:
    """The repositories that a database provides: SQLite and MongoDB each return this structure."""

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
