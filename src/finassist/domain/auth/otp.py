"""One-time codes by SMS: how long they live, how often they are sent and tried (contract section 3)."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from finassist.domain.errors import OtpAttemptsExceeded, OtpExpired, OtpInvalid
from finassist.domain.quotas import RateLimit

DIGITS = 6
LIFETIME = timedelta(minutes=5)
TRIES = 5
KEPT_AFTER_EXPIRY = timedelta(days=1)

CODE_PATTERN = rf"^[0-9]{{{DIGITS}}}$"
PHONE_PATTERN = r"^\+?[1-9][0-9]{7,14}$"
_PHONE = re.compile(PHONE_PATTERN)


PHONE_LIMITS = (RateLimit(5, 600), RateLimit(10, 86_400))
DEVICE_LIMITS = (RateLimit(5, 3600),)
ADDRESS_LIMITS = (RateLimit(30, 3600),)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtpCode:
    """The newest code of a phone on a device. Only its HMAC is kept."""

    phone: str
    device_id: str
    code_hash: str
    sent_at: datetime
    expires_at: datetime
    wrong_tries: int = 0
    used: bool = False

    def try_code(self, code_hash: str, now: datetime) -> "OtpCode":
        """Try a code: the used code for the right one.

        Raises OtpAttemptsExceeded after five wrong tries, OtpExpired when it is used or too old.
        OtpInvalid says that it was wrong; then ``tried_wrong`` is what becomes of it.
        """
        if self.wrong_tries >= TRIES:
            raise OtpAttemptsExceeded()
        if self.used or now >= self.expires_at:
            raise OtpExpired()
        if code_hash != self.code_hash:
            raise OtpInvalid()
        return replace(self, used=True)

    def tried_wrong(self) -> "OtpCode":
        """The code after one more wrong try."""
        return replace(self, wrong_tries=self.wrong_tries + 1)


def normalise_phone(text: str) -> str | None:
    """E.164 with its plus, or None for what is no phone number."""
    return f"+{text.removeprefix('+')}" if _PHONE.fullmatch(text) else None
