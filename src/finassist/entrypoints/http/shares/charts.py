"""Charts on the pages of shares, drawn from what is public: from figures that the reply lists, and from the
calculation whose result it states. What a tool returned is not looked at (contract section 6).

Positions are percentages and lines are stretched, so that a drawing without script or styles of its own fits
a phone as well as a desk. The chat page draws the same in ``web/files/messages/charts.js``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from html import escape
from itertools import chain
from math import ceil, floor, log10
from typing import Final

from finassist.application.shares.stated_results import StatedResult, stated_result
from finassist.entrypoints.http.shares.listed_figures import Listed, listed_figures
from finassist.entrypoints.http.web.pages import ENGLISH, Words

_COLOURS: Final = 4
_NAME_MAX: Final = 22
_ROW: Final = 26
_LEFT: Final = 34
"""Where bars begin and how long the longest is, in percent of the width."""
_LONGEST: Final = 42

_HEIGHT: Final = 254
_TOP: Final = 14
_BOTTOM: Final = 42
_AXIS: Final = 12
"""Where curves begin, and how wide they are, in percent of the width."""
_WIDE: Final = 86
_TOGETHER: Final = 8
"""Components that differ by more than this are drawn apart: interest would lie flat under a balance."""
_LABELS_MAX: Final = 5
_NUMBERS_MAX: Final = 6
_ROUND: Final[Mapping[str, Sequence[int]]] = {
    "year": (1, 2, 5, 10, 20, 25, 50, 100),
    "month": (1, 2, 3, 6, 12, 24, 36, 60, 120),
}
"""Steps between numbers of an axis."""

_POINTED: Final = str.maketrans(",.", ".,")
_SPACED: Final = str.maketrans({",": "\u202f", ".": ","})

Columns = Mapping[str, Sequence[Decimal | None]]


def render_charts(question: str, reply: str, words: Words) -> str:
    """The charts of a reply, as HTML; empty where there is nothing to draw."""
    if (result := stated_result(question, reply)) is not None:
        return _course(result, words)
    return "".join(_bars(listed, words) for listed in listed_figures(reply))


def _bars(listed: Listed, words: Words) -> str:
    top = _largest(chain.from_iterable(listed.columns.values()))
    scale = Decimal(_LONGEST) / top if top else Decimal()
    drawn, y = [], 4
    for at, name in enumerate(listed.names):
        drawn.append(_text(f"{_LEFT}%", y + 16, _short(name), "end", "dx=-8"))
        for number, column in enumerate(listed.columns.values()):
            if (value := column[at]) is not None:
                long = max(abs(value) * scale, Decimal("0.3"))
                place = f'x="{_LEFT}%" y="{y + 3}" width="{long:.2f}%" height="18" rx="3"'
                drawn.append(f'<rect class="s{number}" {place}/>')
                drawn.append(
                    _text(
                        f"{_LEFT + long:.2f}%",
                        y + 16,
                        f"{_local(value, words)} {listed.unit}",
                        "start",
                        "dx=6",
                    )
                )
            y += _ROW
    title = words("chart_of_reply")
    parts = [part for part in listed.columns if part]
    return _figure(title, [(parts, _svg(title, parts, y + 4, "".join(drawn)))], "")


def _course(result: StatedResult, words: Words) -> str:
    """The components of a result over the years or months, and the table of them."""
    title = _label(result.calculator)
    label = words.texts.get(f"unit_{result.series.label}", result.series.label)
    start = [result.series.start] if result.series.start else []
    points = [asdict(point) for point in (*start, *result.series.points)]
    names = [str(point["at"]) for point in points]
    parts = [key for key, value in points[0].items() if key != "at" and isinstance(value, Decimal)]
    columns = {_named(part, words): [point[part] for point in points] for part in parts}
    drawings = [
        (list(group), _svg(f"{title}, {label}", group, _HEIGHT, "".join(_curves(names, group, label, words))))
        for group in _groups(columns)
    ]
    return _figure(
        title, drawings, _table([label, *columns], zip(names, *columns.values(), strict=True), words)
    )


def _groups(columns: Columns) -> Sequence[Columns]:
    groups: list[dict[str, Sequence[Decimal | None]]] = []
    for part in sorted(columns, key=lambda part: -_largest(columns[part])):
        size = _largest(columns[part])
        fits = (group for group in groups if _largest(next(iter(group.values()))) <= _TOGETHER * size)
        if (group := next(fits, None)) is None:
            groups.append(group := {})
        group[part] = columns[part]
    return [{part: columns[part] for part in columns if part in group} for group in groups]


def _curves(names: Sequence[str], columns: Columns, unit: str, words: Words) -> Iterator[str]:
    ticks = _ticks([value for column in columns.values() for value in column if value is not None])
    low, high = ticks[0], ticks[-1]
    height = _HEIGHT - _TOP - _BOTTOM

    def y(value: float) -> float:
        return _TOP + height * (high - value) / (high - low)

    for tick in ticks:
        at = f"{y(tick):.1f}"
        yield f'<line class="grid" x1="{_AXIS}%" x2="{_AXIS + _WIDE}%" y1="{at}" y2="{at}"/>'
        yield _text(f"{_AXIS}%", round(y(tick)) + 4, _compact(tick, words), "end", "dx=-6")
    slot = 100 / len(names)
    for number in _labelled(names, unit):
        x = _AXIS + _WIDE * (number + 0.5) * slot / 100
        yield _text(f"{x:.1f}%", _HEIGHT - 22, names[number], "middle")
    yield _text(f"{_AXIS + _WIDE}%", _HEIGHT - 5, _label(unit), "end")
    lines = "".join(
        f'<polyline class="s{number}" vector-effect="non-scaling-stroke" points="'
        + " ".join(
            f"{(at + 0.5) * slot:.2f},{y(float(value)):.1f}"
            for at, value in enumerate(column)
            if value is not None
        )
        + '"/>'
        for number, column in enumerate(columns.values())
    )
    yield (
        f'<svg x="{_AXIS}%" width="{_WIDE}%" height="{_HEIGHT}" viewBox="0 0 100 {_HEIGHT}" '
        f'preserveAspectRatio="none">{lines}</svg>'
    )


def _labelled(names: Sequence[str], unit: str) -> list[int]:
    """Which points have their label: numbers at round steps, names as often as there is room; the last one
    always, and the one before it where it has room."""
    last = len(names) - 1
    if not all(name.isdecimal() for name in names):
        every = ceil(len(names) / _LABELS_MAX)
        return [*(at for at in range(0, last, every) if last - at >= every), last]
    rough = len(names) / _NUMBERS_MAX
    every = next((each for each in _ROUND.get(unit, _ROUND["year"]) if each >= rough), last)
    return [*(at for at in range(last) if int(names[at]) % every == 0 and last - at > every / 2), last]


def _ticks(values: Sequence[Decimal]) -> Sequence[float]:
    """Round steps from the lowest to the highest value, with nothing among them."""
    low, high = min(0.0, float(min(values))), max(0.0, float(max(values)))
    rough = (high - low) / 4 or 1.0
    power = 10.0 ** floor(log10(rough))
    step = power * next(each for each in (1, 2, 2.5, 5, 10) if each * power >= rough)
    first, last = floor(low / step), -floor(-high / step)
    return [number * step for number in range(first, max(last, first + 1) + 1)]


def _compact(value: float, words: Words) -> str:
    """A number of an axis: ``20K`` in English, with its digits in other languages."""
    if words.language != ENGLISH:
        return _local(Decimal(f"{value:.10g}"), words)
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if abs(value) >= size:
            return f"{value / size:.4g}{letter}"
    return f"{value:.4g}"


def _local(value: Decimal, words: Words) -> str:
    """A number with the signs that the reader's language has between its digits."""
    signs = _POINTED if words.language in ("de", "es", "it", "nl", "pt") else _SPACED
    return f"{value:,f}" if words.language in (ENGLISH, "hi") else f"{value:,f}".translate(signs)


