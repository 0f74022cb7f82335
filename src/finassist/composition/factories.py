"""Adapters that settings choose or fill: one function for each, named like the provider that it fills.

Modules that are slow to import (SDKs, HTTP clients) are imported when they are chosen.
"""

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypedDict, TypeVar
from urllib.parse import urlsplit

from finassist.adapters import sqlite
from finassist.adapters.classifier.distress import LinearDistressClassifier
from finassist.adapters.classifier.follow_ups import FollowUpsByWords
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from finassist.adapters.data_files.profile_cards import WrongCards, read_cards, shipped_cards
from finassist.adapters.email.console import ConsoleEmail
from finassist.adapters.embeddings.follow_ups import FollowUpsByMeaning
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.shipped import ShippedVectors, shipped_meaning
from finassist.adapters.identity.keys import KeyFiles, KeyRing, SigningKeyStore, StoredKeys
from finassist.adapters.identity.local import AUDIENCE, CLIENT_ID, DEFAULT_ISSUER
from finassist.adapters.identity.signing import TokenSigner
from finassist.adapters.llm.offline import OfflineModel
from finassist.adapters.objects.local import LocalObjectStore
from finassist.adapters.objects.spool import DiskSpool
from finassist.adapters.sms.console import ConsoleSms
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.system.secret_file import load_or_create_secret
from finassist.adapters.telemetry.tracing import NoTracing, OtelTracing
from finassist.application.ports.auth import EmailSender, SmsSender
from finassist.application.ports.classifiers import DistressClassifier, FollowUpClassifier, LanguageDetector
from finassist.application.ports.database import DatabaseConnection
from finassist.application.ports.files import ObjectStore, SpeechToText, Spool
from finassist.application.ports.identity import IdentityProvider, SocialTokens
from finassist.application.ports.knowledge import Embedder, KnowledgeBase, VectorIndex, VectorServer
from finassist.application.ports.language_model import LanguageModel
from finassist.application.ports.repositories import Repositories
from finassist.application.ports.system import Clock, Fingerprints
from finassist.application.ports.telemetry import Telemetry, Tracing
from finassist.application.retrieval.embedding import HybridKnowledge
from finassist.config import NO_EMBEDDINGS, Secret, Settings, SettingsError
from finassist.domain.profile_cards import CardCatalog
from finassist.domain.retrieval.judgement import Meaning
from finassist.secret_settings import secrets_in

if TYPE_CHECKING:
    from finassist.adapters.identity.auth0 import Auth0Provider
    from finassist.adapters.identity.keycloak import KeycloakProvider
    from finassist.adapters.objects.s3 import S3ObjectStore
    from finassist.adapters.vectors.weaviate import WeaviateKnowledge

T = TypeVar("T")

_OUTER_WEIGHT: Final = 0.12
"""Less than the weight of the shipped model's vectors: another model cannot be measured in advance."""
_OTEL_ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_SIGNING_KEYS_RELOAD: Final = timedelta(seconds=1)
"""Our own keys are near, and a token signed with a new one should not be refused for a minute."""


def secret_key(settings: Settings) -> bytes:
    """The key that signs links and fingerprints; made once, when it is not set."""
    if settings.secret_key is not None:
        return _bytes_of(settings.secret_key)
    return load_or_create_secret(settings.data_dir)


def backend_secrets(settings: Settings) -> tuple[bytes, ...]:
    """The secrets of administrators; none when BACKEND_SECRET is not set."""
    rotating = settings.backend_secret
    return () if rotating is None else tuple(map(_bytes_of, secrets_in(rotating)))


def webhook_secret(settings: Settings) -> bytes | None:
    """The secret of webhooks; None when it is not set."""
    return None if settings.webhook_secret is None else _bytes_of(settings.webhook_secret)


