"""Measure the layers of ``story_encoder.py`` on what was held out, and choose how sure is sure enough.

Of held-out examples it says how often the story, all roles and the figures are right; and by bounds of how
sure the reader is, how many of its figures are wrong and how many messages without a story get one. Writes
``data/calculators/story_bounds.json`` with ``--write``::

    python training/story_bounds.py [--layers FILE] [--write] [--wrong]
"""

import argparse
import json
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
BOUNDS = ROOT / "src/finassist/data/calculators/story_bounds.json"
STEPS = [each / 100 for each in range(2, 100)]
WRONG_MAX = 1 / 40
FALSE_MAX = 1 / 300
VERY_SURE_WRONG_MAX = 1 / 100


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
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    arguments = parser.parse_args()
    reader = Reader(arguments.layers)
    told = measured_of(reader, [each for each in held_out_examples() if each.story != NONE])
    without = measured_of(reader, [each for each in without_story() if each.is_held_out])
    report(told)
    bounds = bounds_of(told, without)
    print(bounds)
    if arguments.wrong:
        for each in (*told, *without):
            if not each.is_right and each.read is not None and each.read.sureness > bounds["told"] / 2:
                print(f"{each.told.story} {each.told.lacks or each.told.figures}: {each.told.text}")
                roles = {role: [n.written for n in found] for role, found in each.read.numbers.items()}
                print(f"   {each.story} {each.read.sureness:.2f} {roles}")
    if arguments.write:
        BOUNDS.write_text(json.dumps(bounds, indent=2) + "\n")


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


def bounds_of(told: Sequence[Measured], without: Sequence[Measured]) -> dict[str, float]:
    """From which sureness on figures are told, replace other readings, and a number is asked for."""
    chosen: dict[str, float] = {}
    for name, wrong_max in (("told", WRONG_MAX), ("very_sure", VERY_SURE_WRONG_MAX)):
        for bound in STEPS:
            found = [each for each in told if is_told(each, bound)]
            false = sum(is_told(each, bound) for each in without)
            wrong = sum(not each.is_right for each in found)
            if wrong <= wrong_max * len(found) and false <= FALSE_MAX * len(without):
                chosen[name] = bound
                break
        if name in chosen:
            whole = sum(not each.told.lacks for each in told)
            print(
                f"{name} from {chosen[name]}: {len(found)} told of {whole}, {wrong} wrong; "
                f"{false} of {len(without)} without a story"
            )
    for bound in STEPS:
        found = [each for each in told if is_asked(each, bound)]
        false = sum(is_asked(each, bound) for each in without)
        wrong = sum(not each.is_right for each in found)
        if wrong <= len(found) / 10 and false <= FALSE_MAX * len(without):
            chosen["asked"] = bound
            print(
                f"asked from {bound}: {len(found)} of {sum(bool(each.told.lacks) for each in told)}, "
                f"{wrong} wrong; {false} of {len(without)} without a story"
            )
            break
    return chosen


def is_told(each: Measured, bound: float) -> bool:
    return each.read is not None and each.has_figures and each.read.sureness >= bound


def is_asked(each: Measured, bound: float) -> bool:
    return each.read is not None and len(each.read.lacking) == 1 and each.read.sureness >= bound


if __name__ == "__main__":
    main()
