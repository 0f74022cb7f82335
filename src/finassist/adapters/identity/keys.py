"""Signing keys by their id: their stores, and the cache that signs and verifies."""

import asyncio
import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, Key

from finassist.adapters.system.private_files import create_private
from finassist.application.ports.auth import SigningKeyRepository, StoredKey
from finassist.application.ports.system import Clock
from finassist.domain.errors import IdentityProviderError

RELOAD_INTERVAL = timedelta(minutes=1)

_FIRST_LOAD_INTERVAL = timedelta(seconds=5)
_CURVE = "P-256"
_FIRST = 1
_UNREADABLE = "The signing keys cannot be read."


class KeyStore(Protocol):
    """A store of keys, shared by all processes."""

    async def load(self) -> Sequence[Key]:
        """Every key that is good for verifying, each with its ``kid``, oldest first.

        A store of signing keys makes the first one when it has none, once over all processes. Raises
        IdentityProviderError.
        """
        ...


class SigningKeyStore(KeyStore, Protocol):
    """A store whose newest key signs."""

    async def rotate(self, now: datetime, kept: timedelta) -> str:
        """Add a key, which signs from now on; returns its ``kid``.

        Removes the keys that stopped signing longer than ``kept`` ago. Raises IdentityProviderError.
        """
        ...


