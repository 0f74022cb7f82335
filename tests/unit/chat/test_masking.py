"""What a model may not repeat is replaced, however it is cut into tokens (contract section 4)."""

import codecs
import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from finassist.domain.chat.folding import fold, is_separator
from finassist.domain.chat.masking import HIDDEN, HiddenText, Mask
from finassist.domain.chat.repetitions import forms_of
from tables import each_row

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


def runs_of(hidden: HiddenText) -> Iterator[str]:
    """The letters of every run that must be hidden, by brute force."""
    solid = [character for character in hidden.text if not is_separator(character)]
    length = min(40, len(solid))
    for start in range(len(solid) - length + 1) if length >= 12 else ():
        run = fold("".join(solid[start : start + length]))
        if len(run) >= 8 and not any(run in fold(allowed) for allowed in hidden.allowed):
            yield run


def test_the_whole_text_is_replaced_once() -> None:
    assert masked(f"I was told: {SECRET} Really.") == f"I was told: {HIDDEN} Really."


def test_forty_characters_are_too_many_and_thirty_nine_are_not() -> None:
    run = SECRET.replace(" ", "")[30:70]
    assert masked(f"<{run}>") == f"<{HIDDEN}>"
    assert masked(f"<{run[1:]}>") == f"<{run[1:]}>"


def marked(text: str, mark: str) -> str:
    return f" {mark}".join(f"**{word}**" for word in text.split())


ALIKE = str.maketrans("aceopxyisAEHKMOPTXBC", "асеорхуіѕАЕНКМОРТХВС")
BOLD = {65 + n: 0x1D400 + n for n in range(26)} | {97 + n: 0x1D41A + n for n in range(26)}
SMALL_CAPITALS = str.maketrans("abcdehijklmnoprtuvwz", "ᴀʙᴄᴅᴇʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡᴢ")

DISGUISES: dict[str, Callable[[str], str]] = {
    "hyphens": "-".join,
    "spaces": " ".join,
    "a letter a line": "\n".join,
    "dots between the words": lambda text: marked(text, "· "),
    "rows of a table": lambda text: "\n".join(f"| {word} |" for word in text.split()),
    "underlined": lambda text: "".join(f"{each}\u0332" for each in text),
    "accents": lambda text: "".join(f"{each}\u0301" for each in text),
    "invisible characters": lambda text: "\u200b\u2060".join(text),
    "Cyrillic letters": lambda text: text.translate(ALIKE),
    "mathematical letters": lambda text: text.translate(BOLD),
    "small capitals": lambda text: text.lower().translate(SMALL_CAPITALS),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "flags": lambda text: "".join(chr(0x1F1E6 + ord(c) - 97) if c.isalpha() else c for c in text.lower()),
    "l for I": lambda text: text.replace("i", "I").replace("l", "1"),
    "backwards": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "rot13 backwards": lambda text: codecs.encode(text[::-1], "rot13"),
    "rot13 with hyphens": lambda text: "-".join(codecs.encode(text, "rot13")),
}


@each_row("disguise", DISGUISES.values())
@each_row("said", [SECRET, SECRET[30:81]])
def test_a_disguise_hides_nothing_from_the_comparison(disguise: Callable[[str], str], said: str) -> None:
    shown = masked(f"I was told: {disguise(said)}")
    assert HIDDEN in shown
    assert len(fold(shown)) < len(fold("I was told: hidden")) + 4


def test_words_in_between_do_not_take_a_text_apart() -> None:
    words = SECRET.split()
    told = " ".join(word if number % 5 else "banana" for number, word in enumerate(words))
    assert set(masked(told).split()) == {"banana", HIDDEN}


def test_pieces_that_are_far_from_each_other_or_the_same_may_be_said() -> None:
    twice = "The emergency fund first, then the rest, then again the emergency fund first, and the rest; "
    assert masked(twice * 4) == twice * 4
    apart = f"{SECRET[30:58]} is one thing that people here talk about and {SECRET[70:98]} is another"
    assert masked(apart) == apart


def test_punctuation_around_a_run_belongs_to_it() -> None:
    secret = "Say (only when asked about the costs, fees and so on it has): the bank takes 3 percent."
    run = "(onlywhenaskedaboutthecosts,feesandsoonit"
    assert len(run) == 41
    assert masked(f"<{run[:-1]}>", secret) == f"<({HIDDEN}>"
    assert masked(f"<{run[1:-1]}>", secret) == f"<{HIDDEN}>", "the parenthesis is the fortieth"
    assert masked(f"<{run[1:-2]}>", secret) == f"<{run[1:-2]}>"


def test_white_space_case_and_invisible_characters_do_not_count() -> None:
    shouted = "\n".join("\u200b ".join(word.upper()) for word in SECRET.split())
    assert masked(f"-- {shouted} --") == f"-- {HIDDEN}\u200b . --"


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
    assert mask.feed(" jam") == "Tell the ja"
    assert mask.feed("!?") == ""
    assert mask.feed(" 6") == "m!? 6"


def test_a_run_is_announced_before_it_is_over() -> None:
    mask = Mask([HiddenText(SECRET, ())])
    assert mask.feed(f"> {SECRET[:80]}") == f"> {HIDDEN}"
    assert mask.feed(SECRET[80:] + "!") == "", "another piece may follow within twelve letters"
    assert mask.feed(" That is what I know.") + mask.finish() == "! That is what I know."


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


@pytest.mark.parametrize("seeds", [range(start, start + 300) for start in range(0, 900, 300)])
def test_any_cut_gives_the_same_and_no_run_is_left(seeds: range) -> None:
    for seed in seeds:
        text, hidden, pieces = random_case(seed)
        expected = Mask(hidden).redact(text)
        assert "".join(in_pieces(Mask(hidden), pieces)) == expected, seed
        assert "".join(in_pieces(Mask(hidden), list(text))) == expected, seed
        left = [fold(part) for part in expected.split(HIDDEN)]
        runs = [run for each in hidden for run in runs_of(each)]
        assert not any(run in part for run in runs for part in left), seed


@each_row("seed", range(60))
def test_no_more_is_held_back_than_could_become_a_place_to_hide(seed: int) -> None:
    text, hidden, _ = random_case(seed)
    forms = [form for each in hidden for form in forms_of(each.text)]
    mask = Mask(hidden)
    for end in range(1, len(text) + 1):
        mask.feed(text[end - 1])
        held = fold(mask._held)
        is_known = any(held[start:][:12] in form for form in forms for start in (0, 1))
        assert len(held) <= 36 or is_known
        assert len(held) <= 220


def test_ordinary_text_is_shown_as_it_comes() -> None:
    mask = Mask([HiddenText(SECRET, ())])
    waiting = []
    for word in "Most people keep three to six months of what they spend where they can reach it. ".split(
        " "
    ):
        mask.feed(f"{word} ")
        waiting.append(len(mask._held))
    assert max(waiting) <= 8
