"""What all errors of the core have in common."""

from typing import Any, ClassVar


class FinassistError(Exception):
    """Base of all errors of the core."""

    code: ClassVar[str] = "INTERNAL_ERROR"

    def __init__(self, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self._details = details

    @property
    def details(self) -> Any:
        """What the error envelope shows under ``details``; None leaves the key out."""
        return self._details

    @property
    def retry_after(self) -> int | None:
        """Seconds until a retry can succeed, or None when waiting does not help."""
        return None
