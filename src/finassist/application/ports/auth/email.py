"""Ports of mails, and what the tokens in them stand for."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """A mail of plain text."""

    to: str
    subject: str
    text: str


class EmailSender(Protocol):
    """Sends mails."""

    async def send(self, email: Email) -> None:
        """Send a mail. Raises EmailProviderError when it was not accepted."""
        ...

    async def close(self) -> None:
        """Drop what is open."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordReset:
    """What the token of a mail lets its holder do: choose a new password for the account, while the email and
    the password, of which ``password_mark`` is a hash, are those of the time of the mail."""

    subject: str
    email: str
    password_mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailVerification:
    """What the token of a mail proves: the account's holder reads the mails of this address."""

    subject: str
    email: str


class CommonPasswords(Protocol):
    """The passwords that are tried first by those who guess."""

    def __contains__(self, password: object) -> bool:
        """Whether it is one of them, ignoring case."""
        ...
