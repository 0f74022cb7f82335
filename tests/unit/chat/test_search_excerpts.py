"""What is shown of a text in which a search of conversations found something."""

import pytest

from finassist.domain.conversations.searching import excerpt, spelled

LONG = "word " * 60


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("Bonds", "bond", "Bonds"),
        ("a\n\n  b\tc", "b", "a b c"),
        ("nothing of it", "absent", "nothing of it"),
        ("Straße der Maße", "MASSE", "Straße der Maße"),
    ],
)
def test_a_short_text_is_shown_whole_in_one_line(text: str, query: str, shown: str) -> None:
    assert excerpt(text, query) == shown


def test_a_long_text_is_cut_at_words_around_the_first_place() -> None:
    shown = excerpt(f"{LONG}The Größe of it. {LONG}the größe again", "GRÖSSE")
    assert shown.startswith("…word ")
    assert shown.endswith(" word…")
    assert "word The Größe of it. word" in shown
    assert len(shown) < 220


def test_letters_that_fold_to_several_do_not_move_the_place() -> None:
    shown = excerpt(f"{'ß' * 300} {LONG}gold {LONG}", "gold")
    assert " gold " in shown
    assert "ß" not in shown


def test_a_text_without_spaces_is_cut_all_the_same() -> None:
    assert excerpt("x" * 500 + "gold" + "y" * 500, "gold") == f"…{'x' * 60}gold{'y' * 140}…"


def test_a_query_is_spelled_letter_by_letter_and_with_joined_ones() -> None:
    parts = list(spelled("Fuß 1"))
    assert [part.folded for part in parts] == ["f", "u", "ss", " ", "1"]
    assert (parts[0].letters, parts[0].joined) == (["fF"], "")
    assert parts[2].joined == "ßẞ"
    assert all("s" in letters and "S" in letters for letters in parts[2].letters)
