"""One-time codes by SMS (spec "Authentication service", contract section 3)."""

import inspect
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, Request, post
from litestar.di import NamedDependency
from litestar.params import HeaderParameter, JSONBody

from finassist.application.auth.otp import SendOtp, VerifyOtp
from finassist.domain.auth.otp import CODE_PATTERN, DIGITS, PHONE_PATTERN
from finassist.domain.users import Platform
from finassist.entrypoints.http.auth.views import TokenView, token_view
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.security import DEVICE_ID_PATTERN
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok, view

DeviceId = Annotated[str, HeaderParameter(name="x-device-id", pattern=DEVICE_ID_PATTERN)]
SentPlatform = Annotated[Platform | None, HeaderParameter(name="x-platform")]
Phone = Annotated[str, msgspec.Meta(pattern=PHONE_PATTERN, max_length=16)]

_SEND_ERRORS: Final = (*BODY_ERRORS, "OTP_COOLDOWN", "SMS_PROVIDER_ERROR")


class OtpRequest(Body):
    """Where to send a code: a phone number with its country code (E.164)."""

    phone: Phone


class OtpVerification(Body):
    """The code that a phone got; six digits."""

    phone: Phone
    otp: Annotated[str, msgspec.Meta(pattern=CODE_PATTERN, max_length=DIGITS)]


class SentOtpView(View):
    """A code is on its way; both times are in seconds."""

    phone: str
    expires_in_seconds: int
    resend_after_seconds: int


class OtpController(Controller):
    """Signing in with a phone."""

    path = "/api/v1/auth"
    tags = ("Authentication",)

    @post("/send-otp", status_code=200, description=inspect.getdoc(SendOtp), responses=raises(*_SEND_ERRORS))
    async def send_otp(
        self,
        request: Request[Any, Any, Any],
        data: JSONBody[OtpRequest],
        send_otp: NamedDependency[SendOtp],
        device_id: DeviceId,
        platform: SentPlatform = None,
    ) -> Envelope[SentOtpView]:
        sent = await send_otp(data.phone, device_id, request.scope["state"]["address"])
        return ok(view(sent, SentOtpView))

    @post(
        "/resend-otp", status_code=200, description=inspect.getdoc(SendOtp), responses=raises(*_SEND_ERRORS)
    )
    async def resend_otp(
        self,
        request: Request[Any, Any, Any],
        data: JSONBody[OtpRequest],
        send_otp: NamedDependency[SendOtp],
        device_id: DeviceId,
        platform: SentPlatform = None,
    ) -> Envelope[SentOtpView]:
        sent = await send_otp(data.phone, device_id, request.scope["state"]["address"])
        return ok(view(sent, SentOtpView))

    @post(
        "/verify-otp",
        status_code=200,
        description=inspect.getdoc(VerifyOtp),
        responses=raises(
            *BODY_ERRORS, "OTP_INVALID", "OTP_EXPIRED", "OTP_ATTEMPTS_EXCEEDED", "IDENTITY_PROVIDER_ERROR"
        ),
    )
    async def verify_otp(
        self,
        request: Request[Any, Any, Any],
        data: JSONBody[OtpVerification],
        verify_otp: NamedDependency[VerifyOtp],
        device_id: DeviceId,
        platform: SentPlatform = None,
    ) -> Envelope[TokenView]:
        return ok(token_view(await verify_otp(data.phone, device_id, data.otp), request))
