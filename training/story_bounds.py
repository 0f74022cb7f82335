"""Measure the layers of ``story_encoder.py`` on what was held out.

Of held-out examples it says how often the story, all roles and the figures are right; and from some bounds
of how sure the reader is, how many figures it tells and how many of them are wrong, how many numbers it asks
for, and how many messages without a story get either. The bounds in ``data/calculators/story_bounds.json``
were chosen by it, and by what the whole service told with them (``told_sums.py``)::

    python training/story_bounds.py [--layers FILE] [--wrong BOUND]

``--wrong`` prints what is wrong from a bound on.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from encoded import shipped_arrays
from told_stories import Told, figures_of, held_out_examples, told_of, without_story

from finassist.adapters.embeddings.minilm.embedder import STORIES
from finassist.adapters.embeddings.minilm.encoder import Encoder
from finassist.adapters.embeddings.minilm.stories import StoryHead
from finassist.adapters.embeddings.minilm.weights import read_weights, vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import WordPiece
from finassist.domain.calculators.stories.numbers import plain
from finassist.domain.calculators.stories.reading import ToldStory, told_story
from finassist.domain.calculators.stories.story import NONE

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "src/finassist/data/sentence_encoder/story_layers.safetensors"
BOUNDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True)
class Measured:
    """A message, what was read in it, and whether that is right."""

    told: Told
    read: ToldStory | None
    story: str
    is_right: bool
    has_figures: bool


class Reader:
    """The runtime's reader with a file of layers."""

    def __init__(self, layers: Path) -> None:
        arrays, tuned = shipped_arrays(), read_weights(layers)
        self._pieces, self._encoder = WordPiece(vocabulary(arrays)), Encoder(arrays, {STORIES: tuned})
        self._head = StoryHead(tuned)

    def measured(self, told: Told) -> Measured | None:
        text, starts = plain(told.text, told.numbers)
        places = self._pieces.places(text, starts)
        known = [place for place in places if place is not None]
        if len(known) < len(places):
            return None
        states = self._encoder.states(self._pieces.ids(text), purpose=STORIES)
        scores = self._head.scores(states, known)
        read = told_story(told.numbers, scores)
        first = read.first() if read is not None and not read.lacking else None
        is_right = told.story == NONE and read is None
        if read is not None and told.story != NONE:
            is_right = is_same(read, told)
        story = NONE if read is None else read.story.name
        return Measured(told, read, story, is_right, first is not None)


def is_same(read: ToldStory, told: Told) -> bool:
    """Whether the first figure is that of an example, or what it lacks."""
    if told.lacks:
        return read.story.name == told.story and list(read.lacking) == [told.lacks]
    if read.lacking or not read.is_even:
        return False
    found, wanted = figures_of(read), figures_of(told_of(told))[: len(told.figures)]
    return list(found[: len(wanted)]) == list(wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--layers", type=Path, default=SHIPPED)
    parser.add_argument("--wrong", type=float, help="print what is wrong from this bound on")
    arguments = parser.parse_args()
    reader = Reader(arguments.layers)
    told = measured_of(reader, [each for each in held_out_examples() if each.story != NONE])
    without = measured_of(reader, [each for each in without_story() if each.is_held_out])
    report(told)
    report_bounds(told, without)
    if arguments.wrong is not None:
        for each in (*told, *without):
            if not each.is_right and each.read is not None and each.read.sureness >= arguments.wrong:
                print(f"{each.told.story} {each.told.lacks or each.told.figures}: {each.told.text}")
                roles = {role: [n.written for n in found] for role, found in each.read.numbers.items()}
                print(f"   {each.story} {each.read.sureness:.2f} {roles}")


def measured_of(reader: Reader, some: Iterable[Told]) -> list[Measured]:
    return [found for each in some if (found := reader.measured(each)) is not None]


def report(told: Sequence[Measured]) -> None:
    whole = [each for each in told if not each.told.lacks]
    lacking = [each for each in told if each.told.lacks]
    print(f"{len(whole)} whole examples: story right {share(e.story == e.told.story for e in whole)}")
    print(f"  roles right {share(map(has_roles, whole))}, figures right {share(e.is_right for e in whole)}")
    print(
        f"{len(lacking)} that lack a number: story {share(e.story == e.told.story for e in lacking)}, "
        f"lack right {share(e.is_right for e in lacking)}"
    )


def share(right: Iterable[bool]) -> str:
    found = list(right)
    return f"{sum(found)} ({100 * sum(found) / max(len(found), 1):.1f} %)"


def has_roles(each: Measured) -> bool:
    return (
        each.read is not None
        and each.read.story.name == each.told.story
        and each.read.numbers == told_of(each.told).numbers
    )


def report_bounds(told: Sequence[Measured], without: Sequence[Measured]) -> None:
    """From some bounds on how many figures are told and numbers asked for, and how many of them wrongly."""
    for bound in BOUNDS:
        parts = []
        for name, is_meant in (("told", is_told), ("asked", is_asked)):
            found = [each for each in told if is_meant(each, bound)]
            wrong = sum(not each.is_right for each in found)
            false = sum(is_meant(each, bound) for each in without)
            parts.append(f"{len(found)} {name}, {wrong} wrong, {false} of {len(without)} without a story")
        print(f"from {bound}: {'; '.join(parts)}")


def is_told(each: Measured, bound: float) -> bool:
    return each.read is not None and each.has_figures and each.read.sureness >= bound


def is_asked(each: Measured, bound: float) -> bool:
    return each.read is not None and len(each.read.lacking) == 1 and each.read.sureness >= bound


if __name__ == "__main__":
    main()
