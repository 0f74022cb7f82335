"""Settings that put an identity provider behind the service, and what tests do with its hosted page."""

from pathlib import Path
from typing import Any

from engines.keycloak import Keycloak
from finassist.config import Secret, Settings
from servers import auth0_server
from servers.oidc_server import OidcServer

WITHOUT_KNOWLEDGE: dict[str, Any] = {"rag_enabled": False}
"""Nobody asks anything here, and to fill a knowledge base takes longer than most tests."""


def local_settings(folder: Path, **settings: Any) -> Settings:
    """The built-in provider."""
    return Settings(data_dir=folder, **WITHOUT_KNOWLEDGE | settings)


def keycloak_settings(folder: Path, server: Keycloak, **settings: Any) -> Settings:
    """The realm of a Keycloak."""
    values: dict[str, Any] = {
        "identity_provider": "keycloak",
        "oidc_issuer": server.issuer,
        "oidc_audience": server.audience,
        "oidc_client_id": server.client_id,
        "oidc_client_secret": Secret(server.client_secret),
        "oidc_management_client_id": server.management_client_id,
        "oidc_management_client_secret": Secret(server.management_client_secret),
        "secret_key": Secret("a secret key for the tests of the service"),
    }
    return Settings(data_dir=folder, **WITHOUT_KNOWLEDGE | values | settings)


def auth0_settings(folder: Path, server: auth0_server.Auth0Server, **settings: Any) -> Settings:
    """A tenant of Auth0; its address without the last slash, as people write it."""
    values: dict[str, Any] = {
        "identity_provider": "auth0",
        "oidc_issuer": server.url,
        "oidc_audience": auth0_server.AUDIENCE,
        "oidc_client_id": auth0_server.CLIENT_ID,
        "oidc_client_secret": Secret(auth0_server.CLIENT_SECRET),
        "oidc_management_client_id": auth0_server.MANAGEMENT_ID,
        "oidc_management_client_secret": Secret(auth0_server.MANAGEMENT_SECRET),
    }
    return Settings(data_dir=folder, **WITHOUT_KNOWLEDGE | values | settings)


def oidc_settings(folder: Path, server: OidcServer, **settings: Any) -> Settings:
    """Any OpenID Connect provider."""
    values: dict[str, Any] = {
        "identity_provider": "oidc",
        "oidc_issuer": server.issuer,
        "oidc_audience": "finassist",
        "oidc_client_id": "client-1",
        "oidc_client_secret": Secret("client-secret"),
    }
    return Settings(data_dir=folder, **WITHOUT_KNOWLEDGE | values | settings)
