"""The stories that look themselves for the words that ask, in turn."""

from collections.abc import Callable, Sequence
from typing import Final

from finassist.domain.calculators.recognition.sums.question import Figures, Question
from finassist.domain.calculators.recognition.sums.rises import package_raised
from finassist.domain.calculators.recognition.sums.spreading import has_unread_weeks
from finassist.domain.calculators.recognition.sums.told.asking.days_of_pay import (
    has_unread_days,
    pay_for_days,
)
from finassist.domain.calculators.recognition.sums.told.asking.estates import has_unread_shares, inherited
from finassist.domain.calculators.recognition.sums.told.asking.habits import (
    charged_or_filled,
    given_up,
    monthly_or_yearly,
)
from finassist.domain.calculators.recognition.sums.told.asking.held_back import (
    has_unread_retention,
    held_back,
)
from finassist.domain.calculators.recognition.sums.told.asking.home_loans import loan_to_value
from finassist.domain.calculators.recognition.sums.told.asking.late_bills import late_interest
from finassist.domain.calculators.recognition.sums.told.asking.lots import average_of_lots
from finassist.domain.calculators.recognition.sums.told.asking.rates_of_work import (
    has_unread_change,
    has_unread_rate,
    pay_for_fewer_hours,
    rate_to_charge,
)
from finassist.domain.calculators.recognition.sums.told.asking.rentals import yields_with_empty_part
from finassist.domain.calculators.recognition.sums.told.asking.replacements import paid_back
from finassist.domain.calculators.recognition.sums.told.asking.there_and_back import changed_back
from finassist.domain.calculators.recognition.sums.told.asking.utility_bills import (
    has_dear_units,
    has_unread_bill,
    metered_bill,
)

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
    held_back,
    loan_to_value,
)
_UNREAD: Final = (
    has_unread_days,
    has_unread_rate,
    has_unread_change,
    has_dear_units,
    has_unread_bill,
    has_unread_shares,
    has_unread_retention,
    has_unread_weeks,
)


def own_figures_of(question: Question) -> Figures:
    """What a story comes to that tells by words of its own what it asks for: "is £138 correct", "saved?"."""
    return next((found for form in _FORMS if (found := form(question))), ())


def is_story_unread(question: Question) -> bool:
    """Whether one of these stories is told in a way that is not read: units alone tell it wrongly."""
    return any(unread(question) for unread in _UNREAD)
