"""What is paid every month as a part of what is earned in a year: "1,450 rent on 32k salary"."""

from typing import Final

from finassist.domain.calculators.recognition.quantities import Quantity
from finassist.domain.calculators.recognition.sums.words import said
from finassist.domain.calculators.recognition.times.periods import YEARLY_PAY

_PAID_MONTHLY: Final = said("monthly")
_BESIDE: Final = 20


def is_month_of_year(part: Quantity, whole: Quantity, *, is_income: bool) -> bool:
    """Whether a part is a month's and its whole a year's, as both say or plainly are: a rent is a month's,
    and so much pay a year's. ``is_income`` says that the whole is pay."""
    is_yearly = whole.per is None and whole.value >= YEARLY_PAY and (is_income or _names_rent(part))
    is_monthly = part.per == "month" or (part.per is None and _names_rent(part))
    return is_monthly and (whole.per == "year" or is_yearly) and part.value < whole.value


def _names_rent(amount: Quantity) -> bool:
    """Whether the words beside an amount name what is paid every month."""
    beside = f"{amount.before[-_BESIDE:]} | {amount.after[:_BESIDE]}"
    return _PAID_MONTHLY.search(beside) is not None
