"""Secrets among the settings: they do not print, and those that callers show cannot be guessed."""

from typing import Final

SECRET_MIN: Final = 32
"""Shorter ones can be guessed, and stop the start."""


class Secret:
    """A text that prints as ``***``; only ``reveal`` returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text itself."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "***"


def long_secret(text: str) -> Secret:
    """A secret that cannot be guessed. Raises ValueError for a shorter one."""
    if len(text) < SECRET_MIN:
        raise ValueError(f"must have at least {SECRET_MIN} characters: make one with `openssl rand -hex 32`")
    return Secret(text)


def rotating_secret(text: str) -> Secret:
    """One secret, or two separated by a comma while one takes the other's place. Raises ValueError."""
    secrets = secrets_in(Secret(text))
    if len(secrets) > 2:
        raise ValueError("must be one secret, or two separated by a comma while one takes the other's place")
    for secret in secrets:
        long_secret(secret.reveal())
    return Secret(text)


def secrets_in(rotating: Secret) -> tuple[Secret, ...]:
    """Each of the secrets that a setting names."""
    return tuple(Secret(part.strip()) for part in rotating.reveal().split(","))
