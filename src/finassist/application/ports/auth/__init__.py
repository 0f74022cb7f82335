"""Ports of signing in."""

from finassist.application.ports.auth.sessions import LiveSessions, SessionRepository
from finassist.application.ports.auth.sign_in import (
    AuthorizationCode,
    LocalAccountRepository,
    LoginState,
    OtpRepository,
    PhoneNumbers,
    RefreshTokenRepository,
    Rotation,
    SignInFailures,
    SigningKeyRepository,
    SmsSender,
    StoredKey,
    Tickets,
)

__all__ = [
    "AuthorizationCode",
    "LiveSessions",
    "LocalAccountRepository",
    "LoginState",
    "OtpRepository",
    "PhoneNumbers",
    "RefreshTokenRepository",
    "Rotation",
    "SessionRepository",
    "SignInFailures",
    "SigningKeyRepository",
    "SmsSender",
    "StoredKey",
    "Tickets",
]
