import json
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from finassist.adapters.sms import twilio
from finassist.adapters.sms.console import ConsoleSms
from finassist.adapters.sms.twilio import TwilioSms
from finassist.application.ports.auth import SmsSender
from finassist.domain.errors import SmsProviderError
from finassist.testing import RecordingSms
from finassist.testing.contracts import SmsSenderContract
from servers.sms_server import SmsServer, serve_sms

PHONE, TEXT = "+491701234567", "123456 is your code."
SENDER = "+15550001111"


@pytest.fixture
async def server() -> AsyncIterator[SmsServer]:
    async with serve_sms() as sms:
        yield sms


def twilio_at(url: str, sender: str = SENDER) -> TwilioSms:
    return TwilioSms(account_sid="AC1", auth_token="token", sender=sender, base_url=url)


async def test_the_console_shows_number_and_text_in_one_line() -> None:
    with capture_logs() as lines:
        await ConsoleSms().send(PHONE, TEXT)
    assert lines == [{"event": "sms", "log_level": "info", "phone": PHONE, "text": TEXT}]


async def test_twilio_gets_one_message(server: SmsServer) -> None:
    sender = twilio_at(server.url)
    with capture_logs() as lines:
        await sender.send(PHONE, TEXT)
    await sender.close()
    assert server.requests == [
        (
            "/2010-04-01/Accounts/AC1/Messages.json",
            "AC1:token",
            {"To": PHONE, "Body": TEXT, "From": SENDER},
        )
    ]
    assert lines == []


async def test_a_messaging_service_can_be_the_sender(server: SmsServer) -> None:
    sender = twilio_at(server.url, "MG1")
    await sender.send(PHONE, TEXT)
    await sender.close()
    assert server.requests[0][2] == {"To": PHONE, "Body": TEXT, "MessagingServiceSid": "MG1"}


REFUSED = json.dumps({"code": 21211, "message": f"Invalid 'To' Phone Number: {PHONE}"}).encode()


@pytest.mark.parametrize("status", [302, 400, 401, 429, 500, 503])
@pytest.mark.parametrize("body", [REFUSED, b"", b"<html>", b"[]"], ids=["json", "empty", "html", "array"])
async def test_what_twilio_does_not_accept_is_an_error_and_is_not_sent_again(
    server: SmsServer, status: int, body: bytes
) -> None:
    server.status, server.body = status, body
    sender = twilio_at(server.url)
    with capture_logs() as lines, pytest.raises(SmsProviderError) as failed:
        await sender.send(PHONE, TEXT)
    await sender.close()
    assert len(server.requests) == 1
    assert PHONE not in failed.value.message
    assert PHONE not in str(lines)
    assert TEXT not in str(lines)


async def test_a_silent_provider_is_given_up(server: SmsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twilio, "_TOTAL_SECONDS", 0.05)
    server.body = None
    sender = twilio_at(server.url)
    with pytest.raises(SmsProviderError):
        await sender.send(PHONE, TEXT)
    await sender.close()


async def test_a_provider_out_of_reach_is_an_error() -> None:
    sender = twilio_at("http://127.0.0.1:1")
    with pytest.raises(SmsProviderError):
        await sender.send(PHONE, TEXT)
    await sender.close()


class TestEverySender(SmsSenderContract):
    @pytest.fixture(params=["console", "twilio", "fake"])
    async def sender(self, request: pytest.FixtureRequest, server: SmsServer) -> AsyncIterator[SmsSender]:
        senders: dict[str, SmsSender] = {
            "console": ConsoleSms(),
            "twilio": twilio_at(server.url),
            "fake": RecordingSms(),
        }
        yield senders[request.param]
        for sender in senders.values():
            await sender.close()

    @pytest.fixture(params=["twilio", "fake"])
    async def refused(self, request: pytest.FixtureRequest, server: SmsServer) -> AsyncIterator[SmsSender]:
        server.status, server.body = 400, REFUSED
        fake = RecordingSms()
        fake.refuse()
        senders: dict[str, SmsSender] = {"twilio": twilio_at(server.url), "fake": fake}
        yield senders[request.param]
        for sender in senders.values():
            await sender.close()
