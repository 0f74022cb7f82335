"""Keys by their id: where they are kept, and the copy in memory that signs and verifies."""

import asyncio
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key

from finassist.application.ports.gateways import Clock
from finassist.domain.errors import IdentityProviderError

RELOAD_INTERVAL = timedelta(minutes=1)

_CURVE = "P-256"
_FIRST = 1


class KeyStore(Protocol):
    """Where keys are kept, for all processes alike."""

    async def load(self) -> Sequence[Key]:
        """Every key that is good for verifying, each with its ``kid``, oldest first.

        A store of signing keys makes the first one when it has none, once over all processes. Raises
        IdentityProviderError.
        """
        ...


class KeyRing:
    """The keys of a store, in memory.

    Another process may add a key at any time: an unknown id reloads the ring, for all who wait for it
    at once, and at most once a minute. Known keys keep working while the store is out of reach.
    """

    def __init__(self, store: KeyStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._keys: dict[str, Key] = {}
        self._loaded_at: datetime | None = None
        self._loading = asyncio.Lock()

    async def find(self, kid: str) -> Key | None:
        """The key with that id (RFC 7638 thumbprint), or None. Raises IdentityProviderError."""
        if kid not in self._keys:
            async with self._loading:
                if kid not in self._keys and self._may_reload():
                    await self._load()
        return self._keys.get(kid)

    async def newest(self) -> Key:
        """The key that signs. Raises IdentityProviderError."""
        if not self._keys:
            async with self._loading:
                if not self._keys:
                    await self._load()
        return next(reversed(self._keys.values()))

    def _may_reload(self) -> bool:
        # abs: a clock that was set back must not stop the reloads until it has caught up.
        return self._loaded_at is None or abs(self._clock.now() - self._loaded_at) >= RELOAD_INTERVAL

    async def _load(self) -> None:
        self._loaded_at = self._clock.now()
        keys = await self._store.load()
        self._keys = {key.kid: key for key in keys if key.kid is not None}


class KeyFiles:
    """ES256 keys in a folder, one PEM file (PKCS #8, mode 0600) a key, numbered as they were made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def load(self) -> Sequence[Key]:
        """Every key of the folder, oldest first; the first is made when there is none."""
        return await asyncio.to_thread(self._load)

    def _load(self) -> list[Key]:
        try:
            if not self._files():
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._create(_FIRST)
            return [self._read(file) for file in self._files()]
        except (JoseError, OSError, TypeError, ValueError) as error:
            raise IdentityProviderError("The signing keys cannot be read.") from error

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.pem"))

    def _create(self, number: int) -> None:
        key = ECKey.generate_key(_CURVE)
        draft = self._folder / f".{secrets.token_hex(8)}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(key.as_pem(private=True))
                file.flush()
                os.fsync(descriptor)
            # A link appears whole or not at all, and never in place of another: of several processes
            # that make the same number at once, one wins, and the others use its key.
            with suppress(FileExistsError):
                os.link(draft, self._folder / f"{number:06d}.pem")
        finally:
            draft.unlink()

    def _read(self, file: Path) -> Key:
        key = ECKey.import_key(file.read_bytes(), {"use": "sig", "alg": "ES256"})
        if key.curve_name != _CURVE or not key.is_private:
            raise ValueError(f"{file.name} is no {_CURVE} private key")
        key.ensure_kid()
        return key
