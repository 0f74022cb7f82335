"""A loopback server that answers as Auth0's documentation says, for one tenant.

Shapes and codes are those of the Authentication API (``/dbconnections/signup``, ``/oauth/token``,
``/oauth/revoke``) and of the Management API v2 (``/api/v2/users``).
"""

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, unquote

from joserfc.jwk import RSAKey

from servers.oidc_server import Answer, Asked, OidcServer, serve_oidc

AUDIENCE = "https://finance.example.org/api"
CLIENT_ID, CLIENT_SECRET = "app-client", "app-secret"
MANAGEMENT_ID, MANAGEMENT_SECRET = "management-client", "management-secret"
GOOGLE = "http://auth0.com/oauth/token-type/google-id-token"

_PASSWORD_REALM = "http://auth0.com/oauth/grant-type/password-realm"
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_PASSWORD_MIN = 8


class Auth0Server(OidcServer):
    """The tenant. ``users`` are its accounts by email, ``refreshing`` the emails of good refresh tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.key = RSAKey.generate_key(2048, auto_kid=True)
        self.keys = [self.key.as_dict(private=False, use="sig", alg="RS256")]
        self.users: dict[str, dict[str, Any]] = {}
        self.refreshing: dict[str, str] = {}
        self.management_tokens: set[str] = set()
        self.answers = {
            "/dbconnections/signup": self._sign_up,
            "/oauth/token": self._token,
            "/oauth/revoke": self._revoke,
            "/api/v2/users": self._create_user,
            "/api/v2/users-by-email": self._find_users,
        }

    @property
    def issuer(self) -> str:
        return f"{self.url}/"

    @property
    def metadata(self) -> dict[str, Any]:
        return super().metadata | {
            "token_endpoint": f"{self.url}/oauth/token",
            "revocation_endpoint": f"{self.url}/oauth/revoke",
            "scopes_supported": ["openid", "profile", "offline_access", "name", "email", "phone"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }

    def add_user(self, email: str, password: str, **fields: Any) -> dict[str, Any]:
        """Make an account."""
        user = {"user_id": f"auth0|{secrets.token_hex(12)}", "email": email, "password": password, **fields}
        self.users[email.lower()] = user
        self.answers[f"/api/v2/users/{user['user_id'].replace('|', '%7C')}"] = self._user
        return user

    def access_token(self, **claims: Any) -> str:
        """An access token as Auth0 signs it."""
        defaults = {"aud": [AUDIENCE, f"{self.issuer}userinfo"], "azp": CLIENT_ID, "scope": "openid email"}
        return self.token(algorithm="RS256", **defaults | claims)

    def _sign_up(self, asked: Asked) -> Answer:
        wanted = asked.json
        if wanted["client_id"] != CLIENT_ID or wanted["connection"] != "Username-Password-Authentication":
            return Answer({"name": "BadRequestError", "code": "invalid_connection", "statusCode": 400}, 400)
        if wanted["email"].lower() in self.users:
            return Answer({"name": "BadRequestError", "code": "invalid_signup", "statusCode": 400}, 400)
        if len(wanted["password"]) < _PASSWORD_MIN:
            weak = {"name": "PasswordStrengthError", "code": "invalid_password", "policy": "* At least 8"}
            return Answer({**weak, "message": "Password is too weak", "statusCode": 400}, 400)
        user = self.add_user(wanted["email"], wanted["password"], name=wanted["name"])
        return Answer({"_id": user["user_id"][6:], "email_verified": False, "email": user["email"]})

    def _token(self, asked: Asked) -> Answer:
        form = asked.form
        client = (form.get("client_id"), form.get("client_secret"))
        if form["grant_type"] == "client_credentials":
            return self._management_token(form, client)
        if client != (CLIENT_ID, CLIENT_SECRET):
            return Answer({"error": "access_denied", "error_description": "Unauthorized"}, 401)
        if form["grant_type"] == "refresh_token":
            email = self.refreshing.pop(form["refresh_token"], None)
            if email is None:
                return _refusal("Unknown or invalid refresh token.")
            return self._tokens(self.users[email])
        if form["grant_type"] == "authorization_code":
            return _refusal("Invalid authorization code")
        assert form["audience"] == AUDIENCE
        if form["grant_type"] == _PASSWORD_REALM:
            user = self.users.get(form["username"].lower())
            if user is None or user["password"] != form["password"]:
                return _refusal("Wrong email or password.")
            return self._tokens(user)
        if form["grant_type"] == _EXCHANGE and form["subject_token_type"] == GOOGLE:
            return self._tokens(self.add_user("zoe@example.org", "", name="Zoe", email_verified=True))
        return Answer({"error": "unsupported_grant_type", "error_description": "Unsupported"}, 403)

    def _management_token(self, form: Mapping[str, str], client: tuple[str | None, ...]) -> Answer:
        if client != (MANAGEMENT_ID, MANAGEMENT_SECRET) or form["audience"] != f"{self.issuer}api/v2/":
            return Answer({"error": "access_denied", "error_description": "Unauthorized"}, 401)
        token = secrets.token_urlsafe()
        self.management_tokens.add(token)
        return Answer({"access_token": token, "expires_in": 86400, "token_type": "Bearer"})

    def _tokens(self, user: Mapping[str, Any]) -> Answer:
        refresh_token = secrets.token_urlsafe()
        self.refreshing[refresh_token] = user["email"].lower()
        id_token = self.token(
            algorithm="RS256",
            sub=user["user_id"],
            aud=CLIENT_ID,
            email=user["email"],
            email_verified=user.get("email_verified", False),
            name=user.get("name", user["email"]),
            picture="https://s.gravatar.com/avatar/0.png",
            sid="session-1",
        )
        return Answer(
            {
                "access_token": self.access_token(sub=user["user_id"], gty="password"),
                "id_token": id_token,
                "refresh_token": refresh_token,
                "expires_in": 86400,
                "token_type": "Bearer",
            }
        )

    def _revoke(self, asked: Asked) -> Answer:
        self.refreshing.pop(asked.form["token"], None)
        return Answer()

    def _create_user(self, asked: Asked) -> Answer:
        if (refused := self._refuse_management(asked)) is not None:
            return refused
        wanted = asked.json
        if wanted["email"].lower() in self.users:
            conflict = {"statusCode": 409, "error": "Conflict", "errorCode": "auth0_idp_error"}
            return Answer({**conflict, "message": "The user already exists."}, 409)
        user = self.add_user(wanted["email"], wanted["password"], app_metadata=wanted["app_metadata"])
        return Answer({"user_id": user["user_id"], "email": user["email"]}, 201)

    def _find_users(self, asked: Asked) -> Answer:
        if (refused := self._refuse_management(asked)) is not None:
            return refused
        user = self.users.get(parse_qs(asked.target.partition("?")[2])["email"][0].lower())
        found = [] if user is None else [user]
        return Answer([{name: value for name, value in one.items() if name != "password"} for one in found])

    def _user(self, asked: Asked) -> Answer:
        if (refused := self._refuse_management(asked)) is not None:
            return refused
        user_id = unquote(asked.path.rpartition("/")[2])
        if asked.method == "DELETE":  # also when there is none
            self.users = {email: user for email, user in self.users.items() if user["user_id"] != user_id}
            self.refreshing = {
                token: email for token, email in self.refreshing.items() if email in self.users
            }
            return Answer(status=204)
        user = next(user for user in self.users.values() if user["user_id"] == user_id)
        user["password"] = asked.json["password"]
        return Answer({"user_id": user_id})

    def _refuse_management(self, asked: Asked) -> Answer | None:
        if asked.headers.get("authorization", "").removeprefix("Bearer ") in self.management_tokens:
            return None
        return Answer({"statusCode": 401, "error": "Unauthorized", "message": "Invalid token"}, 401)


def _refusal(description: str) -> Answer:
    return Answer({"error": "invalid_grant", "error_description": description}, 403)


@asynccontextmanager
async def serve_auth0() -> AsyncIterator[Auth0Server]:
    """Run the tenant on loopback."""
    server = Auth0Server()
    async with serve_oidc(server):
        yield server
