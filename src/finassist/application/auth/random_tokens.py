"""Random opaque tokens: refresh tokens, authorization codes, states, form tokens."""

import hashlib
import secrets
from base64 import urlsafe_b64encode

_BYTES = 32


def new_token() -> str:
    """A new token: 43 URL-safe characters that cannot be guessed."""
    return secrets.token_urlsafe(_BYTES)


def token_hash(*tokens: str) -> str:
    """The hash that is stored in place of a token. Tokens are random, so it needs no salt and no slow
    hash."""
    return hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogateescape")).hexdigest()


def pkce_challenge(code_verifier: str) -> str:
    """The S256 challenge that belongs to a verifier (RFC 7636)."""
    digest = hashlib.sha256(code_verifier.encode("utf-8", "surrogateescape")).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
