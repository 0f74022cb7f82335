"""What docs/operations.md, docs/api.md and docs/architecture.md name is what there is."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from finassist.adapters.telemetry.prometheus import PrometheusTelemetry
from finassist.entrypoints.cli import main as cli
from finassist.entrypoints.http.responses.errors import STATUS_OF

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "operations.md").read_text()


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[str]:
    """The commands of the command line, each with those that it consists of."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, inner in action.choices.items():
                yield from commands(inner, f"{name} {verb}".strip())
            return
    yield name


def test_every_command_is_listed_and_no_other() -> None:
    table = PAGE.partition("## Commands")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `([a-z-]+(?: [a-z][a-z-]*)?)", table, re.MULTILINE)
    assert sorted(listed) == sorted(commands(cli._parser()))


def test_every_figure_is_listed_and_no_other_is_named() -> None:
    families = list(PrometheusTelemetry()._registry.collect())
    figures = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
    samples = {f"{family.name}_{part}" for family in families for part in ("bucket", "count", "sum")}
    assert set(re.findall(r"^\| `(finassist_\w+)`", PAGE, re.MULTILINE)) == figures
    assert set(re.findall(r"\bfinassist_\w+", PAGE)) - {"finassist_"} <= figures | samples


def test_every_error_code_is_listed_with_its_status_and_no_other() -> None:
    rows = re.findall(r"^\| (\d{3}) \| ([^|]+)", (DOCS / "api.md").read_text(), re.MULTILINE)
    listed = {code: int(status) for status, codes in rows for code in re.findall(r"`([A-Z_]+)`", codes)}
    assert listed == STATUS_OF


def test_every_place_that_the_architecture_names_exists() -> None:
    named = re.findall(r"`([\w/]+/[\w./]+|\w+\.py)`", (DOCS / "architecture.md").read_text())
    package = DOCS.parent / "src" / "finassist"
    folders = (package, package / "application", package / "application" / "chat", DOCS.parent)
    assert len(named) > 10
    assert [path for path in named if not any((folder / path).exists() for folder in folders)] == []
