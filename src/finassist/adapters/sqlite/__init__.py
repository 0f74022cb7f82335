"""The records in SQLite: one file, many processes, nothing to install."""

from finassist.adapters.sqlite.auth.audit import SqliteAudit
from finassist.adapters.sqlite.auth.local_accounts import SqliteLocalAccounts
from finassist.adapters.sqlite.auth.otp_codes import SqliteOtpCodes
from finassist.adapters.sqlite.auth.refresh_tokens import SqliteRefreshTokens
from finassist.adapters.sqlite.auth.second_factors import SqliteSecondFactorChallenges, SqliteSecondFactors
from finassist.adapters.sqlite.auth.sessions import SqliteSessions
from finassist.adapters.sqlite.auth.sign_in_addresses import SqliteSignInAddresses
from finassist.adapters.sqlite.auth.sign_in_failures import SqliteSignInFailures
from finassist.adapters.sqlite.auth.tickets import SqliteTickets
from finassist.adapters.sqlite.catalogs.filling import SqliteCatalogFilling
from finassist.adapters.sqlite.catalogs.links import SqliteLinks
from finassist.adapters.sqlite.catalogs.preprompts import SqlitePreprompts
from finassist.adapters.sqlite.catalogs.quote_images import SqliteQuoteImages
from finassist.adapters.sqlite.chat.conversations import SqliteConversations
from finassist.adapters.sqlite.chat.idempotency import SqliteIdempotencyKeys
from finassist.adapters.sqlite.chat.messages import SqliteMessages
from finassist.adapters.sqlite.chat.quotas import SqliteQuotas
from finassist.adapters.sqlite.chat.rate_windows import SqliteRateWindows
from finassist.adapters.sqlite.data_export import SqliteOwnedRecords
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.engine.probe import SqliteProbe
from finassist.adapters.sqlite.erasure.erasures import SqliteErasures
from finassist.adapters.sqlite.files import SqliteFiles
from finassist.adapters.sqlite.profile_cards import SqliteProfileCards
from finassist.adapters.sqlite.shares.shares import SqliteShares
from finassist.adapters.sqlite.statements import SqlitePayeeCategories
from finassist.adapters.sqlite.users.devices import SqliteDevices
from finassist.adapters.sqlite.users.users import SqliteUsers
from finassist.adapters.sqlite.verification.checks import SqliteRecordChecks
from finassist.application.ports.auth import (
    AppLogin,
    AuthorizationCode,
    EmailVerification,
    LoginState,
    PasswordReset,
    UsedSocialToken,
)
from finassist.application.ports.identity import AuthorizationRequest
from finassist.application.ports.repositories import Repositories

__all__ = ["Database", "repositories"]


def repositories(database: Database) -> Repositories:
    """Every repository on this database."""
    return Repositories(
        database_probe=SqliteProbe(database),
        record_checks=SqliteRecordChecks(database),
        users=SqliteUsers(database),
        devices=SqliteDevices(database),
        conversations=SqliteConversations(database),
        messages=SqliteMessages(database),
        shares=SqliteShares(database),
        files=SqliteFiles(database),
        quotas=SqliteQuotas(database),
        rate_windows=SqliteRateWindows(database),
        idempotency_keys=SqliteIdempotencyKeys(database),
        local_accounts=SqliteLocalAccounts(database),
        refresh_tokens=SqliteRefreshTokens(database),
        sessions=SqliteSessions(database),
        second_factors=SqliteSecondFactors(database),
        second_factor_challenges=SqliteSecondFactorChallenges(database),
        sign_in_addresses=SqliteSignInAddresses(database),
        sign_in_failures=SqliteSignInFailures(database),
        otp_codes=SqliteOtpCodes(database),
        login_states=SqliteTickets(database, LoginState),
        app_logins=SqliteTickets(database, AppLogin),
        login_forms=SqliteTickets(database, AuthorizationRequest),
        authorization_codes=SqliteTickets(database, AuthorizationCode),
        used_social_tokens=SqliteTickets(database, UsedSocialToken),
        password_resets=SqliteTickets(database, PasswordReset),
        email_verifications=SqliteTickets(database, EmailVerification),
        quote_images=SqliteQuoteImages(database),
        profile_cards=SqliteProfileCards(database),
        payee_categories=SqlitePayeeCategories(database),
        preprompts=SqlitePreprompts(database, "preprompts"),
        second_opinion_preprompts=SqlitePreprompts(database, "second_opinion_preprompts"),
        links=SqliteLinks(database),
        catalog_filling=SqliteCatalogFilling(database),
        owned_records=SqliteOwnedRecords(database),
        erasures=SqliteErasures(database),
        audit_records=SqliteAudit(database),
    )
