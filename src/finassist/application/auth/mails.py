"""Mails with a token: who gets one, how often, and what it says (contract section 13)."""

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final

from finassist.application.auth.password_rules import password_mark
from finassist.application.auth.random_tokens import new_token, token_hash
from finassist.application.auth.rate_limits import CountRequests
from finassist.application.concurrency.background import BackgroundTasks
from finassist.application.ports.auth import (
    Email,
    EmailSender,
    EmailVerification,
    LocalAccountRepository,
    PasswordReset,
    Tickets,
)
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, LocalAccount
from finassist.domain.auth.mail_texts import (
    ADDRESS_LIMITS,
    EMAIL_LIMITS,
    RESET_LIFETIME,
    RESET_SUBJECT,
    VERIFICATION_LIFETIME,
    VERIFICATION_SUBJECT,
    reset_text,
    verification_text,
)
from finassist.domain.errors import FinassistError, ValidationFailed

_ANY_ADDRESS: Final = ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
_CLOSING_SECONDS: Final = 5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequireLocalProvider:
    """Refuse what another identity provider keeps to itself. Raises ValidationFailed, naming the provider."""

    identity_provider: IdentityProvider

    def __call__(self, what: str) -> None:
        name = self.identity_provider.name
        if name != LOCAL_ISSUER:
            message = f"{what} at the identity provider {name}, not here."
            raise ValidationFailed.of("provider", message)


class Outbox:
    """Sends mails in the background of this process: how long it takes must not tell whether an email has an
    account. A mail that fails is logged without its address, and asked for again by its reader."""

    def __init__(self, *, background_tasks: BackgroundTasks) -> None:
        self._background_tasks = background_tasks
        self._sending: set[asyncio.Task[None]] = set()

    def start(self, mail: Awaitable[None]) -> None:
        """Let a mail be written and sent, while nobody waits for it."""
        task = asyncio.create_task(self._send(mail), name="outbox")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def sent(self) -> None:
        """Wait for the mails under way."""
        while self._sending:
            await asyncio.wait(tuple(self._sending))

    async def close(self) -> None:
        """Wait for the mails under way, for a few seconds."""
        if self._sending:
            _, late = await asyncio.wait(tuple(self._sending), timeout=_CLOSING_SECONDS)
            for task in late:
                task.cancel()

    async def _send(self, mail: Awaitable[None]) -> None:
        try:
            await mail
        except FinassistError as error:
            _log.warning("a mail was not sent: %s", error.code)
        except Exception:  # the edge of a task
            self._background_tasks.failed("send a mail")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailTokens:
    """Mail a token for an account to its email. Raises EmailProviderError."""

    email_sender: EmailSender
    password_resets: Tickets[PasswordReset]
    email_verifications: Tickets[EmailVerification]
    clock: Clock
    public_base_url: str
    host: str
    port: int

    async def reset(self, account: LocalAccount, email: str) -> None:
        """The mail to choose a new password with."""
        token = new_token()
        mark = password_mark(account)
        await self.password_resets.add(
            token_hash(token),
            PasswordReset(subject=account.subject, email=email, password_mark=mark),
            self.clock.now() + RESET_LIFETIME,
        )
        await self._send(email, RESET_SUBJECT, reset_text(token, self._base_url))

    async def verification(self, account: LocalAccount, email: str) -> None:
        """The mail to confirm the email with."""
        token = new_token()
        await self.email_verifications.add(
            token_hash(token),
            EmailVerification(subject=account.subject, email=email),
            self.clock.now() + VERIFICATION_LIFETIME,
        )
        await self._send(email, VERIFICATION_SUBJECT, verification_text(token, self._base_url))

    @property
    def _base_url(self) -> str:
        # Never from the Host header: who asks for a mail chooses it, and would get its reader's token.
        host = "localhost" if self.host in _ANY_ADDRESS else self.host
        return self.public_base_url or f"http://{host}:{self.port}"

    async def _send(self, to: str, subject: str, text: str) -> None:
        await self.email_sender.send(Email(to=to, subject=subject, text=text))


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitMails:
    """Count a mail to an email, asked for from an address. Returns how many seconds to wait
    for the next one; 0 when this one may be sent."""

    count_requests: CountRequests

    async def __call__(self, kind: str, email: str, address: str) -> int:
        count = self.count_requests
        windows = [
            window
            for limit in ADDRESS_LIMITS
            for window in count.address_windows(f"mail-address:{kind}", address, limit=limit)
        ]
        windows += [count.window(f"mail:{kind}", email.casefold(), limit=limit) for limit in EMAIL_LIMITS]
        return (await count(windows)).seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPassword:
    """Mail a token to choose a new password with, when the email has an account; the caller does not learn
    whether it has. Too many mails to one email, or asked for from one address, are not sent."""

    require_local_provider: RequireLocalProvider
    limit_mails: LimitMails
    local_accounts: LocalAccountRepository
    mail_tokens: MailTokens
    outbox: Outbox

    async def __call__(self, email: str, address: str) -> None:
        self.require_local_provider("Passwords are changed")
        if await self.limit_mails("reset", email, address) == 0:
            self.outbox.start(self._mail(email))

    async def _mail(self, email: str) -> None:
        account = await self.local_accounts.find_by_email(email)
        if account is not None and account.email is not None:
            await self.mail_tokens.reset(account, account.email)
