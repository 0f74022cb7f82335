"""Adapters that settings choose or fill: one function for each, named like the provider that it fills.

Modules that are slow to import (SDKs, HTTP clients) are imported when they are chosen.
"""

from finassist.composition.factories.identity import (
    email_sender,
    key_store,
    outer_identity_provider,
    sms_sender,
    social_tokens,
    token_signer,
)
from finassist.composition.factories.knowledge_base import (
    knowledge,
    knowledge_database,
    vector_index,
    vector_server,
)
from finassist.composition.factories.models import (
    distress_classifier,
    embedder,
    entry_wordings,
    follow_up_classifier,
    language_model,
    meaning,
    speech_to_text,
    vague_questions,
)
from finassist.composition.factories.observability import tracing
from finassist.composition.factories.service_secrets import backend_secrets, secret_key, webhook_secret
from finassist.composition.factories.storage import (
    card_catalog,
    database,
    object_store,
    repositories,
    s3_object_store,
    spool,
)

__all__ = [
    "backend_secrets",
    "card_catalog",
    "database",
    "distress_classifier",
    "email_sender",
    "embedder",
    "entry_wordings",
    "follow_up_classifier",
    "key_store",
    "knowledge",
    "knowledge_database",
    "language_model",
    "meaning",
    "object_store",
    "outer_identity_provider",
    "repositories",
    "s3_object_store",
    "secret_key",
    "sms_sender",
    "social_tokens",
    "speech_to_text",
    "spool",
    "token_signer",
    "tracing",
    "vague_questions",
    "vector_index",
    "vector_server",
    "webhook_secret",
]
