"""New passwords, and verified emails (contract section 13, "Accounts")."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, ClassVar, Final

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.auth.mails import ForgetPassword
from finassist.application.auth.passwords import (
    ChangePassword,
    ResetPassword,
    SendVerification,
    VerifyEmail,
)
from finassist.domain.auth.local_accounts import email_problems, password_problems
from finassist.entrypoints.http.auth.bodies import common_password
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.openapi.exactness import EMAIL, PASSWORD
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.audit import ALWAYS
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.security import AS_REGISTERED, CallerRequest
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok

_LOCAL_ONLY: Final = "\n\nWith an identity provider other than the built-in one, this is a validation error."
_TOKEN: Final = "mO8Xh1W6Jd1c0n7yq3v0o5Jx2V9s8b4LkT6aQeUzYpE"  # noqa: S105 - an example

Rules = Mapping[str, Callable[[str], Sequence[str]]]


class ForgottenPassword(Body):
    """Whose password is forgotten."""

    rules: ClassVar[Rules] = {"email": email_problems}

    email: Annotated[str, EMAIL]


class PasswordResetRequest(Body):
    """The token of the mail, and the new password."""

    rules: ClassVar[Rules] = {"password": password_problems}
    late_checks = (common_password,)

    token: str
    password: Annotated[str, PASSWORD]


class PasswordChange(Body):
    """The present password, left out by somebody who has none, and the new one."""

    rules: ClassVar[Rules] = {"password": password_problems}
    late_checks = (common_password,)

    password: Annotated[str, PASSWORD]
    current_password: str | None = None


class NewEmail(Body):
    """The email of an account that has none."""

    rules: ClassVar[Rules] = {"email": email_problems}

    email: Annotated[str, EMAIL] | None = None


class EmailProof(Body):
    """The token of the mail."""

    token: str


class AccountMessage(View):
    """A sentence for people."""

    message: str


class PasswordController(Controller):
    """Passwords and emails of accounts of the built-in provider."""

    path = "/api/v1/auth"
    tags = ("Account",)

    @post(
        "/password/forgot",
        summary="Ask for a mail to reset the password",
        description=(
            "Mail a token to choose a new password with, good once and for 30 minutes. The response is the "
            "same whether or not the email has an account." + _LOCAL_ONLY
        ),
        request_example={"email": "ann@example.com"},
        status_code=200,
        responses=raises(*BODY_ERRORS),
    )
    async def forget_password(
        self,
        request: AnyRequest,
        data: JSONBody[ForgottenPassword],
        forget_password: NamedDependency[ForgetPassword],
    ) -> Envelope[AccountMessage]:
        await forget_password(data.email, request.scope["state"]["address"])
        return ok(AccountMessage("If this email has an account, a mail is on its way to it."))

    @post(
        "/password/reset",
        summary="Reset the password",
        description=(
            "Choose a new password with the token of a mail. All sessions end, and the email counts as "
            "verified. A token that is unknown, used or too old is a validation error of `token`."
            + _LOCAL_ONLY
        ),
        request_example={"token": _TOKEN, "password": "Correct-horse-8"},
        status_code=200,
        responses=raises(*BODY_ERRORS),
        audited=ALWAYS,
    )
    async def reset_password(
        self, data: JSONBody[PasswordResetRequest], reset_password: NamedDependency[ResetPassword]
    ) -> Envelope[AccountMessage]:
        await reset_password(data.token, data.password)
        return ok(AccountMessage("The password is changed, please sign in."))

    @post(
        "/password/change",
        summary="Change the password",
        description=(
            "Replace the caller's password. The present one has to be right, also in a fresh session; all "
            "other sessions end. A user who has none (who signed up by phone or with a social provider) "
            "leaves it out and sets the first one: with a verified email (else an invalid state), and "
            "within five minutes of signing in (else unauthorized)." + _LOCAL_ONLY
        ),
        request_example={"currentPassword": "Correct-horse-7", "password": "Correct-horse-8"},
        status_code=200,
        responses=raises(
            *BODY_ERRORS,
            "UNAUTHORIZED",
            "INVALID_CREDENTIALS",
            "INVALID_STATE",
            "TOO_MANY_ATTEMPTS",
            "IDENTITY_PROVIDER_ERROR",
        ),
        **AS_REGISTERED,
        audited=ALWAYS,
    )
    async def change_password(
        self,
        request: CallerRequest,
        data: JSONBody[PasswordChange],
        change_password: NamedDependency[ChangePassword],
    ) -> Envelope[AccountMessage]:
        address = request.scope["state"]["address"]
        await change_password(request.user, data.current_password, data.password, address)
        return ok(AccountMessage("The password is changed."))

    @post(
        "/email/verify/send",
        summary="Ask for a mail to verify the email",
        description=(
            "Mail the caller a token that verifies the email, good once and for a day. Nothing is sent when "
            "it is verified already. The body may be left out; an account without email (of a phone) names "
            "one there within five minutes of signing in, and has it once the token is sent back. Another "
            "email than the account's, and none for an account without one, is an invalid state."
            + _LOCAL_ONLY
        ),
        request_example={"email": "ann@example.com"},
        status_code=200,
        responses=raises(
            *BODY_ERRORS, "UNAUTHORIZED", "INVALID_STATE", "RATE_LIMIT_EXCEEDED", "IDENTITY_PROVIDER_ERROR"
        ),
        **AS_REGISTERED,
    )
    async def send_verification(
        self,
        request: CallerRequest,
        send_verification: NamedDependency[SendVerification],
        data: JSONBody[NewEmail | None] = None,
    ) -> Envelope[AccountMessage]:
        email = None if data is None else data.email
        sent = await send_verification(request.user, request.scope["state"]["address"], email)
        return ok(AccountMessage("A mail is on its way." if sent else "The email is verified already."))

    @post(
        "/email/verify",
        summary="Verify the email",
        description=(
            "Verify an email with the token of a mail; no sign-in is needed. When another user has verified "
            "this email before, the account and its conversations become that user's. A token that is "
            "unknown, used or too old is a validation error of `token`." + _LOCAL_ONLY
        ),
        request_example={"token": _TOKEN},
        status_code=200,
        responses=raises(*BODY_ERRORS),
        audited=ALWAYS,
    )
    async def verify_email(
        self, data: JSONBody[EmailProof], verify_email: NamedDependency[VerifyEmail]
    ) -> Envelope[AccountMessage]:
        await verify_email(data.token)
        return ok(AccountMessage("The email is verified."))
