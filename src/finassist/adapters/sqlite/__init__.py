"""The records in SQLite: one file, many processes, nothing to install."""

from collections.abc import Callable, Mapping
from typing import Final

from finassist.adapters.sqlite.auth.local_accounts import SqliteLocalAccounts
from finassist.adapters.sqlite.auth.otp_codes import SqliteOtpCodes
from finassist.adapters.sqlite.auth.refresh_tokens import SqliteRefreshTokens
from finassist.adapters.sqlite.auth.sign_in_failures import SqliteSignInFailures
from finassist.adapters.sqlite.auth.tickets import SqliteTickets
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
from finassist.adapters.sqlite.users.devices import SqliteDevices
from finassist.adapters.sqlite.users.users import SqliteUsers
from finassist.application.ports.auth import AuthorizationCode, LoginState
from finassist.application.ports.identity import AuthorizationRequest

REPOSITORIES: Final[Mapping[str, Callable[[Database], object]]] = {
    "database_probe": SqliteProbe,
    "users": SqliteUsers,
    "devices": SqliteDevices,
    "conversations": SqliteConversations,
    "messages": SqliteMessages,
    "shares": SqliteShares,
    "files": SqliteFiles,
    "quotas": SqliteQuotas,
    "rate_windows": SqliteRateWindows,
    "idempotency_keys": SqliteIdempotencyKeys,
    "local_accounts": SqliteLocalAccounts,
    "refresh_tokens": SqliteRefreshTokens,
    "sign_in_failures": SqliteSignInFailures,
    "otp_codes": SqliteOtpCodes,
    "login_states": lambda database: SqliteTickets(database, LoginState),
    "login_forms": lambda database: SqliteTickets(database, AuthorizationRequest),
    "authorization_codes": lambda database: SqliteTickets(database, AuthorizationCode),
    "quote_images": SqliteQuoteImages,
    "profile_cards": SqliteProfileCards,
    "preprompts": lambda database: SqlitePreprompts(database, "preprompts"),
    "second_opinion_preprompts": lambda database: SqlitePreprompts(database, "second_opinion_preprompts"),
    "links": SqliteLinks,
    "owned_records": SqliteOwnedRecords,
    "erasures": SqliteErasures,
}
"""What makes each repository, by the name of the port field that it fills."""
