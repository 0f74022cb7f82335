"""The service over HTTP in this process, as the tests of HTTP see it."""

from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, Unpack

import httpx2

from finassist.adapters.identity.signing import claims_of
from finassist.adapters.sqlite import Database
from finassist.application.seeding import ShippedCatalogs
from finassist.composition.adapters import AdapterOverrides
from finassist.composition.application import Finassist
from finassist.composition.container import build_application
from finassist.config import Settings
from finassist.domain.auth.local_accounts import LocalAccount
from finassist.entrypoints.http.app import create_app
from finassist.entrypoints.http.requests.edge import Application
from finassist.testing import FakeClock, ScriptedModel, model_of, running
from stores import copy_empty_database
from waiting import until

DEVICE = {"x-device-id": "device-1", "x-platform": "ios"}
OTHER_DEVICE = {"x-device-id": "device-2", "x-platform": "web"}
AUTH = "/api/v1/auth"
ANN = {"email": "ann@example.org", "password": "Secret-123", "name": "Ann"}
"""What somebody signs up with, and signs in."""
ALICE = {"email": "alice@example.com", "email_verified": True, "name": "Alice"}
"""What the token of an outer provider claims of somebody."""


class Service:
    """A running application, its use cases and a client without credentials."""

    def __init__(self, app: Application, finassist: Finassist, client: httpx2.AsyncClient) -> None:
        self.app = app
        self.finassist = finassist
        self.client = client

    @property
    def clock(self) -> FakeClock:
        """The clock, which stands still until a test moves it."""
        clock = self.finassist.adapters.clock
        assert isinstance(clock, FakeClock)
        return clock

    @property
    def database(self) -> Database:
        """The file of the records, for tests that look into it."""
        database = self.finassist.adapters.database
        assert isinstance(database, Database)
        return database

    @property
    def model(self) -> ScriptedModel:
        """The model, which plays a script."""
        return model_of(self.finassist)

    async def token(self, subject: str = "alice", **claims: Any) -> dict[str, str]:
        """The ``Authorization`` header of the account ``subject``."""
        now = self.clock.now()
        account = LocalAccount(subject=subject, **{"name": "", **claims}, created_at=now, updated_at=now)
        token = await self.finassist.adapters.token_signer.access_token(claims_of(account), now)
        return {"Authorization": f"Bearer {token}"}

    async def ask(self, message: str, headers: dict[str, str] = DEVICE, **body: Any) -> dict[str, Any]:
        """Ask the assistant; returns the buffered reply."""
        response = await self.client.post(
            "/api/v1/ai/chat", json={"message": message, **body}, headers=headers
        )
        assert response.status_code == 200, response.text
        data: dict[str, Any] = response.json()["data"]
        return data

    async def until_erased(self, receipt_id: str) -> dict[str, Any]:
        """The receipt of an erasure, once everything is erased."""

        async def done() -> dict[str, Any]:
            response = await self.client.get(f"/api/v1/erasure/{receipt_id}")
            assert response.status_code == 200, response.text
            receipt: dict[str, Any] = response.json()["data"]
            return receipt if receipt["status"] == "done" else {}

        return await until(done)


class Start(Protocol):
    """Starts a service: settings that differ from the tests' own, and adapters to replace, by name."""

    def __call__(
        self, settings: dict[str, Any] | None = None, **adapters: Unpack[AdapterOverrides]
    ) -> Awaitable[Service]: ...


@asynccontextmanager
async def services(data_dir: Path, common: Mapping[str, Any] | None = None) -> AsyncIterator[Start]:
    """Starts services with embedded adapters, a scripted model and a clock that tests move, and ends them.
    ``common`` are settings of all of them."""
    defaults = Settings(
        **{
            "data_dir": data_dir,
            "free_message_threshold": 1000,
            "chat_rate_per_minute": 1000,
            "rag_enabled": False,
            "improve_titles": False,
            **(common or {}),
        }
    )
    async with AsyncExitStack() as stack:

        async def start_service(
            settings: dict[str, Any] | None = None, **adapters: Unpack[AdapterOverrides]
        ) -> Service:
            chosen = replace(defaults, **(settings or {}))
            ours: AdapterOverrides = {
                "language_model": ScriptedModel(),
                "clock": FakeClock(),
                "shipped_catalogs": ShippedCatalogs,  # empty: tests fill catalogs themselves
            }
            if not chosen.rag_enabled:
                ours["starter_articles"] = tuple  # to index them takes as long as most tests
            ours.update(adapters)
            if chosen.sqlite_path == data_dir / "finassist.db" and not chosen.sqlite_path.exists():
                copy_empty_database(chosen.sqlite_path)
            if not chosen.rag_enabled and not chosen.knowledge_path.exists():
                copy_empty_database(chosen.knowledge_path, "knowledge")
            finassist = build_application(chosen, **ours)
            app = create_app(chosen, finassist)
            await stack.enter_async_context(running(app))
            client = await stack.enter_async_context(
                httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://testserver")
            )
            return Service(app, finassist, client)

        yield start_service


def offending(response: httpx2.Response) -> set[str]:
    """The fields that a ``VALIDATION_ERROR`` lists."""
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert all(detail["message"] for detail in error["details"])
    return {detail["field"] for detail in error["details"]}


async def launch(service: Service, headers: dict[str, str]) -> dict[str, Any]:
    """What the app is told when it is launched."""
    response = await service.client.get("/app/launch", headers=headers)
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]["appLaunchResponseData"]
    return data


async def post(service: Service, path: str, body: Any = None, **headers: str) -> httpx2.Response:
    """The answer of a route of accounts."""
    return await service.client.post(f"{AUTH}/{path}", json=body, headers=headers)
