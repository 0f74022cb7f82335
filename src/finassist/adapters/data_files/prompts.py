"""The assistant's instructions."""

from importlib.resources import files

from finassist.adapters.data_files.links import _DATA


def system_prompt() -> str:
    """The assistant's instructions; ``{date}`` stands for the day of the question."""
    return (files(_DATA) / "chat" / "system_prompt.md").read_text(encoding="utf-8").strip()