def tracing() -> Tracing:
    """Traces, when an exporter is set: OTEL_* are the settings of OpenTelemetry itself, which comes with the
    extra "otel". Raises SettingsError without that."""
    if not os.environ.get(_OTEL_ENDPOINT):
        return NoTracing()
    try:
        return OtelTracing()
    except ImportError:
        raise SettingsError({_OTEL_ENDPOINT: "needs OpenTelemetry: install finassist[otel]"}) from None


def database(settings: Settings, telemetry: Telemetry, clock: Clock) -> DatabaseConnection:
    """The database of the records: SQLite, or MongoDB."""
    if settings.sqlite_path is not None:
        return Database(settings.sqlite_path, observe=telemetry.database_called)
    from finassist.adapters.mongo import MongoDatabase  # Beanie takes its time to import

    return MongoDatabase(settings.database_url, clock=clock, observe=telemetry.database_called)


def repositories(database: DatabaseConnection) -> Repositories:
    """The repositories of the database."""
    if isinstance(database, Database):
        return sqlite.repositories(database)
    from finassist.adapters import mongo

    return mongo.repositories(_instance(database, mongo.MongoDatabase))


def key_store(settings: Settings, database: DatabaseConnection, clock: Clock) -> SigningKeyStore:
    """The key store of the built-in provider: MongoDB when hosts share it, otherwise a folder."""
    if isinstance(database, Database):
        return KeyFiles(settings.data_dir / "keys")
    from finassist.adapters import mongo

    return StoredKeys(mongo.MongoSigningKeys(_instance(database, mongo.MongoDatabase)), clock)


def token_signer(settings: Settings, key_store: SigningKeyStore, clock: Clock) -> TokenSigner:
    """The signer of the built-in provider's tokens."""
    return TokenSigner(
        keys=KeyRing(key_store, clock, _SIGNING_KEYS_RELOAD),
        issuer=settings.public_base_url or DEFAULT_ISSUER,
        audience=AUDIENCE,
        client_id=CLIENT_ID,
        clock=clock,
        access_token_ttl=settings.access_token_ttl_seconds,
    )


def outer_identity_provider(settings: Settings, secret_key: bytes, clock: Clock) -> IdentityProvider:
    """The provider behind OIDC_ISSUER."""
    if settings.identity_provider == "oidc":
        from finassist.adapters.identity.oidc import OidcProvider

        return OidcProvider(
            issuer=settings.oidc_issuer,
            audience=settings.oidc_audience,
            client_id=settings.oidc_client_id,
            client_secret=_revealed(settings.oidc_client_secret),
            clock=clock,
        )
    return _managed_provider(settings)(
        issuer=settings.oidc_issuer,
        audience=settings.oidc_audience,
        client_id=settings.oidc_client_id,
        client_secret=_revealed(settings.oidc_client_secret),
        management_client_id=settings.oidc_management_client_id,
        management_client_secret=_revealed(settings.oidc_management_client_secret),
        secret_key=secret_key,
        clock=clock,
    )


def _managed_provider(settings: Settings) -> "type[Auth0Provider] | type[KeycloakProvider]":
    if settings.identity_provider == "keycloak":
        from finassist.adapters.identity.keycloak import KeycloakProvider

        return KeycloakProvider
    from finassist.adapters.identity.auth0 import Auth0Provider

    return Auth0Provider


def social_tokens(settings: Settings, clock: Clock) -> SocialTokens | None:
    """The verifier of SOCIAL_ISSUERS' tokens; None when none is set."""
    if not settings.social_issuers:
        return None
    from finassist.adapters.identity.social import OidcSocialTokens

    return OidcSocialTokens(settings.social_issuers, clock)


def sms_sender(settings: Settings) -> SmsSender:
    """The sender of text messages."""
    if settings.sms_provider == "console":
        return ConsoleSms()
    from finassist.adapters.sms.twilio import TwilioSms

    return TwilioSms(
        account_sid=settings.twilio_account_sid,
        auth_token=_revealed(settings.twilio_auth_token) or "",
        sender=settings.twilio_from,
        base_url=settings.twilio_base_url,
    )


