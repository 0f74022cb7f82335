"""Examples of stories, and messages with numbers that tell none: what ``story_encoder.py`` learns from.

``questions/stories/FAMILY.jsonl`` has an example a line: the ``text``, the ``story``, the ``roles`` with the
numbers as they are written (``20#2`` is the second 20), what the first of the ``figures`` comes to, and which
role it ``lacks``. ``questions/told_talks.jsonl`` has conversations as ``turns`` instead of a text, of which
the last asks for the figure; the network reads them as the service puts them together. Those in
``questions/held_out_stories.jsonl`` are by other writers, and nothing learns from them; of the messages
without a story, and of the conversations, one of seven is held out, by a hash of its text.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from random import Random
from typing import Any

from lines import lines_of

from finassist.adapters.llm.offline.stories import FACTS_MAX
from finassist.domain.calculators.everyday.expressions import arithmetic
from finassist.domain.calculators.stories.numbers import Number, numbers_in
from finassist.domain.calculators.stories.reading import ToldStory, with_later
from finassist.domain.calculators.stories.story import FAMILIES, NONE, UNUSED, stories

HELD_OUT_LINES = "held_out_stories.jsonl"
CHANGED = "changed_stories.jsonl"
"""Examples with a later message that tells other numbers for them, with its own ``changed`` roles."""
UNCHANGED = "unchanged_stories.jsonl"
"""Messages with a later one whose numbers change nothing in the sum before it."""
TALKS = "told_talks.jsonl"
"""Sums that are told over several messages, and such conversations without one."""
TALK_WEIGHT = 3.0
"""How often a conversation is drawn, beside a sum that is told in one message."""
ORDINARY = ("messages_of_entries", "told_of_entries", "answered_by", "help_messages", "answerable")
HELD_OUT = 15
UNTOLD_WEIGHT = 3.0
CENT = Decimal("0.011")
WITHOUT_SUM = ("plain_sums", "numbers_without_sum")
"""Messages that nearly ask for a sum."""
NUMBERS_MAX = 24

PUNCTUATION = re.compile(r"[;:?!,.\"()](?!\d)")
ENDS = re.compile(r"(?<=[.?!,;]) +(?=\w)|\n+")
"""Where a sentence or a part of one ends."""
LETTERS = re.compile(r"[a-z]{4,}")
SIGNS = re.compile("[$£€₹]")
YEAR = re.compile(r"(?:19|20)\d\d")
SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class Told:
    """A text, the story that it tells, and the role of each of its numbers."""

    text: str
    story: str
    numbers: Sequence[Number]
    roles: Sequence[str]
    figures: Sequence[float] = ()
    lacks: str = ""
    weight: float = 1.0

    @property
    def is_held_out(self) -> bool:
        digest = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:4], "big") % 100 < HELD_OUT


def examples() -> list[Told]:
    """What is learnt from; those of which nothing can be told have no story. Raises ValueError for a wrong
    one."""
    return [told for family in FAMILIES for told in examples_in(f"stories/{family}.jsonl")]


def held_out_examples() -> list[Told]:
    """What writers who wrote none of the examples would have told; raises ValueError for a wrong one."""
    return examples_in(HELD_OUT_LINES)


def changed_examples() -> list[Told]:
    """A message and the one that follows it as one text, in which a role may have an old and a new number."""
    return [changed_in(line) for line in lines_of(CHANGED)]


def unchanged_examples() -> list[Told]:
    """A story and a later message that has numbers for something else, as one text without a story."""
    texts = [with_later(line["text"], line["next"]) for line in lines_of(UNCHANGED)]
    numbers = [numbers_in(text) for text in texts]
    return [
        Told(text, NONE, each, [UNUSED] * len(each), weight=UNTOLD_WEIGHT)
        for text, each in zip(texts, numbers, strict=True)
        if len(each) <= NUMBERS_MAX
    ]


def talks() -> list[Told]:
    """Conversations as one text each, with a story or without; raises ValueError for a wrong one."""
    return [talk_in(line) for line in lines_of(TALKS)]


def talk_in(line: Mapping[str, Any]) -> Told:
    *before, last = line["turns"]
    with_numbers = [each for each in before if numbers_in(each)][-FACTS_MAX:]
    text = reduce(with_later, [*with_numbers, last])
    if line["story"] != NONE:
        return replace(example_in({**line, "text": text}), weight=TALK_WEIGHT)
    numbers = numbers_in(text)
    return Told(text, NONE, numbers, [UNUSED] * len(numbers), weight=TALK_WEIGHT * UNTOLD_WEIGHT)


def changed_in(line: Mapping[str, Any]) -> Told:
    first = example_in({**line, "lacks": ""})
    later = numbers_in(line["change"])
    roles = [UNUSED] * len(later)
    for role, written in line["changed"].items():
        if role not in stories()[first.story].roles:
            raise ValueError(f"{first.story} has no role {role}: {line['change']}")
        for each in written:
            roles[place_of(each, later, line["change"])] = role
    text = with_later(first.text, line["change"])
    numbers = numbers_in(text)
    if len(numbers) != len(first.numbers) + len(later):
        raise ValueError(f"The numbers run into each other: {text}")
    return Told(text, first.story, numbers, [*first.roles, *roles])


def examples_in(name: str) -> list[Told]:
    return [example_in(line) for line in lines_of(name)]


def example_in(line: Mapping[str, object]) -> Told:
    """An example of a file, checked. Raises ValueError."""
    text, name = str(line["text"]), str(line["story"])
    if name not in stories():
        raise ValueError(f"There is no story {name}: {text}")
    numbers = numbers_in(text)
    roles = [UNUSED] * len(numbers)
    given: Mapping[str, Sequence[str]] = line["roles"]  # type: ignore[assignment]
    for role, written in given.items():
        if role not in stories()[name].roles:
            raise ValueError(f"{name} has no role {role}: {text}")
        for each in written:
            roles[place_of(each, numbers, text)] = role
    found = Told(text, name, numbers, roles, line.get("figures", ()), str(line.get("lacks", "")))  # type: ignore[arg-type]
    if is_untold(found):
        return Told(text, NONE, numbers, [UNUSED] * len(numbers), weight=UNTOLD_WEIGHT)
    check(found, given)
    return found


def is_untold(told: Told) -> bool:
    """Whether one of several numbers lacks that would do without it: nothing can be told of it then."""
    role = stories()[told.story].roles[told.lacks] if told.lacks else None
    return role is not None and role.several and told.roles.count(told.lacks) >= role.least


def place_of(written: str, numbers: Sequence[Number], text: str) -> int:
    """Which number of a text is meant."""
    wanted, _, occurrence = written.partition("#")
    same = [place for place, each in enumerate(numbers) if each.written.casefold() == wanted.casefold()]
    nth = int(occurrence or 1)
    if len(same) < nth:
        raise ValueError(f"{written} is not read among {[each.written for each in numbers]}: {text}")
    return same[nth - 1]


def check(told: Told, given: Mapping[str, Sequence[str]]) -> None:
    """Whether roles and figures are right, by what the program makes of them."""
    story = told_of(told)
    if len([role for role in told.roles if role != UNUSED]) != sum(map(len, given.values())):
        raise ValueError(f"One number has two roles: {told.text}")
    if told.lacks:
        if list(story.lacking) != [told.lacks]:
            raise ValueError(f"It lacks {story.lacking}, not {told.lacks}: {told.text}")
        return
    if story.lacking or not story.is_even:
        raise ValueError(f"It lacks {story.lacking}, or lists differ: {told.text}")
    results = figures_of(story)
    wanted = [Decimal(str(each)) for each in told.figures]
    if not wanted or len(wanted) > len(results):
        raise ValueError(f"It has {len(results)} figures, not {told.figures}: {told.text}")
    if any(abs(one - other) > CENT for one, other in zip(results, wanted, strict=False)):
        raise ValueError(f"It comes to {results}, not {told.figures}: {told.text}")


def told_of(told: Told) -> ToldStory:
    """An example as the program reads it, when it reads it rightly."""
    roles: dict[str, list[Number]] = {}
    for number, role in zip(told.numbers, told.roles, strict=True):
        if role != UNUSED:
            in_unit = number.in_unit(stories()[told.story].roles[role].unit)
            if in_unit is None:
                raise ValueError(f"{number.written} {number.unit} cannot be the {role}: {told.text}")
            roles.setdefault(role, []).append(in_unit)
    return ToldStory(stories()[told.story], roles, 1.0)


def figures_of(story: ToldStory) -> Sequence[Decimal]:
    if story.story.call is not None:
        first = story.first()
        return [] if first is None else [first[1]]
    results = [arithmetic(expression=each.expression, unit=each.unit).figures for each in story.sums()]
    values = [(each.result, each.percent, each.number) for each in results]
    return [next(value for value in each if value is not None) for each in values]


def without_story() -> list[Told]:
    """Messages with numbers that ask for no sum; those that nearly do count more."""
    found: dict[str, Told] = {}
    for name in (*WITHOUT_SUM, *ORDINARY):
        for line in lines_of(f"{name}.jsonl"):
            text = line["text"]
            if line.get("sum") or not any(map(str.isdigit, text)) or text in found:
                continue
            numbers = numbers_in(text)
            if 0 < len(numbers) <= NUMBERS_MAX:
                weight = UNTOLD_WEIGHT if name in WITHOUT_SUM else 1.0
                found[text] = Told(text, NONE, numbers, [UNUSED] * len(numbers), weight=weight)
    return [*found.values(), *(each for each in examples() if each.story == NONE)]


def varied(told: Told, random: Random) -> Told:
    """The same with other numbers, signs, punctuation and capitals, and with mistakes of typing."""
    edges = [0, *(each.start + len(each.written) for each in told.numbers)]
    between = [told.text[edge : number.start] for edge, number in zip(edges, told.numbers, strict=False)]
    between.append(told.text[edges[-1] :])
    written = [each.written for each in told.numbers]
    if random.random() < 0.6:
        written = [other_number(each, random) for each in written]
    if random.random() < 0.2:
        between = in_turns(between, random)
    for change, share in ((other_sign, 0.3), (without_marks, 0.2), (in_small_letters, 0.3), (mistyped, 0.3)):
        if random.random() < share:
            seed = random.random()
            between = [change(each, Random(seed)) for each in between]
    text, starts = between[0], []
    for number, part in zip(written, between[1:], strict=True):
        starts.append(len(text))
        text += number + part
    numbers = numbers_in(text)
    if [each.start for each in numbers] != starts:
        return told
    return Told(text, told.story, numbers, told.roles, weight=told.weight)


def in_turns(between: Sequence[str], random: Random) -> list[str]:
    """What stands between the numbers, with the text told in two messages where a part of it ends."""
    ends = [(place, end.span()) for place, part in enumerate(between) for end in ENDS.finditer(part)]
    told = list(between)
    if ends:
        place, (start, end) = random.choice(ends)
        told[place] = with_later(told[place][:start], told[place][end:])
    return told


def other_number(written: str, random: Random) -> str:
    """A number of the same form."""
    if written.lower() in SMALL:
        return random.choice(SMALL)
    if YEAR.fullmatch(written) or not any(map(str.isdigit, written)):
        return written
    if written.isdigit() and len(written) == 1:
        return str(random.randint(2, 9))
    digits = [str(random.randint(0, 9)) if each.isdigit() else each for each in written]
    if written[0].isdigit() and written[0] != "0":
        digits[0] = str(random.randint(1, 9))
    if written.endswith("00"):
        digits[-2:] = ["0", "0"]
    return "".join(digits)


def other_sign(text: str, random: Random) -> str:
    return SIGNS.sub(random.choice(("$", "£", "€", "₹", "")), text)


def in_small_letters(text: str, _: Random) -> str:
    return text.lower()


def without_marks(text: str, random: Random) -> str:
    return PUNCTUATION.sub(lambda mark: mark[0] if random.random() < 0.3 else "", text)


def mistyped(text: str, random: Random) -> str:
    def wrong(word: re.Match[str]) -> str:
        letters = list(word[0])
        if random.random() > 0.12:
            return word[0]
        place = random.randrange(len(letters) - 1)
        if random.random() < 0.5:
            letters[place : place + 2] = reversed(letters[place : place + 2])
        else:
            del letters[place]
        return "".join(letters)

    return LETTERS.sub(wrong, text)
