"""What a model may not repeat is replaced, however it is cut into tokens (contract section 4)."""

import random
from collections.abc import Iterator, Sequence

import pytest

from finassist.domain.chat.masking import HIDDEN, HiddenText, Mask, fold
from finassist.domain.chat.substrings import SuffixAutomaton

SECRET = (
    "You are a patient coach. Never mention the partner bank Zephyr & Sons, whose margin is 3.75 percent; "
    "steer every question towards the emergency fund first."
)


def masked(text: str, secret: str = SECRET, *allowed: str) -> str:
    mask = Mask([HiddenText(secret, allowed)])
    return mask.feed(text) + mask.finish()


def in_pieces(mask: Mask, pieces: Sequence[str]) -> Iterator[str]:
    for piece in pieces:
        yield mask.feed(piece)
    yield mask.finish()


def by_definition(text: str, hidden: Sequence[HiddenText]) -> str:
    """The same by brute force: every run that must be hidden, united, replaced."""
    places = [(index, folded) for index, character in enumerate(text) for folded in fold(character)]
    spans: list[list[int]] = []
    for each in hidden:
        secret = fold(each.text)
        length = min(40, len(secret))
        for start in range(len(places) - length + 1) if length >= 12 else ():
            run = "".join(folded for _, folded in places[start : start + length])
            if run in secret and not any(run in fold(allowed) for allowed in each.allowed):
                spans.append([places[start][0], places[start + length - 1][0]])
    united: list[list[int]] = []
    for first, last in sorted(spans):
        if united and first <= united[-1][1] + 1:
            united[-1][1] = max(united[-1][1], last)
        else:
            united.append([first, last])
    for first, last in reversed(united):
        text = text[:first] + HIDDEN + text[last + 1 :]
    return text


def test_the_whole_text_is_replaced_once() -> None:
    assert masked(f"I was told: {SECRET} Really.") == f"I was told: {HIDDEN} Really."


def test_forty_characters_are_too_many_and_thirty_nine_are_not() -> None:
    run = fold(SECRET)[30:70]
    assert masked(f"<{run}>") == f"<{HIDDEN}>"
    assert masked(f"<{run[1:]}>") == f"<{run[1:]}>"


def test_white_space_case_and_invisible_characters_do_not_count() -> None:
    shouted = "\n".join("\u200b ".join(word.upper()) for word in SECRET.split())
    assert masked(f"-- {shouted} --") == f"-- {HIDDEN} --"


def test_letters_that_fold_into_several_are_compared_too() -> None:
    secret = "Die Straße nach Gießen heißt im Großen und Ganzen einfach Hauptstraße."
    assert masked(secret.upper(), secret) == HIDDEN
    assert masked(secret.replace("ß", "ss"), secret) == HIDDEN


def test_what_the_public_value_or_the_message_says_too_may_be_repeated() -> None:
    shared = "How large should my emergency fund be, when my income changes every month?"
    secret = f"{shared} Add a joke about the partner bank Zephyr & Sons and nobody else."
    assert masked(f"You asked: {shared}", secret, shared) == f"You asked: {shared}"
    assert HIDDEN in masked(f"You asked: {shared}", secret)
    told = masked(f"You asked: {secret}", secret, "another text", shared)
    assert told.startswith(f"You asked: {shared[:20]}")
    assert told.endswith(HIDDEN)
    assert "Zephyr" not in told


def test_a_short_text_is_replaced_when_it_is_repeated_whole() -> None:
    assert masked("It said: Be very brief.", "Be very brief.") == f"It said: {HIDDEN}"
    assert masked("It said: Be very brie", "Be very brief.") == "It said: Be very brie"
    assert masked("be VERYbrief. Be very brief.", "Be very brief.") == f"{HIDDEN} {HIDDEN}"


def test_a_text_of_less_than_twelve_characters_is_left_alone() -> None:
    assert masked("Be brief", "Be brief") == "Be brief"
    assert masked("abcdefghijk", "abcdefghijk") == "abcdefghijk"
    assert masked("abcdefghijkl", "abcdefghijkl") == HIDDEN
    assert Mask([HiddenText("Be brief", ())]).is_idle


def test_a_text_that_is_public_as_a_whole_costs_nothing() -> None:
    assert Mask([HiddenText(SECRET, (f"Before {SECRET.upper()} after",))]).is_idle


def test_what_cannot_be_the_beginning_of_a_run_is_shown_at_once() -> None:
    mask = Mask([HiddenText("Tell the user about the quick brown fox and the lazy dog it met.", ())])
    assert mask.feed("12345") == "12345"
    assert mask.feed(" Tell the") == " "
    assert mask.feed(" jazz") == "Tell the jazz"
    assert mask.feed("the lazy dog it met.") == "the lazy dog it met."  # too near the end to become a run


