"""Signing in with the identity token of a social provider (spec "Authentication service")."""

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.auth.social_tokens import SignInSocial
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
from finassist.entrypoints.http.responses.envelope import Envelope, ok


class SocialRequest(Body):
    """An identity token that a social provider signed for this service."""

    id_token: str


class SocialController(Controller):
    """Apps bring the token of a provider."""

    path = "/api/v1/auth"
    tags = ("Authentication",)

    @post(
        "/social",
        summary="Sign in with another provider's token",
        description=(
            "Sign in with an identity token of one of SOCIAL_ISSUERS; an account is made when the user "
            "has none.\n\n"
            "The token must be signed by its issuer (RSA keys of at least 2,048 bits), issued for the "
            "configured client id (also `azp`, if it is there) at most ten minutes ago, and expire within "
            "a day. It is good once. The device of `x-device-id` is bound to the user."
        ),
        request_example={"idToken": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMDM3In0.c2lnbmF0dXJl"},
        status_code=200,
        responses=raises(*BODY_ERRORS, "UNAUTHORIZED", "SECOND_FACTOR_REQUIRED", "IDENTITY_PROVIDER_ERROR"),
        audited=ALWAYS,
    )
    async def sign_in_social(
        self,
        request: AnyRequest,
        data: JSONBody[SocialRequest],
        sign_in_social: NamedDependency[SignInSocial],
        device_id: OptionalDeviceId = None,
        platform: OptionalPlatform = None,
    ) -> Envelope[TokenView]:
        device = signing_device(request, device_id, platform)
        return ok(token_view(await sign_in_social(data.id_token, device), request))
