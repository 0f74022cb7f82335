"""Ports of one-time codes by SMS: codes, phone numbers, text messages."""

from datetime import datetime
from typing import Protocol

from finassist.domain.auth.otp import OtpCode


class SmsSender(Protocol):
    """Sends text messages."""

    async def send(self, phone: str, text: str) -> None:
        """Send to an E.164 number. Raises SmsProviderError when it was not accepted."""
        ...

    async def close(self) -> None:
        """Drop what is open."""
        ...


class PhoneNumbers(Protocol):
    """Phone numbers, checked by the numbering plans."""

    def normalise(self, text: str) -> str:
        """The E.164 form of a number, with its plus.

        Raises ValidationFailed for numbers that no plan has, and for countries to which no messages are sent.
        """
        ...


class OtpRepository(Protocol):
    """One-time codes, the newest per phone and device."""

    async def get(self, phone: str, device_id: str) -> OtpCode | None:
        """The newest code."""
        ...

    async def replace_code(self, code: OtpCode) -> None:
        """Store a code, replacing any earlier one of that phone on any device."""
        ...

    async def consume_otp(self, phone: str, device_id: str, code_hash: str, now: datetime) -> None:
        """Use up the code: exactly one of many parallel correct attempts returns.

        Raises what ``OtpCode.try_code`` raises; a wrong try is counted exactly.
        """
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove expired codes; returns how many."""
        ...
