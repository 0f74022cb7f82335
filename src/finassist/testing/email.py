"""An email sender that keeps what it was to send."""

import re

from finassist.application.ports.auth import Email
from finassist.domain.errors import EmailProviderError


class RecordingEmail:
    """Keeps every mail in ``sent``, oldest first. With ``refuse()`` it accepts none."""

    def __init__(self) -> None:
        self.sent: list[Email] = []
        self._refuses = False

    async def send(self, email: Email) -> None:
        """Keep the mail."""
        if self._refuses:
            raise EmailProviderError("The mail was not accepted.")
        self.sent.append(email)

    def refuse(self, refuses: bool = True) -> None:
        """Raise EmailProviderError from now on; ``refuse(False)`` accepts again."""
        self._refuses = refuses

    def token_for(self, address: str) -> str:
        """The token of the newest mail to this address. Raises LookupError when there is none."""
        for email in reversed(self.sent):
            if email.to.casefold() == address.casefold():
                found = re.search(r"^[\w-]{43}$", email.text, re.MULTILINE)
                if found is not None:
                    return found[0]
        raise LookupError(f"nothing was sent to {address}")

    async def close(self) -> None:
        """Nothing to close."""
