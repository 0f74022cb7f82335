"""Codes of authenticator apps (TOTP, RFC 6238), and their secrets as they are stored."""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from hashlib import sha256
from typing import Final

import pyotp
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_ISSUER: Final = "finassist"
_STEP_SECONDS: Final = 30
_NONCE_BYTES: Final = 12


class TotpCodes:
    """Makes secrets and compares codes. Secrets are sealed with the server's key: the records alone give no
    codes away. With another SECRET_KEY, recovery codes and secrets from before are void."""

    def __init__(self, secret_key: bytes) -> None:
        self._seal = AESGCM(hmac.new(secret_key, b"second-factor", sha256).digest())

    def new_secret(self) -> str:
        """A secret, as apps take it: base 32."""
        return pyotp.random_base32()

    def uri(self, secret: str, label: str) -> str:
        """The address that apps read from a QR code."""
        return pyotp.TOTP(secret).provisioning_uri(name=label, issuer_name=_ISSUER)

    def seal(self, secret: str, subject: str) -> str:
        """What is stored of an account's secret."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = self._seal.encrypt(nonce, secret.encode(), subject.encode())
        return urlsafe_b64encode(nonce + sealed).decode()

    def matching_step(self, sealed: str, subject: str, code: str, now: datetime) -> int | None:
        """The time step whose code it is, of this one and the two beside it; None for a wrong code."""
        stored = urlsafe_b64decode(sealed)
        try:
            secret = self._seal.decrypt(stored[:_NONCE_BYTES], stored[_NONCE_BYTES:], subject.encode())
        except InvalidTag:
            return None
        totp = pyotp.TOTP(secret.decode())
        step = int(now.timestamp()) // _STEP_SECONDS
        found = None
        for near in (step + 1, step - 1, step):
            if hmac.compare_digest(totp.at(near * _STEP_SECONDS).encode(), code.encode()):
                found = near
        return found
