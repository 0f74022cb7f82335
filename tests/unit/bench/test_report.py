"""Chapters of the page that different runs write."""

from datetime import date

from benchmarks.report import Figure, Section, chapter, chapter_of, document, with_chapter

_CHAT = Section(title="Chat", notes="Of chats.", figures=[Figure(what="chats", measured="3/s")])
_PEERS = Section(title="Peers", notes="Of peers.", figures=[Figure(what="chats", measured="2/s")])
_AGAIN = Section(title="Peers", notes="Of others.", figures=[Figure(what="chats", measured="1/s")])
_DAY = date(2026, 1, 2)


def test_a_page_keeps_the_chapter_of_another_run() -> None:
    page = with_chapter(document([_CHAT], {"CPU": "fast"}, _DAY), _PEERS)
    kept = chapter_of(page, "Peers")
    assert kept == chapter(_PEERS)
    assert document([_CHAT], {"CPU": "fast"}, _DAY, kept) == page


def test_a_chapter_takes_the_place_of_the_one_before() -> None:
    page = document([_CHAT], {"CPU": "fast"}, _DAY)
    assert with_chapter(with_chapter(page, _PEERS), _AGAIN) == with_chapter(page, _AGAIN)


def test_a_page_has_only_chapters_of_the_whole_title() -> None:
    page = document([_CHAT], {"CPU": "fast"}, _DAY)
    assert chapter_of(page, "Peers") == chapter_of(page, "Ch") == ""
    assert chapter_of(page, "Chat") == chapter(_CHAT)


def test_a_table_has_dashes_below_an_empty_column_too() -> None:
    assert "| ----- | -------- | -------- | -------- | ------ | -- |" in chapter(_CHAT)
