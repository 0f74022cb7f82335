"""The finance calculators as tools: schemas and validation made from their signatures by msgspec."""

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from finassist.application.ports.language_model import ToolOutcome, ToolSpec
from finassist.domain.calculators import CALCULATORS, CalculationError, Calculator, Param

_ITEMS_MAX: Final = 20
_CHART: Final = "series"
_USUAL: Final = frozenset(
    ("percentage", "loan_instalment", "compound_interest", "regular_investment", "savings_goal")
)
"""What is offered in any conversation."""
_REF_TEMPLATE: Final = "#/{name}"
_BEYOND: Final = re.compile(r"Expected `\w+` (<=|>=|<|>) (\S+) - at `\$\.(\w+)`")
_RELATIONS: Final = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}


Likely = Callable[[Sequence[str]], Awaitable[frozenset[str]]]
"""Names of the calculators that a conversation may need, by what the user said, oldest first."""


@dataclass(frozen=True, slots=True)
class _Tool:
    """A calculator, and the struct that its arguments must fit."""

    calculator: Calculator
    arguments: type[msgspec.Struct]
    spec: ToolSpec

    def run(self, arguments: Mapping[str, Any]) -> Any:
        """Call the calculator; amounts and rates in its result are texts, so that no digit is lost.

        Raises msgspec.ValidationError and CalculationError.
        """
        given = msgspec.convert(dict(arguments), self.arguments)
        values = {name: getattr(given, name) for name in self.arguments.__struct_fields__}
        result = self.calculator.function(**_exact(values, self.calculator.function))
        return msgspec.json.decode(msgspec.json.encode(result))


class CalculatorTools:
    """``Toolbox`` of the finance calculators (contract section 4, "Tools")."""

    def __init__(
        self, calculators: Mapping[str, Calculator] = CALCULATORS, *, likely: Likely | None = None
    ) -> None:
        """``likely`` tells the calculators that a conversation may need; without it they all are."""
        self._calculators = calculators
        self._likely = likely

    @cached_property
    def _tools(self) -> Mapping[str, _Tool]:
        # Made with the first question: the schemas of all calculators take a start its time.
        return {name: _tool(calculator) for name, calculator in self._calculators.items()}

    @cached_property
    def _specs(self) -> Sequence[ToolSpec]:
        return tuple(tool.spec for tool in self._tools.values())

    def specs(self) -> Sequence[ToolSpec]:
        """The calculators."""
        return self._specs

    async def likely_specs(self, said: Sequence[str]) -> Sequence[ToolSpec]:
        """The calculators that the texts may ask for, and a few that are asked for most."""
        if self._likely is None:
            return self._specs
        names = _USUAL | await self._likely(said)
        return tuple(spec for spec in self._specs if spec.name in names)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Check the arguments and calculate, in a thread: twenty debts take tens of milliseconds."""
        tool = self._tools.get(name)
        if tool is None:
            return _error(f"There is no tool of this name. There are: {', '.join(self._tools)}.")
        try:
            result = await asyncio.to_thread(tool.run, arguments)
        except (msgspec.ValidationError, CalculationError) as error:
            return _error(_said(str(error)))
        return ToolOutcome(result, brief={key: value for key, value in result.items() if key != _CHART})


def _error(message: str) -> ToolOutcome:
    return ToolOutcome({"error": message}, is_error=True)


def _said(problem: str) -> str:
    """A problem as a person can read it, too: the offline model reads it out."""
    beyond = _BEYOND.fullmatch(problem)
    if beyond is None:
        return problem
    relation, limit, name = beyond.groups()
    return (
        f"The {name.replace('_', ' ')} must be {_RELATIONS[relation]} {Decimal(limit.removesuffix('.0')):,f}."
    )


@cache
def _tool(calculator: Calculator) -> _Tool:
    arguments = _struct_of(calculator.name, calculator.function)
    spec = ToolSpec(
        name=calculator.name, description=calculator.description, parameters=_schema_of(arguments)
    )
    return _Tool(calculator, arguments, spec)


@cache  # two parameters of one type share its struct: a schema knows structs by their names
def _struct_of(name: str, owner: Callable[..., Any]) -> type[msgspec.Struct]:
    """The parameters of a function, or the fields of a dataclass, as JSON has them."""
    hints = get_type_hints(owner, include_extras=True)
    fields: list[Any] = []
    for parameter in inspect.signature(owner).parameters.values():
        wire = _wire_type(hints[parameter.name])
        if parameter.default is parameter.empty:
            fields.append((parameter.name, wire))
        else:
            fields.append((parameter.name, wire, _number(parameter.default)))
    return msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)


def _number(default: Any) -> Any:
    return float(default) if isinstance(default, Decimal) else default


def _wire_type(hint: Any) -> Any:
    """A type with its ``Param``, as msgspec knows it: exact numbers arrive as JSON numbers."""
    if get_origin(hint) is not Annotated:
        return hint
    bare, *extras = get_args(hint)
    [param] = [extra for extra in extras if isinstance(extra, Param)]
    described = msgspec.Meta(description=param.description)
    optional = get_origin(bare) in (Union, UnionType)
    if optional:
        [bare] = [member for member in get_args(bare) if member is not NoneType]
    wire = _plain_type(bare, param)
    return Annotated[wire | None, described] if optional else Annotated[wire, described]


def _plain_type(bare: Any, param: Param) -> Any:
    if bare in (Decimal, int):
        bounds: Any = {bound: getattr(param, bound) for bound in ("ge", "gt", "le", "lt")}
        return Annotated[float if bare is Decimal else int, msgspec.Meta(**bounds)]
    if get_origin(bare) is tuple:
        item = get_args(bare)[0]
        items: Any = list[_struct_of(item.__name__, item)]  # type: ignore[misc]
        return Annotated[items, msgspec.Meta(min_length=param.ge, max_length=_ITEMS_MAX)]
    return bare


def _exact(values: Mapping[str, Any], owner: Callable[..., Any]) -> dict[str, Any]:
    """Checked arguments as the calculator takes them. A JSON number stands for the decimal it shows."""
    hints = get_type_hints(owner)
    return {name: _exact_value(value, hints[name]) for name, value in values.items()}


def _exact_value(value: Any, hint: Any) -> Any:
    if isinstance(value, float):
        return Decimal(int(value)) if value.is_integer() else Decimal(repr(value))
    if isinstance(value, list):
        item = get_args(hint)[0]
        return tuple(item(**_exact(msgspec.structs.asdict(entry), item)) for entry in value)
    return value


def _schema_of(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of an object, self-contained: vendors differ in what they make of references."""
    [_], components = msgspec.json.schema_components([arguments], ref_template=_REF_TEMPLATE)
    schema: dict[str, Any] = _inlined(components[arguments.__name__], components)
    return schema


def _inlined(schema: Any, components: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, components) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(components[schema["$ref"].removeprefix("#/")], components)
    typed = {"type": "string", **schema} if "enum" in schema else schema
    return {key: _inlined(value, components) for key, value in typed.items() if key != "title"}
