"""Figures that a reply lists: a list or a table that gives its entries the same ones, as replies about bank
statements do."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

_ROWS_MIN: Final = 2
_ROWS_MAX: Final = 40
_COLUMNS_MAX: Final = 4

_ITEM: Final = re.compile(r"[-*+] +(?P<name>[^:|]{1,80}?) *: +(?P<values>.{1,300})")
_ASIDE: Final = re.compile(r" *(?:\([^()]*\)|\[[^\[\]]*\])")
_VALUE: Final = re.compile(
    r"(?P<words>[^\d\u2212-]{0,40}?) *(?P<number>[\u2212-]?\d[\d,]*(?:\.\d+)?) *(?P<unit>%|[A-Z]{3}|[€$£₹])?",
    re.ASCII,
)
_RULE: Final = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?")
_EMPHASIS: Final = str.maketrans("", "", "*_`")

_Key = tuple[str, str]
"""What a figure is called, and its unit."""
_Row = tuple[str, dict[_Key, Decimal]]


class Listed(NamedTuple):
    """Entries by name, in order, and a column of figures for each thing that is said of them; ``unit`` is a
    currency, a percent sign or empty."""

    names: Sequence[str]
    columns: Mapping[str, Sequence[Decimal | None]]
    unit: str


def listed_figures(text: str) -> Iterator[Listed]:
    """The figures of every list and table in a Markdown text whose entries have the same."""
    lines = [line.strip() for line in text.splitlines()]
    at = 0
    while at < len(lines):
        is_table = at + 1 < len(lines) and "|" in lines[at] and _RULE.fullmatch(lines[at + 1])
        end, rows = (_table if is_table else _list)(lines, at)
        if listed := _common(rows):
            yield listed
        at = max(end, at + 1)


def _list(lines: Sequence[str], at: int) -> tuple[int, Sequence[_Row]]:
    rows: list[_Row] = []
    while at < len(lines) and (item := _ITEM.fullmatch(lines[at])):
        rows.append((item["name"].translate(_EMPHASIS), dict(_figures(item["values"].translate(_EMPHASIS)))))
        at += 1
    # A number without a unit may be anything: a step, a count, a year.
    return at, rows if all(unit for _, figures in rows for _, unit in figures) else []


def _figures(values: str) -> Iterator[tuple[_Key, Decimal]]:
    for piece in re.split(r"[,;] +", _ASIDE.sub("", values)):
        if found := _VALUE.fullmatch(piece.strip(" .")):
            yield (found["words"].strip(), found["unit"] or ""), _number(found["number"])


def _table(lines: Sequence[str], at: int) -> tuple[int, Sequence[_Row]]:
    end = at
    while end < len(lines) and "|" in lines[end]:
        end += 1
    heads, _, *body = (_cells(line) for line in lines[at:end])
    rows: list[_Row] = []
    for name, *cells in body:
        found = [_VALUE.fullmatch(cell) for cell in cells]
        figures = {
            (head, value["unit"] or ""): _number(value["number"])
            for head, value in zip(heads[1:], found, strict=False)
            if value and not value["words"].strip()
        }
        if len(figures) != len(heads) - 1:  # words beside: only what has a unit is surely a figure
            figures = {key: number for key, number in figures.items() if key[1]}
        if not figures:
            return end, []
        rows.append((name, figures))
    return end, rows


def _cells(line: str) -> list[str]:
    return [cell.strip().translate(_EMPHASIS) for cell in line.strip("|").split("|")]


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("\u2212", "-"))


def _common(rows: Sequence[_Row]) -> Listed | None:
    """The figures of the first unit that at least half of the rows have."""
    if not _ROWS_MIN <= len(rows) <= _ROWS_MAX:
        return None
    counted: dict[_Key, int] = {}
    for _, figures in rows:
        for key in figures:
            counted[key] = counted.get(key, 0) + 1
    keys = [key for key, count in counted.items() if count >= max(_ROWS_MIN, len(rows) / 2)]
    if not keys:
        return None
    unit = keys[0][1]
    wanted = [key for key in keys if key[1] == unit][:_COLUMNS_MAX]
    return Listed(
        [name for name, _ in rows],
        {key[0]: [figures.get(key) for _, figures in rows] for key in wanted},
        unit,
    )
