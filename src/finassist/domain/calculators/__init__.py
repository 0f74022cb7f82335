"""Deterministic finance calculators: exact arithmetic that shows its formula, steps and assumptions."""

from finassist.domain.calculators.calculation import Calculation, CalculationError, Param
from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.registry import CALCULATORS, Calculator

__all__ = ["CALCULATORS", "Calculation", "CalculationError", "Calculator", "Debt", "Param"]
