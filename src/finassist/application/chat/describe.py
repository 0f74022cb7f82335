"""Describing the assistant and its capabilities (spec "AI chat", ``GET /health``)."""

from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.ports.language_model import LanguageModel, ModelCapabilities


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantDescription:
    """Provider, models, capabilities and the rate limit."""

    provider: str
    model: str
    models: Sequence[str]
    capabilities: ModelCapabilities
    retrieval: bool
    rate_per_minute: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeAssistant:
    """Provider, model and capability metadata."""

    language_model: LanguageModel
    rag_enabled: bool
    chat_rate_per_minute: int

    async def __call__(self) -> AssistantDescription:
        return AssistantDescription(
            provider=self.language_model.provider,
            model=self.language_model.default_model,
            models=self.language_model.models,
            capabilities=self.language_model.capabilities_of(self.language_model.default_model),
            retrieval=self.rag_enabled,
            rate_per_minute=self.chat_rate_per_minute,
        )
