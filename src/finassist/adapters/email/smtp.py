"""Mails through an SMTP server."""

import asyncio
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import aiosmtplib
import structlog

from finassist.application.ports.auth import Email
from finassist.domain.errors import EmailProviderError

_TOTAL_SECONDS: Final = 15.0
_PORTS: Final = {"smtp": 587, "smtps": 465}
_FAILED: Final = "The mail server did not accept the message."

_log: Any = structlog.get_logger("finassist.email")


class SmtpEmail:
    """``EmailSender`` for one server: ``smtp://USER:PASSWORD@HOST:PORT``; ``smtps`` means TLS from the start.

    With ``smtp`` the connection changes to TLS when the server offers it, and always before a password is
    sent. A mail is never sent twice: what fails is not tried again.
    """

    def __init__(self, *, url: str, sender: str) -> None:
        parts = urlsplit(url)
        self._sender = sender
        self._hostname = parts.hostname or ""
        self._port = parts.port or _PORTS[parts.scheme]
        self._use_tls = parts.scheme == "smtps"
        self._username = unquote(parts.username) if parts.username else None
        self._password = unquote(parts.password) if parts.password else None

    async def send(self, email: Email) -> None:
        """Send the mail. Raises EmailProviderError unless the server accepts it within 15 seconds."""
        try:
            async with asyncio.timeout(_TOTAL_SECONDS):
                await aiosmtplib.send(
                    self._message(email),
                    hostname=self._hostname,
                    port=self._port,
                    username=self._username,
                    password=self._password,
                    use_tls=self._use_tls,
                    start_tls=None if self._username is None or self._use_tls else True,
                    timeout=_TOTAL_SECONDS,
                )
        except aiosmtplib.SMTPResponseException as error:
            # The server's text may repeat the address.
            _log.warning("the mail server refused", code=error.code)
            raise EmailProviderError(_FAILED) from error
        except (aiosmtplib.SMTPException, OSError, TimeoutError, ValueError) as error:
            _log.warning("the mail server is out of reach", kind=type(error).__name__)
            raise EmailProviderError(_FAILED) from error

    async def close(self) -> None:
        """Connections last for one mail."""

    def _message(self, email: Email) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, email.to, email.subject
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=parseaddr(self._sender)[1].rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(email.text)
        return message
