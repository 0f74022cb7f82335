"""Text messages written to the server's log, for development and tests."""

from typing import Any

import structlog

_log: Any = structlog.get_logger("finassist.sms")


class ConsoleSms:
    """Writes each message as one line of the log, with its number; nothing is sent."""

    async def send(self, phone: str, text: str) -> None:
        """Log the message."""
        _log.info("sms", phone=phone, text=text)

    async def close(self) -> None:
        """There is nothing to close."""
