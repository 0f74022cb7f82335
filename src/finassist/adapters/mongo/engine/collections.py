"""Every document that is bound to the database; each has a collection of its own."""

from typing import Final

from finassist.adapters.mongo.auth.audit_documents import AuditDocument
from finassist.adapters.mongo.auth.documents import IDENTITY_DOCUMENTS
from finassist.adapters.mongo.catalogs.documents import CATALOG_DOCUMENTS
from finassist.adapters.mongo.catalogs.quote_image_documents import EMBED_DOCUMENTS
from finassist.adapters.mongo.chat.documents import CONVERSATION_DOCUMENTS
from finassist.adapters.mongo.chat.limit_documents import LIMIT_DOCUMENTS
from finassist.adapters.mongo.engine.migrations import MIGRATION_DOCUMENTS
from finassist.adapters.mongo.engine.probe_documents import PROBE_DOCUMENTS
from finassist.adapters.mongo.erasure.documents import ERASURE_DOCUMENTS
from finassist.adapters.mongo.files.documents import FILE_DOCUMENTS
from finassist.adapters.mongo.profile_cards.documents import PROFILE_DOCUMENTS
from finassist.adapters.mongo.shares.documents import SHARE_DOCUMENTS
from finassist.adapters.mongo.statements.documents import STATEMENT_DOCUMENTS
from finassist.adapters.mongo.users.documents import USER_DOCUMENTS

ALL_DOCUMENTS: Final = (
    *USER_DOCUMENTS,
    *CONVERSATION_DOCUMENTS,
    *LIMIT_DOCUMENTS,
    *IDENTITY_DOCUMENTS,
    *FILE_DOCUMENTS,
    *PROFILE_DOCUMENTS,
    *STATEMENT_DOCUMENTS,
    *CATALOG_DOCUMENTS,
    *SHARE_DOCUMENTS,
    *EMBED_DOCUMENTS,
    *ERASURE_DOCUMENTS,
    *MIGRATION_DOCUMENTS,
    *PROBE_DOCUMENTS,
    AuditDocument,
)
