r"""Formulas that models write in LaTeX, as text: ``\frac{a}{b}`` is ``a/b``.

``web/markdown.js`` makes the same of them; ``tests/data/markdown_cases.yaml`` has the cases for both.
"""

import re
from collections.abc import Mapping
from typing import Final

FORMULA: Final = re.compile(
    r"\\\(((?:(?!\\\().)+?)\\\)"
    r"|\\\[((?=\s|[^\]\[\\]*(?:\\[^\]\[]|[\^_=]))(?:(?!\\\[).)+?)\\\]"  # not brackets that are only escaped
    r"|\$\$([^$]+)\$\$",
    re.DOTALL,
)
"""A formula between its delimiters. No expression goes over a text more than a few times."""

_DEEPEST: Final = 20
_SIGN: Final = re.compile(r"\\(?:[a-zA-Z]+|.)|.", re.DOTALL)
_PAIRS: Final = (
    "times × cdot · div ÷ pm ± mp ∓ ast * approx ≈ sim ~ equiv ≡ leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ "  # noqa: RUF001
    "ll ≪ gg ≫ sum ∑ prod ∏ int ∫ partial ∂ infty ∞ to → rightarrow → Rightarrow ⇒ implies ⇒ in ∈ "
    "ldots … dots … cdots … alpha α beta β gamma γ delta δ epsilon ε theta θ lambda λ mu μ pi π "  # noqa: RUF001
    "rho ρ sigma σ tau τ phi φ chi χ omega ω Delta Δ Sigma Σ Phi Φ Omega Ω euro € pounds £ "  # noqa: RUF001
    "lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ mid | vert |"
).split()
SYMBOLS: Final[Mapping[str, str]] = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
"""What commands stand for that are one sign."""

_SPACES: Final = frozenset([*"quad qquad , ; : > ~".split(), " "])
_SILENT: Final = frozenset(
    "left right big Big bigg Bigg text textbf textit mathrm mathbf mathit mathcal operatorname boxed "
    "displaystyle limits nolimits hline overline bar hat vec tag label !".split()
)
_FRACTIONS: Final = frozenset("frac dfrac tfrac cfrac".split())
_NUMBER_OR_WORD: Final = re.compile(r"-?\d[\d.,]*%?|[^\W\d_]+")
_NUMBER_OR_LETTER: Final = re.compile(r"-?\d[\d.,]*|[^\W\d_]")
_SINGLE: Final = re.compile(r"-?[^\s+\-−×·÷±=/^()]+|\([^()]*\)")  # noqa: RUF001


def plain_formula(tex: str) -> str:
    """The formula as text; its lines are lines."""
    text = _Reader(_SIGN.findall(tex)).read(0)
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()


class _Reader:
    def __init__(self, signs: list[str]) -> None:
        self._signs = signs
        self._at = 0

    def read(self, depth: int) -> str:
        """What stands up to the end of this group."""
        text = ""
        while self._at < len(self._signs):
            sign = self._take()
            if sign != "}":
                text += self._one(sign, depth)
            elif depth:
                break
        return text

    def _take(self) -> str:
        self._at += 1
        return self._signs[self._at - 1]

    def _one(self, sign: str, depth: int) -> str:
        if sign == "{":
            return self.read(depth + 1) if depth < _DEEPEST else ""
        if sign in ("^", "_"):
            return sign + _grouped(self._operand(depth), _NUMBER_OR_LETTER if sign == "^" else _SINGLE)
        if not sign.startswith("\\"):
            return " " if sign.isspace() or sign == "~" else "" if sign == "&" else sign
        return self._command(sign[1:], depth)

    def _command(self, name: str, depth: int) -> str:
        if name in _FRACTIONS:
            above = _grouped(self._operand(depth), _SINGLE)
            return f"{above}/{_grouped(self._operand(depth), _NUMBER_OR_WORD)}"
        if name == "sqrt":
            return "√" + _grouped(self._operand(depth), _NUMBER_OR_WORD)
        if name in ("begin", "end"):
            self._operand(depth)
            return ""
        if name == "\\":
            return "\n"
        return " " if name in _SPACES else "" if name in _SILENT else SYMBOLS.get(name, name)

    def _operand(self, depth: int) -> str:
        while self._at < len(self._signs) and self._signs[self._at].isspace():
            self._at += 1
        known = self._at < len(self._signs) and depth < _DEEPEST
        return self._one(self._take(), depth + 1).strip() if known else ""


def _grouped(text: str, alone: re.Pattern[str]) -> str:
    return text if not text or alone.fullmatch(text) else f"({text})"
