"""The calculators by the name that the model calls them by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import getdoc
from types import MappingProxyType
from typing import Any

from finassist.domain.calculators.budgets import (
    budget_rule,
    debt_to_income,
    house_affordability,
    money_left,
    net_worth,
)
from finassist.domain.calculators.calculation import Calculation
from finassist.domain.calculators.debts import debt_payoff
from finassist.domain.calculators.deposits import fixed_deposit, recurring_deposit, simple_interest
from finassist.domain.calculators.everyday.changes import yearly_change
from finassist.domain.calculators.everyday.comparisons import (
    interest_per_period,
    loan_comparison,
    months_covered,
    payback_time,
)
from finassist.domain.calculators.everyday.differences import difference
from finassist.domain.calculators.everyday.drawdowns import drawdown_time
from finassist.domain.calculators.everyday.expressions import arithmetic
from finassist.domain.calculators.everyday.incomes import income_multiple, income_rule, real_raise
from finassist.domain.calculators.everyday.investments import (
    bill_yield,
    capital_gain,
    dividend_income,
    present_value,
)
from finassist.domain.calculators.everyday.leases import lease_or_buy
from finassist.domain.calculators.everyday.offers import (
    balance_transfer,
    cost_comparison,
    refinance_payment,
    short_loan_cost,
)
from finassist.domain.calculators.everyday.pensions import pension_contribution, withdrawal_rule
from finassist.domain.calculators.everyday.purchases import (
    instalment_purchase,
    multi_buy,
    payment_count,
    unit_price,
)
from finassist.domain.calculators.everyday.retirement import retirement_corpus
from finassist.domain.calculators.everyday.running_costs import energy_cost, fuel_cost, recurring_cost
from finassist.domain.calculators.everyday.shares import income_yield, share_trade
from finassist.domain.calculators.everyday.sharing import (
    settle_up,
    split_by_income,
    split_by_parts,
    uneven_split,
)
from finassist.domain.calculators.everyday.tariffs import tariff_break_even
from finassist.domain.calculators.everyday.taxes import tax_in_bands
from finassist.domain.calculators.goals import emergency_fund, savings_goal
from finassist.domain.calculators.growth import (
    compound_annual_growth_rate,
    compound_interest,
    inflation_adjustment,
    regular_investment,
)
from finassist.domain.calculators.loans import (
    frequent_instalment,
    loan_affordability,
    loan_balance,
    loan_instalment,
    loan_lump_sum,
)
from finassist.domain.calculators.mortgages import loan_extra_payment, mortgage, refinance_break_even
from finassist.domain.calculators.pay import overtime_pay, pay_conversion
from finassist.domain.calculators.percentages import percentage
from finassist.domain.calculators.prices import (
    currency_conversion,
    margin_and_markup,
    sales_tax,
    tip_and_split,
)
from finassist.domain.calculators.yields import (
    apr_to_monthly,
    effective_annual_rate,
    fee_drag,
    interest_after_tax,
    real_return,
    taxable_equivalent_yield,
)


@dataclass(frozen=True, slots=True)
class Calculator:
    """A tool of the model. ``function`` takes keywords only, as its signature and their ``Param`` say, and
    raises CalculationError for numbers that have no answer."""

    name: str
    function: Callable[..., Calculation[Any]]
    description: str


def _registered(*functions: Callable[..., Calculation[Any]]) -> Mapping[str, Calculator]:
    return MappingProxyType(
        {
            function.__name__: Calculator(
                function.__name__, function, (getdoc(function) or "").partition("\n")[0]
            )
            for function in functions
        }
    )


CALCULATORS: Mapping[str, Calculator] = _registered(
    compound_interest,
    loan_instalment,
    loan_affordability,
    savings_goal,
    retirement_corpus,
    regular_investment,
    inflation_adjustment,
    debt_payoff,
    emergency_fund,
    effective_annual_rate,
    compound_annual_growth_rate,
    taxable_equivalent_yield,
    percentage,
    fixed_deposit,
    recurring_deposit,
    simple_interest,
    mortgage,
    loan_extra_payment,
    refinance_break_even,
    house_affordability,
    debt_to_income,
    apr_to_monthly,
    real_return,
    pay_conversion,
    budget_rule,
    net_worth,
    tip_and_split,
    margin_and_markup,
    sales_tax,
    currency_conversion,
    loan_balance,
    loan_lump_sum,
    interest_after_tax,
    fee_drag,
    overtime_pay,
    pension_contribution,
    withdrawal_rule,
    recurring_cost,
    fuel_cost,
    energy_cost,
    unit_price,
    multi_buy,
    instalment_purchase,
    payment_count,
    tax_in_bands,
    share_trade,
    income_yield,
    money_left,
    frequent_instalment,
    income_rule,
    real_raise,
    split_by_income,
    settle_up,
    uneven_split,
    cost_comparison,
    balance_transfer,
    short_loan_cost,
    refinance_payment,
    dividend_income,
    capital_gain,
    income_multiple,
    present_value,
    loan_comparison,
    payback_time,
    interest_per_period,
    months_covered,
    arithmetic,
    tariff_break_even,
    drawdown_time,
    difference,
    lease_or_buy,
    split_by_parts,
    bill_yield,
    yearly_change,
)
