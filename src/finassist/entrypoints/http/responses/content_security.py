"""What the pages of the service may load and run (Content-Security-Policy)."""

import hashlib
from base64 import b64encode


def source_of(text: str) -> str:
    """An inline style or script as a policy names it: this text, and no other, is applied or run."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
