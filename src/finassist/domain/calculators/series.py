"""What a chart of a result draws: its components month by month, or year by year after five years."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

MOST_POINTS = 120
_MOST_MONTHS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The end of a month or year, counted from 1. Subclasses add the components, amounts in cents."""

    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """At most 120 points, oldest first, all with the same components. ``label`` says what ``at`` counts.
    The last year of a term may be shorter than twelve months. ``start`` is what there was before the first
    point, with ``at`` 0, where a result has a beginning of its own."""

    label: Literal["month", "year"]
    points: tuple[Point, ...]
    start: Point | None = None


def from_start(series: Series, start: Point) -> Series:
    """The series with what there was before its first point."""
    return replace(series, start=start)


def series_over(months: int, point: Callable[[int, int, int], Point]) -> Series:
    """Draw a term: ``point`` gets the number of a period, the months before it and those up to its end."""
    if months <= _MOST_MONTHS:
        return Series(
            label="month", points=tuple(point(month, month - 1, month) for month in range(1, months + 1))
        )
    starts = range(0, months, 12)
    return Series(
        label="year",
        points=tuple(point(start // 12 + 1, start, min(start + 12, months)) for start in starts),
    )


def series_of_years(years: int, point: Callable[[int], Point]) -> Series:
    """Draw whole years; of more than 120 every second one and the last."""
    step = -(-years // MOST_POINTS)
    drawn = sorted({*range(step, years + 1, step), years})
    return Series(label="year", points=tuple(map(point, drawn)))
