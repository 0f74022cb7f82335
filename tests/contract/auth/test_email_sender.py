"""Mails through a server that runs here, and through the console."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from email import message_from_bytes
from email.message import Message
from email.policy import default
from typing import Any

import pytest
from aiosmtpd.controller import UnthreadedController
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from structlog.testing import capture_logs

from finassist.adapters.email.console import ConsoleEmail
from finassist.adapters.email.smtp import SmtpEmail
from finassist.application.ports.auth import Email
from finassist.domain.errors import EmailProviderError

MAIL = Email(to="ann@example.org", subject="Your code — now", text="Grüße\n\nhttps://x.test/#reset=abc\n")
SENDER = "finassist <noreply@example.org>"


class MailServer:
    """Keeps the mails that it takes; ``refuses`` is what it says instead."""

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.logins: list[tuple[bytes, bytes]] = []
        self.refuses: str | None = None
        self.port = 0

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.refuses is not None:
            return self.refuses
        assert isinstance(envelope.content, bytes)
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"p@ss")


StartServer = Callable[..., Awaitable[MailServer]]


@pytest.fixture
async def start_mail_server() -> AsyncIterator[StartServer]:
    started: list[UnthreadedController] = []

    async def start(**options: Any) -> MailServer:
        server = MailServer()
        controller = UnthreadedController(
            server,
            hostname="127.0.0.1",
            port=0,
            loop=asyncio.get_running_loop(),
            authenticator=server.authenticate,
            **options,
        )
        controller.server_coro = controller._create_server()
        controller.server = await controller.server_coro
        assert isinstance(controller.server, asyncio.Server)
        server.port = controller.server.sockets[0].getsockname()[1]
        started.append(controller)
        return server

    yield start
    for controller in started:
        assert controller.server is not None
        controller.server.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(controller.server.wait_closed(), 1)


async def test_a_mail_reaches_the_server_with_its_text(start_mail_server: StartServer) -> None:
    server = await start_mail_server()

    await SmtpEmail(url=f"smtp://127.0.0.1:{server.port}", sender=SENDER).send(MAIL)

    [mail] = server.mails
    assert (mail["From"], mail["To"], mail["Subject"]) == (SENDER, MAIL.to, MAIL.subject)
    assert mail.get_content_type() == "text/plain"
    assert mail.get_content().replace("\r\n", "\n") == MAIL.text  # type: ignore[attr-defined]
    assert mail["Date"]
    assert mail["Message-ID"].endswith("@example.org>")


async def test_a_server_that_wants_no_tls_gets_no_password(start_mail_server: StartServer) -> None:
    server = await start_mail_server(auth_require_tls=False)
    sender = SmtpEmail(url=f"smtp://ann:p%40ss@127.0.0.1:{server.port}", sender=SENDER)

    with pytest.raises(EmailProviderError):
        await sender.send(MAIL)

    assert (server.logins, server.mails) == ([], [])


@pytest.mark.parametrize("answer", ["550 ann@example.org is unknown", "451 later", "nonsense"])
async def test_a_refused_mail_is_an_error_that_logs_no_address(
    start_mail_server: StartServer, answer: str
) -> None:
    server = await start_mail_server()
    server.refuses = answer

    with capture_logs() as logs, pytest.raises(EmailProviderError):
        await SmtpEmail(url=f"smtp://127.0.0.1:{server.port}", sender=SENDER).send(MAIL)

    assert len(logs) == 1
    assert not any(word in str(logs) for word in ("ann@", "reset"))


async def test_a_server_out_of_reach_is_an_error(start_mail_server: StartServer) -> None:
    with pytest.raises(EmailProviderError):
        await SmtpEmail(url="smtp://127.0.0.1:1", sender=SENDER).send(MAIL)


async def test_an_address_with_a_line_break_is_an_error(start_mail_server: StartServer) -> None:
    server = await start_mail_server()
    forged = Email(to="ann@example.org\r\nBcc: ben@example.org", subject="x", text="x")

    with pytest.raises(EmailProviderError):
        await SmtpEmail(url=f"smtp://127.0.0.1:{server.port}", sender=SENDER).send(forged)
    assert server.mails == []


async def test_the_console_logs_the_mail_as_one_line() -> None:
    with capture_logs() as logs:
        await ConsoleEmail().send(MAIL)

    [line] = logs
    assert (line["to"], line["text"]) == (MAIL.to, MAIL.text)
