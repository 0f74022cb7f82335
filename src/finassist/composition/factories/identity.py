"""What proves who somebody is: keys, providers, senders of codes."""

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from finassist.adapters.email.console import ConsoleEmail
from finassist.adapters.identity.keys import KeyFiles, KeyRing, SigningKeyStore, StoredKeys
from finassist.adapters.identity.local import AUDIENCE, CLIENT_ID, DEFAULT_ISSUER
from finassist.adapters.identity.signing import TokenSigner
from finassist.adapters.sms.console import ConsoleSms
from finassist.adapters.sqlite.engine.database import Database
from finassist.application.ports.auth import EmailSender, SmsSender
from finassist.application.ports.database import DatabaseConnection
from finassist.application.ports.identity import IdentityProvider, SocialTokens
from finassist.application.ports.system import Clock
from finassist.composition.factories.service_secrets import revealed
from finassist.composition.factories.storage import instance_of
from finassist.config import Settings

if TYPE_CHECKING:
    from finassist.adapters.identity.auth0 import Auth0Provider
    from finassist.adapters.identity.keycloak import KeycloakProvider

_SIGNING_KEYS_RELOAD: Final = timedelta(seconds=1)
"""Our own keys are near, and a token signed with a new one should not be refused for a minute."""


def key_store(settings: Settings, database: DatabaseConnection, clock: Clock) -> SigningKeyStore:
    """The key store of the built-in provider: MongoDB when hosts share it, otherwise a folder."""
    if isinstance(database, Database):
        return KeyFiles(settings.data_dir / "keys")
    from finassist.adapters import mongo

    return StoredKeys(mongo.MongoSigningKeys(instance_of(database, mongo.MongoDatabase)), clock)


def token_signer(settings: Settings, key_store: SigningKeyStore, clock: Clock) -> TokenSigner:
    """The signer of the built-in provider's tokens."""
    return TokenSigner(
        keys=KeyRing(key_store, clock, _SIGNING_KEYS_RELOAD),
        issuer=settings.public_base_url or DEFAULT_ISSUER,
        audience=AUDIENCE,
        client_id=CLIENT_ID,
        clock=clock,
        access_token_ttl=settings.access_token_ttl_seconds,
    )


def outer_identity_provider(settings: Settings, secret_key: bytes, clock: Clock) -> IdentityProvider:
    """The provider behind OIDC_ISSUER."""
    if settings.identity_provider == "oidc":
        from finassist.adapters.identity.oidc import OidcProvider

        return OidcProvider(
            issuer=settings.oidc_issuer,
            audience=settings.oidc_audience,
            client_id=settings.oidc_client_id,
            client_secret=revealed(settings.oidc_client_secret),
            clock=clock,
        )
    return _managed_provider(settings)(
        issuer=settings.oidc_issuer,
        audience=settings.oidc_audience,
        client_id=settings.oidc_client_id,
        client_secret=revealed(settings.oidc_client_secret),
        management_client_id=settings.oidc_management_client_id,
        management_client_secret=revealed(settings.oidc_management_client_secret),
        secret_key=secret_key,
        clock=clock,
    )


def _managed_provider(settings: Settings) -> "type[Auth0Provider] | type[KeycloakProvider]":
    if settings.identity_provider == "keycloak":
        from finassist.adapters.identity.keycloak import KeycloakProvider

        return KeycloakProvider
    from finassist.adapters.identity.auth0 import Auth0Provider

    return Auth0Provider


def social_tokens(settings: Settings, clock: Clock) -> SocialTokens | None:
    """The verifier of SOCIAL_ISSUERS' tokens; None when none is set."""
    if not settings.social_issuers:
        return None
    from finassist.adapters.identity.social import OidcSocialTokens

    return OidcSocialTokens(settings.social_issuers, clock)


def sms_sender(settings: Settings) -> SmsSender:
    """The sender of text messages."""
    if settings.sms_provider == "console":
        return ConsoleSms()
    from finassist.adapters.sms.twilio import TwilioSms

    return TwilioSms(
        account_sid=settings.twilio_account_sid,
        auth_token=revealed(settings.twilio_auth_token) or "",
        sender=settings.twilio_from,
        base_url=settings.twilio_base_url,
    )


def email_sender(settings: Settings) -> EmailSender:
    """Who sends mails."""
    if settings.email_provider == "console":
        return ConsoleEmail()
    from finassist.adapters.email.smtp import SmtpEmail

    return SmtpEmail(url=settings.smtp_url, sender=settings.email_from)