class KeyRing:
    """The keys of a store, in memory.

    Another process may add a key at any time: an unknown id reloads the ring, for all who wait for it
    at once, and at most once per ``reload_interval``; who signs looks for a newer key once a minute.
    Known keys keep working while the store is out of reach; whether an unknown one is bad cannot be said
    then. With a ``max_age``, keys that are known are looked for again after it, so that one that was
    taken out of the store stops working.
    """

    def __init__(
        self,
        store: KeyStore,
        clock: Clock,
        reload_interval: timedelta = RELOAD_INTERVAL,
        max_age: timedelta | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._reload_interval = reload_interval
        self._max_age = max_age
        self._keys: dict[str, Key] = {}
        self._loaded_at: datetime | None = None
        self._failure: IdentityProviderError | None = None
        self._loading = asyncio.Lock()

    async def find(self, kid: str) -> Key | None:
        """The key with that id (RFC 7638 thumbprint), or None. Raises IdentityProviderError."""
        if kid not in self._keys:
            async with self._loading:
                if kid not in self._keys:
                    await self._look_for_new()
        elif self._max_age is not None and not self._loading.locked() and self._is_older_than(self._max_age):
            async with self._loading:
                with suppress(IdentityProviderError):
                    await self._load()
        return self._keys.get(kid)

    async def newest(self) -> Key:
        """The key that signs. Raises IdentityProviderError."""
        return (await self._no_older_than(RELOAD_INTERVAL))[-1]

    async def all(self) -> Sequence[Key]:
        """Every key, oldest first. Raises IdentityProviderError."""
        return await self._no_older_than(self._reload_interval)

    async def _no_older_than(self, interval: timedelta) -> Sequence[Key]:
        if not self._keys or self._is_older_than(interval):
            async with self._loading:
                if not self._keys:
                    await self._load()
                elif self._is_older_than(interval):
                    with suppress(IdentityProviderError):
                        await self._load()
        return tuple(self._keys.values())

    async def _look_for_new(self) -> None:
        # Without any key nothing works, so that a store that was down is asked again much sooner.
        interval = self._reload_interval if self._keys else min(self._reload_interval, _FIRST_LOAD_INTERVAL)
        if self._is_older_than(interval):
            await self._load()
        elif self._failure is not None:
            raise IdentityProviderError(self._failure.message)

    def _is_older_than(self, interval: timedelta) -> bool:
        # abs: a clock that was set back must not stop the reloads until it has caught up.
        return self._loaded_at is None or abs(self._clock.now() - self._loaded_at) >= interval

    async def _load(self) -> None:
        self._loaded_at = self._clock.now()
        try:
            keys = await self._store.load()
        except IdentityProviderError as error:
            self._failure = error
            self._loaded_at = self._clock.now()  # it may have taken its time to fail
            raise
        self._failure = None
        self._keys = {key.kid: key for key in keys if key.kid is not None}


class KeyFiles:
    """ES256 keys in a folder, one PEM file (PKCS #8, mode 0600) a key, numbered as they were made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def load(self) -> Sequence[Key]:
        """Every key of the folder, oldest first; the first is made when there is none."""
        return await asyncio.to_thread(self._load)

    async def rotate(self, now: datetime, kept: timedelta) -> str:
        """Add a file with a new key; files that stopped signing longer than ``kept`` ago are removed."""
        return await asyncio.to_thread(self._rotate, now, kept)

    def _load(self) -> list[Key]:
        try:
            if not self._files():
                self._create(_FIRST)
            return [signing_key(file.read_bytes()) for file in self._files()]
        except (JoseError, OSError, TypeError, ValueError) as error:
            raise IdentityProviderError(_UNREADABLE) from error

    def _rotate(self, now: datetime, kept: timedelta) -> str:
        try:
            files = self._files()
            # A file stopped signing when its successor was made.
            for file, successor in pairwise(files):
                if datetime.fromtimestamp(successor.stat().st_mtime, UTC) + kept < now:
                    file.unlink(missing_ok=True)
            number = int(files[-1].stem) + 1 if files else _FIRST
            return self._create(number)
        except (JoseError, OSError, ValueError) as error:
            raise IdentityProviderError("The new signing key cannot be stored.") from error

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.pem"))

    def _create(self, number: int) -> str:
        """Make the key with that number, unless another process did; returns the ``kid`` of the stored
        one."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{number:06d}.pem"
        draft = self._folder / f".{secrets.token_hex(8)}"
        file = create_private(draft)
        try:
            with file:
                file.write(ECKey.generate_key(_CURVE).as_pem(private=True))
                file.flush()
                os.fsync(file.fileno())
            # A link appears whole or not at all, and never in place of another: of several processes
            # that make the same number at once, one wins, and the others use its key.
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink()
        return _kid(signing_key(path.read_bytes()))


class StoredKeys:
    """ES256 keys in the database, for hosts that do not share a folder."""

    def __init__(self, signing_keys: SigningKeyRepository, clock: Clock) -> None:
        self._signing_keys = signing_keys
        self._clock = clock

    async def load(self) -> Sequence[Key]:
        """Every key of the database, oldest first; the first is made when there is none."""
        stored = await self._signing_keys.list()
        if not stored:
            await self._signing_keys.add_first(_new_key(self._clock.now()))
            stored = await self._signing_keys.list()
        try:
            return [signing_key(key.pem.encode()) for key in stored]
        except (JoseError, TypeError, ValueError) as error:
            raise IdentityProviderError(_UNREADABLE) from error

    async def rotate(self, now: datetime, kept: timedelta) -> str:
        """Add a new key; keys that stopped signing longer than ``kept`` ago are removed."""
        stored = await self._signing_keys.list()
        for key, successor in pairwise(stored):
            if successor.created_at + kept < now:
                await self._signing_keys.remove(key.kid)
        new = _new_key(now)
        await self._signing_keys.add(new)
        return new.kid


def signing_key(pem: bytes) -> ECKey:
    """The private key of a PEM text, with its ``kid``. Raises what joserfc raises, or ValueError."""
    key = ECKey.import_key(pem, {"use": "sig", "alg": "ES256"})
    if key.curve_name != _CURVE or not key.is_private:
        raise ValueError(f"this is not a {_CURVE} private key")
    key.ensure_kid()
    return key


def public_jwk(key: Key) -> Mapping[str, Any]:
    """The public part of the key, for verification."""
    return key.as_dict(private=False)


def _new_key(now: datetime) -> StoredKey:
    pem = ECKey.generate_key(_CURVE).as_pem(private=True)
    return StoredKey(kid=_kid(signing_key(pem)), pem=pem.decode(), created_at=now)


def _kid(key: Key) -> str:
    assert key.kid is not None
    return key.kid
