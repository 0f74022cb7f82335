"""What every calculator takes and gives: parameters with their ranges, and a result that shows its work.

A calculator is a plain function with keyword-only parameters, each ``Annotated`` with a ``Param``, and
wrapped by ``exact``. Money is in one currency throughout, rates are yearly and in percent, terms are in
whole years and months. Results are exact to 60 digits and rounded once, at the end: money half-up to the
cent, rates half-up to four decimals of a percent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import (
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from functools import wraps
from typing import Annotated, Any, Generic, Literal, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from finassist.domain.calculators.series import Series

MAX_MONTHS = 1200
_MAX_AMOUNT = 10**15
_MAX_RATE = 1000
_SMALLEST = Decimal("1e-9")
_CONTEXT = Context(prec=60, rounding=ROUND_HALF_EVEN, traps=[DivisionByZero, InvalidOperation, Overflow])

P = ParamSpec("P")
R = TypeVar("R")
Figures = TypeVar("Figures", covariant=True)


class CalculationError(ValueError):
    """The numbers given have no answer. The message is for the model or the reader."""


@dataclass(frozen=True, slots=True)
class Param:
    """What a parameter means to the model, and the numbers that it may be; for a list, ``ge`` is the least
    number of items."""

    description: str
    ge: int | None = None
    gt: int | None = None
    le: int | None = None
    lt: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation(Generic[Figures]):
    """A result: in one sentence, in figures, and how it came about.

    ``answer`` says the figure; the steps lead to it. ``assumptions`` begin with what was given. ``series`` is
    for a chart; None when there is nothing to draw.
    """

    answer: str
    figures: Figures
    formula: str
    steps: tuple[str, ...]
    assumptions: tuple[str, ...]
    series: Series | None = None


def amount(description: str) -> Param:
    """A parameter that is an amount of money, zero included."""
    return Param(description, ge=0, le=_MAX_AMOUNT)


def positive_amount(description: str) -> Param:
    """A parameter that is an amount of money above zero."""
    return Param(description, gt=0, le=_MAX_AMOUNT)


def rate(description: str) -> Param:
    """A parameter that is a yearly rate in percent."""
    return Param(description, ge=0, le=_MAX_RATE)


Years = Annotated[int, Param("Whole years of the term; months are added to them", ge=0, le=MAX_MONTHS // 12)]
Months = Annotated[int, Param("Months of the term, on top of the years", ge=0, le=MAX_MONTHS)]
Timing = Literal["start", "end"]


def exact(function: Callable[P, R]) -> Callable[P, R]:
    """Check a calculator's arguments against their ``Param`` and run it with enough digits.

    The wrapped function raises CalculationError for numbers out of range or beyond all meaning.
    """
    params = params_of(function)

    @wraps(function)
    def calculate(*args: P.args, **kwargs: P.kwargs) -> R:
        require_in_range(kwargs, params)
        with localcontext(_CONTEXT):
            try:
                return function(*args, **kwargs)
            except DecimalException as error:
                raise CalculationError(
                    "These numbers are too large or too small to calculate with."
                ) from error

    return calculate


def params_of(owner: Callable[..., object]) -> dict[str, Param]:
    """The ``Param`` of every annotated parameter of a function, or field of a class, by name."""
    hints = get_type_hints(owner, include_extras=True)
    return {
        name: extra
        for name, hint in hints.items()
        if get_origin(hint) is Annotated
        for extra in get_args(hint)[1:]
        if isinstance(extra, Param)
    }


def require_in_range(arguments: Mapping[str, Any], params: Mapping[str, Param]) -> None:
    """Raise CalculationError for the first number that its ``Param`` does not allow."""
    for name, value in arguments.items():
        if isinstance(value, int | Decimal) and name in params:
            _require(name.replace("_", " "), Decimal(value), params[name])


def _require(name: str, value: Decimal, param: Param) -> None:
    if not value.is_finite():
        raise CalculationError(f"The {name} must be a number.")
    if param.ge is not None and value < param.ge:
        raise CalculationError(f"The {name} must be at least {param.ge}.")
    if param.gt is not None and value <= param.gt:
        raise CalculationError(f"The {name} must be more than {param.gt}.")
    if param.le is not None and value > param.le:
        raise CalculationError(f"The {name} must be at most {param.le:,}.")
    if param.lt is not None and value >= param.lt:
        raise CalculationError(f"The {name} must be less than {param.lt:,}.")
    if 0 < abs(value) < _SMALLEST:
        raise CalculationError(f"The {name} is too small to matter.")
