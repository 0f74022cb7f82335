"""The records in SQLite: one file, many processes, nothing to install."""

from collections.abc import Callable, Mapping
from typing import Final

from finassist.adapters.sqlite.accounts import SqliteAccounts
from finassist.adapters.sqlite.conversations import SqliteConversations
from finassist.adapters.sqlite.database import Database
from finassist.adapters.sqlite.devices import SqliteDevices
from finassist.adapters.sqlite.embeds import SqliteEmbeds
from finassist.adapters.sqlite.erasures import SqliteErasures
from finassist.adapters.sqlite.estates import SqliteEstates
from finassist.adapters.sqlite.files import SqliteFiles
from finassist.adapters.sqlite.idempotency import SqliteIdempotencyKeys
from finassist.adapters.sqlite.links import SqliteLinks
from finassist.adapters.sqlite.messages import SqliteMessages
from finassist.adapters.sqlite.otp_codes import SqliteOtpCodes
from finassist.adapters.sqlite.preprompts import SqlitePreprompts
from finassist.adapters.sqlite.probe import SqliteProbe
from finassist.adapters.sqlite.quotas import SqliteQuotas
from finassist.adapters.sqlite.rate_windows import SqliteRateWindows
from finassist.adapters.sqlite.refresh_tokens import SqliteRefreshTokens
from finassist.adapters.sqlite.shares import SqliteShares
from finassist.adapters.sqlite.sign_in_failures import SqliteSignInFailures
from finassist.adapters.sqlite.tickets import SqliteTickets
from finassist.adapters.sqlite.user_profiles import SqliteUserProfiles
from finassist.adapters.sqlite.users import SqliteUsers
from finassist.application.ports.credentials import AuthorizationCode, LoginState
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
    "accounts": SqliteAccounts,
    "refresh_tokens": SqliteRefreshTokens,
    "sign_in_failures": SqliteSignInFailures,
    "otp_codes": SqliteOtpCodes,
    "login_states": lambda database: SqliteTickets(database, LoginState),
    "login_forms": lambda database: SqliteTickets(database, AuthorizationRequest),
    "authorization_codes": lambda database: SqliteTickets(database, AuthorizationCode),
    "embeds": SqliteEmbeds,
    "user_profiles": SqliteUserProfiles,
    "preprompts": lambda database: SqlitePreprompts(database, "preprompts"),
    "second_opinion_preprompts": lambda database: SqlitePreprompts(database, "second_opinion_preprompts"),
    "links": SqliteLinks,
    "estates": SqliteEstates,
    "erasures": SqliteErasures,
}
"""What makes each repository, by the name of the port field that it fills."""
