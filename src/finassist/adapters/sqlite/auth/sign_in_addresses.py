"""Addresses that the right passwords came from, in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from finassist.adapters.sqlite.engine.batches import delete_expired
from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.auth.sign_in_limits import SignInAddress
from finassist.domain.erasure import ProviderIdentity

_SELECT: Final = "SELECT hash, issuer, subject, first_seen_at, last_seen_at FROM sign_in_addresses"
_GET: Final = f"{_SELECT} WHERE hash = ?"
_OF_IDENTITY: Final = f"{_SELECT} WHERE subject = ? AND issuer = ?"
_NOTE: Final = f"""INSERT INTO sign_in_addresses
    (hash, issuer, subject, first_seen_at, last_seen_at, expires_at)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6
    WHERE ?2 <> '{LOCAL_ISSUER}' OR EXISTS (SELECT 1 FROM accounts WHERE subject = ?3)
    ON CONFLICT (hash) DO UPDATE SET issuer = excluded.issuer, subject = excluded.subject,
    last_seen_at = excluded.last_seen_at, expires_at = excluded.expires_at"""


@dataclass(frozen=True, slots=True)
class SqliteSignInAddresses:
    """``SignInAddressRepository`` in SQLite."""

    database: Database

    async def get(self, address_hash: str) -> SignInAddress | None:
        row = self.database.lookup(lambda connection: connection.execute(_GET, (address_hash,)).fetchone())
        return None if row is None else _address(row)

    async def note(self, address: SignInAddress) -> None:
        times = (address.first_seen_at, address.last_seen_at, address.expires_at)
        values = (address.hash, address.identity.issuer, address.identity.subject, *map(to_ms, times))
        await self.database.write(lambda connection: connection.execute(_NOTE, values))

    async def list_of(self, identities: Sequence[ProviderIdentity]) -> Sequence[SignInAddress]:
        keys = [(identity.subject, identity.issuer) for identity in identities]
        rows = await self.database.read(
            lambda connection: [row for key in keys for row in connection.execute(_OF_IDENTITY, key)]
        )
        return sorted(map(_address, rows), key=lambda address: address.first_seen_at)

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, "sign_in_addresses", "hash", now)


def _address(row: tuple[Any, ...]) -> SignInAddress:
    address_hash, issuer, subject, first, last = row
    return SignInAddress(
        hash=address_hash,
        identity=ProviderIdentity(issuer=issuer, subject=subject),
        first_seen_at=from_ms(first),
        last_seen_at=from_ms(last),
    )
