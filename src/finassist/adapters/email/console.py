"""Mails for readers of the server's log: what development and tests need."""

from typing import Any

import structlog

from finassist.application.ports.auth import Email

_log: Any = structlog.get_logger("finassist.email")


class ConsoleEmail:
    """Writes each mail as one line of the log, with its address; nothing is sent."""

    async def send(self, email: Email) -> None:
        """Log the mail."""
        _log.info("email", to=email.to, subject=email.subject, text=email.text)

    async def close(self) -> None:
        """There is nothing to close."""
