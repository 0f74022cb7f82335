"""The records in MongoDB, through Beanie: one replica set, many processes on many hosts."""

from finassist.adapters.mongo.auth.audit import MongoAudit
from finassist.adapters.mongo.auth.local_accounts import MongoLocalAccounts
from finassist.adapters.mongo.auth.otp_codes import MongoOtpCodes
from finassist.adapters.mongo.auth.refresh_tokens import MongoRefreshTokens
from finassist.adapters.mongo.auth.second_factors import MongoSecondFactorChallenges, MongoSecondFactors
from finassist.adapters.mongo.auth.sessions import MongoSessions
from finassist.adapters.mongo.auth.sign_in_addresses import MongoSignInAddresses
from finassist.adapters.mongo.auth.sign_in_failures import MongoSignInFailures
from finassist.adapters.mongo.auth.signing_keys import MongoSigningKeys
from finassist.adapters.mongo.auth.tickets import MongoTickets
from finassist.adapters.mongo.catalogs.documents import PrepromptDocument, SecondOpinionPrepromptDocument
from finassist.adapters.mongo.catalogs.filling import MongoCatalogFilling
from finassist.adapters.mongo.catalogs.links import MongoLinks
from finassist.adapters.mongo.catalogs.preprompts import MongoPreprompts
from finassist.adapters.mongo.catalogs.quote_images import MongoQuoteImages
from finassist.adapters.mongo.chat.conversations import MongoConversations
from finassist.adapters.mongo.chat.idempotency import MongoIdempotencyKeys
from finassist.adapters.mongo.chat.messages import MongoMessages
from finassist.adapters.mongo.chat.quotas import MongoQuotas
from finassist.adapters.mongo.chat.rate_windows import MongoRateWindows
from finassist.adapters.mongo.data_export import MongoOwnedRecords
from finassist.adapters.mongo.engine.check import check_database
from finassist.adapters.mongo.engine.database import MongoDatabase
from finassist.adapters.mongo.engine.probe import MongoProbe
from finassist.adapters.mongo.erasure.erasures import MongoErasures
from finassist.adapters.mongo.files.files import MongoFiles
from finassist.adapters.mongo.profile_cards.profile_cards import MongoProfileCards
from finassist.adapters.mongo.shares.shares import MongoShares
from finassist.adapters.mongo.statements.payee_categories import MongoPayeeCategories
from finassist.adapters.mongo.users.devices import MongoDevices
from finassist.adapters.mongo.users.users import MongoUsers
from finassist.adapters.mongo.verification.checks import MongoRecordChecks
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

__all__ = ["MongoDatabase", "MongoSigningKeys", "check_database", "repositories"]


def repositories(database: MongoDatabase) -> Repositories:
    """Every repository on this database."""
    return Repositories(
        database_probe=MongoProbe(database),
        record_checks=MongoRecordChecks(database),
        users=MongoUsers(database),
        devices=MongoDevices(database),
        conversations=MongoConversations(database),
        messages=MongoMessages(database),
        shares=MongoShares(database),
        files=MongoFiles(database),
        quotas=MongoQuotas(database),
        rate_windows=MongoRateWindows(database),
        idempotency_keys=MongoIdempotencyKeys(database),
        local_accounts=MongoLocalAccounts(database),
        refresh_tokens=MongoRefreshTokens(database),
        sessions=MongoSessions(database),
        second_factors=MongoSecondFactors(database),
        second_factor_challenges=MongoSecondFactorChallenges(database),
        sign_in_addresses=MongoSignInAddresses(database),
        sign_in_failures=MongoSignInFailures(database),
        otp_codes=MongoOtpCodes(database),
        login_states=MongoTickets(database, LoginState),
        app_logins=MongoTickets(database, AppLogin),
        login_forms=MongoTickets(database, AuthorizationRequest),
        authorization_codes=MongoTickets(database, AuthorizationCode),
        used_social_tokens=MongoTickets(database, UsedSocialToken),
        password_resets=MongoTickets(database, PasswordReset),
        email_verifications=MongoTickets(database, EmailVerification),
        quote_images=MongoQuoteImages(database),
        profile_cards=MongoProfileCards(database),
        payee_categories=MongoPayeeCategories(database),
        preprompts=MongoPreprompts(database, PrepromptDocument),
        second_opinion_preprompts=MongoPreprompts(database, SecondOpinionPrepromptDocument),
        links=MongoLinks(database),
        catalog_filling=MongoCatalogFilling(database),
        owned_records=MongoOwnedRecords(database),
        erasures=MongoErasures(database),
        audit_records=MongoAudit(database),
    )
