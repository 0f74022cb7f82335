"""Every document that is bound to the database; each has a collection of its own."""

from typing import Final

from finassist.adapters.mongo.catalog_documents import CATALOG_DOCUMENTS
from finassist.adapters.mongo.conversation_documents import CONVERSATION_DOCUMENTS
from finassist.adapters.mongo.embed_documents import EMBED_DOCUMENTS
from finassist.adapters.mongo.erasure_documents import ERASURE_DOCUMENTS
from finassist.adapters.mongo.file_documents import FILE_DOCUMENTS
from finassist.adapters.mongo.identity_documents import IDENTITY_DOCUMENTS
from finassist.adapters.mongo.limit_documents import LIMIT_DOCUMENTS
from finassist.adapters.mongo.profile_documents import PROFILE_DOCUMENTS
from finassist.adapters.mongo.share_documents import SHARE_DOCUMENTS
from finassist.adapters.mongo.user_documents import USER_DOCUMENTS

ALL_DOCUMENTS: Final = (
    *USER_DOCUMENTS,
    *CONVERSATION_DOCUMENTS,
    *LIMIT_DOCUMENTS,
    *IDENTITY_DOCUMENTS,
    *FILE_DOCUMENTS,
    *PROFILE_DOCUMENTS,
    *CATALOG_DOCUMENTS,
    *SHARE_DOCUMENTS,
    *EMBED_DOCUMENTS,
    *ERASURE_DOCUMENTS,
)
