"""Models: what writes replies, embeds, transcribes and classifies."""

from collections.abc import Sequence
from typing import Final, TypedDict

from finassist.adapters.classifier.distress import LinearDistressClassifier
from finassist.adapters.classifier.follow_ups import FollowUpsByWords
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from finassist.adapters.embeddings.follow_ups import FollowUpsByMeaning
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.shipped import ShippedVectors, shipped_meaning
from finassist.adapters.embeddings.vague import NeverVague, VagueByMeaning
from finassist.adapters.embeddings.wordings import ShippedWordings
from finassist.adapters.llm.offline.model import OfflineModel
from finassist.application.ports.classifiers import DistressClassifier, FollowUpClassifier, VagueQuestions
from finassist.application.ports.files import SpeechToText
from finassist.application.ports.knowledge import Embedder, EntryWordings
from finassist.application.ports.language_model import LanguageModel
from finassist.composition.factories.service_secrets import revealed
from finassist.config import NO_EMBEDDINGS, Settings
from finassist.domain.retrieval.judgement import Meaning

_OUTER_WEIGHT: Final = 0.12
"""Less than the weight of the shipped model's vectors: another model cannot be measured in advance."""


def language_model(settings: Settings, embedder: Embedder | None) -> LanguageModel:
    """The language model of LLM_PROVIDER; the offline one tells calculations apart by the vectors."""
    if settings.llm_provider == "offline":
        return OfflineModel(embedder)
    if settings.llm_provider == "anthropic":
        from finassist.adapters.llm.anthropic import AnthropicModel

        return AnthropicModel(
            api_key=revealed(settings.anthropic_api_key),
            base_url=settings.anthropic_base_url or None,
            **_model_limits(settings),
        )
    from finassist.adapters.llm.openai import OpenAiModel

    return OpenAiModel(
        api_key=revealed(settings.openai_api_key),
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
        api_key=revealed(settings.embeddings_api_key),
        base_url=settings.embeddings_base_url,
    )


def speech_to_text(settings: Settings) -> SpeechToText | None:
    """What transcribes recordings; None when no model for it is set."""
    if not settings.transcription_model:
        return None
    from finassist.adapters.speech.openai import OpenAiSpeech

    return OpenAiSpeech(
        model=settings.transcription_model,
        api_key=revealed(settings.transcription_api_key),
        base_url=settings.transcription_base_url,
    )


def entry_wordings(embedder: Embedder | None) -> EntryWordings | None:
    """How the shipped entries are asked for, by the vectors of the model that ships; None without it."""
    return ShippedWordings(embedder) if isinstance(embedder, ShippedVectors) else None


def vague_questions(settings: Settings, embedder: Embedder | None) -> VagueQuestions:
    """Tells vague questions by the vectors of the model that ships; without it none is told."""
    if embedder is None or settings.embeddings_model:
        return NeverVague()
    return VagueByMeaning(embedder)


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
