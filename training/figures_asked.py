"""Fit what tells messages that ask for a figure to be calculated from others, with numbers or without.

Reads ``training/questions``: messages of conversations, of which readers told whether they ask for a figure
that follows from the numbers told (``figures_in_talks.jsonl``); sums, stories and their changes, which do;
and messages that were written for entries or have numbers without a sum, of which hardly any does. What a
later message wants of a calculation is read from ``training/sentences/calculation_follow_ups.txt``. What is
compared are the sketches of the messages, in which each quantity stands as its kind. Writes
``calculators/figures_asked.npz`` and reports by cross-validation. Needs scikit-learn::

    python training/figures_asked.py
"""

from collections.abc import Mapping, Sequence

import numpy as np
from calculation_follow_ups import told_apart
from encoded import Encoded
from kernels import cross_validated, save
from lines import QUESTIONS, lines_of
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import FIGURES_ASKED
from finassist.domain.calculators.recognition.reading import read

KERNEL = {"C": 1.0, "gamma": 0.6}
MOST = 1_500
"""So many messages of a kind, chosen at random, are enough."""
TALKS = "talks"
WEIGHT_OF_TALKS = 3.0
"""They are what people write, the others were written for a purpose."""
LOST = 0.007
"""The share of written sums that may be taken for other messages."""


def asking() -> Mapping[str, Sequence[str]]:
    """Messages that ask for a figure, by where they are from."""
    stories = [f"stories/{file.name}" for file in sorted((QUESTIONS / "stories").glob("*.jsonl"))]
    return {
        "sums": [line["text"] for line in lines_of("plain_sums.jsonl") if line["sum"]],
        "stories": [line["text"] for file in stories for line in lines_of(file)],
        "changes": [line["change"] for line in lines_of("changed_stories.jsonl") if "change" in line],
        "follow-ups": [text for _, kind, text in told_apart() if kind != "none"],
    }


def has_digit(text: str) -> bool:
    """Whether a message has a number in digits."""
    return any(map(str.isdigit, text))


def others() -> Mapping[str, Sequence[str]]:
    """Messages that hardly ever ask for one."""
    written = [line["text"] for line in lines_of("messages_of_entries.jsonl")]
    return {
        "no sums": [line["text"] for line in lines_of("plain_sums.jsonl") if not line["sum"]],
        "numbers without a sum": [line["text"] for line in lines_of("numbers_without_sum.jsonl")],
        "for entries, with numbers": [text for text in written if has_digit(text)],
        "for entries": [text for text in written if not has_digit(text)],
        "later, for entries": [line["text"] for line in lines_of("talks_of_entries.jsonl")],
        "later": [line["text"] for line in lines_of("later_turns_answered.jsonl")],
        "after a sum": [line["next"] for line in lines_of("unchanged_stories.jsonl")],
        "no follow-ups": [text for _, kind, text in told_apart() if kind == "none"],
    }


def main() -> None:
    """Fit, report, write."""
    chance = np.random.default_rng(0)
    talks = lines_of("figures_in_talks.jsonl")
    texts, truth = [line["text"] for line in talks], [bool(line["asks"]) for line in talks]
    kinds = [TALKS] * len(talks)
    for is_asking, groups in ((True, asking()), (False, others())):
        for kind, group in groups.items():
            chosen = [group[place] for place in chance.permutation(len(group))[:MOST]]
            texts, kinds = texts + chosen, kinds + [kind] * len(chosen)
            truth = truth + [is_asking] * len(chosen)
    rows = Encoded().of([read(text).sketch for text in texts]).astype(float)
    asks, kind_of = np.array(truth), np.array(kinds)
    weights = np.where(kind_of == TALKS, WEIGHT_OF_TALKS, 1.0)
    said = cross_validated(KERNEL, rows, asks, weights, len(asks))
    least = float(np.quantile(said[asks & (kind_of != TALKS)], LOST))
    for kind in dict.fromkeys(kinds):
        for name, truly in (("ask", True), ("do not", False)):
            chosen = (kind_of == kind) & (asks == truly)
            if chosen.any():
                print(
                    f"{kind}, of {sum(chosen)} that {name}: {np.mean(said[chosen] > least):.3f} told to ask"
                )
    save(FIGURES_ASKED, SVC(**KERNEL).fit(rows, asks, sample_weight=weights), least)


if __name__ == "__main__":
    main()
