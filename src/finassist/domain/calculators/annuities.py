"""The mathematics of regular payments: growth and annuity factors, with zero rates as their limits."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Literal

from finassist.domain.calculators.calculation import MAX_MONTHS, CalculationError

Compounding = Literal["yearly", "half-yearly", "quarterly", "monthly", "weekly", "daily", "continuously"]
PERIODS: dict[Compounding, int] = {
    "yearly": 1,
    "half-yearly": 2,
    "quarterly": 4,
    "monthly": 12,
    "weekly": 52,
    "daily": 365,
}
_HALF_A_CENT = Decimal("0.005")


def term(years: int, months: int) -> int:
    """A term in months. Raises CalculationError for none at all, or for more than a hundred years."""
    total = 12 * years + months
    if total < 1:
        raise CalculationError("The term must be at least one month.")
    if total > MAX_MONTHS:
        raise CalculationError(f"The term must be at most {MAX_MONTHS // 12} years.")
    return total


def monthly(yearly_rate: Decimal, compounding: Compounding = "monthly") -> Decimal:
    """A nominal yearly rate in percent as the fraction that a month brings: 6 is 0.005 when it is compounded
    monthly."""
    return yearly_rate / 1200 if compounding == "monthly" else growth(yearly_rate, compounding, 1) - 1


def growth(yearly_rate: Decimal, compounding: Compounding, months: int) -> Decimal:
    """What one unit becomes in so many months at a nominal yearly rate in percent."""
    if compounding == "continuously":
        return (yearly_rate * months / 1200).exp()
    periods = PERIODS[compounding]
    return (1 + yearly_rate / 100 / periods) ** (Decimal(periods * months) / 12)


def accumulated(rate: Decimal, periods: int) -> Decimal:
    """What one unit, paid at the end of each period, has become at the end of the last one."""
    if not rate:
        return Decimal(periods)
    return ((1 + rate) ** periods - 1) / rate


def present_value(rate: Decimal, periods: int) -> Decimal:
    """What one unit, paid at the end of each period, is worth at the start of the first one."""
    if not rate:
        return Decimal(periods)
    return (1 - (1 + rate) ** -periods) / rate


@dataclass(frozen=True, slots=True)
class Repayment:
    """A loan that is repaid with ``payment`` at the end of every month but the last, and with ``last`` then.
    ``rate`` is what a month adds to what is owed."""

    loan: Decimal
    rate: Decimal
    payment: Decimal
    months: int
    last: Decimal

    def balance(self, months: int) -> Decimal:
        """What is owed after so many months; from the end backwards, where no digits are lost."""
        if months in {0, self.months}:
            return self.loan if not months else Decimal(0)
        left = self.months - months
        return self.payment * present_value(self.rate, left - 1) + self.last * (1 + self.rate) ** -left

    def interest(self, months: int) -> Decimal:
        """What was paid beyond the loan in so many months."""
        return self._paid(months) - (self.loan - self.balance(months))

    @property
    def total_interest(self) -> Decimal:
        return self._paid(self.months) - self.loan

    def _paid(self, months: int) -> Decimal:
        return self.payment * months + (self.last - self.payment if months == self.months else 0)


def equal_instalments(loan: Decimal, rate: Decimal, months: int) -> Repayment:
    """Repay a loan in equal instalments."""
    payment = loan / present_value(rate, months)
    return Repayment(loan, rate, payment, months, payment)


def repaid_with(loan: Decimal, rate: Decimal, payment: Decimal) -> Repayment:
    """Repay a loan with a fixed payment. What rounding the payment to the cent leaves at the end is paid with
    the last one. Raises CalculationError when it takes more than a hundred years or never ends."""
    if payment <= loan * rate:
        raise CalculationError("The payment does not cover the interest: the debt only grows.")
    exact = loan / payment if not rate else -(1 - loan * rate / payment).ln() / (1 + rate).ln()
    if exact > MAX_MONTHS:
        raise CalculationError(f"The loan is not paid off in {MAX_MONTHS // 12} years.")
    months = max(1, int(exact.to_integral_value(ROUND_CEILING)))
    if months > 1:
        rest = (loan - payment * present_value(rate, months - 1)) * (1 + rate) ** (months - 1)
        months -= rest <= _HALF_A_CENT * accumulated(rate, months - 1)
    last = (loan - payment * present_value(rate, months - 1)) * (1 + rate) ** months
    return Repayment(loan, rate, payment, months, last)


def repaid_with_yearly(
    loan: Decimal, rate: Decimal, payment: Decimal, yearly: Decimal
) -> tuple[int, Decimal]:
    """The months that a fixed payment and one more at the end of every year take, and the interest."""
    owed, interest, months = loan, Decimal(0), 0
    while owed > _HALF_A_CENT and months < MAX_MONTHS:
        months += 1
        interest += owed * rate
        owed = owed * (1 + rate) - payment - (0 if months % 12 else yearly)
    return months, interest
