"""The models that a message may ask for."""

from dataclasses import dataclass

from finassist.application.ports.language_model import LanguageModel
from finassist.domain.errors import FieldError


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedModels:
    """The models of the provider's allow-list, and the default for a message that names none."""

    language_model: LanguageModel

    def errors(self, wanted: str | None) -> list[FieldError]:
        """Return what is wrong with the model that a message names, if it names one."""
        if wanted is None or wanted in self.language_model.models:
            return []
        return [FieldError("model", "This model is not available.")]

    def chosen(self, wanted: str | None) -> str:
        """Return the model that replies to a message."""
        return wanted or self.language_model.default_model
