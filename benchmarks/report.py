"""The figures of a run, as a table for the terminal and as ``docs/benchmarks.md``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

PAGE = Path("docs/benchmarks.md")
_DASHES = 2  # below an empty column, too: without them the rows are no table
_HEADINGS = ("what", "measured", "baseline", "compared", "target", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured thing beside its baseline of the same run. ``met`` is None where nothing is aimed at."""

    what: str
    measured: str
    baseline: str = ""
    compared: str = ""
    target: str = ""
    met: bool | None = None

    @property
    def verdict(self) -> str:
        """``pass``, ``miss`` or nothing."""
        return "" if self.met is None else "pass" if self.met else "**miss**"

    @property
    def cells(self) -> tuple[str, ...]:
        """The figure's row."""
        return (self.what, self.measured, self.baseline, self.compared, self.target, self.verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Figures that were measured together. ``notes`` say what was done, in Markdown."""

    title: str
    notes: str
    figures: Sequence[Figure]


def table(figures: Sequence[Figure]) -> str:
    """The figures as a Markdown table with even columns."""
    rows = [_HEADINGS, *(figure.cells for figure in figures)]
    widths = [max(_DASHES, *(len(row[column]) for row in rows)) for column in range(len(_HEADINGS))]
    rows.insert(1, tuple("-" * width for width in widths))
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in padded)


def summary(sections: Sequence[Section]) -> str:
    """All tables under their titles."""
    return "\n\n".join(f"{section.title}\n\n{table(section.figures)}" for section in sections)


def document(sections: Sequence[Section], machine: Mapping[str, str], day: date, kept: str = "") -> str:
    """The whole page; ``kept`` is a chapter that another run wrote."""
    parts = [_INTRODUCTION]
    parts += map(chapter, sections)
    described = "\n".join(f"- {name}: {value}" for name, value in machine.items())
    parts.append(f"## The machine\n\nMeasured on {day.isoformat()}.\n\n{described}")
    if kept:
        parts.append(kept)
    return "\n\n".join(parts) + "\n"


def chapter(section: Section) -> str:
    """The section as a chapter of the page."""
    return f"## {section.title}\n\n{section.notes}\n\n{table(section.figures)}"


def chapter_of(page: str, title: str) -> str:
    """The chapter of the page with this title; nothing where there is no such."""
    _, *chapters = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return next((text.strip() for text in chapters if text.startswith(f"## {title}\n")), "")


def with_chapter(page: str, section: Section) -> str:
    """The page with this section in place of the chapter of the same title, or at its end."""
    before, new = chapter_of(page, section.title), chapter(section)
    return page.replace(before, new) if before else f"{page.rstrip()}\n\n{new}\n"


_INTRODUCTION = """\
# Benchmarks

Written by `make bench`, which measures everything in one run of about 20 minutes and prints the same tables;
the chapter on other backends, where there is one, by `make bench-peers`.

How to read them. Every figure stands beside a baseline that was measured in the same run: the two take
turns, round by round, so that a machine that gets slower or busier meanwhile slows both. A figure is the
median of its rounds. Trust the comparisons; the bare numbers are worth as much as the machine at the end
of the page. The service, what it is compared with, the model and the load are processes of their own on
that one machine and share its cores; each service and each baseline is one worker process, with the
same uvicorn settings. The load waits for each answer, checks its status and, of a stream, that every
token arrived, and only then asks again. The service runs as it is shipped, with its access log on and
`synchronous=FULL`; only the free-message threshold, the chat rate and the limit on new guests are raised."""