def email_sender(settings: Settings) -> EmailSender:
    """Who sends mails."""
    if settings.email_provider == "console":
        return ConsoleEmail()
    from finassist.adapters.email.smtp import SmtpEmail

    return SmtpEmail(url=settings.smtp_url, sender=settings.email_from)


def object_store(settings: Settings, fingerprints: Fingerprints, clock: Clock) -> ObjectStore:
    """The store of uploaded files: a folder, or a bucket."""
    if settings.object_store_url:
        return s3_object_store(settings)
    return LocalObjectStore(
        settings.data_dir / "objects",
        base_url=settings.public_base_url,
        fingerprints=fingerprints,
        clock=clock,
    )


def s3_object_store(settings: Settings) -> "S3ObjectStore":
    """The bucket that OBJECT_STORE_URL names; AWS_* are the settings of the vendor's client itself."""
    from finassist.adapters.objects.s3 import S3ObjectStore

    bucket = urlsplit(settings.object_store_url)
    return S3ObjectStore(
        bucket.netloc,
        bucket.path,
        endpoint_url=settings.s3_endpoint_url,
        public_endpoint_url=settings.s3_public_endpoint_url,
        region=os.environ.get("AWS_REGION", ""),
    )


def spool(settings: Settings) -> Spool:
    """The folder for files while they are received: next to the records, where there is disk space."""
    return DiskSpool(settings.data_dir / "spool")


def card_catalog(settings: Settings) -> CardCatalog:
    """The profile cards: the operator's own, or those that ship. Raises SettingsError for a wrong file."""
    if settings.profile_cards_file is None:
        return shipped_cards()
    try:
        return read_cards(settings.profile_cards_file.read_bytes())
    except OSError as error:
        raise SettingsError({"PROFILE_CARDS_FILE": f"cannot be read: {error.strerror}"}) from error
    except WrongCards as error:
        raise SettingsError({"PROFILE_CARDS_FILE": str(error)}) from error


def language_model(settings: Settings, embedder: Embedder | None) -> LanguageModel:
    """The language model of LLM_PROVIDER; the offline one tells calculations apart by the vectors."""
    if settings.llm_provider == "offline":
        return OfflineModel(embedder)
    if settings.llm_provider == "anthropic":
        from finassist.adapters.llm.anthropic import AnthropicModel

        return AnthropicModel(
            api_key=_revealed(settings.anthropic_api_key),
            base_url=settings.anthropic_base_url or None,
            **_model_limits(settings),
        )
    from finassist.adapters.llm.openai import OpenAiModel

    return OpenAiModel(
        api_key=_revealed(settings.openai_api_key),
        base_url=settings.openai_base_url or None,
        **_model_limits(settings),
    )


class _ModelLimits(TypedDict):
    """The arguments that every provider's model takes."""

    default_model: str
    models: Sequence[str]
    first_token_timeout: float
    idle_timeout: float
    total_timeout: float


def _model_limits(settings: Settings) -> _ModelLimits:
    return {
        "default_model": settings.llm_model,
        "models": settings.llm_models,
        "first_token_timeout": settings.llm_first_token_timeout_seconds,
        "idle_timeout": settings.llm_idle_timeout_seconds,
        "total_timeout": settings.llm_total_timeout_seconds,
    }


def embedder(settings: Settings) -> Embedder | None:
    """The embedder of articles and questions: the model that ships, unless another one or ``none`` is set."""
    if settings.embeddings_model == NO_EMBEDDINGS:
        return None
    if not settings.embeddings_model:
        return ShippedVectors(MiniLmEmbedder())
    from finassist.adapters.embeddings.openai import OpenAiEmbedder

    return OpenAiEmbedder(
        model=settings.embeddings_model,
        api_key=_revealed(settings.embeddings_api_key),
        base_url=settings.embeddings_base_url,
    )


def speech_to_text(settings: Settings) -> SpeechToText | None:
    """What transcribes recordings; None when no model for it is set."""
    if not settings.transcription_model:
        return None
    from finassist.adapters.speech.openai import OpenAiSpeech

    return OpenAiSpeech(
        model=settings.transcription_model,
        api_key=_revealed(settings.transcription_api_key),
        base_url=settings.transcription_base_url,
    )


