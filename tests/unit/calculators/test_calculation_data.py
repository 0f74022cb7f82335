"""The data of the recognition of calculations fits the calculators and belongs together."""

import hashlib
import inspect
from importlib.resources import files

import msgspec

from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.domain.calculators import CALCULATORS
from finassist.domain.calculators.recognition.choice import NO_CALCULATION, Choice
from finassist.domain.calculators.recognition.slots import form_of, forms
from tables import each_row

DATA = files("finassist.data") / "calculators"
CHOICE = msgspec.msgpack.decode((DATA / "choice.msgpack").read_bytes(), type=Choice)
EXAMPLES = (DATA / "examples.txt").read_text("utf-8")
TERMS = {"term": ("years", "months")}
READ_OTHERWISE = {"compounding", "debts", "packs", "allowance", "rate", "bands", "times"} | {
    # of these the recognition makes the numbers that the calculator takes
    "first_term",
    "second_term",
    "current_payment",
    "new_payment",
    "salary",
    "own_percent",
    "employer_percent",
    "tax",
    "daily_rate",
    "numbers",
    "people",
    "before",
    "number",
    "price",
    "base",
    "percent",
    "overtime_hours",
    "days",
    "count",
    "cost",
}


def test_the_weights_were_fitted_to_these_examples() -> None:
    digest = hashlib.sha256((DATA / "examples.txt").read_bytes()).hexdigest()
    assert (CHOICE.model, CHOICE.examples) == (MODEL, digest), "run training/calculations.py"


def test_every_heading_of_the_examples_has_weights() -> None:
    headings = {line.strip("[]") for line in EXAMPLES.splitlines() if line.startswith("[")}
    assert set(CHOICE.labels) == headings


@each_row("label", sorted(set(CHOICE.labels) - {NO_CALCULATION}))
def test_every_label_has_a_form_and_enough_examples(label: str) -> None:
    assert form_of(label).slots
    section = EXAMPLES.partition(f"[{label}]\n")[2].partition("\n[")[0]
    assert len(section.splitlines()) >= 6


@each_row("name", sorted(forms()))
def test_every_slot_is_a_parameter_of_its_calculator(name: str) -> None:
    form = forms()[name]
    parameters = inspect.signature(CALCULATORS[name.partition("/")[0]].function).parameters
    for slot in set(form.slots) - READ_OTHERWISE:
        assert set(TERMS.get(slot, (slot,))) <= set(parameters)
    assert all(set(names) <= set(form.slots) for names in form.needs)
