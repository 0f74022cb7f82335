"""Random texts that mean something to the server alone: refresh tokens, codes, states, form tokens."""

import hashlib
import secrets
from base64 import urlsafe_b64encode

_BYTES = 32


def new_token() -> str:
    """A new one, 43 URL-safe characters that nobody can guess."""
    return secrets.token_urlsafe(_BYTES)


def token_hash(*tokens: str) -> str:
    """What is stored in place of the tokens. Their randomness makes a salt and a slow hash needless."""
    return hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogateescape")).hexdigest()


def pkce_challenge(code_verifier: str) -> str:
    """The S256 challenge that belongs to a verifier (RFC 7636)."""
    digest = hashlib.sha256(code_verifier.encode("utf-8", "surrogateescape")).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