def _figure(title: str, drawings: Sequence[tuple[Sequence[str], str]], table: str) -> str:
    some = max(len(parts) for parts, _ in drawings) > 1 or len(drawings) > 1
    drawn = "".join(f"{_legend(parts) if some else ''}{drawing}" for parts, drawing in drawings)
    return f'<figure class="plot"><figcaption>{escape(title)}</figcaption>{drawn}{table}</figure>'


def _legend(parts: Sequence[str]) -> str:
    names = (
        f'<span><i class="s{at % _COLOURS}"></i>{escape(_label(part))}</span>'
        for at, part in enumerate(parts)
    )
    return f'<p class="legend">{"".join(names)}</p>'


def _svg(title: str, parts: Sequence[str] | Columns, height: int, drawn: str) -> str:
    label = escape(": ".join(filter(None, (title, ", ".join(parts)))))
    return f'<svg class="chart" role="img" aria-label="{label}" height="{height}">{drawn}</svg>'


def _table(heads: Sequence[str], rows: Iterator[tuple[str | Decimal, ...]], words: Words) -> str:
    head = "".join(f'<th scope="col" class="right">{escape(_label(each))}</th>' for each in heads)
    body = "".join(f"<tr>{''.join(_cell(each, words) for each in row)}</tr>" for row in rows)
    return (
        f'<details><summary>{words("figures")}</summary><div class="scroll" tabindex="0">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def _cell(value: str | Decimal, words: Words) -> str:
    return f'<td class="right">{escape(value) if isinstance(value, str) else _local(value, words)}</td>'


def _text(x: str, y: int, words: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def _short(name: str) -> str:
    return name if len(name) <= _NAME_MAX else f"{name[: _NAME_MAX - 1]}…"


def _named(part: str, words: Words) -> str:
    """What a component is called in the reader's language."""
    return words.texts.get(f"part_{part.rstrip('_')}") or _label(part)


def _label(words: str) -> str:
    text = words.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def _largest(values: Iterator[Decimal | None] | Sequence[Decimal | None]) -> Decimal:
    return max((abs(value) for value in values if value is not None), default=Decimal())
