"""Who met a fraud and gave nothing (docs/safety.md)."""

import pytest

from finassist.domain.safety.losses import denies_loss


@pytest.mark.parametrize(
    "text",
    [
        "weird sms from the post office, I didn't click on it",
        "A woman claiming to be from Visa called me and I hung up. What now?",
        "opened a mail from fake netflix but never entered my password",
        "I almost paid a fake landlord, no money was sent. Do I report it?",
        'my bank asked me to move money to a "safe account", I did not yet, he calls back',
        "my bank blocked the transfer to the scammer and nothing was taken",
    ],
)
def test_who_gave_nothing_says_so(text: str) -> None:
    assert denies_loss(text)


@pytest.mark.parametrize(
    "text",
    [
        "they emptied my account, I never gave anyone my pin",
        "there is a loan in my name that I never took out",
        "he has my photos and threatens me, I haven't paid him",
        "I didn't click anything but 300 is gone",
        "i ordered a phone and they never sent it",
        "I paid the courier fee and now my card is charged",
        "bank not responding, 25000 debited",
    ],
)
def test_who_lost_something_is_not_taken_for_one_who_did_not(text: str) -> None:
    assert not denies_loss(text)
