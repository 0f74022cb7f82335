"""Phone numbers, text messages and one-time codes."""

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
    """What the numbering plans say of phone numbers."""

    def normalise(self, text: str) -> str:
        """The E.164 form of a number, with its plus.

        Raises ValidationFailed for what no plan has, and for countries that get no text messages.
        """
        ...


class OtpRepository(Protocol):
    """One-time codes, the newest per phone and device."""

    async def get(self, phone: str, device_id: str) -> OtpCode | None:
        """The newest code."""
        ...

    async def replace_code(self, code: OtpCode) -> None:
        """Keep a code in place of any earlier one of that phone, on whatever device."""
        ...

    async def consume_otp(self, phone: str, device_id: str, code_hash: str, now: datetime) -> None:
        """Use the code up: exactly one of many parallel right tries returns.

        Raises what ``OtpCode.try_code`` raises; a wrong try is counted exactly.
        """
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove codes that no longer say anything; returns how many."""
        ...
