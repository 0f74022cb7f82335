"""Errors of the vendors behind the service; adapters translate theirs into these."""

from finassist.domain.errors.finassist_error import FinassistError


class UpstreamError(FinassistError):
    """A vendor behind the service failed."""


class LanguageModelError(UpstreamError):
    """The model failed. ``kind`` is a short, bounded slug for metrics and logs; ``retryable`` says
    whether the same request may succeed later."""

    code = "LLM_ERROR"

    def __init__(self, message: str, *, kind: str = "error", retryable: bool = True) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable


class KnowledgeError(UpstreamError):
    """The knowledge base's server failed. No reply fails for it: only logs and the command line tell."""


class EmbeddingError(KnowledgeError):
    """The embedder failed. ``kind`` is a short, bounded slug for logs; ``retryable`` says whether the same
    request may succeed later, ``retry_after`` how many seconds the provider wants to be left alone."""

    def __init__(self, message: str, *, kind: str, retryable: bool, retry_after: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self._retry_after = retry_after

    @property
    def retry_after(self) -> int:
        return self._retry_after


class TranscriptionError(UpstreamError):
    """A recording could not be transcribed. No reply fails for it: its remarks and the log tell. ``kind`` is
    a short, bounded slug for logs; ``retryable`` says whether the same request may succeed later."""

    def __init__(self, message: str, *, kind: str = "error", retryable: bool = True) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable


class StorageError(UpstreamError):
    """The object store failed."""

    code = "STORAGE_ERROR"


class SmsProviderError(UpstreamError):
    """The SMS provider failed."""

    code = "SMS_PROVIDER_ERROR"


class EmailProviderError(UpstreamError):
    """The mail server failed, by which the built-in identity provider reaches its users."""

    code = "IDENTITY_PROVIDER_ERROR"


class IdentityProviderError(UpstreamError):
    """The identity provider failed or lacks what was asked of it."""

    code = "IDENTITY_PROVIDER_ERROR"
