"""Identifiers: their form, and that they sort by creation time (contract section 1)."""

import pytest

from finassist.domain.ids import IdSequence, is_id

NOW_MS = 1_772_366_400_000


def test_an_identifier_is_24_lower_case_hexadecimal_characters() -> None:
    assert is_id(IdSequence().next(NOW_MS, 0xDEADBEEF))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a" * 23,
        "a" * 25,
        "A" * 24,
        "g" * 24,
        "a" * 24 + "\n",
        "\n" + "a" * 24,
        " " + "a" * 23,
        "é" + "a" * 23,
        "٣" * 24,
        "0x" + "a" * 22,
    ],
)
def test_other_text_is_no_identifier(text: str) -> None:
    assert not is_id(text)


def test_identifiers_of_one_millisecond_increase_whatever_the_randomness() -> None:
    ids = IdSequence()

    made = [ids.next(NOW_MS, entropy) for entropy in (0xFFFFFFFF, 0, 7, 0xFFFFFFFF, 1)]

    assert made == sorted(set(made))


def test_identifiers_increase_while_the_clock_goes_on() -> None:
    ids = IdSequence()

    made = [ids.next(NOW_MS + later, 0xFFFFFFFF - later) for later in range(1000)]

    assert made == sorted(set(made))


def test_identifiers_increase_while_the_clock_steps_back() -> None:
    ids = IdSequence()
    before = ids.next(NOW_MS, 0)

    after = ids.next(NOW_MS - 60_000, 0)

    assert after > before


def test_identifiers_increase_when_a_millisecond_runs_out_of_numbers() -> None:
    ids = IdSequence()

    made = [ids.next(NOW_MS, 0) for _ in range(0x1_0000 * 2 + 1)]

    assert made == sorted(set(made))
    assert all(is_id(made_id) for made_id in (made[0xFFFF], made[0x1_0000], made[-1]))


def test_an_identifier_begins_with_its_milliseconds_and_ends_with_its_randomness() -> None:
    made = IdSequence().next(NOW_MS, 0xDEADBEEF)

    assert int(made[:12], 16) == NOW_MS
    assert made[-8:] == "deadbeef"


def test_randomness_beyond_32_bits_does_not_make_an_identifier_longer() -> None:
    assert is_id(IdSequence().next(NOW_MS, 2**64 - 1))


def test_the_same_time_and_randomness_make_the_same_identifier() -> None:
    assert IdSequence().next(NOW_MS, 7) == IdSequence().next(NOW_MS, 7)
