"""The 10,000 most common passwords, compressed as they ship."""

import gzip
from functools import cached_property
from importlib.resources import files

from finassist.adapters.data_files.links import _DATA


class ShippedCommonPasswords:
    """``CommonPasswords``: the list is read when it is first asked."""

    def __contains__(self, password: object) -> bool:
        return isinstance(password, str) and password.casefold() in self._listed

    @cached_property
    def _listed(self) -> frozenset[str]:
        packed = (files(_DATA) / "common_passwords" / "common_passwords.txt.gz").read_bytes()
        return frozenset(gzip.decompress(packed).decode("utf-8").casefold().split())
