"""The records in MongoDB, through Beanie: one replica set, many processes on many hosts."""

from collections.abc import Callable, Mapping
from typing import Final

from finassist.adapters.mongo.accounts import MongoAccounts
from finassist.adapters.mongo.catalog_documents import PrepromptDocument, SecondOpinionPrepromptDocument
from finassist.adapters.mongo.check import check_database
from finassist.adapters.mongo.conversations import MongoConversations
from finassist.adapters.mongo.database import MongoDatabase
from finassist.adapters.mongo.devices import MongoDevices
from finassist.adapters.mongo.embeds import MongoEmbeds
from finassist.adapters.mongo.erasures import MongoErasures
from finassist.adapters.mongo.estates import MongoEstates
from finassist.adapters.mongo.files import MongoFiles
from finassist.adapters.mongo.idempotency import MongoIdempotencyKeys
from finassist.adapters.mongo.links import MongoLinks
from finassist.adapters.mongo.messages import MongoMessages
from finassist.adapters.mongo.otp_codes import MongoOtpCodes
from finassist.adapters.mongo.preprompts import MongoPreprompts
from finassist.adapters.mongo.probe import MongoProbe
from finassist.adapters.mongo.quotas import MongoQuotas
from finassist.adapters.mongo.rate_windows import MongoRateWindows
from finassist.adapters.mongo.refresh_tokens import MongoRefreshTokens
from finassist.adapters.mongo.shares import MongoShares
from finassist.adapters.mongo.sign_in_failures import MongoSignInFailures
from finassist.adapters.mongo.signing_keys import MongoSigningKeys
from finassist.adapters.mongo.tickets import MongoTickets
from finassist.adapters.mongo.user_profiles import MongoUserProfiles
from finassist.adapters.mongo.users import MongoUsers
from finassist.application.ports.credentials import AuthorizationCode, LoginState
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
    "accounts": MongoAccounts,
    "refresh_tokens": MongoRefreshTokens,
    "sign_in_failures": MongoSignInFailures,
    "otp_codes": MongoOtpCodes,
    "login_states": lambda database: MongoTickets(database, LoginState),
    "login_forms": lambda database: MongoTickets(database, AuthorizationRequest),
    "authorization_codes": lambda database: MongoTickets(database, AuthorizationCode),
    "embeds": MongoEmbeds,
    "user_profiles": MongoUserProfiles,
    "preprompts": lambda database: MongoPreprompts(database, PrepromptDocument),
    "second_opinion_preprompts": lambda database: MongoPreprompts(database, SecondOpinionPrepromptDocument),
    "links": MongoLinks,
    "estates": MongoEstates,
    "erasures": MongoErasures,
}
"""What makes each repository, by the name of the port field that it fills."""

__all__ = ["REPOSITORIES", "MongoDatabase", "MongoSigningKeys", "check_database"]
