"""The expressions of stories: read once, and written out with numbers for the calculator of plain sums."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from operator import add, mul, sub
from typing import Final

Numbers = Mapping[str, Sequence[str]]
"""The numbers of each role as an expression has them, in the order that they were told."""

_SUM: Final = "sum"
_COUNT: Final = "count"
_PAIRS: Final = frozenset(("min", "max", "power"))
_SINGLES: Final = frozenset(("floor", "ceil"))
_PAIR: Final = 2
_SIGNS: Final[Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
}
_LIMITS: Final[Mapping[str, Callable[[Sequence[Decimal]], Decimal]]] = {"min": min, "max": max}
_ENDLESS: Final = Decimal(10**12)
"""The default of a limit that need not be told."""


@dataclass(frozen=True, slots=True)
class Expression:
    """Numbers, roles, ``+ - * /``, ``sum`` and ``count`` of roles, ``min``, ``max``, ``power``, ``floor`` and
    ``ceil``."""

    tree: ast.expr

    @property
    def roles(self) -> frozenset[str]:
        """The roles that it needs."""
        return frozenset(_roles(self.tree))

    @property
    def alone(self) -> frozenset[str]:
        """The roles whose one number it needs, outside of any sum."""
        return frozenset(_roles(self.tree, in_sums=False))

    def together(self, several: Set[str]) -> Sequence[frozenset[str]]:
        """Of the roles with ``several`` numbers those whose numbers belong to each other one by one."""
        groups = [self.alone & several, *(frozenset(_roles(part)) & several for part in _sums(self.tree))]
        return [group for group in groups if len(group) > 1]

    def with_defaults(self, defaults: Mapping[str, Decimal]) -> "Expression":
        """The expression with numbers that are not told, without what they make no difference to."""
        return Expression(_simplified(self.tree, defaults)) if defaults else self

    def told(self, numbers: Numbers, place: int = 0) -> str:
        """The expression with numbers in place of its roles: of a role with several that at the ``place``."""
        return ast.unparse(_filled(self.tree, numbers, place))


def parsed(text: str) -> Expression:
    """Read an expression. Raises ValueError for one that has anything else in it."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{text!r} is no expression.") from error
    _check(tree, text)
    return Expression(tree)


def _check(node: ast.expr, text: str) -> None:
    for part in _parts(node):
        _check(part, text)
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()) | ast.UnaryOp(op=ast.USub()):
            return
        case ast.Constant(value=int() | float()) | ast.Name():
            return
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            if name in _PAIRS and len(args) >= _PAIR and (name != "power" or len(args) == _PAIR):
                return
            if name in _SINGLES | {_SUM} and len(args) == 1:
                return
            if name == _COUNT and len(args) == 1 and isinstance(args[0], ast.Name):
                return
    raise ValueError(f"{text!r} has {ast.unparse(node)!r}, which no story may have.")


