"""The requests and responses of the hosted page and the token endpoint, for the API description: their shapes
are those of OAuth 2.1 and OpenID Connect, which Litestar cannot read from the handlers."""

from collections.abc import Mapping
from typing import Any, Final

from litestar.openapi.datastructures import ResponseSpec

from finassist.entrypoints.http.oauth.shapes import StandardShape
from finassist.entrypoints.http.responses.envelope import ErrorEnvelope


def _text(description: str, **schema: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **schema}


def _parameter(name: str, description: str, *, required: bool = False, **schema: Any) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": description,
        "schema": {"type": "string", **schema},
    }


AUTHORIZATION_QUERY: Final = (
    _parameter("client_id", "Who asks; another client gets the page of a failed sign-in.", required=True),
    _parameter(
        "redirect_uri", "Where the code goes: an address that is allowed.", required=True, format="uri"
    ),
    _parameter("response_type", "`code`."),
    _parameter("scope", "Contains `openid`."),
    _parameter("code_challenge", "Of PKCE: 43 characters of base64url."),
    _parameter("code_challenge_method", "`S256`."),
    _parameter("state", "Comes back with the code."),
    _parameter("nonce", "Is repeated in the ID token."),
)
"""What ``GET /oauth/authorize`` reads. Without an allowed client and address no browser may be sent there;
every other fault is told to the client at its address."""

SIGN_IN_FORM: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["form", "intent"],
    "properties": {
        "form": _text("The token of the form, good once."),
        "intent": _text("Which of the forms.", enum=["signin", "signup", "code"]),
        "email": _text("The account's email."),
        "password": _text("The account's password."),
        "name": _text("The name of a new account."),
        "challenge": _text("Of a sign-in that needs a second factor, with the intent `code`."),
        "code": _text("The code of the second factor."),
    },
}

TOKEN_FORM: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["client_id", "grant_type"],
    "properties": {
        "client_id": _text("Who asks."),
        "grant_type": _text("What is given for the tokens.", enum=["authorization_code", "refresh_token"]),
        "code": _text("Of the redirect."),
        "code_verifier": _text("Of PKCE."),
        "redirect_uri": _text("The address that the code went to."),
        "refresh_token": _text("Of an earlier answer; the answer has the next one."),
    },
}


class TokenRefusal(StandardShape):
    """A refusal as RFC 6749, section 5.2, has it."""

    error: str


TO_THE_CLIENT: Final = ResponseSpec(
    data_container=None, description="The client is told at its address what is wrong with its request."
)
TOKEN_REFUSED: Final = ResponseSpec(
    data_container=TokenRefusal | ErrorEnvelope,  # type: ignore[arg-type] # unions are described as well
    generate_examples=False,
    description="What RFC 6749 says, or `VALIDATION_ERROR` for a query that cannot be read.",
)
