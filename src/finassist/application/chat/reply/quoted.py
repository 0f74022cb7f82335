"""Texts of others in a prompt: files and passages. They are data, and a model must be able to tell where they
end."""

import re
import secrets
from typing import Final

_MARK_BYTES: Final = 8

_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Unicode's Default_Ignorable_Code_Point: what people do not see, and models read."""


def delimited(name: str, text: str, attributes: str = "") -> str:
    """The text between tags with a random part, which nobody can write into it beforehand."""
    tag = f"{name}-{secrets.token_hex(_MARK_BYTES)}"
    return f"<{tag}{attributes}>\n{text}\n</{tag}>"


def visible(text: str) -> str:
    """The text without the characters that nobody sees: they hide instructions, and take words apart."""
    return _INVISIBLE.sub("", text)
