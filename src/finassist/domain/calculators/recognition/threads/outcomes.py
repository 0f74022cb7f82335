"""What a later message comes to: the calls to make, and where the thread stands then."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.ledger import Entry
from finassist.domain.calculators.recognition.quantities import Kind
from finassist.domain.calculators.recognition.reading import Recognised
from finassist.domain.calculators.recognition.sums.words import PLAIN_CALCULATORS
from finassist.domain.calculators.recognition.threads.standing import Standing

IN_ALL_PERIODS: Final = frozenset(("pay_conversion", "recurring_cost", "fuel_cost", "energy_cost"))
MONEY_KINDS: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY))


@dataclass(frozen=True, slots=True)
class Outcome:
    """``calls`` to make, oldest first, and the ``standing`` then; ``draft`` is the one calculation that it
    comes to instead, ``wanted`` the figure of it that is asked for."""

    calls: Sequence[Recognised]
    standing: Standing | None
    draft: Draft | None = None
    wanted: Sequence[str] = ()


def outcome_of(standing: Standing | None) -> Outcome | None:
    """The sum that makes a figure and its steps; None for no figure."""
    call = None if standing is None else standing.call()
    return None if call is None else Outcome([call], standing)


def is_of_sum(standing: Standing) -> bool:
    """Whether a result is one of a plain sum, which has no roles for numbers, or an amount that was told."""
    return not standing.name or standing.name in PLAIN_CALCULATORS


def is_own_step(standing: Standing) -> bool:
    """Whether the only step is the percentage that the calculation itself took."""
    return standing.name == "percentage" and len(standing.steps) == 1


def are_of_two_things(entries: Sequence[Entry]) -> bool:
    """Whether plain sums are of things with other prices; a loan over another time is the same one again."""
    prices = {
        tuple(
            each.value
            for filled in (entry.draft.filled.values() if entry.draft is not None else ())
            for each in filled
            if each.kind in (*MONEY_KINDS, Kind.SMALL)
        )
        for entry in entries
    }
    return len(prices) > 1 and all(entry.call.name in PLAIN_CALCULATORS for entry in entries)
