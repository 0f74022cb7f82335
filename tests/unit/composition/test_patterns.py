"""Patterns that are compiled when they are used first."""

import re
from typing import Any

import pytest

from finassist.patterns import compile_late, late_pattern


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that were compiled meanwhile."""
    sources: list[str] = []
    real = re.compile

    def compile_noted(source: Any, flags: Any = 0) -> Any:
        sources.append(source)
        return real(source, flags)

    compile_late()
    monkeypatch.setattr(re, "compile", compile_noted)
    return sources


def test_a_late_pattern_is_compiled_by_its_first_use_and_once(compiled: list[str]) -> None:
    pattern = late_pattern(r"(?P<word>\w+)!")
    assert pattern.pattern == r"(?P<word>\w+)!"
    assert compiled == []
    assert [match["word"] for match in pattern.finditer("So! And so!")] == ["So", "so"]
    assert pattern.sub("?", "So!") == "?"
    assert pattern.search("so") is None
    assert compiled == [r"(?P<word>\w+)!"]


def test_a_late_pattern_does_what_a_pattern_does() -> None:
    pattern = late_pattern("a b # letters", re.VERBOSE | re.IGNORECASE)
    same = re.compile("a b # letters", re.VERBOSE | re.IGNORECASE)
    text = "ab AB aB"
    assert (pattern.flags, pattern.groups) == (same.flags, same.groups)
    assert pattern.findall(text) == same.findall(text)
    assert pattern.split(text) == same.split(text)
    assert pattern.subn("", text) == same.subn("", text)
    assert pattern.match(text, 3) is not None
    assert pattern.fullmatch(text) is None


def test_what_nobody_used_can_be_compiled_at_once(compiled: list[str]) -> None:
    used, kept = late_pattern("used"), late_pattern("kept")
    assert used.search("used")
    compile_late()
    assert compiled == ["used", "kept"]
    assert kept.search("kept")
    assert compiled == ["used", "kept"]
