r"""Formulas that models write in LaTeX, as MathML, which browsers lay out by themselves.

``web/messages/math.js`` makes the same of them for the chat page; tests compare both. What is not known stays
text, so nothing that a model writes becomes other markup. ``formulas.py`` has the formula as text, which
stands there where it is too deep or too long to be drawn.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final, TypeAlias

from finassist.entrypoints.http.shares.formulas import SYMBOLS

_DEEPEST: Final = 20
"""Groups within groups."""

_LONGEST: Final = 2000
"""Characters of a formula."""

_HIGHEST: Final = 40
"""Elements within elements: a script, say, holds what it stands at, and one of a matrix four more."""

_SIGN: Final = re.compile(r"\\(?:[a-zA-Z]+\*?|.)|[0-9]+(?:[.,][0-9]+)*|.", re.DOTALL)
_NAMED: Final = frozenset("ln log lg exp sin cos tan max min lim sup inf det gcd Pr arg".split())
_LIMITS: Final = frozenset("∑ ∏ lim max min sup inf".split())
_ACCENTS: Final = {
    "bar": "¯",
    "overline": "¯",
    "hat": "^",
    "widehat": "^",
    "tilde": "~",
    "vec": "→",
    "dot": "˙",
    "underline": "_",
    "overbrace": "⏞",
    "underbrace": "⏟",
}
_SPACES: Final = {
    ",": ".17em",
    ":": ".22em",
    ">": ".22em",
    ";": ".28em",
    " ": ".3em",
    "~": ".3em",
    "quad": "1em",
    "qquad": "2em",
}
_WORDS: Final = re.compile(r"text(bf|it|rm|sf|tt|normal)?|math(rm|bf|it|cal|sf|tt|bb)|operatorname|mbox")
_SILENT: Final = re.compile(
    r"left|right|[bB]igg?[lrm]?|displaystyle|textstyle|(no)?limits|nonumber|hline|!|boxed"
)
_FRACTION: Final = re.compile("[dtc]?frac")
_FENCES: Final = {"pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "cases": "{"}
_REPLACED: Final[Mapping[str, str]] = {"-": "−", "'": "′"}  # noqa: RUF001
_CURRENCIES: Final = frozenset("$€£¥₹%#")

_IsEnd: TypeAlias = Callable[[str], bool]
_Cells: TypeAlias = "list[list[_Node]]"


def drawn_formula(tex: str, text: str, *, is_block: bool) -> str | None:
    """The formula as MathML with the text that stands for it, or None when it cannot be drawn."""
    if not tex or len(tex) > _LONGEST:
        return None
    try:
        made = _Formula(tex, is_block).read(lambda _: False)
        display = {"display": "block"} if is_block else {}
        return "".join(_Node("math", [made], alttext=text, **display).html())
    except _TooDeep:
        return None


class _TooDeep(Exception):
    pass


class _Node:
    """An element. Of a script ``mark`` is its sign, and ``both`` what it becomes with the other sign, too."""

    def __init__(self, name: str, children: "Iterable[_Node | str]" = (), **attributes: str) -> None:
        self.name = name
        self.children = tuple(children)
        self.attributes = attributes
        self.mark = self.both = ""
        self._height: int = 1 + max(
            (child._height for child in self.children if isinstance(child, _Node)), default=0
        )
        if self._height > _HIGHEST:
            raise _TooDeep

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def html(self) -> Iterator[str]:
        yield f"<{self.name}"
        yield from (f' {key}="{escape(value)}"' for key, value in self.attributes.items())
        yield ">"
        for child in self.children:
            if isinstance(child, str):
                yield escape(child, quote=False)
            else:
                yield from child.html()
        yield f"</{self.name}>"


def _row(children: "Sequence[_Node]") -> _Node:
    return children[0] if len(children) == 1 else _Node("mrow", children)


def _sign(text: str) -> _Node:
    return _Node("mo", [text])


def _space(name: str) -> _Node:
    return _Node("mspace", width=_SPACES[name])


class _Formula:
    def __init__(self, tex: str, is_block: bool) -> None:
        self._signs: list[str] = _SIGN.findall(tex.replace("{,}", ","))
        self._at = 0
        self._depth = 0
        self._is_block = is_block

    def read(self, is_end: _IsEnd) -> _Node:
        """What stands up to an end; several lines are a table."""
        lines = self._lines(is_end)
        self._at += 1
        return self._table(lines) if len(lines) + len(lines[0]) > 2 else _row(lines[0][0])

    @property
    def _next(self) -> str:
        return self._signs[self._at] if self._at < len(self._signs) else ""

    def _take(self) -> str:
        self._at += 1
        return self._signs[self._at - 1]

    def _skip(self) -> None:
        while self._next.isspace():
            self._at += 1

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _TooDeep

    def _lines(self, is_end: _IsEnd) -> list[_Cells]:
        """The lines up to an end, each of the cells between ``&``."""
        self._deeper()
        lines: list[_Cells] = [[[]]]
        while self._next and not is_end(self._next):
            sign = self._take()
            if sign == "&":
                lines[-1].append([])
            elif sign == "\\\\":
                lines.append([[]])
            else:
                self._put(lines[-1][-1], sign)
            self._skip()
        self._depth -= 1
        return lines

    def _table(self, lines: list[_Cells]) -> _Node:
        rows = [_Node("mtr", [_Node("mtd", [_row(cell)]) for cell in cells]) for cells in lines if any(cells)]
        return _Node("mtable", rows, displaystyle=str(self._is_block).lower())

    def _operand(self) -> _Node:
        """One sign, or a group in braces."""
        self._skip()
        self._deeper()
        found: list[_Node] = []
        if _is_digit(self._next[:1]) and len(self._next) > 1:  # of 12 the 1
            self._signs[self._at : self._at + 1] = self._next[0], self._next[1:]
        if self._next and self._next != "}":
            self._put(found, self._take())
        self._depth -= 1
        return _row(found)

    def _raw(self) -> str:
        """What is between braces, as it is written."""
        self._skip()
        if self._next != "{":
            return self._take() if self._next else ""
        text, deep = "", 0
        while self._next:
            sign = self._take()
            deep += {"{": 1, "}": -1}.get(sign, 0)
            if not deep:
                break
            if sign not in ("{", "}"):
                text += sign[1] if _is_escaped(sign) else sign
        return text

    def _put(self, cell: list[_Node], sign: str) -> None:
        if sign in ("^", "_"):
            self._script(cell, sign)
        elif made := self._one(sign):
            cell.append(made)

    def _script(self, cell: list[_Node], mark: str) -> None:
        """Put a sign above or below what was read last; a second one joins the first."""
        base = cell.pop() if cell else _Node("mrow")
        is_limit = self._is_block and base.text in _LIMITS
        names = ("mover", "munder", "munderover") if is_limit else ("msup", "msub", "msubsup")
        other = self._operand()
        if not base.mark or base.mark == mark:
            made = _Node(names[mark == "_"], [base, other])
            made.mark, made.both = mark, names[2]
        else:
            core, first = base.children
            made = _Node(base.both, [core, first, other] if mark == "^" else [core, other, first])
        cell.append(made)

    def _one(self, sign: str) -> _Node | None:
        if sign == "{":
            return self.read(lambda sign: sign == "}")
        if _is_digit(sign[0]):
            return _Node("mn", [sign])
        if sign in _REPLACED:
            return _sign(_REPLACED[sign])
        if sign == "~":
            return _space(sign)
        if sign.isspace() or sign == "}":
            return None
        if sign.startswith("\\"):
            return self._command(sign[1:])
        kind = "mi" if sign.isalpha() else "mtext" if sign in _CURRENCIES else "mo"
        return _Node(kind, [sign])

    def _command(self, name: str) -> _Node | None:
        if _SILENT.fullmatch(name):
            if self._next == "." and name in ("left", "right"):
                self._at += 1
            return None
        if name in ("tag", "label", "end"):
            self._raw()
            return None
        if name in _SPACES:
            return _space(name)
        if name in _NAMED:
            return _Node("mi", [name])
        if symbol := SYMBOLS.get(name):
            return _Node("mi" if symbol.isalpha() or symbol in "∞€£" else "mo", [symbol])
        return self._construct(name) or _unknown(name)

    def _construct(self, name: str) -> _Node | None:
        """A command that has operands."""
        if _FRACTION.fullmatch(name):
            style = {"displaystyle": "true"} if name == "dfrac" else {}
            return _Node("mfrac", [self._operand(), self._operand()], **style)
        if name == "binom":
            fraction = _Node("mfrac", [self._operand(), self._operand()], linethickness="0")
            return _Node("mrow", [_sign("("), fraction, _sign(")")])
        if name == "sqrt":
            return self._root()
        if _WORDS.fullmatch(name.replace("*", "")):
            return _Node("mtext", [self._raw()])
        if accent := _ACCENTS.get(name):
            kind = "munder" if name.startswith("under") else "mover"
            return _Node(kind, [self._operand(), _sign(accent)])
        return self._environment() if name == "begin" else None

    def _root(self) -> _Node:
        self._skip()
        if self._next != "[":
            return _Node("msqrt", [self._operand()])
        self._at += 1
        degree = self.read(lambda sign: sign == "]")
        return _Node("mroot", [self._operand(), degree])

    def _environment(self) -> _Node:
        name = self._raw().replace("*", "", 1)
        if name == "array":
            self._raw()
        table = self._table(self._lines(lambda sign: sign == "\\end"))
        self._at += 1
        self._raw()
        fences = [_sign(fence) for fence in _FENCES.get(name, "")]
        return _Node("mrow", [*fences[:1], table, *fences[1:]])


def _is_digit(sign: str) -> bool:
    return sign.isascii() and sign.isdigit()


def _is_escaped(sign: str) -> bool:
    return len(sign) == 2 and sign[0] == "\\" and not (sign[1].isascii() and sign[1].isalpha())


def _unknown(name: str) -> _Node:
    if name in ("{", "}", "|"):
        return _sign(name.replace("|", "‖"))
    return _Node("mtext", [name])
