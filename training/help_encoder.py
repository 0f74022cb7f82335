"""Tune the last layers of the sentence encoder to tell who needs help, and for what.

``finassist.adapters.classifier.meaning`` reads them beside the weights of ``distress_classifier.py``. They
learn from the same English lines, their variations, and the same ordinary texts (DATA is the folder that
``question_classifier.py`` takes, too): a head of one product reads the concern, or none, from the mean of the
tokens' states. A vector alone, which says of a text what it is about, knows too little of who asks: the
layers learn to look for that.

Writes ``data/sentence_encoder/help_layers.safetensors``. Takes about twenty minutes on two processors, and
needs jax, optax and scikit-learn::

    python training/help_encoder.py DATA [--continue] [--steps 1024] [--out FILE]
    python training/help_encoder.py DATA --stories [--continue] --steps 500

They learn what strangers wrote to a money assistant, too: with the help that readers say it asks for, mostly
none (``questions/help_everyday.jsonl``), and thoughts of death, from plain to veiled, beside what only sounds
like them (``questions/help_veiled.jsonl``); and each sentence of a message that asks for none. What ships
went on so (``--continue``) from layers that had not seen it.

With ``--stories`` it goes on from these layers to others, for messages of more than 300 characters
(``help_in_stories_layers.safetensors``). They learn long stories, too (``questions/help_stories.jsonl``):
whole, and of those that ask for no help every sentence and every two by themselves, because "I've tried
everything" is a cry for help in few of them; and cries for help, as what only sounds alike, in their midst.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random

import jax
import jax.numpy as jnp
import numpy as np
import optax
from distress_sentences import LIFE, NONE, ORDINARY, Example, Variations, examples_with
from encoded import shipped_arrays
from lines import lines_of
from numpy.typing import NDArray
from tuning import (
    AT_ONCE,
    LAYERS,
    SEED,
    SHARED,
    TOKENS_MAX,
    Batch,
    Parameters,
    Tensor,
    as_floats,
    by_length,
    encode,
    kept,
    layers_as_floats,
    optimiser,
    padded,
    tunable,
    tune,
    write,
)

from finassist.adapters.classifier.distress import sentences
from finassist.adapters.embeddings.minilm.weights import Arrays, read_weights, vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import WordPiece
from finassist.domain.safety import Concern

SHIPPED = Path(__file__).parents[1] / "src/finassist/data/sentence_encoder/help_layers.safetensors"
SHIPPED_FOR_STORIES = SHIPPED.with_name("help_in_stories_layers.safetensors")

LABELS = (NONE, *map(str, Concern))
"""The outputs of the head in their order, which the file names."""
ENGLISH = ("english", LIFE, *ORDINARY)
"""The sources that are used: the encoder understands no other language."""
VARIED_SHARE = 0.5
"""How often a variation is drawn, beside the text that it was made of."""
ORDINARY_SHARE = 0.7
ORDINARY_SHARES = {"articles": 0.25, "calculations": 0.5}
"""How often ordinary texts are, beside what was written about help."""
STORIES = "help_stories.jsonl"
STRANGERS = {"help_everyday.jsonl": 1.0, "help_veiled.jsonl": 3.0}
STRANGERS_SHARE = 0.4
"""How often a message of strangers, or a sentence of one, is drawn, and how the files share in that."""
STORY, WRITTEN = "stories", "english"
STORY_WEIGHT, IN_STORY_WEIGHT = 8.0, 1.0
CRIES, ALIKE = 6_000, 4_000
LONG = 200
AROUND = 3
"""So many sentences of a story stand before and behind."""
TOKENS_IN_STORIES_MAX = 224
STEPS = 1_024
RATE = 3e-4
HEAD_RATE = 2e-3
HEAD_SCALE = 0.05
HEAD = "head."
SMOOTHED = 0.05
"""The share of an example that is told to be of any label: none is to be learnt by heart."""
DROPPED_BEFORE_HEAD = 99
SORTED = 32
"""So many batches are drawn at once and sorted by length."""


@dataclass(frozen=True)
class Learnt:
    """Texts as token ids, their labels by number, and how often each is drawn."""

    tokens: Sequence[Sequence[int]]
    labels: NDArray[np.int32]
    odds: NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--stories", action="store_true")
    parser.add_argument("--continue", action="store_true", dest="goes_on", help="begin with what ships")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    begin = {}
    if arguments.stories or arguments.goes_on:
        goes_on = arguments.stories and arguments.goes_on
        begin = begun(read_weights(SHIPPED_FOR_STORIES if goes_on else SHIPPED))
    strangers = [each for file, weight in STRANGERS.items() for each in told_in(file, weight)]
    among = told_in(STORIES, STORY_WEIGHT) if arguments.stories else ()
    learnt = learnt_of(arguments.data, among, strangers)
    tuned = tuned_for(as_floats(shipped_arrays()), learnt, arguments.steps, begin)
    head = {name: np.asarray(array, np.float32) for name, array in tuned.items() if name.startswith(HEAD)}
    labels = np.frombuffer("\n".join(LABELS).encode(), np.uint8)
    out = arguments.out or (SHIPPED_FOR_STORIES if arguments.stories else SHIPPED)
    write(out, tuned, {**head, f"{HEAD}labels": labels})


def begun(arrays: Arrays) -> Parameters:
    """The layers and the head that ship, to begin with."""
    head = {name: jnp.asarray(arrays[name]) for name in (f"{HEAD}weight", f"{HEAD}bias")}
    return {**layers_as_floats(arrays, range(SHARED, LAYERS)), **head}


def told_in(file: str, weight: float) -> list[Example]:
    """The messages of a file, and the sentences of those that ask for no help."""
    told = [(str(line["kind"]), str(line["text"])) for line in lines_of(file)]
    found = [Example(text, kind, STORY, 0, weight) for kind, text in told]
    for kind, text in told:
        parts = sentences(text) if kind == NONE else ()
        if len(parts) > 1:
            alone = [*parts, *map(" ".join, pairwise(parts))]
            found += [Example(each, NONE, STORY, 0, weight / len(alone)) for each in alone]
    return found


def in_stories(examples: Sequence[Example], among: Sequence[Example], random: Random) -> Iterator[Example]:
    """Examples in the midst of stories that ask for no help."""
    ordinary = [sentences(each.text) for each in among if each.label == NONE and len(each.text) > LONG]
    for kind, count in ((True, CRIES), (False, ALIKE)):
        for each in random.choices([one for one in examples if (one.label != NONE) is kind], k=count):
            parts = random.choice(ordinary)
            place = random.randint(0, len(parts))
            around = parts[max(0, place - AROUND) : place], parts[place : place + AROUND]
            yield replace(each, text=" ".join((*around[0], each.text, *around[1])), weight=IN_STORY_WEIGHT)


def learnt_of(folder: Path, among: Sequence[Example], strangers: Sequence[Example]) -> Learnt:
    """What is learnt from: the examples, ``among`` stories, and what strangers wrote."""
    variations, pieces = Variations(), WordPiece(vocabulary(shipped_arrays()))
    own = [each for each in examples_with(folder) if each.source in ENGLISH]
    examples = [variation for each in own for variation in variations.of(each)]
    if among:
        written = [each for each in own if each.source == WRITTEN]
        examples += [*among, *in_stories(written, among, Random(SEED))]
    shares = np.array([share_of(each) for each in examples])
    theirs = np.array([each.weight for each in strangers])
    shares = np.concatenate(
        [shares / shares.sum() * (1 - STRANGERS_SHARE), theirs / theirs.sum() * STRANGERS_SHARE]
    )
    examples += strangers
    most = TOKENS_IN_STORIES_MAX if among else TOKENS_MAX
    return Learnt(
        tokens=[pieces.ids(each.text)[:most] for each in examples],
        labels=np.array([LABELS.index(each.label) for each in examples], np.int32),
        odds=shares,
    )


def share_of(example: Example) -> float:
    share = example.weight * (VARIED_SHARE if example.is_varied else 1.0)
    is_ordinary = example.source in ORDINARY
    return share * ORDINARY_SHARES.get(example.source, ORDINARY_SHARE) if is_ordinary else share


def tuned_for(arrays: Parameters, learnt: Learnt, steps: int, begin: Parameters) -> Parameters:
    """The arrays of the layers after the shared ones, and of the head."""

    def loss(tuned: Parameters, batch: Batch, key: Tensor) -> Tensor:
        """How unlikely the right labels are."""
        means = kept(encode(tuned, arrays, batch["ids"], key), key, DROPPED_BEFORE_HEAD)
        odds = jax.nn.log_softmax(means @ tuned[f"{HEAD}weight"] + tuned[f"{HEAD}bias"])
        right = jax.nn.one_hot(batch["labels"], len(LABELS)) * (1 - SMOOTHED) + SMOOTHED / len(LABELS)
        return -(odds * right).sum(1).mean()

    tuned = tunable(arrays)
    inputs = len(arrays["norm.bias"])
    drawn = np.random.default_rng(SEED).normal(size=(inputs, len(LABELS)))
    tuned[f"{HEAD}weight"] = jnp.asarray(drawn * HEAD_SCALE, jnp.float32)
    tuned[f"{HEAD}bias"] = jnp.zeros(len(LABELS))
    tuned |= begin
    kinds = {name: "head" if name.startswith(HEAD) else "layers" for name in tuned}
    each = {"head": optimiser(HEAD_RATE, steps), "layers": optimiser(RATE, steps)}
    return tune(tuned, loss, batches(learnt), optax.multi_transform(each, kinds), steps)


def batches(learnt: Learnt) -> Iterator[Batch]:
    random = np.random.default_rng(SEED)
    while True:
        drawn = random.choice(len(learnt.tokens), AT_ONCE * SORTED, p=learnt.odds)
        some = by_length(drawn, learnt.tokens)
        for places in (some[place] for place in random.permutation(len(some))):
            yield {"ids": padded([learnt.tokens[place] for place in places]), "labels": learnt.labels[places]}


if __name__ == "__main__":
    main()
