"""What the log says, and what it never says."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from finassist.entrypoints.request_ids import request_id
from finassist.entrypoints.server.logging import configure_logging


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("finassist").setLevel(logging.NOTSET)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_an_event_is_one_line_of_json_with_its_context(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "json")
    told = request_id.set("r1")
    structlog.get_logger().info("served", status=200)
    structlog.get_logger().debug("not shown")
    request_id.reset(told)
    (line,) = lines(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "served", "status": 200, "request_id": "r1", "level": "info"}


def test_the_core_and_libraries_log_in_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "json")
    logging.getLogger("finassist.application.x").info("next try in %s s", 5)
    logging.getLogger("httpx2").info("HTTP Request: POST …")
    logging.getLogger("httpx2").warning("retrying %s", "https://host/?key=hush")
    ours, theirs = lines(capsys)
    assert (ours["event"], ours["level"], ours["logger"]) == (
        "next try in 5 s",
        "info",
        "finassist.application.x",
    )
    assert (theirs["event"], theirs["level"]) == ("retrying %s", "warning")


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_exceptions_show_where_but_neither_messages_nor_locals(
    log_format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging("info", log_format)
    password = "hush-1"
    try:
        try:
            raise ValueError(password)
        except ValueError as error:
            raise KeyError("hush-2") from error
    except KeyError:
        structlog.get_logger().exception("failed")
        logging.getLogger("asyncio").exception("Task failed\nfuture: %s", "hush-3")
    written = capsys.readouterr().err
    assert "hush" not in written
    assert written.count("builtins.KeyError at") == 2
    assert written.count("builtins.ValueError at") == 2
    assert "test_exceptions_show_where" in written
