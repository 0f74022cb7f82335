"""A loopback OpenID Connect provider that answers as a test scripts it, and that signs tokens.

Raw asyncio, so that it can also hang, cut answers short and send what no framework would.
"""

import asyncio
import base64
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from joserfc.jwk import ECKey, Key
from joserfc.jws import JWSRegistry

from servers.loopback import serving

DISCOVERY = "/.well-known/openid-configuration"
KEYS = "/keys"
TOKEN = "/token"
REVOKE = "/revoke"


@dataclass
class Asked:
    """One request: what the body is as a form, and as JSON."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode()))

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    """What is sent. With ``hang`` nothing is; with ``endless`` the body comes again and again."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    endless: bool = False

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Respond = Callable[[Asked], Answer]


class OidcServer:
    """The provider. ``answers`` are what a path answers: an answer, or a function of the request."""

    def __init__(self) -> None:
        self.key: Key = ECKey.generate_key("P-256", auto_kid=True)
        self.keys: list[dict[str, Any]] = [self.key.as_dict(private=False)]
        self.url = ""
        self.asked: list[Asked] = []
        self.answers: dict[str, Answer | Respond] = {}

    @property
    def issuer(self) -> str:
        return self.url

    @property
    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}{TOKEN}",
            "revocation_endpoint": f"{self.url}{REVOKE}",
            "jwks_uri": f"{self.url}{KEYS}",
            "scopes_supported": ["openid", "email", "offline_access"],
            "response_types_supported": ["code"],
        }

    def rotate(self) -> None:
        """Sign with a new key from now on, and publish it beside the earlier ones."""
        self.key = ECKey.generate_key("P-256", auto_kid=True)
        self.keys.append(self.key.as_dict(private=False))

    def requests_to(self, path: str) -> list[Asked]:
        """What was asked of a path."""
        return [asked for asked in self.asked if asked.path == path]

    def token(
        self,
        *,
        key: Key | None = None,
        algorithm: str = "ES256",
        header: Mapping[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """A token with a true signature. Claims that are None are left out."""
        key, now = key or self.key, int(time.time())
        head = {"alg": algorithm, "kid": key.kid, "typ": "JWT"} | dict(header or {})
        body = {"iss": self.issuer, "sub": "ann", "iat": now, "exp": now + 300, "jti": secrets.token_hex(8)}
        signed = ".".join(
            encode(json.dumps({name: value for name, value in part.items() if value is not None}).encode())
            for part in (head, body | claims)
        )
        return f"{signed}.{encode(JWSRegistry.algorithms[algorithm].sign(signed.encode(), key))}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while (asked := await _read(reader)) is not None:
                self.asked.append(asked)
                answer = self._answer(asked)
                if answer.hang:
                    await reader.read()
                    return
                await _write(writer, answer)
        except (ConnectionError, asyncio.CancelledError):  # cancelled: the test is over
            pass
        finally:
            writer.close()

    def _answer(self, asked: Asked) -> Answer:
        answer = self.answers.get(asked.path)
        if answer is None:
            documents = {DISCOVERY: self.metadata, KEYS: {"keys": self.keys}}
            return Answer(documents[asked.path]) if asked.path in documents else Answer(status=404)
        return answer if isinstance(answer, Answer) else answer(asked)


def encode(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
    except asyncio.IncompleteReadError:
        return None
    method, target, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-1])}
    return Asked(method, target, headers, await reader.readexactly(int(headers.get("content-length", 0))))


async def _write(writer: asyncio.StreamWriter, answer: Answer) -> None:
    headers = {"Content-Type": "application/json", **answer.headers}
    if not answer.endless:
        headers["Content-Length"] = str(len(answer.content))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {answer.status} Scripted\r\n{lines}\r\n".encode())
    writer.write(answer.content)
    while answer.endless:
        writer.write(answer.content)
        await writer.drain()
    await writer.drain()


@asynccontextmanager
async def serve_oidc(server: OidcServer | None = None, port: int = 0) -> AsyncIterator[OidcServer]:
    """Run the provider on loopback; port 0 takes a free one."""
    async with serving(server or OidcServer(), port) as provider:
        yield provider
