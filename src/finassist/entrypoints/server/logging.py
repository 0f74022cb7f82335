"""One log for everything: a line an event on standard error, as JSON or for a terminal.

Nothing that a caller sent may reach it. So exceptions are written as types and places, without their
messages and without local variables, and of the records of other libraries only the constant text is
kept: their arguments can be anything.
"""

import logging
import sys
from collections.abc import Iterator

import msgspec
import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

from finassist.entrypoints.request_ids import request_id

_TRUSTED = ("finassist", "uvicorn")
_json = msgspec.json.Encoder(enc_hook=repr)


def configure_logging(level: str, log_format: str) -> None:
    """Send all logs to standard error: ours from ``level`` on, those of libraries from WARNING on.

    ``log_format`` is ``json`` or ``console``; empty, it is ``console`` on a terminal.
    """
    console = log_format == "console" or (not log_format and sys.stderr.isatty())
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        add_request_id,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.ExceptionRenderer(_describe_exception),
    ]
    renderer = structlog.dev.ConsoleRenderer() if console else _render_json
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, _keep_constant_text, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(threshold, logging.WARNING), force=True)
    logging.getLogger("finassist").setLevel(threshold)


def add_request_id(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Add the id of the request at hand; structlog would look for its own variables among all others."""
    if identifier := request_id.get():
        event["request_id"] = identifier
    return event


def _render_json(_: WrappedLogger, __: str, event: EventDict) -> str:
    return _json.encode(event).decode()


def _keep_constant_text(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event["_record"]
    if record.name.partition(".")[0] not in _TRUSTED:
        event["event"] = str(record.msg).partition("\n")[0]
    return event


def _describe_exception(exc_info: ExcInfo) -> str:
    return "\n".join(_causes(exc_info[1]))


def _causes(error: BaseException | None) -> Iterator[str]:
    """The exception and what caused it, the latest first: ``module.Type at file:line function; …``."""
    while error is not None:
        frames = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            frames.append(f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno} {code.co_name}")
            trace = trace.tb_next
        yield f"{type(error).__module__}.{type(error).__qualname__} at " + " > ".join(frames)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
