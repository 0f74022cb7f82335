"""Starting the server: in this process, or in several that it supervises.

The service is imported by the processes that run it: one that supervises others goes without.
"""

import asyncio
import gc
import os
import socket
import sys
from collections.abc import Callable
from typing import Final

from finassist.composition.migration import migrate_files
from finassist.composition.telemetry import forget_process
from finassist.config import Settings, SettingsError
from finassist.entrypoints.server.logging import configure_logging
from finassist.entrypoints.server.metrics_folder import metrics_folder
from finassist.entrypoints.server.supervisor import Supervisor

WRONG_SETTINGS_STATUS: Final = 2

_PRELOAD: Final = "finassist.entrypoints.server.preload"
_SDKS: Final = {"openai": "openai.resources.chat", "anthropic": "anthropic.resources.messages"}
"""What a provider's adapter imports with the first question, of which all workers need the same."""


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit status.

    Port 0 takes a free port; the log event ``listening`` names it. Raises SettingsError for settings
    that cannot work together with what is built, OSError when the address cannot be had.
    """
    configure_logging(settings.log_level, settings.log_format)
    with _bind(settings.host, settings.port) as listener:
        if settings.workers > 1:
            return _supervise(settings, listener)
        gc.disable()  # until the service is ready: nearly all that a start makes stays
        from finassist.entrypoints.server.serving import run

        run(settings, listener)
    return 0


def _supervise(settings: Settings, listener: socket.socket) -> int:
    """Run several workers; their figures meet in a folder that lives as long as they do.

    The files of the databases are migrated before: a large one takes longer than workers wait for each other.
    """
    with metrics_folder() as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)  # the workers look at it when they start
        sdk = _SDKS.get(settings.llm_provider)
        supervisor = Supervisor(
            _work,
            settings,
            listener,
            workers=settings.workers,
            preload=[sdk, _PRELOAD] if sdk else [_PRELOAD],  # the last one keeps the collector from all
            on_end=forget_process,
        )
        supervisor.preload()
        asyncio.run(migrate_files(settings))
        return supervisor.run()


def _bind(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(error.errno, f"cannot listen on {host} port {port}: {error.strerror}") from error
    return listener


def _work(settings: Settings, listener: socket.socket, report_ready: Callable[[], None]) -> None:
    """One of several workers."""
    gc.disable()
    from finassist.entrypoints.server.serving import run

    configure_logging(settings.log_level, settings.log_format)
    try:
        run(settings, listener, report_ready)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(WRONG_SETTINGS_STATUS)
