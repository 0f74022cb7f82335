"""Views of a list are the views of its items."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest

from finassist.domain.conversations.message import Source
from finassist.entrypoints.http.responses.envelope import Timestamp, View, view, views

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class SourceView(View):
    title: str
    url: str | None
    more: str | None = None


class ItemView(View):
    name: str
    at: Timestamp
    main: SourceView | None
    tags: list[str]
    sources: list[SourceView]


class Item(NamedTuple):
    sources: tuple[Source, ...]
    name: str
    hidden: str
    at: datetime
    tags: tuple[str, ...] = ()
    main: Source | None = None


def source(title: str) -> Source:
    return Source(index=1, id="s", title=title, url=None, snippet="", score=0)


def test_a_list_without_items_has_no_views() -> None:
    assert views((), ItemView) == []


def test_fields_are_found_by_name_and_parts_become_views() -> None:
    items = [
        Item((), "a", "-", NOON),
        Item((source("b"), source("c")), "d", "-", NOON, ("e",), source("f")),
    ]
    plain, rich = views(items, ItemView)
    assert plain == ItemView("a", "2026-11-21T12:00:00.000Z", None, (), ())  # type: ignore[arg-type]
    assert rich == ItemView(
        "d",
        "2026-11-21T12:00:00.000Z",  # type: ignore[arg-type]
        SourceView("f", None),
        ("e",),  # type: ignore[arg-type]
        [SourceView("b", None), SourceView("c", None)],
    )


@pytest.mark.parametrize("milliseconds", [0, 1, 10, 999, 1000, 59_999, 86_399_999])
def test_many_times_are_written_like_one(milliseconds: int) -> None:
    moment = NOON + timedelta(milliseconds=milliseconds)
    written: Any = Timestamp.of(moment)
    assert written == moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert Timestamp.of_all([moment, NOON, moment]) == [written, Timestamp.of(NOON), written]


def test_a_view_field_that_the_items_lack_is_an_error() -> None:
    class Other(View):
        missing: str

    with pytest.raises(KeyError):
        views([Item((), "a", "-", NOON)], Other)


def test_one_item_alone_has_the_same_view() -> None:
    found = source("b")
    assert views([Item((found,), "a", "-", NOON)], ItemView)[0].sources == [view(found, SourceView)]