def _parts(node: ast.expr) -> Sequence[ast.expr]:
    if isinstance(node, ast.BinOp):
        return (node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        return (node.operand,)
    return node.args if isinstance(node, ast.Call) else ()


def _roles(node: ast.expr, *, in_sums: bool = True) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    if in_sums or _name_of(node) not in (_SUM, _COUNT):
        for part in _parts(node):
            yield from _roles(part, in_sums=in_sums)


def _sums(node: ast.expr) -> Iterator[ast.expr]:
    """What is summed up over the numbers of roles."""
    if _name_of(node) == _SUM:
        yield node
    for part in _parts(node):
        yield from _sums(part)


def _name_of(node: ast.expr) -> str:
    """The name of a function that is called; empty for anything else."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _filled(node: ast.expr, numbers: Numbers, place: int) -> ast.expr:
    """The same with numbers as names, which ``unparse`` writes as they are."""

    def filled(part: ast.expr) -> ast.expr:
        return _filled(part, numbers, place)

    match node:
        case ast.Name(id=role):
            given = numbers[role]
            return ast.Name(given[place if len(given) > 1 else 0])
        case ast.Constant(value=int() | float() as value):
            return ast.Name(f"{Decimal(str(value)).normalize():f}")
        case ast.BinOp(left=left, op=sign, right=right):
            return ast.BinOp(filled(left), sign, filled(right))
        case ast.UnaryOp(op=sign, operand=operand):
            return ast.UnaryOp(sign, filled(operand))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _called(name, args, numbers, filled)
    raise TypeError(f"{ast.unparse(node)!r} was not checked.")


def _simplified(node: ast.expr, defaults: Mapping[str, Decimal]) -> ast.expr:
    """The same without ``+ 0``, ``* 1``, and a limit that nothing reaches."""
    match node:
        case ast.Name(id=role) if role in defaults:
            return _constant(defaults[role])
        case ast.Call(func=ast.Name(id="sum"), args=[ast.Name(id=role)]) if role in defaults:
            return _constant(defaults[role])
        case ast.BinOp(left=left, op=sign, right=right):
            return _joined(_simplified(left, defaults), sign, _simplified(right, defaults))
        case ast.UnaryOp(op=sign, operand=operand):
            return ast.UnaryOp(sign, _simplified(operand, defaults))
        case ast.Call(func=ast.Name(id=name) as function, args=args):
            parts = [_simplified(each, defaults) for each in args]
            return _limited(name, parts) or ast.Call(function, parts, [])
    return node


def _joined(left: ast.expr, sign: ast.operator, right: ast.expr) -> ast.expr:
    """Two parts of a sum or product, or the only one that counts."""
    one, other = _known(left), _known(right)
    is_sum = isinstance(sign, ast.Add | ast.Sub)
    if one is not None and other is not None and (is_sum or isinstance(sign, ast.Mult)):
        return _constant(_SIGNS[type(sign)](one, other))
    if other is not None and other == (0 if is_sum else 1):
        return left
    if (isinstance(sign, ast.Add) and one == 0) or (isinstance(sign, ast.Mult) and one == 1):
        return right
    if (not is_sum and one == 0) or (isinstance(sign, ast.Mult) and other == 0):
        return _constant(Decimal(0))
    if one is not None and one == other and isinstance(sign, ast.Div):
        return _constant(Decimal(1))
    return ast.BinOp(left, sign, right)


def _limited(name: str, parts: Sequence[ast.expr]) -> ast.expr | None:
    """The smaller or larger of numbers that are known, or the only one that has a limit; None for any other
    function."""
    values = [_known(part) for part in parts]
    known = [value for value in values if value is not None]
    if name in _LIMITS and len(known) == len(values):
        return _constant(_LIMITS[name](known))
    if name not in _LIMITS:
        return None
    others = [part for part in parts if not (_is_endless(part) if name == "min" else _is_below_all(part))]
    return others[0] if len(others) == 1 else None


def _is_endless(node: ast.expr) -> bool:
    """Whether it is a limit that nothing reaches."""
    limit = _known(node)
    return limit is not None and limit >= _ENDLESS


def _is_below_all(node: ast.expr) -> bool:
    """Whether a limit that nothing reaches is taken off: what is above it is nothing."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and _is_endless(node.right)


def _known(node: ast.expr) -> Decimal | None:
    is_number = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    return Decimal(str(node.value)) if isinstance(node, ast.Constant) and is_number else None


def _constant(value: Decimal) -> ast.expr:
    is_whole = value == value.to_integral_value()
    return ast.Constant(int(value) if is_whole else float(value))


def _called(
    name: str, args: Sequence[ast.expr], numbers: Numbers, filled: Callable[[ast.expr], ast.expr]
) -> ast.expr:
    if name in (_SUM, _COUNT):
        roles = frozenset(_roles(args[0]))
        several = max((len(numbers[role]) for role in roles), default=1)
        if name == _COUNT:
            return ast.Name(str(several))
        parts = [_filled(args[0], numbers, each) for each in range(several)]
        whole = parts[0]
        for part in parts[1:]:
            whole = ast.BinOp(whole, ast.Add(), part)
        return whole
    first, *others = map(filled, args)
    function = ast.Name(name)
    if not others:
        return ast.Call(function, [first], [])
    for other in others:
        first = ast.Call(function, [first, other], [])
    return first
