"""Accounts of the built-in identity provider: tokens, password rules, locks (contract section 3)."""

import math
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from finassist.domain.quotas import AHEAD_MAX
from finassist.domain.users import Identity, is_reserved_email, same_email

LOCAL_ISSUER = "local"
"""The built-in provider's name as the issuer of an identity, independent of its address."""

PASSWORD_MIN = 8
PASSWORD_MAX = 1024
NAME_MAX = 100
EMAIL_MAX = 254
_CONTROL = r"\x00-\x1f\x7f-\x9f"
EMAIL_PATTERN = rf"^[^@\s{_CONTROL}]{{1,64}}@[^@\s.{_CONTROL}]+(\.[^@\s.{_CONTROL}]+)+$"

_EMAIL = re.compile(EMAIL_PATTERN)

FAILURES_MAX = 10
FAILURES_FORGOTTEN_AFTER = timedelta(days=1)

_FIRST_LOCK_SECONDS = 60
_LOCK_SECONDS_MAX = 900
_LONGEST_LOCK = timedelta(seconds=_LOCK_SECONDS_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalAccount:
    """An account at the built-in provider; ``subject`` is the ``sub`` of the tokens.

    ``email_verified`` is False until the provider has proof; ``password_hash`` is None for an account
    that signs in by phone or through a social provider only. ``joined_to`` is the account that had verified
    the same email before this one did: both are one user's. One that had no email then still has none.
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
    joined_to: str | None = None

    @property
    def email_is_proven(self) -> bool:
        """Whether its holder has shown to read the mails of its email, or of that of ``joined_to``."""
        return self.joined_to is not None or (self.email is not None and self.email_verified)

    @property
    def holder(self) -> str:
        """The subject that stands for its holder, who may have several accounts."""
        return self.joined_to or self.subject

    def may_verify(self, email: str) -> bool:
        """Whether the email is the account's, or becomes it, once its mails were read."""
        return self.email is None or same_email(email, self.email)

    def verified(self, email: str, first: str | None, now: datetime) -> "LocalAccount":
        """The account once its holder has shown to read the mails of ``email``, which the account ``first``
        had verified before, if any."""
        if first is not None:
            return replace(self, joined_to=first, updated_at=now)
        return replace(self, email=self.email or email, email_verified=True, updated_at=now)

    def keeps_out(self, new: "LocalAccount") -> bool:
        """Whether the new account may not be made because this one has its email. An unverified email does
        not keep out a verified one, so that nobody can block an address for its owner by signing up first."""
        if new.email is None or not same_email(new.email, self.email):
            return False
        return self.email_verified or not new.email_verified

    @property
    def sign_in_order(self) -> tuple[bool, bool]:
        """Of several accounts with one email, the smallest is the one that a password signs in to, and that a
        forgotten password is of."""
        return (self.password_hash is None, not self.email_is_proven)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSet:
    """The tokens of a sign-in. ``expires_in`` is in seconds; ``refresh_token`` is None when the provider
    did not issue a new one. ``identity`` is that of the access token."""

    access_token: str
    id_token: str
    refresh_token: str | None
    expires_in: int
    identity: Identity


SOCIAL_TOKEN_AGE = timedelta(minutes=10)
"""How long ago an identity token of a social provider may have been issued."""

SOCIAL_TOKEN_LIFETIME = timedelta(days=1)
"""How long such a token may be good for; Apple's are good for a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SocialIdentity:
    """The claims of a verified identity token of a social provider."""

    issuer: str
    subject: str
    email: str | None
    email_verified: bool
    name: str | None
    picture: str | None

    @property
    def joining_email(self) -> str | None:
        """The email by which a new social identity joins an account that has verified it too; None when the
        identity's email is not verified."""
        return self.email if self.email_verified else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedSignIns:
    """The failed sign-ins of an account from an address, forgotten after a day without one."""

    failures: int
    locked_until: datetime
    expires_at: datetime

    def seconds_locked(self, now: datetime) -> int:
        """How long the pair is still locked, never longer than a lock lasts; 0 when somebody may try.

        A lock from before the clock was set back is over: nobody waits until the clock is there again.
        """
        left = self.locked_until - now
        if self.expires_at <= now or left <= timedelta() or left > _LONGEST_LOCK + AHEAD_MAX:
            return 0
        return math.ceil(min(left, _LONGEST_LOCK).total_seconds())

    @classmethod
    def one_more(
        cls, known: "FailedSignIns | None", now: datetime, failures_max: int = FAILURES_MAX
    ) -> "FailedSignIns":
        """The state after one more failure."""
        failures = 1 if known is None or known.expires_at <= now else known.failures + 1
        return cls(
            failures=failures,
            locked_until=now + timedelta(seconds=lock_seconds(failures, failures_max)),
            expires_at=now + FAILURES_FORGOTTEN_AFTER,
        )

    def one_less(self, now: datetime) -> "FailedSignIns":
        """The state without the last attempt, which was none: it locks nothing that was not locked."""
        return replace(self, failures=max(0, self.failures - 1), locked_until=min(self.locked_until, now))


def password_problems(password: str, *, is_common: bool = False) -> tuple[str, ...]:
    """The rules that a password breaks, each as a sentence (spec "Limits"). ``is_common``: it is among the
    passwords that are tried first by those who guess."""
    rules = (
        (len(password) >= PASSWORD_MIN, f"Must have at least {PASSWORD_MIN} characters."),
        (len(password) <= PASSWORD_MAX, f"Must have at most {PASSWORD_MAX} characters."),
        (any(c.isupper() for c in password), "Must have an uppercase letter."),
        (any(c.islower() for c in password), "Must have a lowercase letter."),
        (any(c.isdigit() for c in password), "Must have a digit."),
        (not is_common, "Must not be one of the 10,000 most common passwords."),
    )
    return tuple(message for kept, message in rules if not kept)


def email_problems(email: str) -> tuple[str, ...]:
    """What is wrong with an email that somebody signs up or in with, as sentences."""
    if len(email) > EMAIL_MAX or _EMAIL.fullmatch(email) is None:
        return ("Must be an email address.",)
    return ("This email domain is reserved.",) if is_reserved_email(email) else ()


def lock_seconds(failures: int, failures_max: int = FAILURES_MAX) -> int:
    """How long so many failed sign-ins in a row lock an account for an address: a minute from the tenth
    (``failures_max``) on, twice as long with each further one, 15 minutes at most."""
    if failures < failures_max:
        return 0
    return min(_LOCK_SECONDS_MAX, _FIRST_LOCK_SECONDS << min(failures - failures_max, 4))
