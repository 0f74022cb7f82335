"""A Keycloak for the tests, with the realm of ``realm.json``: one server and one realm a session.

``make engines`` fetches it; its database is in memory.
"""

import atexit
import json
import secrets
import shutil
import socket
from functools import cache
from pathlib import Path
from typing import Any

import httpx2

from engines import CACHE, missing
from engines.watched import start_watched

REALM_FILE = Path(__file__).parent / "realm.json"

MISSING = "no Keycloak: run `make engines`, which needs Java 17 or 21 and Maven"

_START_SECONDS = 300


class Keycloak:
    """A running server and its realm ``finassist``, which the tests may administer."""

    audience = "finassist"
    client_id = "finassist"
    client_secret = "finassist-secret"
    management_client_id = "finassist-management"
    management_client_secret = "finassist-management-secret"

    def __init__(self, url: str, password: str) -> None:
        self.url = url
        self.issuer = f"{url}/realms/finassist"
        self._password = password
        self._http = httpx2.Client(base_url=url, timeout=30)
        atexit.register(self._http.close)

    def token(self, client_id: str, realm: str = "finassist", **form: str) -> dict[str, Any]:
        """What the token endpoint answers to a client."""
        address = f"/realms/{realm}/protocol/openid-connect/token"
        response = self._http.post(address, data={"client_id": client_id, **form})
        assert response.is_success, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        """A request of the administrator; ``path`` is below ``/admin/realms``."""
        granted = self.token(
            "admin-cli", "master", grant_type="password", username="admin", password=self._password
        )
        headers = {"Authorization": f"Bearer {granted['access_token']}"}
        response = self._http.request(method, f"/admin/realms{path}", json=body, headers=headers)
        assert response.is_success, response.text
        return response.json() if response.content else None


def running_keycloak() -> Keycloak:
    """The server of this session; skips the test when there is none."""
    server = keycloak()
    if server is None:
        missing(MISSING)
    return server


@cache
def keycloak() -> Keycloak | None:
    """The server that this session uses, None when there is none."""
    home = CACHE / "keycloak"
    if not home.is_dir() or not shutil.which("java"):
        return None
    password = secrets.token_urlsafe()
    server = Keycloak(_start(home, password), password)
    server.admin("POST", "", json.loads(REALM_FILE.read_text()))
    return server


def _start(home: Path, password: str) -> str:
    """Start the server; answers its address when it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    arguments = [
        *("start", "--optimized", "--cache=local", "--hostname-strict=false", "--http-enabled=true"),
        *("--http-host=127.0.0.1", f"--http-port={port}"),
    ]
    environ = {
        "KC_BOOTSTRAP_ADMIN_USERNAME": "admin",
        "KC_BOOTSTRAP_ADMIN_PASSWORD": password,
        "JAVA_OPTS_APPEND": "-Xmx512m -XX:TieredStopAtLevel=1",
    }
    start_watched(
        ["bash", str(home / "bin" / "kc.sh"), *arguments],
        environ,
        ready_url=f"{url}/realms/master",
        seconds=_START_SECONDS,
    )
    return url
