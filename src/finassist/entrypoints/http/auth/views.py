"""The views of several sign-in routes: tokens and their user."""

from finassist.application.auth.sign_in import Session
from finassist.entrypoints.http.requests.addresses import absolute_url
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.responses.envelope import View


class AuthUserView(View):
    """The user who has signed in. A user known by phone only has the email ``<digits>@phone.invalid``."""

    id: str
    email: str | None
    name: str
    phone: str | None
    phone_verified: bool
    email_verified: bool
    avatar_url: str | None


class TokenView(View):
    """Tokens and user; ``expiresIn`` is in seconds."""

    access_token: str
    id_token: str
    refresh_token: str | None
    expires_in: int
    user: AuthUserView


def token_view(session: Session, request: AnyRequest) -> TokenView:
    """The token envelope of everything that signs in."""
    tokens, user = session.tokens, session.user
    return TokenView(
        access_token=tokens.access_token,
        id_token=tokens.id_token,
        refresh_token=tokens.refresh_token,
        expires_in=tokens.expires_in,
        user=AuthUserView(
            id=user.id,
            email=user.shown_email,
            name=user.name,
            phone=user.phone,
            phone_verified=user.phone_verified,
            email_verified=user.email_verified,
            avatar_url=absolute_url(request, session.avatar_url),
        ),
    )
