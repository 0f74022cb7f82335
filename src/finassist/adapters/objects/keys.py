"""The format of keys, the same in every store."""

import re
from typing import Final

from finassist.domain.errors import StorageError

# No segment begins with a dot, so a key can name neither a parent folder nor a draft.
_KEY: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


def is_valid_key(key: str) -> bool:
    """Whether the service could have made this key."""
    return _KEY.fullmatch(key) is not None


def require_valid_key(key: str) -> None:
    """Raise StorageError for a key that the service cannot have made."""
    if not is_valid_key(key):
        raise StorageError("The file's key is not valid.")
