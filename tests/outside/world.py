"""What generated requests need to get inside of their route: accounts, and fresh records of the caller's.

It makes them over HTTP, as any client would; the code of an SMS it reads in the server's log.
"""

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
import pyotp

from waiting import wait_until

BACKEND_SECRET = "the-backend-secret-of-the-fuzzing"
WEBHOOK_SECRET = "the-webhook-secret-of-the-fuzzing"
PASSWORD = "Passw0rd-of-the-fuzzing"
DEVICE = "the-device-of-the-fuzzing"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_VERIFIER = "a" * 43
_CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(_VERIFIER.encode()).digest()).rstrip(b"=").decode()


class World:
    """Makes records for a caller, who is a guest or registered."""

    def __init__(self, address: str, log: Path, who: str) -> None:
        self._numbers = itertools.count(1)
        self._log = log
        self._who = who
        self.client = httpx2.Client(
            base_url=address, timeout=30, event_hooks={"request": [self._come_from_elsewhere]}
        )
        self.admin = {"X-Backend-Secret": BACKEND_SECRET}

    def _come_from_elsewhere(self, request: httpx2.Request) -> None:
        request.headers.setdefault("X-Forwarded-For", self.address())

    def _post(self, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        response = self.client.post(path, json=body, headers=headers)
        assert response.status_code < 300, response.text
        return response.json()["data"]

    def name(self, kind: str) -> str:
        """Another one each time."""
        return f"{kind}-{self._who}-{next(self._numbers)}"

    def address(self) -> str:
        """An address that no request came from before: what is limited by address is not what is tested."""
        high, low = divmod(next(self._numbers), 250)
        return f"{10 + len(self._who)}.{high // 250 % 250}.{high % 250}.{low + 1}"

    def account(self) -> dict[str, Any]:
        """Somebody new: the token envelope, and ``email``."""
        email = f"{self.name('user')}@example.com"
        body = {"email": email, "password": PASSWORD, "name": "Somebody"}
        data: dict[str, Any] = self._post("/api/v1/auth/signup", body)
        return {**data, "email": email}

    def bearer(self) -> dict[str, str]:
        """The header of somebody new."""
        return {"Authorization": f"Bearer {self.account()['accessToken']}"}

    def reply(self, caller: Mapping[str, str]) -> dict[str, Any]:
        """A turn of a new conversation."""
        data: dict[str, Any] = self._post("/api/v1/ai/chat", {"message": "What is an ETF?"}, dict(caller))
        return data

    def share(self, caller: Mapping[str, str]) -> str:
        """The id of a new share."""
        body = {"conversationId": self.reply(caller)["conversationId"]}
        share: str = self._post("/api/v1/share", body, dict(caller))["shareId"]
        return share

    def file(self, caller: Mapping[str, str]) -> dict[str, Any]:
        """A new file."""
        form = {"file": ("picture.png", PNG, "image/png")}
        response = self.client.post("/api/v1/files/upload", files=form, headers=dict(caller))
        data: dict[str, Any] = response.json()["data"]
        return data

    def link(self, caller: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """Key and query of the signed link to a new file."""
        parts = urlsplit(self.file(caller)["url"])
        return parts.path.removeprefix("/objects/"), dict(parse_qsl(parts.query))

    def embed(self) -> str:
        """The id of a new quote image."""
        form = {"image": ("quote.png", PNG, "image/png")}
        fields = {"categoryId": "Insurance"}
        response = self.client.post("/api/v1/visual-embeds", files=form, data=fields, headers=self.admin)
        embed: str = response.json()["data"]["id"]
        return embed

    def preprompt(self, catalog: str) -> dict[str, Any]:
        """A new record of ``preprompts`` or ``second-opinion/preprompts``."""
        body = {"key": self.name("key"), "publicValue": "Shown", "maskedValue": "Hidden"}
        data: dict[str, Any] = self._post(f"/api/v1/{catalog}", body, self.admin)
        return data

    def receipt(self) -> str:
        """The id of an erasure."""
        response = self.client.delete("/api/v1/auth/me", headers=self.bearer())
        receipt: str = response.json()["data"]["receiptId"]
        return receipt

    def answers(self, caller: Mapping[str, str]) -> list[dict[str, Any]]:
        """An answer to the first question that the caller is asked, or its withdrawal."""
        cards = self.client.get("/api/v1/user-profile/cards", headers=dict(caller)).json()["data"]["cards"]
        if not cards:
            return []
        question = cards[0]["questions"][0]
        return [{"cardId": cards[0]["id"], "questionId": question["id"], "value": None}]

    def phone(self) -> str:
        """A phone that got no code yet."""
        return f"+4915{len(self._who)}{next(self._numbers):07d}"

    def code(self, device: str) -> tuple[str, str]:
        """A phone that got a code, and the code."""
        phone = self.phone()
        headers = {"x-device-id": device, "X-Forwarded-For": self.address()}
        self._post("/api/v1/auth/send-otp", {"phone": phone}, headers)
        [text] = [
            event["text"]
            for line in self._log.read_text().splitlines()
            if '"sms"' in line and phone in line and (event := json.loads(line))
        ]
        return phone, re.findall(r"\d{6}", text)[0]

    def mail_token(self, kind: str) -> str:
        """The token of a mail that somebody new got, to ``verify`` the email or to ``reset`` the password."""
        account = self.account()
        headers = {"X-Forwarded-For": self.address(), "Authorization": f"Bearer {account['accessToken']}"}
        if kind == "verify":
            self._post("/api/v1/auth/email/verify/send", None, headers)
        else:
            self._post("/api/v1/auth/password/forgot", {"email": account["email"]}, headers)

        def sent() -> str:
            lines = self._log.read_text().splitlines()
            mails = [line for line in lines if '"email"' in line and account["email"] in line]
            return re.findall(rf"#{kind}=([\w-]+)", json.loads(mails[0])["text"])[0] if mails else ""

        return wait_until(sent)  # in the background

    def session(self) -> tuple[dict[str, str], str]:
        """The header of somebody new, and the id of their session."""
        caller = self.bearer()
        shown = self.client.get("/api/v1/auth/sessions", headers=caller).json()["data"]["sessions"]
        return caller, shown[0]["id"]

    def authenticator(self) -> tuple[dict[str, Any], dict[str, str], str]:
        """Somebody new who has begun to use a second factor: account, header, and a code that confirms it."""
        account = self.account()
        caller = {"Authorization": f"Bearer {account['accessToken']}"}
        secret = self._post("/api/v1/auth/second-factor", None, caller)["secret"]
        return account, caller, pyotp.TOTP(secret).now()

    def protected(self) -> tuple[dict[str, Any], dict[str, str], str]:
        """Somebody new whose second factor is on: account, header, and a recovery code."""
        account, caller, code = self.authenticator()
        confirmed = self._post("/api/v1/auth/second-factor/confirm", {"code": code}, caller)
        return account, caller, confirmed["recoveryCodes"][0]

    def challenge(self) -> dict[str, str]:
        """A sign-in that waits for its second factor, and a code for it."""
        account, _, code = self.protected()
        credentials = {"email": account["email"], "password": PASSWORD}
        refused = self.client.post("/api/v1/auth/signin", json=credentials).json()
        return {"challenge": refused["error"]["details"]["challenge"], "code": code}

    def authorization(self) -> dict[str, str]:
        """A good query for the hosted page."""
        started = self._post("/api/v1/auth/login/social")["authorizationUrl"]
        query = {name: values[0] for name, values in parse_qs(urlsplit(started).query).items()}
        return {**query, "code_challenge": _CHALLENGE}

    def form(self) -> tuple[dict[str, str], str]:
        """The fields of a form of the hosted page, filled in, and the cookie that belongs to it."""
        page = self.client.get("/oauth/authorize", params=self.authorization())
        self.client.cookies.clear()
        [token] = set(re.findall(r"name=form value='([^']+)'", page.text))
        email = self.account()["email"]
        fields = {"form": token, "intent": "signin", "email": email, "password": PASSWORD}
        return fields, page.headers["set-cookie"].partition(";")[0]

    def grant(self) -> dict[str, str]:
        """What the token endpoint takes for tokens."""
        fields, cookie = self.form()
        sent = self.client.post("/oauth/authorize", data=fields, headers={"Cookie": cookie})
        location = urlsplit(sent.headers["location"])
        return {
            "client_id": "finassist-client",
            "grant_type": "authorization_code",
            "code": parse_qs(location.query)["code"][0],
            "code_verifier": _VERIFIER,
            "redirect_uri": f"{location.scheme}://{location.netloc}{location.path}",
        }

    def app_code(self) -> dict[str, str]:
        """The code of an app's redirect login, and its verifier."""
        started = self._post("/api/v1/auth/login/social", {"codeChallenge": _CHALLENGE})
        page = self.client.get(started["authorizationUrl"])
        self.client.cookies.clear()
        [token] = set(re.findall(r"name=form value='([^']+)'", page.text))
        fields = {"form": token, "intent": "signin", "email": self.account()["email"], "password": PASSWORD}
        cookie = page.headers["set-cookie"].partition(";")[0]
        sent = self.client.post("/oauth/authorize", data=fields, headers={"Cookie": cookie})
        back = self.client.get(sent.headers["location"])
        code = parse_qs(urlsplit(back.headers["location"]).fragment)["code"][0]
        return {"code": code, "codeVerifier": _VERIFIER}

    def login(self) -> tuple[str, str]:
        """The state of a redirect login, and the cookie that it is bound to."""
        response = self.client.get("/api/v1/auth/login/social")
        self.client.cookies.clear()
        state = parse_qs(urlsplit(response.headers["location"]).query)["state"][0]
        return state, response.headers["set-cookie"].partition(";")[0]
