"""finassist: the backend of an assistant that answers personal-finance questions.

A script needs these three::

    from finassist import ChatMessage, Settings, open_container

    async with open_container(Settings.from_env()) as finassist:
        ...
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from finassist.application.chat import ChatMessage
    from finassist.composition.container import open_container
    from finassist.config import Settings
    from finassist.domain.users import Caller

__version__ = "1.0.0"
__all__ = ["Caller", "ChatMessage", "Settings", "__version__", "open_container"]

_HOMES = {
    "Caller": "finassist.domain.users",
    "ChatMessage": "finassist.application.chat",
    "Settings": "finassist.config",
    "open_container": "finassist.composition.container",
}


def __getattr__(name: str) -> Any:
    # Imported when asked for: `finassist --help` should not wait for every adapter.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
