"""The contract suite of every SMS sender."""

import asyncio

import pytest

from finassist.application.ports.auth import SmsSender
from finassist.domain.errors import SmsProviderError

PHONE, TEXT = "+491701234567", "123456 is your code."


class SmsSenderContract:
    """The suite of ``SmsSender``. Subclass it and override the fixtures ``sender`` and ``refused``.

    Without ``refused`` the tests of failures are skipped.
    """

    @pytest.fixture
    def sender(self) -> SmsSender:
        """A sender whose provider accepts every message."""
        raise NotImplementedError("override this fixture")

    @pytest.fixture
    def refused(self) -> SmsSender:
        """A sender whose provider accepts no message, or is out of reach."""
        pytest.skip("there is no sender that fails: override the fixture 'refused'")

    async def test_accepted_messages_are_no_errors_even_many_at_once(self, sender: SmsSender) -> None:
        messages = (sender.send(PHONE, f"{number:06} is your code.") for number in range(20))
        assert await asyncio.gather(*messages, return_exceptions=True) == [None] * 20

    async def test_a_closed_sender_leaves_nothing_running(self, sender: SmsSender) -> None:
        running = asyncio.all_tasks()
        await sender.close()
        assert asyncio.all_tasks() <= running

    async def test_a_refused_message_is_an_error_that_does_not_tell_the_number(
        self, refused: SmsSender
    ) -> None:
        with pytest.raises(SmsProviderError) as failed:
            await refused.send(PHONE, TEXT)
        assert PHONE not in failed.value.message
        assert TEXT not in failed.value.message
