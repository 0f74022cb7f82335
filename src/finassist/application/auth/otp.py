"""One-time codes by SMS: sending them and signing in with them (contract section 3, "OTP")."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from finassist.application.auth.sign_in import OpenSession, Session, SigningDevice
from finassist.application.ports.auth import OtpRepository, PhoneNumbers, SmsSender
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.quotas import RateWindowRepository
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.auth.otp import (
    ADDRESS_LIMITS,
    DEVICE_LIMITS,
    DIGITS,
    LIFETIME,
    PHONE_LIMITS,
    OtpCode,
    SendLimit,
)
from finassist.domain.errors import OtpCooldown, SmsProviderError
from finassist.domain.users import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class SentOtp:
    """A code on its way; both times are in seconds."""

    phone: str
    expires_in_seconds: int
    resend_after_seconds: int


@dataclass(frozen=True, slots=True)
class _Count:
    """One send, counted in one window; ``tries`` counts the sends that failed as well."""

    key: str
    limit: SendLimit
    tries: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SendOtp:
    """Send a new code to a phone; it replaces the earlier one.

    Another code can be sent after the cooldown. Sends are also limited per phone, device and address. A
    message that the provider does not accept starts no cooldown, and its code is never valid.
    """

    otp_codes: OtpRepository
    rate_windows: RateWindowRepository
    sms_sender: SmsSender
    phone_numbers: PhoneNumbers
    fingerprints: Fingerprints
    clock: Clock
    otp_resend_cooldown_seconds: int

    async def __call__(self, phone: str, device_id: str, address: str) -> SentOtp:
        phone = self.phone_numbers.normalise(phone)
        counts = tuple(self._counts(phone, device_id, address))
        counted_at = await self._count(counts)
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        try:
            await self.sms_sender.send(phone, _text(code))
        except SmsProviderError:
            await self._take_back([count for count in counts if not count.tries], counted_at)
            raise
        now = self.clock.now()
        await self.otp_codes.replace_code(
            OtpCode(
                phone=phone,
                device_id=device_id,
                code_hash=_hash(self.fingerprints, phone, device_id, code),
                sent_at=now,
                expires_at=now + LIFETIME,
            )
        )
        return SentOtp(
            phone=phone,
            expires_in_seconds=int(LIFETIME.total_seconds()),
            resend_after_seconds=self.otp_resend_cooldown_seconds,
        )

    def _counts(self, phone: str, device_id: str, address: str) -> Iterator[_Count]:
        # The cooldown comes first: of many sends at once one passes, and the others touch nothing else.
        by_phone = self.fingerprints.fingerprint("otp-phone", phone)
        if self.otp_resend_cooldown_seconds > 0:
            yield _Count(f"otp-cooldown:{by_phone}", SendLimit(1, self.otp_resend_cooldown_seconds))
        for limit in PHONE_LIMITS:
            yield _Count(f"otp-phone-{limit.seconds}:{by_phone}", limit)
        for limit in DEVICE_LIMITS:
            by_device = self.fingerprints.fingerprint("otp-device", device_id)
            yield _Count(f"otp-device-{limit.seconds}:{by_device}", limit)
        for limit in ADDRESS_LIMITS:
            by_address = self.fingerprints.fingerprint("otp-address", address)
            yield _Count(f"otp-address-{limit.seconds}:{by_address}", limit, tries=True)

    async def _count(self, counts: Sequence[_Count]) -> datetime:
        """Count the send in every window, or in none. Returns the time under which it is counted."""
        now = self.clock.now()
        for index, count in enumerate(counts):
            decision = await self.rate_windows.hit(
                count.key, limit=count.limit.sends, window_seconds=count.limit.seconds, now=now
            )
            if not decision.allowed:
                await self._take_back(counts[:index], now)
                raise OtpCooldown(decision.reset_after)
        return now

    async def _take_back(self, counts: Sequence[_Count], counted_at: datetime) -> None:
        for count in counts:
            await self.rate_windows.take_back(count.key, counted_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOtp:
    """Sign in with the newest code of a phone, on the device that asked for it.

    A code works once and for five minutes; the fifth wrong attempt ends it.
    """

    otp_codes: OtpRepository
    identity_provider: IdentityProvider
    open_session: OpenSession
    phone_numbers: PhoneNumbers
    fingerprints: Fingerprints
    clock: Clock

    async def __call__(
        self, phone: str, device_id: str, code: str, address: str, platform: Platform | None = None
    ) -> Session:
        phone = self.phone_numbers.normalise(phone)
        code_hash = _hash(self.fingerprints, phone, device_id, code)
        await self.otp_codes.consume_otp(phone, device_id, code_hash, self.clock.now())
        tokens = await self.identity_provider.sign_in_phone(phone)
        return await self.open_session(tokens, SigningDevice(device_id, platform, address))


def _hash(fingerprints: Fingerprints, phone: str, device_id: str, code: str) -> str:
    return fingerprints.fingerprint("otp", phone, device_id, code)


def _text(code: str) -> str:
    minutes = int(LIFETIME.total_seconds()) // 60
    return f"{code} is your finassist code. It is valid for {minutes} minutes. Do not share it with anyone."
