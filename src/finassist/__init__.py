"""finassist: the backend of an assistant that answers personal-finance questions.

A script begins like this (docs/embedding.md says what else there is)::

    from finassist import ChatMessage, Settings, open_container

    async with open_container(Settings.from_env()) as finassist:
        ...
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassist.application.chat import ChatMessage, InlineFile, TurnStream
    from finassist.application.files.records import ReceivedFile
    from finassist.composition.adapters import AdapterOverrides, Adapters
    from finassist.composition.application import Finassist
    from finassist.composition.container import build_application, open_container
    from finassist.config import Secret, Settings, SettingsError
    from finassist.domain.chat.events import Done, Failed, Token, ToolCalled, ToolReturned
    from finassist.domain.conversations.conversation import Conversation, ConversationType
    from finassist.domain.conversations.message import Message, MessageStatus, Source, Usage
    from finassist.domain.errors import (
        Conflict,
        FieldError,
        FinassistError,
        Forbidden,
        FreeLimitExceeded,
        IdentityProviderError,
        KnowledgeError,
        LanguageModelError,
        NotFound,
        RateLimitExceeded,
        ServiceUnavailable,
        SmsProviderError,
        StorageError,
        Unauthorized,
        ValidationFailed,
    )
    from finassist.domain.knowledge import Article, Hit
    from finassist.domain.users import Caller, Identity, Platform, User

__version__ = "1.0.0"
__all__ = [
    "AdapterOverrides",
    "Adapters",
    "Article",
    "Caller",
    "ChatMessage",
    "Conflict",
    "Conversation",
    "ConversationType",
    "Done",
    "Failed",
    "FieldError",
    "Finassist",
    "FinassistError",
    "Forbidden",
    "FreeLimitExceeded",
    "Hit",
    "Identity",
    "IdentityProviderError",
    "InlineFile",
    "KnowledgeError",
    "LanguageModelError",
    "Message",
    "MessageStatus",
    "NotFound",
    "Platform",
    "RateLimitExceeded",
    "ReceivedFile",
    "Secret",
    "ServiceUnavailable",
    "Settings",
    "SettingsError",
    "SmsProviderError",
    "Source",
    "StorageError",
    "Token",
    "ToolCalled",
    "ToolReturned",
    "TurnStream",
    "Unauthorized",
    "Usage",
    "User",
    "ValidationFailed",
    "__version__",
    "build_application",
    "open_container",
]

_DEFINED_IN = {
    "finassist.application.chat": (
        "ChatMessage",
        "InlineFile",
        "TurnStream",
    ),
    "finassist.application.files.records": ("ReceivedFile",),
    "finassist.composition.adapters": (
        "AdapterOverrides",
        "Adapters",
    ),
    "finassist.composition.application": ("Finassist",),
    "finassist.composition.container": ("build_application", "open_container"),
    "finassist.config": (
        "Secret",
        "Settings",
        "SettingsError",
    ),
    "finassist.domain.chat.events": (
        "Done",
        "Failed",
        "Token",
        "ToolCalled",
        "ToolReturned",
    ),
    "finassist.domain.conversations.conversation": (
        "Conversation",
        "ConversationType",
    ),
    "finassist.domain.conversations.message": (
        "Message",
        "MessageStatus",
        "Source",
        "Usage",
    ),
    "finassist.domain.errors": (
        "Conflict",
        "FieldError",
        "FinassistError",
        "Forbidden",
        "FreeLimitExceeded",
        "IdentityProviderError",
        "KnowledgeError",
        "LanguageModelError",
        "NotFound",
        "RateLimitExceeded",
        "ServiceUnavailable",
        "SmsProviderError",
        "StorageError",
        "Unauthorized",
        "ValidationFailed",
    ),
    "finassist.domain.knowledge": (
        "Article",
        "Hit",
    ),
    "finassist.domain.users": (
        "Caller",
        "Identity",
        "Platform",
        "User",
    ),
}
_MODULES = {name: module for module, names in _DEFINED_IN.items() for name in names}


if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name

    def __getattr__(name: str) -> object:
        # Imported when asked for: `finassist --help` should not wait for every adapter.
        if name in _MODULES:
            from importlib import import_module

            return getattr(import_module(_MODULES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