def follow_up_classifier(settings: Settings, embedder: Embedder | None) -> FollowUpClassifier:
    """Tells follow-ups by the vectors of the model that ships, without it by words."""
    if embedder is None or settings.embeddings_model:
        return FollowUpsByWords()
    return FollowUpsByMeaning(embedder)


def distress_classifier(embedder: Embedder | None) -> DistressClassifier:
    """What tells messages that ask for help. No such message leaves the process: vectors of an embedder that
    somebody else runs are not used."""
    words = LinearDistressClassifier()
    return DistressClassifierByMeaning(words, embedder if isinstance(embedder, ShippedVectors) else None)


def meaning(settings: Settings) -> Meaning:
    """The weight of the embedder's vectors: measured for the model that ships, assumed for others."""
    return Meaning(weight=_OUTER_WEIGHT) if settings.embeddings_model else shipped_meaning()


def knowledge_database(settings: Settings, embedder: Embedder | None) -> DatabaseConnection:
    """The database of the knowledge base: a file, or Weaviate. Raises SettingsError without its client."""
    if not settings.vector_store_url:
        return Database(settings.knowledge_path, "knowledge")
    try:
        from finassist.adapters.vectors.weaviate import WeaviateKnowledge
        from finassist.adapters.vectors.weaviate_server import WeaviateServer
    except ImportError:
        raise SettingsError({"VECTOR_STORE_URL": "needs its client: install finassist[weaviate]"}) from None
    try:
        return WeaviateKnowledge(WeaviateServer(settings.vector_store_url), embedder)
    except ValueError:
        raise SettingsError({"VECTOR_STORE_URL": "must name two different ports, each to 65535"}) from None


def vector_index(knowledge_database: DatabaseConnection, embedder: Embedder | None) -> VectorIndex | None:
    """The vectors of the embedded knowledge base; None without an embedder, and with a server of vectors."""
    if embedder is None or not isinstance(knowledge_database, Database):
        return None
    from finassist.adapters.sqlite.retrieval.vectors import SqliteVectors  # numpy takes its time to import

    return SqliteVectors(knowledge_database)


def vector_server(knowledge_database: DatabaseConnection) -> VectorServer | None:
    """The server that holds articles and vectors; None when they are in a file."""
    return None if isinstance(knowledge_database, Database) else _weaviate(knowledge_database)


def knowledge(
    knowledge_database: DatabaseConnection,
    vector_index: VectorIndex | None,
    embedder: Embedder | None,
    meaning: Meaning,
    language_detector: LanguageDetector,
) -> KnowledgeBase:
    """The knowledge base, with search by meaning when there is an embedder."""
    if not isinstance(knowledge_database, Database):
        return _weaviate(knowledge_database)
    lexical = SqliteKnowledge(knowledge_database)
    if embedder is None or vector_index is None:
        return lexical
    return HybridKnowledge(
        lexical=lexical,
        vectors=vector_index,
        embedder=embedder,
        meaning=meaning,
        language_detector=language_detector,
    )


def _weaviate(knowledge_database: DatabaseConnection) -> "WeaviateKnowledge":
    from finassist.adapters.vectors.weaviate import WeaviateKnowledge

    return _instance(knowledge_database, WeaviateKnowledge)


def _instance(connection: DatabaseConnection, expected: type[T]) -> T:
    """Check the type of the connection. Raises TypeError for another."""
    if isinstance(connection, expected):
        return connection
    raise TypeError(f"{type(connection).__name__} is not a {expected.__name__}")


def _revealed(secret: Secret | None) -> str | None:
    return None if secret is None else secret.reveal()


def _bytes_of(secret: Secret) -> bytes:
    """The bytes as the environment had them, also when they are not UTF-8."""
    return secret.reveal().encode("utf-8", "surrogateescape")
