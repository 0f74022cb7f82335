"""The messages of people of which it is known which entries answer them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from lines import lines_of

USEFUL = 2
"""From this grade on an entry is worth being quoted."""


def messages_by_entry(without: Collection[str] = ()) -> Mapping[str, Sequence[str]]:
    """The messages that each entry answers, by its title; later messages of a conversation as they are
    searched for. ``without`` are the opening questions of conversations that are left out whole."""
    found: dict[str, dict[str, None]] = {}
    for entry, text in (*_first_messages(without), *_later_messages(without)):
        found.setdefault(entry, {})[text] = None
    return {entry: list(texts) for entry, texts in found.items()}


def as_searched_for(line: Mapping[str, Any]) -> Sequence[str]:
    """A later message much as it is searched for: alone, with the question that opened the conversation, and
    with the message before it, all as they were typed."""
    earlier, text = line["earlier"], line["text"]
    return list(dict.fromkeys((text, f"{earlier[0]} {text}", f"{earlier[-1]} {text}")))


def entries_of(line: Mapping[str, Any]) -> Sequence[str]:
    """The entries that answer a message best: the one it was written for, the two that a reader put first, or
    those with the best grade of all, if that is worth being quoted."""
    if "grades" in line:
        best = max((USEFUL, *line["grades"].values()))
        return [entry for entry, grade in line["grades"].items() if grade == best]
    chosen: list[str] = line["entries"] if "entries" in line else [line["entry"]]
    return chosen[:2]


def _first_messages(without: Collection[str]) -> Iterator[tuple[str, str]]:
    for line in (*lines_of("messages_of_entries.jsonl"), *lines_of("answered_by.jsonl")):
        if line["text"] not in without:
            yield from ((entry, line["text"]) for entry in entries_of(line))


def _later_messages(without: Collection[str]) -> Iterator[tuple[str, str]]:
    files = "talks_of_entries", "later_turns_answered", "later_turns_graded"
    for line in (line for file in files for line in lines_of(f"{file}.jsonl")):
        if line["earlier"][0] not in without:
            yield from ((entry, text) for entry in entries_of(line) for text in as_searched_for(line))
