"""The second factor (contract section 13, "Accounts")."""

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.auth.second_factor import (
    BeginSecondFactor,
    ConfirmSecondFactor,
    FindSecondFactor,
    RemoveSecondFactor,
    SignInSecondFactor,
)
from finassist.domain.auth.second_factor import CODE_MAX
from finassist.entrypoints.http.auth.views import TokenView, token_view
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.audit import ALWAYS
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.parameters import (
    OptionalDeviceId,
    OptionalPlatform,
    signing_device,
)
from finassist.entrypoints.http.requests.security import AS_REGISTERED, CallerRequest
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok, view

_OWN: Final = ("UNAUTHORIZED", "INVALID_STATE", "IDENTITY_PROVIDER_ERROR")
_CODE: Final = ("INVALID_CODE", "TOO_MANY_ATTEMPTS")
_LOCAL_ONLY: Final = "\n\nWith an identity provider other than the built-in one, this is a validation error."

Code = Annotated[str, msgspec.Meta(min_length=1, max_length=CODE_MAX)]


class SecondFactorCode(Body):
    """Six digits of the authenticator app; to switch it off, a recovery code will do as well."""

    code: Code


class ChallengeAnswer(Body):
    """The challenge of the sign-in, and a code of the authenticator app or a recovery code."""

    challenge: Annotated[str, msgspec.Meta(max_length=CODE_MAX)]
    code: Code


class SecondFactorView(View):
    """Whether the second factor is on, and how many recovery codes were not used yet."""

    enabled: bool
    recovery_codes_left: int


class NewSecondFactorView(View):
    """What an authenticator app needs: as the address of a QR code, and to type."""

    otpauth_uri: str
    secret: str


class RecoveryCodesView(View):
    """Codes for somebody without the app, each good once. They are shown this once."""

    recovery_codes: Sequence[str]


class RemovedSecondFactorView(View):
    """The second factor is off."""

    deleted: bool


class SecondFactorController(Controller):
    """``/api/v1/auth/second-factor``."""

    path = "/api/v1/auth"

    @get(
        "/second-factor",
        tags=["Account"],
        summary="Tell whether the second factor is on",
        description="Whether signing in to the caller's account needs a code, and how many recovery codes "
        "are left." + _LOCAL_ONLY,
        responses=raises(*_OWN),
        **AS_REGISTERED,
    )
    async def find_second_factor(
        self, request: CallerRequest, find_second_factor: NamedDependency[FindSecondFactor]
    ) -> Envelope[SecondFactorView]:
        factor = await find_second_factor(request.user)
        left = 0 if factor is None else len(factor.recovery_hashes)
        return ok(SecondFactorView(enabled=factor is not None, recovery_codes_left=left))

    @post(
        "/second-factor",
        tags=["Account"],
        summary="Begin to use a second factor",
        description=(
            "Make a secret for an authenticator app (TOTP). Nothing changes until a code confirms it; asking "
            "again makes another secret." + _LOCAL_ONLY
        ),
        status_code=200,
        responses=raises(*_OWN),
        **AS_REGISTERED,
    )
    async def begin_second_factor(
        self, request: CallerRequest, begin_second_factor: NamedDependency[BeginSecondFactor]
    ) -> Envelope[NewSecondFactorView]:
        return ok(view(await begin_second_factor(request.user), NewSecondFactorView))

    @post(
        "/second-factor/confirm",
        tags=["Account"],
        summary="Switch the second factor on",
        description="Confirm the secret with a code of the app. From now on every sign-in needs one."
        + _LOCAL_ONLY,
        request_example={"code": "123456"},
        status_code=200,
        responses=raises(*BODY_ERRORS, *_OWN, *_CODE),
        **AS_REGISTERED,
        audited=ALWAYS,
    )
    async def confirm_second_factor(
        self,
        request: CallerRequest,
        data: JSONBody[SecondFactorCode],
        confirm_second_factor: NamedDependency[ConfirmSecondFactor],
    ) -> Envelope[RecoveryCodesView]:
        return ok(RecoveryCodesView(recovery_codes=await confirm_second_factor(request.user, data.code)))

    @delete(
        "/second-factor",
        tags=["Account"],
        summary="Switch the second factor off",
        description="Switch the second factor off with a code of it, or a recovery code." + _LOCAL_ONLY,
        request_example={"code": "123456"},
        status_code=200,
        responses=raises(*BODY_ERRORS, *_OWN, *_CODE),
        **AS_REGISTERED,
        audited=ALWAYS,
    )
    async def remove_second_factor(
        self,
        request: CallerRequest,
        data: JSONBody[SecondFactorCode],
        remove_second_factor: NamedDependency[RemoveSecondFactor],
    ) -> Envelope[RemovedSecondFactorView]:
        await remove_second_factor(request.user, data.code)
        return ok(RemovedSecondFactorView(deleted=True))

    @post(
        "/signin/second-factor",
        tags=["Authentication"],
        summary="Finish a sign-in with a second factor",
        description=(
            "Finish a sign-in that was refused with `SECOND_FACTOR_REQUIRED`, by its `details.challenge` "
            "and a code. A challenge is good for ten minutes; the fifth wrong code ends it." + _LOCAL_ONLY
        ),
        request_example={"challenge": "mO8Xh1W6Jd1c0n7yq3v0o5Jx2V9s8b4LkT6aQeUzYpE", "code": "123456"},
        status_code=200,
        responses=raises(
            *BODY_ERRORS, *_CODE, "CHALLENGE_EXPIRED", "UNAUTHORIZED", "IDENTITY_PROVIDER_ERROR"
        ),
        audited=ALWAYS,
    )
    async def sign_in_second_factor(
        self,
        request: AnyRequest,
        data: JSONBody[ChallengeAnswer],
        sign_in_second_factor: NamedDependency[SignInSecondFactor],
        device_id: OptionalDeviceId = None,
        platform: OptionalPlatform = None,
    ) -> Envelope[TokenView]:
        device = signing_device(request, device_id, platform)
        session = await sign_in_second_factor(data.challenge, data.code, device)
        return ok(token_view(session, request))
