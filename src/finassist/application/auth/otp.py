"""One-time codes by SMS: sending them and signing in with them (contract section 3, "OTP")."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.auth.audit import note_call
from finassist.application.auth.rate_limits import CountRequests, Window
from finassist.application.auth.sign_in import OpenSession, Session, SigningDevice
from finassist.application.ports.auth import OtpRepository, PhoneNumbers, SmsSender
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.auth.otp import (
    ADDRESS_LIMITS,
    DEVICE_LIMITS,
    DIGITS,
    LIFETIME,
    PHONE_LIMITS,
    OtpCode,
)
from finassist.domain.errors import OtpCooldown, SmsProviderError
from finassist.domain.quotas import RateLimit
from finassist.domain.users import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class SentOtp:
    """A code on its way; both times are in seconds."""

    phone: str
    expires_in_seconds: int
    resend_after_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SendOtp:
    """Send a new code to a phone; it replaces the earlier one.

    Another code can be sent after the cooldown. Sends are also limited per phone, device and address. A
    message that the provider does not accept starts no cooldown, and its code is never valid.
    """

    otp_codes: OtpRepository
    count_requests: CountRequests
    sms_sender: SmsSender
    phone_numbers: PhoneNumbers
    fingerprints: Fingerprints
    clock: Clock
    otp_resend_cooldown_seconds: int

    async def __call__(self, phone: str, device_id: str, address: str) -> SentOtp:
        phone = self.phone_numbers.normalise(phone)
        by_address = self._address_windows(address)
        counted = await self.count_requests([*by_address, *self._windows(phone, device_id)])
        if counted.seconds:
            raise OtpCooldown(counted.seconds)
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        try:
            await self.sms_sender.send(phone, _text(code))
        except SmsProviderError:
            # The address has used its try, so that it cannot have the provider asked without end.
            await self.count_requests.take_back(counted, keep=by_address)
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

    def _address_windows(self, address: str) -> Sequence[Window]:
        count = self.count_requests
        return [
            window
            for limit in ADDRESS_LIMITS
            for window in count.address_windows("otp-address", address, limit=limit)
        ]

    def _windows(self, phone: str, device_id: str) -> Sequence[Window]:
        count, cooldown = self.count_requests, RateLimit(1, self.otp_resend_cooldown_seconds)
        return [
            count.window("otp-cooldown", phone, limit=cooldown),
            *(count.window("otp-phone", phone, limit=limit) for limit in PHONE_LIMITS),
            *(count.window("otp-device", device_id, limit=limit) for limit in DEVICE_LIMITS),
        ]


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
        self,
        phone: str,
        device_id: str,
        code: str,
        address: str,
        platform: Platform | None = None,
        device_token: str | None = None,
    ) -> Session:
        phone = self.phone_numbers.normalise(phone)
        note_call(phone=phone)
        code_hash = _hash(self.fingerprints, phone, device_id, code)
        await self.otp_codes.consume_otp(phone, device_id, code_hash, self.clock.now())
        tokens = await self.identity_provider.sign_in_phone(phone)
        device = SigningDevice(device_id, platform, address, device_token)
        return await self.open_session(tokens, device)


def _hash(fingerprints: Fingerprints, phone: str, device_id: str, code: str) -> str:
    return fingerprints.fingerprint("otp", phone, device_id, code)


def _text(code: str) -> str:
    minutes = int(LIFETIME.total_seconds()) // 60
    return f"{code} is your finassist code. It is valid for {minutes} minutes. Do not share it with anyone."
