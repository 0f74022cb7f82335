"""The records in MongoDB, through Beanie: one replica set, many processes on many hosts."""

from collections.abc import Callable, Mapping
from typing import Final

from finassist.adapters.mongo.auth.local_accounts import MongoLocalAccounts
from finassist.adapters.mongo.auth.otp_codes import MongoOtpCodes
from finassist.adapters.mongo.auth.refresh_tokens import MongoRefreshTokens
from finassist.adapters.mongo.auth.sign_in_failures import MongoSignInFailures
from finassist.adapters.mongo.auth.signing_keys import MongoSigningKeys
from finassist.adapters.mongo.auth.tickets import MongoTickets
from finassist.adapters.mongo.catalogs.documents import PrepromptDocument, SecondOpinionPrepromptDocument
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
from finassist.adapters.mongo.users.devices import MongoDevices
from finassist.adapters.mongo.users.users import MongoUsers
from finassist.application.ports.auth import AuthorizationCode, LoginState
from finassist.application.ports.identity import AuthorizationRequest

REPOSITORIES: Final[Mapping[str, Callable[[MongoDatabase], object]]] = {
    "database_probe": MongoProbe,
    "users": MongoUsers,
    "devices": MongoDevices,
    "conversations": MongoConversations,
    "messages": MongoMessages,
    "shares": MongoShares,
    "files": MongoFiles,
    "quotas": MongoQuotas,
    "rate_windows": MongoRateWindows,
    "idempotency_keys": MongoIdempotencyKeys,
    "local_accounts": MongoLocalAccounts,
    "refresh_tokens": MongoRefreshTokens,
    "sign_in_failures": MongoSignInFailures,
    "otp_codes": MongoOtpCodes,
    "login_states": lambda database: MongoTickets(database, LoginState),
    "login_forms": lambda database: MongoTickets(database, AuthorizationRequest),
    "authorization_codes": lambda database: MongoTickets(database, AuthorizationCode),
    "quote_images": MongoQuoteImages,
    "profile_cards": MongoProfileCards,
    "preprompts": lambda database: MongoPreprompts(database, PrepromptDocument),
    "second_opinion_preprompts": lambda database: MongoPreprompts(database, SecondOpinionPrepromptDocument),
    "links": MongoLinks,
    "owned_records": MongoOwnedRecords,
    "erasures": MongoErasures,
}
"""What makes each repository, by the name of the port field that it fills."""

__all__ = ["REPOSITORIES", "MongoDatabase", "MongoSigningKeys", "check_database"]
