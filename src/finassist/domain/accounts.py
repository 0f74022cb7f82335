"""Accounts of the built-in identity provider, tokens, and what a good password is (contract section 3)."""

from dataclasses import dataclass
from datetime import datetime

from finassist.domain.users import Identity

PASSWORD_MIN = 8
PASSWORD_MAX = 1024
NAME_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who can sign in at the built-in provider; ``subject`` is the ``sub`` of the tokens.

    ``email_verified`` is False until the provider has proof; ``password_hash`` is None for an account
    that signs in by phone or through a social provider only.
    """

    subject: str
    name: str
    created_at: datetime
    updated_at: datetime
    email: str | None = None
    email_verified: bool = False
    phone: str | None = None
    phone_verified: bool = False
    password_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSet:
    """What a sign-in gives. ``expires_in`` is in seconds; ``refresh_token`` is None when the provider
    did not issue a new one. ``identity`` is what the access token says."""

    access_token: str
    id_token: str
    refresh_token: str | None
    expires_in: int
    identity: Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class SocialIdentity:
    """What a verified identity token of a social provider says."""

    issuer: str
    subject: str
    email: str | None
    email_verified: bool
    name: str | None
    picture: str | None


def password_problems(password: str) -> tuple[str, ...]:
    """The rules that a password breaks, each as a sentence (spec "Limits")."""
    rules = (
        (len(password) >= PASSWORD_MIN, f"Must have at least {PASSWORD_MIN} characters."),
        (len(password) <= PASSWORD_MAX, f"Must have at most {PASSWORD_MAX} characters."),
        (any(c.isupper() for c in password), "Must have an uppercase letter."),
        (any(c.islower() for c in password), "Must have a lowercase letter."),
        (any(c.isdigit() for c in password), "Must have a digit."),
    )
    return tuple(message for kept, message in rules if not kept)
