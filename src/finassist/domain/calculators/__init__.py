"""Deterministic finance calculators: exact arithmetic that shows its formula, steps and assumptions."""

from finassist.domain.calculators.budgets import NamedAmount
from finassist.domain.calculators.calculation import Calculation, CalculationError, Param
from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.registry import CALCULATORS, Calculator
from finassist.domain.calculators.series import Point, Series

__all__ = [
    "CALCULATORS",
    "Calculation",
    "CalculationError",
    "Calculator",
    "Debt",
    "NamedAmount",
    "Param",
    "Point",
    "Series",
]
