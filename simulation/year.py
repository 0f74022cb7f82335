"""A year of a small service: what each table holds as the months go by (docs/operations.md, "What grows").

    python -m simulation.year [--days 365] [--scale 10]

``scale`` is the number of visitors a day. Each launches the app on a device of its own; half of them ask a
question, one in five signs up, and those who did sign in again on later days. The jobs of the service run
once a day of the simulated clock.
"""

import argparse
import asyncio
import random
import sqlite3
from collections.abc import Awaitable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from finassist import ChatMessage, open_container
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.auth.audit import Actor, AuditRecord, AuditResult
from finassist.domain.users import Platform
from finassist.testing import FakeClock, ScriptedModel

DAY: Final = 86_400
KEPT_DAYS: Final = 120
"""Shorter than the settings are by default, so that a year shows the end."""
_LOOKED_AT: Final = (30, 120, 180, 240, 300, 365)
_START: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Year:
    """The service, its clock, and who has signed up."""

    def __init__(self, service: Finassist, clock: FakeClock, scale: int) -> None:
        self._service = service
        self._clock = clock
        self._scale = scale
        self._random = random.Random(1)
        self._emails: list[str] = []
        self._visitors = 0

    async def pass_a_day(self) -> None:
        """Let the visitors of a day come, and the jobs of the service run."""
        for _ in range(self._scale):
            await self._visit()
            self._clock.advance(DAY / self._scale)
        workers = self._service.workers
        for job in (
            workers.collect_orphans,
            workers.delete_expired,
            workers.delete_expired_logins,
            workers.delete_old_audit,
            workers.delete_unused_devices,
        ):
            await _done(job())

    async def _visit(self) -> None:
        self._visitors += 1
        number, service, adapters = self._visitors, self._service, self._service.adapters
        caller = await service.resolve_caller(
            bearer=None, device_id=f"device-{number}", platform=Platform.WEB, address=f"10.0.{number % 250}.1"
        )
        if self._random.random() < 0.5:
            question = ChatMessage(message=f"What is an ETF? ({number})", idempotency_key=f"key-{number}")
            await (await service.send_message(caller, question)).ending()
        if self._random.random() < 0.2:
            email = f"user-{number}@example.org"
            await service.sign_up(email, "Correct-horse-battery-7", "Ann")
            self._emails.append(email)
        if self._emails and self._random.random() < 0.5:
            await service.sign_in(self._random.choice(self._emails), "Correct-horse-battery-7", "10.1.0.1")
        now = self._clock.now()
        await adapters.audit_records.add(
            AuditRecord(
                id=adapters.ids.new_id(),
                at=now,
                action="signIn",
                actor=Actor.USER,
                result=AuditResult.SUCCESS,
                request_id=adapters.ids.new_id(),
                user_id=None,
                user_hash=None,
                address="10.0.0.1",
            )
        )


async def _done(job: Awaitable[object]) -> None:
    await job


def rows_of(path: Path) -> Mapping[str, int]:
    """How many rows each table has."""
    connection = sqlite3.connect(path)
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    names = [name for (name,) in connection.execute(tables)]
    counted = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}
    connection.close()
    return counted


async def simulate(
    folder: Path, days: int, scale: int
) -> tuple[Sequence[int], Mapping[int, Mapping[str, int]]]:
    """The days that were looked at, and the rows of each table then; 0 is for megabytes."""
    clock = FakeClock(_START)
    settings = Settings(
        data_dir=folder,
        improve_titles=False,
        rag_enabled=False,
        free_message_threshold=1000,
        audit_kept_days=KEPT_DAYS,
        devices_kept_days=KEPT_DAYS,
    )
    seen: dict[int, Mapping[str, int]] = {}
    async with open_container(settings, clock=clock, language_model=ScriptedModel()) as service:
        year = Year(service, clock, scale)
        for day in range(1, days + 1):
            await year.pass_a_day()
            if day in _LOOKED_AT or day == days:
                assert settings.sqlite_path is not None
                size = sum(path.stat().st_size for path in folder.glob("finassist.db*"))
                seen[day] = {**rows_of(settings.sqlite_path), "megabytes": round(size / 2**20)}
    return sorted(seen), seen


def main() -> None:
    """Print the table, in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--scale", type=int, default=10)
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        days, seen = asyncio.run(simulate(Path(folder), chosen.days, chosen.scale))
    print("| table | " + " | ".join(f"day {day}" for day in days) + " |")
    print("|---|" + "---|" * len(days))
    for name in sorted(seen[days[-1]]):
        counts = [seen[day][name] for day in days]
        if any(counts):
            print(f"| `{name}` | " + " | ".join(f"{count:,}" for count in counts) + " |")


if __name__ == "__main__":
    main()
