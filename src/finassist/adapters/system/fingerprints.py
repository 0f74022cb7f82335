"""Keyed hashes with the server's secret key."""

import hashlib
import hmac


class HmacFingerprints:
    """HMAC-SHA256, cut to 128 bits."""

    def __init__(self, secret_key: bytes) -> None:
        self._key = secret_key

    def fingerprint(self, purpose: str, *parts: str) -> str:
        """The same text for the same parts and purpose; 32 hexadecimal characters."""
        message = "\0".join((purpose, *parts)).encode("utf-8", "surrogateescape")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()[:32]
