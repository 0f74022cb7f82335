"""One-time codes by SMS (spec "Authentication service", contract section 3)."""

from typing import Annotated, Final

import msgspec
from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.auth.otp import SendOtp, VerifyOtp
from finassist.domain.auth.otp import CODE_PATTERN, DIGITS, PHONE_PATTERN
from finassist.entrypoints.http.auth.views import TokenView, token_view
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.audit import ALWAYS
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.parameters import DeviceId, OptionalPlatform, signing_device
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok, view

Phone = Annotated[str, msgspec.Meta(pattern=PHONE_PATTERN, max_length=16)]

_SEND_ERRORS: Final = (*BODY_ERRORS, "OTP_COOLDOWN", "SMS_PROVIDER_ERROR")
_NEW_CODE: Final = (
    "Send a new code to a phone. It replaces the code before.\n\n"
    "Another code can be sent after the cooldown. The number of codes is also limited per phone, "
    "device and address. When the SMS provider refuses the message, no cooldown begins and the "
    "code is never valid."
)


class OtpRequest(Body):
    """The phone that gets a code: a number with its country code (E.164)."""

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

    @post(
        "/send-otp",
        summary="Send a code to a phone",
        description=_NEW_CODE,
        request_example={"phone": "+491701234567"},
        status_code=200,
        responses=raises(*_SEND_ERRORS),
    )
    async def send_otp(
        self,
        request: AnyRequest,
        data: JSONBody[OtpRequest],
        send_otp: NamedDependency[SendOtp],
        device_id: DeviceId,
        platform: OptionalPlatform = None,
    ) -> Envelope[SentOtpView]:
        sent = await send_otp(data.phone, device_id, request.scope["state"]["address"])
        return ok(view(sent, SentOtpView))

    @post(
        "/resend-otp",
        summary="Send another code",
        description=_NEW_CODE,
        request_example={"phone": "+491701234567"},
        status_code=200,
        responses=raises(*_SEND_ERRORS),
    )
    async def resend_otp(
        self,
        request: AnyRequest,
        data: JSONBody[OtpRequest],
        send_otp: NamedDependency[SendOtp],
        device_id: DeviceId,
        platform: OptionalPlatform = None,
    ) -> Envelope[SentOtpView]:
        sent = await send_otp(data.phone, device_id, request.scope["state"]["address"])
        return ok(view(sent, SentOtpView))

    @post(
        "/verify-otp",
        summary="Sign in with a code",
        description=(
            "Sign in with the newest code of a phone, on the device that requested it.\n\n"
            "A code works once and for five minutes; the fifth wrong attempt ends it."
        ),
        request_example={"phone": "+491701234567", "otp": "123456"},
        status_code=200,
        responses=raises(
            *BODY_ERRORS,
            "OTP_INVALID",
            "OTP_EXPIRED",
            "OTP_ATTEMPTS_EXCEEDED",
            "SECOND_FACTOR_REQUIRED",
            "IDENTITY_PROVIDER_ERROR",
        ),
        audited=ALWAYS,
    )
    async def verify_otp(
        self,
        request: AnyRequest,
        data: JSONBody[OtpVerification],
        verify_otp: NamedDependency[VerifyOtp],
        device_id: DeviceId,
        platform: OptionalPlatform = None,
    ) -> Envelope[TokenView]:
        device = signing_device(request, device_id, platform)
        session = await verify_otp(data.phone, device_id, data.otp, device.address, platform, device.token)
        return ok(token_view(session, request))