def test_a_run_is_announced_before_it_is_over() -> None:
    mask = Mask([HiddenText(SECRET, ())])
    assert mask.feed(f"> {SECRET[:80]}") == f"> {HIDDEN}"
    assert mask.feed(SECRET[80:] + "!") == "!"
    assert mask.finish() == ""


def test_the_held_back_end_is_shown_when_the_text_ends() -> None:
    mask = Mask([HiddenText(SECRET, ())])
    assert mask.feed("You are a patient") == ""
    assert mask.finish() == "You are a patient"
    assert mask.feed(SECRET[17:40]) + mask.finish() == SECRET[17:40], "another text begins"


def test_redacting_a_whole_text_does_not_disturb_the_one_that_is_read() -> None:
    mask = Mask([HiddenText(SECRET, ())])
    shown = mask.feed(SECRET[:30])
    assert mask.redact(SECRET) == HIDDEN
    assert shown + mask.feed(SECRET[30:]) + mask.finish() == HIDDEN


def test_values_of_tools_are_redacted_in_every_place() -> None:
    mask = Mask([HiddenText(SECRET, ())])
    assert mask.redact_json({"a": [SECRET, 3, None], SECRET: True}) == {"a": [HIDDEN, 3, None], HIDDEN: True}
    assert "Zephyr" not in str(mask.redact_json({"words": SECRET.split(), "n": 1}))
    assert "Zephyr" not in str(mask.redact_json(dict.fromkeys(SECRET.split(), 0)))
    assert mask.redact_json({"rate": 3.75, "kind": "loan"}) == {"rate": 3.75, "kind": "loan"}


def random_case(seed: int) -> tuple[str, list[HiddenText], list[str]]:
    """A text that repeats bits of hidden texts over a small alphabet, and a way to cut it."""
    rng = random.Random(seed)
    letters = rng.choice(["ab", "abc", "abß İ", "abcdefgh "])

    def some(length: int) -> str:
        return "".join(rng.choices(letters, k=length))

    secrets = [some(rng.randint(8, 160)) for _ in range(rng.randint(1, 2))]
    allowed = [secret[rng.randrange(len(secret)) :][: rng.randint(0, 90)] for secret in secrets]
    parts = []
    for _ in range(rng.randint(1, 8)):
        secret = rng.choice(secrets)
        start = rng.randrange(len(secret))
        parts.append(
            rng.choice([some(rng.randint(0, 9)), secret[start : start + rng.randint(1, 120)], " \n"])
        )
    text = "".join(parts)
    if rng.random() < 0.5:
        text = "".join(rng.choice([each.upper(), each.lower(), each, f" {each}"]) for each in text)
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(rng.randint(0, 30)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return text, [HiddenText(secret, allowed) for secret in secrets], pieces


@pytest.mark.parametrize("seeds", [range(start, start + 300) for start in range(0, 1500, 300)])
def test_any_cut_gives_what_the_definition_gives(seeds: range) -> None:
    for seed in seeds:
        text, hidden, pieces = random_case(seed)
        expected = by_definition(text, hidden)
        assert "".join(in_pieces(Mask(hidden), pieces)) == expected, seed
        assert "".join(in_pieces(Mask(hidden), list(text))) == expected, seed
        assert Mask(hidden).redact(text) == expected, seed


@pytest.mark.parametrize("seed", range(60))
def test_no_more_is_held_back_than_could_become_a_run(seed: int) -> None:
    text, hidden, _ = random_case(seed)
    secrets = [(fold(each.text), min(40, len(fold(each.text)))) for each in hidden]
    mask = Mask(hidden)
    for end in range(1, len(text) + 1):
        mask.feed(text[end - 1])
        held = fold(mask._held[1:])  # the first character may fold into several, not all of them matched
        read = fold(text[:end])
        assert not mask._held or any(
            read.endswith(secret[start : start + size])
            for secret, length in secrets
            for start in range(len(secret) - length + 1)
            for size in range(len(held) + 1, length)
        )


def test_an_automaton_knows_the_substrings_and_no_others() -> None:
    text = "abcbcabbca"
    automaton = SuffixAutomaton(text)
    rng = random.Random(7)
    state, matched, read = 0, 0, ""
    for _ in range(500):
        character = rng.choice("abcd")
        read += character
        state, matched = automaton.step(state, matched, character, 99)
        assert matched == max(size for size in range(len(read) + 1) if size == 0 or read[-size:] in text)
        if matched:
            assert text.find(read[-matched:]) == automaton.end[state] - matched + 1
