"""The kit for tests: what it loads, and what its fakes and fixtures do beyond the contracts."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from finassist import ChatMessage, Done, Settings, build_application, open_container
from finassist.domain.auth.local_accounts import SocialIdentity
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import (
    Conflict,
    InvalidCredentials,
    InvalidRefreshToken,
    SmsProviderError,
    Unauthorized,
)
from finassist.testing import (
    FakeClock,
    RecordingSms,
    ScriptedModel,
    StubIdentityProvider,
    open_client,
    running,
    tool_call,
)
from finassist.testing.http import application_of


@pytest.mark.engine  # the start looks into the shipped images in a process of its own
async def test_a_client_starts_the_application_and_ends_it(tmp_path: Path) -> None:
    async with open_client(build_application(Settings(data_dir=tmp_path), starter_articles=tuple)) as client:
        assert (await client.get("/health/ready")).status_code == 200


async def test_an_application_that_does_not_start_is_an_error_of_the_test(tmp_path: Path) -> None:
    (tmp_path / "finassist.db").mkdir()
    app = application_of(build_application(Settings(data_dir=tmp_path), starter_articles=tuple))
    with pytest.raises(Exception):  # noqa: B017, PT011 - of whatever kind
        async with running(app):
            pass


async def test_a_scripted_model_calls_a_tool_and_goes_on_with_what_it_returned(tmp_path: Path) -> None:
    arguments = {"principal": 20000, "yearly_rate": 7, "years": 5}
    model = ScriptedModel(
        lambda request: (
            (f"It is {request.rounds[0].answers[0].outcome.result}.",)
            if request.rounds
            else (tool_call("loan_instalment", arguments),)
        )
    )
    settings = Settings(data_dir=tmp_path)
    async with open_container(settings, language_model=model, starter_articles=tuple) as finassist:
        caller = await finassist.resolve_caller(
            bearer=None, device_id="device-1", platform=None, address="127.0.0.1"
        )
        turn = await finassist.send_message(caller, ChatMessage(message="What does the loan cost?"))
        ending = await turn.ending()
    assert isinstance(ending, Done)
    assert "396.02" in ending.message.content


async def test_a_recording_sender_finds_the_newest_code_of_a_number() -> None:
    sms = RecordingSms()
    await sms.send("+1", "111111 is your code.")
    await sms.send("+2", "222222 is your code.")
    await sms.send("+1", "333333 is your code.")
    assert sms.code_for("+1") == "333333"
    with pytest.raises(LookupError):
        sms.code_for("+3")
    sms.refuse()
    with pytest.raises(SmsProviderError):
        await sms.send("+1", "x")
    assert len(sms.sent) == 3


async def test_a_stub_provider_keeps_accounts_as_a_real_one_does() -> None:
    provider = StubIdentityProvider(FakeClock())
    made = await provider.sign_up("Ann@example.org", "Secret-123", "Ann")
    assert (await provider.sign_in("ann@example.org", "Secret-123")).identity == made.identity
    with pytest.raises(Conflict):
        await provider.sign_up("ann@example.org", "Secret-123", "Ann")
    with pytest.raises(InvalidCredentials):
        await provider.sign_in("ann@example.org", "wrong")
    assert made.refresh_token is not None
    renewed = await provider.refresh(made.refresh_token)
    assert await provider.verify_access_token(renewed.access_token) == made.identity
    with pytest.raises(InvalidRefreshToken):
        await provider.refresh(made.refresh_token)
    assert renewed.refresh_token is not None
    await provider.revoke(renewed.refresh_token)
    with pytest.raises(InvalidRefreshToken):
        await provider.refresh(renewed.refresh_token)


async def test_a_stub_provider_signs_in_by_phone_code_and_social_token_and_erases() -> None:
    provider = StubIdentityProvider()
    assert (await provider.sign_in_phone("+491701234567")).identity.phone == "+491701234567"
    social = SocialIdentity(
        issuer="https://a.test", subject="1", email="e@x.test", email_verified=True, name=None, picture=None
    )
    assert (await provider.exchange_social(social, "token")).identity.email == "e@x.test"
    asked = {"code_verifier": "v", "nonce": "n", "redirect_uri": "https://app.test"}
    code = provider.code_for("ann", email="ann@example.org")
    assert (await provider.exchange_code(code=code, **asked)).identity.subject == "ann"
    with pytest.raises(Unauthorized):
        await provider.exchange_code(code=code, **asked)
    await provider.erase_account(ProviderIdentity(issuer=provider.issuer, subject="ann"))
    assert provider.erased == ["ann"]
    assert not provider.can_erase_account(ProviderIdentity(issuer="https://other.test", subject="ann"))


def test_a_fake_clock_moves_when_it_is_told_to() -> None:
    clock = FakeClock(datetime(2026, 1, 1, tzinfo=UTC))
    clock.advance(60)
    assert clock.now() - datetime(2026, 1, 1, tzinfo=UTC) == timedelta(minutes=1)
