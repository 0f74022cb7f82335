"""Tune the last layers of the sentence encoder to tell which story a message is, and what its numbers are.

``finassist.adapters.embeddings.minilm.stories`` reads them: one head says the story, or none, from the mean
of the tokens' states, another one the role of each number, from the state of its first token beside that
mean. The examples are those of ``told_stories.py``; numbers, signs, punctuation, capitals and spelling change
each time that one is drawn. An example that lacks a number trains both heads as it is.

Writes ``data/sentence_encoder/story_layers.safetensors``. Takes half an hour on two processors, and needs
jax and optax::

    python training/story_encoder.py [--steps 1500] [--begin FILE] [--out FILE]

``--begin`` takes layers and heads of an earlier run, which may know fewer stories, to begin with. The layers
that ship were tuned in 1,000 steps more from those before.
``story_bounds.py`` measures it afterwards.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import jax
import jax.numpy as jnp
import numpy as np
import optax
from encoded import shipped_arrays
from numpy.typing import NDArray
from sentence_encoder import quantised
from told_stories import (
    Told,
    changed_examples,
    examples,
    talks,
    unchanged_examples,
    varied,
    without_story,
)
from tuning import (
    LAYERS,
    SEED,
    SHARED,
    Batch,
    Parameters,
    Tensor,
    as_floats,
    kept,
    layers_as_floats,
    mean_of,
    optimiser,
    padded,
    states_of,
    tunable,
    tune,
    write,
)

from finassist.adapters.embeddings.minilm.weights import Arrays, read_weights, vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import WordPiece
from finassist.domain.calculators.stories.numbers import plain
from finassist.domain.calculators.stories.scores import score_name
from finassist.domain.calculators.stories.story import NONE, UNUSED, stories

SHIPPED = Path(__file__).parents[1] / "src/finassist/data/sentence_encoder/story_layers.safetensors"

TOKENS_MAX = 80
AT_ONCE = 48
SORTED = 16
NUMBERS = 12
"""So many numbers of a text are learnt from."""
WITHOUT_SHARE = 0.25
"""The share of messages that tell no story."""
VARIED_SHARE = 0.85
KEPT = 0.4
"""How much of what a run begins with is kept: the mean of both reads as many of the new examples, and more of
the old ones."""
STEPS = 1500
RATE = 3e-4
HEAD_RATE = 3e-3
HEAD_SCALE = 0.05
HEADS = ("stories.", "roles.", "named.")
SMOOTHED = 0.05
OF_ROLES = 1.5
"""What a number counts for, beside a story."""
DROPPED_BEFORE_HEADS = 99
FAR_BELOW = -1e9


@dataclass(frozen=True)
class Labels:
    """What the heads tell, in the order of their outputs. Roles of the same name in several stories share
    what is learnt of them: ``named`` says by number which name a role has."""

    stories: Sequence[str]
    roles: Sequence[str]
    named: NDArray[np.int32]
    allowed: NDArray[np.bool_]
    """Which roles each story has."""


def labels() -> Labels:
    of_roles = [(UNUSED, "", UNUSED)]
    of_roles += [
        (score_name(name, role), name, role) for name, story in stories().items() for role in story.roles
    ]
    names = list(dict.fromkeys(role for _, _, role in of_roles))
    told = [NONE, *stories()]
    return Labels(
        stories=told,
        roles=[each for each, _, _ in of_roles],
        named=np.array([names.index(role) for _, _, role in of_roles], np.int32),
        allowed=np.array([[story in ("", name) for _, story, _ in of_roles] for name in told]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--begin", type=Path, help="layers and heads of an earlier run to begin with")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    arguments = parser.parse_args()
    told = labels()
    begin = begun(read_weights(arguments.begin), told) if arguments.begin else {}
    tuned = tuned_for(as_floats(shipped_arrays()), told, arguments.steps, begin)
    layers = {name: each for name, each in tuned.items() if not name.startswith(HEADS)}
    heads = heads_of(tuned, told)
    if arguments.begin:
        earlier = read_weights(arguments.begin)
        before = layers_as_floats(earlier, range(SHARED, LAYERS))
        layers = {name: KEPT * before[name] + (1 - KEPT) * each for name, each in layers.items()}
        heads = {part: kept_in(head, head_in(earlier, part)) for part, head in heads.items()}
    write(arguments.out, layers, written(heads))


def begun(arrays: Arrays, told: Labels) -> Parameters:
    """Layers and heads of an earlier run; what it did not know begins with zeros."""
    begin = layers_as_floats(arrays, range(SHARED, LAYERS))
    for part, names in (("stories", told.stories), ("roles", told.roles)):
        earlier = head_in(arrays, part)
        columns = [earlier.labels.index(name) if name in earlier.labels else -1 for name in names]
        found = np.array([column >= 0 for column in columns])
        begin[f"{part}.weight"] = jnp.asarray(np.where(found, earlier.weight[:, columns], 0))
        begin[f"{part}.bias"] = jnp.asarray(np.where(found, earlier.bias[columns], 0))
    return begin


@dataclass(frozen=True)
class Head:
    """A product over the states: an output for each of its labels."""

    labels: Sequence[str]
    weight: NDArray[np.float32]
    bias: NDArray[np.float32]


def head_in(arrays: Arrays, part: str) -> Head:
    """A head as it ships."""
    weight = arrays[f"{part}.weight"].astype(np.float32) * arrays[f"{part}.scale"]
    labels = arrays[f"{part}.labels"].tobytes().decode().split("\n")
    return Head(labels, weight, arrays[f"{part}.bias"])


def heads_of(tuned: Parameters, told: Labels) -> dict[str, Head]:
    """The heads by what they tell."""
    roles = np.asarray(tuned["roles.weight"] + tuned["named.weight"][:, told.named], np.float32)
    weights = {"stories": np.asarray(tuned["stories.weight"], np.float32), "roles": roles}
    labels = {"stories": told.stories, "roles": told.roles}
    biases = {part: np.asarray(tuned[f"{part}.bias"], np.float32) for part in labels}
    return {part: Head(labels[part], weights[part], biases[part]) for part in labels}


def kept_in(head: Head, earlier: Head) -> Head:
    """The mean of a head and of that which a run began with, where both know a label."""
    weight, bias = head.weight.copy(), head.bias.copy()
    for column, label in enumerate(head.labels):
        if label in earlier.labels:
            before = earlier.labels.index(label)
            weight[:, column] = KEPT * earlier.weight[:, before] + (1 - KEPT) * weight[:, column]
            bias[column] = KEPT * earlier.bias[before] + (1 - KEPT) * bias[column]
    return Head(head.labels, weight, bias)


def written(heads: Mapping[str, Head]) -> dict[str, NDArray[np.generic]]:
    """The heads as they ship, with the names of their outputs."""
    arrays: dict[str, NDArray[np.generic]] = {}
    for part, head in heads.items():
        steps, scale = quantised(head.weight, 1)
        arrays |= {f"{part}.weight": steps, f"{part}.scale": scale, f"{part}.bias": head.bias}
        arrays[f"{part}.labels"] = np.frombuffer("\n".join(head.labels).encode(), np.uint8)
    return arrays


def tuned_for(arrays: Parameters, told: Labels, steps: int, begin: Parameters) -> Parameters:
    """The arrays of the layers after the shared ones, and of the heads, from what to ``begin`` with."""
    allowed, count = jnp.asarray(told.allowed), len(told.stories)

    def loss(tuned: Parameters, batch: Batch, key: Tensor) -> Tensor:
        """How unlikely the right stories are, and the right roles among those of the right story."""
        states = kept(states_of(tuned, arrays, batch["ids"], key), key, DROPPED_BEFORE_HEADS)
        means = mean_of(states, batch["ids"])
        odds = jax.nn.log_softmax(means @ tuned["stories.weight"] + tuned["stories.bias"])
        right = jax.nn.one_hot(batch["stories"], count) * (1 - SMOOTHED) + SMOOTHED / count
        of_numbers = jnp.take_along_axis(states, batch["places"][..., None], 1)
        beside = jnp.broadcast_to(means[:, None], of_numbers.shape)
        rows = jnp.concatenate([of_numbers, beside], 2)
        weight = tuned["roles.weight"] + tuned["named.weight"][:, told.named]
        scores = jnp.where(allowed[batch["stories"]][:, None], rows @ weight + tuned["roles.bias"], FAR_BELOW)
        of_roles = jnp.take_along_axis(jax.nn.log_softmax(scores), batch["roles"][..., None], 2)[..., 0]
        return -(odds * right).sum(1).mean() - OF_ROLES * (of_roles * batch["counts"]).sum() / len(means)

    tuned = tunable(arrays)
    inputs = len(arrays["norm.bias"])
    random = np.random.default_rng(SEED)
    for part, rows, columns in (
        ("stories", inputs, count),
        ("roles", 2 * inputs, len(told.roles)),
        ("named", 2 * inputs, int(told.named.max()) + 1),
    ):
        tuned[f"{part}.weight"] = jnp.asarray(random.normal(size=(rows, columns)) * HEAD_SCALE, jnp.float32)
    tuned["stories.bias"], tuned["roles.bias"] = jnp.zeros(count), jnp.zeros(len(told.roles))
    tuned |= begin
    kinds = {name: "head" if name.startswith(HEADS) else "layers" for name in tuned}
    each = {"head": optimiser(HEAD_RATE, steps), "layers": optimiser(RATE, steps)}
    return tune(tuned, loss, batches(told), optax.multi_transform(each, kinds), steps)


def batches(told: Labels) -> Iterator[Batch]:
    """Batches of texts of similar lengths, varied each time."""
    pieces, random = WordPiece(vocabulary(shipped_arrays())), Random(SEED)
    learnt = [each for each in (*changed_examples(), *talks()) if not each.is_held_out]
    with_story = [each for each in (*examples(), *learnt) if each.story != NONE]
    others = [each for each in (*without_story(), *unchanged_examples()) if not each.is_held_out]
    without = [*others, *(each for each in learnt if each.story == NONE)]
    print(f"{len(with_story)} examples, {len(without)} messages without a story", flush=True)
    counts = {name: sum(each.story == name for each in with_story) for name in told.stories}
    odds = [each.weight * counts[each.story] ** -0.5 for each in with_story]
    weights = [each.weight for each in without]
    while True:
        several = AT_ONCE * SORTED
        few = round(several * WITHOUT_SHARE)
        drawn = random.choices(without, weights, k=few) + random.choices(with_story, odds, k=several - few)
        texts = [varied(each, random) if random.random() < VARIED_SHARE else each for each in drawn]
        made = [(each, pieces.ids(plain(each.text, each.numbers)[0])[:TOKENS_MAX]) for each in texts]
        made.sort(key=lambda each: len(each[1]))
        parts = [made[start : start + AT_ONCE] for start in range(0, several, AT_ONCE)]
        random.shuffle(parts)
        for part in parts:
            yield batch_of(part, told, pieces)


def batch_of(part: Sequence[tuple[Told, Sequence[int]]], told: Labels, pieces: WordPiece) -> Batch:
    shape = (len(part), NUMBERS)
    places, roles, counts = np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.float32)
    for row, (each, ids) in enumerate(part):
        if each.story == NONE:
            continue
        found = pieces.places(*plain(each.text, each.numbers))
        for column, (place, role) in enumerate(zip(found[:NUMBERS], each.roles, strict=False)):
            if place is not None and place < len(ids):
                places[row, column] = place
                roles[row, column] = told.roles.index(
                    UNUSED if role == UNUSED else score_name(each.story, role)
                )
                counts[row, column] = 1
    stories_told = np.array([told.stories.index(each.story) for each, _ in part], np.int32)
    return {
        "ids": padded([ids for _, ids in part]),
        "stories": stories_told,
        "places": places,
        "roles": roles,
        "counts": counts,
    }


if __name__ == "__main__":
    main()
