"""The words with which people go on calculating from a result, in seven languages (data)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.sums.words import FRACTIONS
from finassist.domain.calculators.recognition.wording import NUMBER_WORDS
from finassist.domain.calculators.stories.number_words import LARGE_IN_WORDS, of_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/threads"))
_FOLLOW_UPS: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_SUMS: Final = cast("dict[str, Any]", shipped("calculators/sums"))

WORD: Final = late_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LINKS: Final[str] = _DATA["plus_links"]


def anywhere(words: str) -> re.Pattern[str]:
    """A pattern of whole words."""
    return late_pattern(rf"(?<!\w)(?:{words})(?!\w)")


def right_before(words: str, links: str = "") -> re.Pattern[str]:
    """A pattern of whole words right before a number."""
    return late_pattern(rf"(?<!\w)(?:{words}){links} ?$")


def _right_after(words: str) -> re.Pattern[str]:
    return late_pattern(rf"^[-\s]*(?:{words})(?!\w)")


LEADS: Final = rf"^\W*(?:(?:{_DATA['leads']})[ ,]+)*"
OPERATION: Final = late_pattern(
    rf"{LEADS}(?:{_DATA['plus']}|{_DATA['minus']}|{_DATA['times']}|{_DATA['divide']})(?!\w)"
)
ALONE: Final = late_pattern(rf"{LEADS}(?:{_DATA['for_many']}){_LINKS} ?$")
THE_REST: Final = late_pattern(rf"^\W*(?:(?:{_DATA['the_rest_leads']}) )*(?:{_DATA['the_rest']})\W*$")
AND_ME: Final = late_pattern(
    rf"^[-\s]*(?:(?!(?:{_DATA['and_me']}) )[^\W\d_]+ )?(?:{_DATA['and_me']}) (?:{_DATA['me']})(?!\w)"
)
PER_YEAR: Final = late_pattern(r"\b(?:per|each|every) year\b")
ADVICE: Final = anywhere(_SUMS["advice"])
NO_SUMS: Final = (
    late_pattern(rf"^\W*(?:(?:so|and|but|ok|okay|then) )*(?:{_DATA['not_asked_of_sums']})\b"),
    ADVICE,
    late_pattern(r"\bshould (?:i|we)\b"),
)
"""Questions of something else than a sum."""
STATES: Final = late_pattern(r"^\W*(?:i|we|my|our)\b(?!.*\?)")
"""A statement, which has nothing done with the result of a loan or of savings."""
MY_PART: Final = late_pattern(r"(?:what|how much) (?:do|would|will|must) (?:i|we)\b")
"""What somebody asks who pays what another one does not."""
THE_WHOLE: Final = late_pattern(rf"{LEADS}(?:the )?(?:{_DATA['the_whole']})\W*$")
IN_ALL: Final = anywhere(_DATA["the_whole"])
PLUS: Final = right_before(_DATA["plus"], _LINKS)
TO_AMOUNT: Final = late_pattern(rf"(?<!\w)(?:{_DATA['plus_that_to']}){_LINKS} ?$")
"""What stands before an amount that the result is added to."""
MINUS: Final = right_before(_DATA["minus"], _LINKS)
PAID_ONCE: Final = anywhere(_DATA["paid_once"])
HOW_MUCH_OF: Final = anywhere(_DATA["how_much_of"])
PAID_BACK: Final = anywhere(_DATA["paid_back"])
PAID_OFF: Final = anywhere(_DATA["paid_off"])
TIME_ASKED: Final = anywhere(_DATA["time_asked"])
SAVES: Final = anywhere(_DATA["saves"])
TAKEN_FROM: Final = right_before(_DATA["taken_from"])
"""What stands before an amount that the result is taken off."""
ADDING: Final = anywhere(_DATA["adding_nouns"])
TAKING: Final = anywhere(_DATA["taking_nouns"])
REPLACED: Final[str] = _DATA["replaced"]
PAYS_ALONE: Final[str] = _DATA["pays_alone"]
SHARED: Final = anywhere(_DATA["divide"].replace("/|÷|", ""))
TIMES: Final = right_before(_DATA["times"])
TIMES_AFTER: Final = _right_after("times|x|mal|fois|veces|vezes|volte|keer")
DIVIDE: Final = right_before(_DATA["divide"], _DATA["divide_links"])
PARTS: Final = right_before(_DATA["parts"])
PART_NOUNS: Final = _right_after(_DATA["part_nouns"])
FOR_MANY: Final = right_before(_DATA["for_many"], _LINKS)
OF_THAT: Final = _right_after(_DATA["of_that"])
OF_THAT_ANYWHERE: Final = anywhere(_DATA["of_that"])
RISING: Final = anywhere(_DATA["rising"])
FALLING: Final = anywhere(_DATA["falling"])
OVER_PERIOD: Final = anywhere(_DATA["over_period"])
OVER_TERM: Final = right_before(_DATA["over_term"])
EACH: Final = anywhere(_DATA["each"])
DROPPED: Final = anywhere(_DATA["dropped"])
FURTHER: Final = anywhere(_DATA["further"])
HINT: Final = late_pattern(rf"{LEADS}(?:{_DATA['hint']})\b")
CORRECTING: Final = late_pattern(rf"^\W*(?:(?:{_DATA['correcting']})\b[ ,.!:-]*)+")
"""How a message begins that takes a number back."""
SUPPOSED: Final = late_pattern(rf"^\W*(?:(?:so|ok|okay|hmm|and|but) )*(?:{_DATA['supposed']})\b")
SAME: Final = anywhere(_DATA["same_again"])
REFERRING: Final = anywhere(_FOLLOW_UPS["referring"])
LEFT: Final = anywhere(_FOLLOW_UPS["what_is_left"] + "|left over|queda|sobra|rimane|reste|bleibt")
FIRST_FIGURES: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(figures) for name, figures in _DATA["first_figures"].items()
}
NOT_AMOUNTS: Final = frozenset(_DATA["not_amounts"].split())
MULTIPLES: Final[Mapping[str, re.Pattern[str]]] = {
    number: anywhere(words) for number, words in _DATA["multiples"].items()
}
PORTIONS: Final[Mapping[tuple[int, int], re.Pattern[str]]] = {
    share: late_pattern(
        rf"{spelled.pattern}|(?<!\w)(?:{_DATA['fractions_also'].get(f'{share[0]}/{share[1]}', '(?!)')})(?!\w)"
    )
    for share, spelled in FRACTIONS.items()
}
_PERSON_NOUNS: Final[str] = _SUMS["nouns"]["person"]
_NUMBERS: Final = "|".join(
    sorted((re.escape(word) for word, number in NUMBER_WORDS.items() if number > 1), key=len, reverse=True)
)
_COUNTED_WORD: Final = late_pattern(
    rf"(?<!\w)(?P<number>{_NUMBERS})"
    rf"(?=[ -](?:{_PERSON_NOUNS}|{_DATA['part_nouns']})s?(?!\w)|[,;.?!\s]*$|,| (?:{_DATA['happened']})\b)"
)
_BEFORE_NUMBER: Final = late_pattern(
    rf"(?<!\w)(?:{_DATA['before_numbers']}) $|(?<!\w)(?:{_FOLLOW_UPS['taken_back']}) \w+, $"
)
_TWO: Final = frozenset(word for word, number in NUMBER_WORDS.items() if number == 2)
_BEFORE_TWO: Final = late_pattern(rf"(?<!\w)(?:{_DATA['before_two']})$")
_BEFORE_DUE: Final = late_pattern(rf"(?<!\w)(?:{_DATA['before_english_due']}) $")
"""Italian "due" is two, and "90 days past due" is no number."""
_IN_HALF: Final = late_pattern(r"(?<![\w/])(?:50 ?[/-] ?50|fifty[- ]fifty)(?![\w/])")
_BOTH: Final = late_pattern(r"(?<!\w)between (?:us )?both(?: of us| families| couples| parties)?(?!\w)")
_WHOLE: Final = 100
_PAIR: Final = 2
_NUMBER: Final = late_pattern(r"\d[\d.,]*")
_MORE_YEARS: Final = late_pattern(r"(?<=for )(?P<number>\d+) (?:more|further) (?P<unit>(?:years?|months?)\b)")
_RATIO: Final = late_pattern(
    r"(?<![\d/])(?P<first>\d\d) ?/ ?(?P<second>\d\d)(?![\d/])"
    rf"(?:,? (?:{_DATA['own_share']}) (?P<own>\d\d)(?![\d%]|[.,]\d))?"
)
_SCALED_NUMBER: Final = late_pattern(r"(?<![\d.,])(?P<number>\d{2,3})k\b")
_CHANGED: Final = "|".join(_FOLLOW_UPS["relative"][sign]["after"] for sign in ("up", "down"))
_ALONE_BEHIND: Final = r"(?![\d.,%]|\s?[a-z]*(?:%|k\b|year|month))"
_BARE_DECIMAL: Final = late_pattern(r"(?<=(?<![\d.,])\d),(?=\d{1,2}(?!\d|[.,]\d|[^,.;?!]*[€%]))")
_THOUSANDTHS: Final = late_pattern(r"(?<=(?<![\d.,])\d{2}),(?=\d{3} ?%)")
_PERCENT_DECIMAL: Final = late_pattern(r"(?<=\d),(?=\d{1,3} ?%)")
_SPELLED: Final = (*_DATA.values(), *_DATA["multiples"].values(), *_DATA["fractions_also"].values())
_FILLER: Final = frozenset(
    WORD.findall(
        " ".join(
            [
                *(words for words in _SPELLED if isinstance(words, str)),
                *(spelled.pattern for spelled in FRACTIONS.values()),
                *_SUMS["nouns"].values(),
                *_SUMS["adverbs"].values(),
                _FOLLOW_UPS["linking"],
                _FOLLOW_UPS["hinted"],
            ]
        )
    )
)
"""The words of the data, which say what is done with a result and nothing else."""


_LARGE_IN_WORDS: Final = re.compile(rf"(?<!\w)(?:{LARGE_IN_WORDS})(?!\w)", re.ASCII)


def with_digits(text: str) -> str:
    """A message with digits in place of large number words, of those that count people, and of those that
    stand alone: "two hundred and fifty thousand", "and in ten"."""

    def written(found: re.Match[str]) -> str:
        is_counted = bool(found.string[found.end() : found.end() + 1].strip(" -?.!") or _is_followed(found))
        before = found.string[: found.start()]
        if found["number"] in _TWO and _BEFORE_TWO.search(before):
            return found[0]
        if found["number"] == "due" and _BEFORE_DUE.search(before):
            return found[0]
        if not is_counted and not _BEFORE_NUMBER.search(before):
            return found[0]
        return str(NUMBER_WORDS[found["number"]])

    large = _LARGE_IN_WORDS.sub(lambda found: f"{of_words(found[0]).normalize():f}", text.casefold())
    counted = _COUNTED_WORD.sub(written, large)
    halved = _IN_HALF.sub("in half", _BOTH.sub("between 2 people", counted))
    said = _said_again(_RATIO.sub(_share, halved))
    said = _THOUSANDTHS.sub(".", said)
    if "%" in said and len(_NUMBER.findall(said)) > _PAIR:  # the whole term, not one that is added
        said = _MORE_YEARS.sub(r"\g<number> \g<unit>", said)
    return _PERCENT_DECIMAL.sub(".", _BARE_DECIMAL.sub(".", said)) if _BARE_DECIMAL.search(said) else said


def _share(found: re.Match[str]) -> str:
    """What one pays of what is split 60/40: the share that is said to be theirs, or else the first."""
    first, second = int(found["first"]), int(found["second"])
    if first + second != _WHOLE:
        return found[0]
    own = found["own"] if found["own"] in (found["first"], found["second"]) else found["first"]
    return f"{own}% of it"


def _said_again(text: str) -> str:
    """A number that is said again without its unit, "the 180" or "180 less" after "180k"."""
    for scaled in _SCALED_NUMBER.finditer(text):
        told, rest = text[: scaled.end()], text[scaled.end() :]
        again = rf"(?<![\d.,]){scaled['number']}{_ALONE_BEHIND}"
        changed = re.sub(rf"{again}(?= (?:{_CHANGED}))", scaled[0], rest)
        text = told + re.sub(rf"(?<!\w)the {again}", "that", changed)
    return text


def _is_followed(found: re.Match[str]) -> bool:
    return bool(re.match(r"[ -][^\W\d_]", found.string[found.end() :]))


def strange_words(text: str, known: Iterable[str] = ()) -> list[str]:
    """The words of a message that neither go on calculating nor were said before in the thread."""
    vocabulary = {*_FILLER, *known}
    return [word for word in WORD.findall(text) if len(word) > 1 and word not in vocabulary]
