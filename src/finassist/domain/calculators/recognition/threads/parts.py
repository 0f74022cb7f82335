"""A message that asks for two figures of one story: "what is left and how many percent is the rent"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.quantities import Kind
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.threads.words import NO_SUMS
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/threads"))
_ASKS: Final = late_pattern(rf"{_DATA['part_told']}(?<!\w)(?:{_DATA['part_asks']})(?!\w)")
_NEXT: Final = late_pattern(
    rf"(?:,? (?:{_DATA['part_joins']})|[?;,])\s+(?:(?:{_DATA['part_leads']}) )*(?={_ASKS.pattern})"
)
_FOR: Final = _DATA["part_for"]
_FOR_BOTH: Final = late_pattern(
    rf"(?<!\w)(?P<one>{_FOR})(?P<and>,? (?:{_DATA['part_joins']})|/) ?(?P<two>{_FOR})(?!\w)"
)
_CLAUSE: Final = late_pattern(r"[.;,:?!](?= |$)")
_END: Final = " ,.;:?!-"


@dataclass(frozen=True, slots=True)
class Part:
    """One of the things that a message asks: ``whole`` with the story before it, and ``alone``."""

    whole: Reading
    alone: Reading

    @property
    def has_all(self) -> bool:
        """Whether it has all numbers itself, without a story."""
        return bool(self.alone.quantities) and len(self.alone.text) >= len(self.whole.text)

    @property
    def label(self) -> str:
        """What it asks, as a heading."""
        text = self.alone.text.strip(_END)
        return text[:1].upper() + text[1:]


def parts_of(reading: Reading) -> Sequence[Part]:
    """The two things that a message asks; none when it asks one."""
    asks = _ASKS.search(reading.text)
    if not reading.quantities or asks is None:
        return ()
    story, asked = reading.text[: asks.start()], reading.text[asks.start() :]
    joined, both = _NEXT.search(asked), _FOR_BOTH.search(asked)
    if joined is not None:
        texts = [asked[: joined.start()], asked[joined.end() :]]
    elif both is not None:
        texts = [f"{asked[: both.start()]}{both[one]}{asked[both.end() :]}" for one in ("one", "two")]
    else:
        return ()
    parts = [Part(read(_behind(story, text)), read(text)) for text in texts]
    if len(parts[1].whole.all(Kind.RATE)) > len(parts[1].alone.all(Kind.RATE)) > 0:
        left = ". ".join(each for each in _CLAUSE.split(story) if "%" not in each)
        parts[1] = replace(parts[1], whole=read(_behind(left, texts[1])))  # it has a percentage of its own
    is_plain = not any(part.alone.says(words) for part in parts for words in NO_SUMS)
    return parts if is_plain and not any(_ASKS.fullmatch(text.strip(_END)) for text in texts) else ()


def _behind(story: str, text: str) -> str:
    told = story.strip(_END)
    is_clause = re.search(r"[.;:!?]\s*$", story) is None
    return f"{told}{', ' if is_clause else '. '}{text.strip(' ,;')}" if told else text
