"""What the mails of the built-in provider say, and how often somebody gets one (contract section 13)."""

from datetime import timedelta
from typing import Final

from finassist.domain.quotas import RateLimit

RESET_LIFETIME: Final = timedelta(minutes=30)
VERIFICATION_LIFETIME: Final = timedelta(hours=24)

EMAIL_LIMITS: Final = (RateLimit(5, 3600), RateLimit(20, 86_400))
ADDRESS_LIMITS: Final = (RateLimit(30, 3600),)

RESET_SUBJECT: Final = "Choose a new finassist password"
VERIFICATION_SUBJECT: Final = "Confirm your email for finassist"


def reset_text(token: str, base_url: str) -> str:
    """The mail for somebody who forgot the password. The token is in the fragment of the link, which browsers
    send to no server."""
    return (
        "Somebody, you we hope, asked for a new password for this email.\n\n"
        f"Choose one within {minutes(RESET_LIFETIME)} minutes:\n{base_url}/#reset={token}\n\n"
        f"Or enter this code where you asked:\n{token}\n\n"
        "A new password signs you out everywhere. If it was not you, ignore this mail: nothing has changed."
    )


def verification_text(token: str, base_url: str) -> str:
    """The mail that asks whether somebody has this email."""
    return (
        "Please confirm that this email is yours.\n\n"
        f"Open this link within a day:\n{base_url}/#verify={token}\n\n"
        f"Or enter this code where you asked:\n{token}\n\n"
        "If you have no finassist account, ignore this mail."
    )


def minutes(span: timedelta) -> int:
    """Whole minutes."""
    return int(span.total_seconds()) // 60
