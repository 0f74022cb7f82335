"""Locks by key, for operations that should run one at a time within this process."""

import asyncio
from weakref import WeakValueDictionary


class KeyedLocks:
    """One lock for each key, forgotten when nobody holds or awaits it.

    It only saves work: what must be exact across processes is guarded by the database.
    """

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, key: str) -> asyncio.Lock:
        """The lock of this key."""
        return self._locks.setdefault(key, asyncio.Lock())
