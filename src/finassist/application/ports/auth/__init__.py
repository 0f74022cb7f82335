"""Ports of signing in."""

from finassist.application.ports.auth.audit import AuditRepository
from finassist.application.ports.auth.email import (
    CommonPasswords,
    Email,
    EmailSender,
    EmailVerification,
    PasswordReset,
)
from finassist.application.ports.auth.otp import OtpRepository, PhoneNumbers, SmsSender
from finassist.application.ports.auth.second_factor import (
    NewSecondFactor,
    SecondFactorChallenges,
    SecondFactorRepository,
    SecondFactors,
)
from finassist.application.ports.auth.sessions import LiveSessions, SessionRepository
from finassist.application.ports.auth.sign_in import (
    AppLogin,
    AuthorizationCode,
    LocalAccountRepository,
    LoginState,
    RefreshTokenRepository,
    Rotation,
    SignInAddressRepository,
    SignInFailures,
    SigningKeyRepository,
    StoredKey,
    Tickets,
    UsedSocialToken,
)

__all__ = [
    "AppLogin",
    "AuditRepository",
    "AuthorizationCode",
    "CommonPasswords",
    "Email",
    "EmailSender",
    "EmailVerification",
    "LiveSessions",
    "LocalAccountRepository",
    "LoginState",
    "NewSecondFactor",
    "OtpRepository",
    "PasswordReset",
    "PhoneNumbers",
    "RefreshTokenRepository",
    "Rotation",
    "SecondFactorChallenges",
    "SecondFactorRepository",
    "SecondFactors",
    "SessionRepository",
    "SignInAddressRepository",
    "SignInFailures",
    "SigningKeyRepository",
    "SmsSender",
    "StoredKey",
    "Tickets",
    "UsedSocialToken",
]
