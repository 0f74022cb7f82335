"""The stories that look themselves for the words that ask, in turn."""

from collections.abc import Callable, Sequence
from typing import Final

from finassist.domain.calculators.recognition.sums.question import Figures, Question
from finassist.domain.calculators.recognition.sums.rises import package_raised
from finassist.domain.calculators.recognition.sums.told.asking.estates import inherited
from finassist.domain.calculators.recognition.sums.told.asking.habits import (
    charged_or_filled,
    given_up,
    monthly_or_yearly,
)
from finassist.domain.calculators.recognition.sums.told.asking.late_bills import late_interest, pay_for_days
from finassist.domain.calculators.recognition.sums.told.asking.lots import average_of_lots
from finassist.domain.calculators.recognition.sums.told.asking.rates_of_work import (
    pay_for_fewer_hours,
    rate_to_charge,
)
from finassist.domain.calculators.recognition.sums.told.asking.rentals import yields_with_empty_part
from finassist.domain.calculators.recognition.sums.told.asking.replacements import paid_back
from finassist.domain.calculators.recognition.sums.told.asking.there_and_back import changed_back
from finassist.domain.calculators.recognition.sums.told.asking.utility_bills import metered_bill


def own_figures_of(question: Question) -> Figures:
    """What a story comes to that tells by words of its own what it asks for: "is £138 correct", "saved?"."""
    return next((found for form in _FORMS if (found := form(question))), ())


_FORMS: Final[Sequence[Callable[[Question], Figures]]] = (
    average_of_lots,
    yields_with_empty_part,
    paid_back,
    metered_bill,
    inherited,
    rate_to_charge,
    late_interest,
    pay_for_days,
    changed_back,
    given_up,
    charged_or_filled,
    monthly_or_yearly,
    package_raised,
    pay_for_fewer_hours,
)
