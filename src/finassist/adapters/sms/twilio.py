"""Text messages through Twilio: one POST to its REST API."""

import asyncio
from typing import Any, Final

import httpx2
import structlog

from finassist.domain.errors import SmsProviderError

API: Final = "https://api.twilio.com"

_CONNECT_SECONDS: Final = 5.0
_TOTAL_SECONDS: Final = 10.0
_MESSAGING_SERVICE: Final = "MG"
_FAILED: Final = "The SMS provider did not accept the message."

_log: Any = structlog.get_logger("finassist.sms")


class TwilioSms:
    """``SmsSender`` for one Twilio account.

    ``sender`` is a number, an alphanumeric sender or the SID of a messaging service. A message is never
    sent twice: what fails is not tried again.
    """

    def __init__(self, *, account_sid: str, auth_token: str, sender: str, base_url: str = "") -> None:
        self._path = f"/2010-04-01/Accounts/{account_sid}/Messages.json"
        self._sender = {"MessagingServiceSid" if sender.startswith(_MESSAGING_SERVICE) else "From": sender}
        self._client = httpx2.AsyncClient(
            base_url=base_url or API,
            auth=(account_sid, auth_token),
            timeout=httpx2.Timeout(_TOTAL_SECONDS, connect=_CONNECT_SECONDS),
        )

    async def send(self, phone: str, text: str) -> None:
        """Send to an E.164 number. Raises SmsProviderError unless Twilio accepts within ten seconds."""
        try:
            async with asyncio.timeout(_TOTAL_SECONDS):
                response = await self._client.post(
                    self._path, data={"To": phone, "Body": text, **self._sender}
                )
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            _log.warning("twilio is out of reach", kind=type(error).__name__)
            raise SmsProviderError(_FAILED) from error
        if not response.is_success:
            _log.warning("twilio refused", status=response.status_code, code=_error_code(response))
            raise SmsProviderError(_FAILED)

    async def close(self) -> None:
        """Drop the connections."""
        await self._client.aclose()


def _error_code(response: httpx2.Response) -> int | None:
    """Twilio's number for what went wrong; its text names the phone number."""
    try:
        code = response.json()["code"]
    except (ValueError, KeyError, TypeError):
        return None
    return code if isinstance(code, int) else None
