"""What a message changed of the calculation before it, said back: "7 years instead of 5 years"."""

from collections.abc import Iterator, Sequence

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.ledger import shown
from finassist.domain.calculators.recognition.quantities import Quantity


def said_back(asked: Continued) -> str:
    """The numbers that took the place of others, were added or left out; empty when that is not plain."""
    if asked.supposed:
        return f"That is with {asked.supposed}."
    before = asked.before
    if not asked.is_changed or asked.is_chained or asked.operation or before is None:
        return ""
    if before.name != asked.draft.name or before.missing:
        return ""
    said = " and ".join(_changes(before, asked.draft))
    return f"That is {said}." if said else ""


def _changes(before: Draft, now: Draft) -> Iterator[str]:
    for name in dict.fromkeys([*now.filled, *before.filled]):
        slot = now.form.slots.get(name)
        if slot is None:
            continue
        old, new = before.filled.get(name, ()), now.filled.get(name, ())
        if len(old) == len(new):
            for was, made in zip(old, new, strict=True):
                if (was.value, was.kind, was.per) != (made.value, made.kind, made.per):
                    yield f"with {shown(made)} instead of {shown(was)}" if made.value else _without(was)
        elif not old:
            yield f"with {_listed(new)} as {slot.says}"
        elif not new:
            yield f"without {_listed(old)}, {slot.says}"


def _without(left_out: Quantity) -> str:
    return f"without {shown(left_out)}"


def _listed(numbers: Sequence[Quantity]) -> str:
    return " and ".join(map(shown, numbers))
