"""The responses of the built-in provider's endpoints: the shapes of OAuth 2.1 and OpenID Connect."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec


class StandardShape(msgspec.Struct):
    """Base of the shapes whose names are those of a standard."""


class GrantedTokens(StandardShape):
    """New tokens (RFC 6749, section 5.1); ``expires_in`` is in seconds."""

    access_token: str
    token_type: str
    expires_in: int
    refresh_token: str | None
    id_token: str


class SigningKeys(StandardShape):
    """The public keys that verify tokens (RFC 7517)."""

    keys: Sequence[Mapping[str, Any]]


class OpenidConfiguration(StandardShape):
    """The metadata of the provider (OpenID Connect Discovery 1.0, section 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    scopes_supported: Sequence[str]
    response_types_supported: Sequence[str]
    grant_types_supported: Sequence[str]
    subject_types_supported: Sequence[str]
    id_token_signing_alg_values_supported: Sequence[str]
    token_endpoint_auth_methods_supported: Sequence[str]
    code_challenge_methods_supported: Sequence[str]
