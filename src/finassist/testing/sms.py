"""An SMS sender that records its messages."""

from typing import NamedTuple

from finassist.domain.errors import SmsProviderError


class Sms(NamedTuple):
    """One text message."""

    phone: str
    text: str


class RecordingSms:
    """Keeps every message in ``sent``, oldest first. With ``refuse()`` it accepts none."""

    def __init__(self) -> None:
        self.sent: list[Sms] = []
        self._refuses = False

    async def send(self, phone: str, text: str) -> None:
        """Keep the message."""
        if self._refuses:
            raise SmsProviderError("The message was not accepted.")
        self.sent.append(Sms(phone, text))

    def refuse(self, refuses: bool = True) -> None:
        """Raise SmsProviderError from now on; ``refuse(False)`` accepts again."""
        self._refuses = refuses

    def code_for(self, phone: str) -> str:
        """The newest one-time code that was sent to this number. Raises LookupError when there is none."""
        for sms in reversed(self.sent):
            if sms.phone == phone:
                return "".join(filter(str.isdigit, sms.text))[:6]
        raise LookupError(f"nothing was sent to {phone}")

    async def close(self) -> None:
        """Nothing to close."""
