"""The secrets of the service itself."""

from finassist.adapters.system.secret_file import load_or_create_secret
from finassist.config import Secret, Settings
from finassist.secret_settings import secrets_in


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


def revealed(secret: Secret | None) -> str | None:
    """The text of a secret; None when it is not set."""
    return None if secret is None else secret.reveal()


def _bytes_of(secret: Secret) -> bytes:
    """The bytes as the environment had them, also when they are not UTF-8."""
    return secret.reveal().encode("utf-8", "surrogateescape")
