"""Amounts as exports of banks write them: decimal points and commas, groups, signs, brackets, DR and CR."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final

from finassist.data import shipped

_LENGTH_MAX: Final = 40
_THREE: Final = 3
_CURRENCY: Final = r"[A-Z]{3}|[A-Z]{0,2}[$€£₹¥]|Rs\.?|Fr\.?|kr"
_SIGN: Final = r"[-+\u2212\u2013]"
_SHAPE: Final = re.compile(
    rf"""(?P<open>\()?\s*(?P<before>{_SIGN})?\s*(?P<currency>{_CURRENCY})?\s*(?P<inside>{_SIGN})?\s*
    (?P<digits>(?:\d[\d.,'\u2019\s]*|[.,]\d+))
    \s*(?P<unit>{_CURRENCY})?\s*(?P<after>{_SIGN})?\s*(?P<close>\))?\s*(?P<side>CR|DR|C|D|H|S)?\.?""",
    re.IGNORECASE | re.VERBOSE,
)
_SIMPLE: Final = re.compile(r"(?P<sign>[-+]?)(?P<digits>\d[\d.,]*)")
_SIGNS: Final = {"-": -1, "+": 1, "": 0}
_MINUS: Final = frozenset("-\u2212\u2013")
_OUT: Final = frozenset(("DR", "D", "S"))
_IN: Final = frozenset(("CR", "C", "H"))
_FORMULA: Final = re.compile(r'^="?(?P<value>[^"=]*)"?$')
_GROUPS: Final = re.compile(r"['\u2019\s]")
_WHOLE: Final = {
    ".": re.compile(r"(?:\d+|\d{1,3}(?:,\d{2,3})*,\d{3})?(?:\.\d*)?"),
    ",": re.compile(r"(?:\d+|\d{1,3}(?:\.\d{2,3})*\.\d{3})?(?:,\d*)?"),
}


@dataclass(frozen=True, slots=True)
class Written:
    """An amount as it is written: its digits with their marks, its sign and its currency, where they are
    written. ``sign`` is 0 where nothing tells."""

    digits: str
    sign: int
    currency: str


def written(text: str) -> Written | None:
    """The parts of an amount; None for a text that is no amount."""
    bare = unquoted(text)
    if not bare or len(bare) > _LENGTH_MAX:
        return None
    if simple := _SIMPLE.fullmatch(bare):  # most of them, and much faster
        return Written(simple["digits"], _SIGNS[simple["sign"]], "")
    found = _SHAPE.fullmatch(bare)
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    side = (found["side"] or "").upper()
    signs = [found[name] for name in ("before", "inside", "after") if found[name]]
    sign = (-1 if signs[0] in _MINUS else 1) if signs else 0
    if found["open"] or side in _OUT:
        sign = -1
    elif side in _IN and not sign:
        sign = 1
    digits = _GROUPS.sub("", found["digits"])
    return Written(digits, sign, currency_of(found["currency"] or found["unit"] or ""))


def unquoted(text: str) -> str:
    """A cell without blanks around it, and without what keeps a spreadsheet from calculating with it."""
    bare = text.strip()
    if not bare.startswith(("=", "'")):
        return bare
    found = _FORMULA.match(bare)
    return found["value"].strip() if found else bare.removeprefix("'")


@lru_cache(maxsize=1024)
def currency_of(name: str) -> str:
    """The ISO code of a currency, or the symbol when that has no single one; empty for any other text."""
    bare = name.strip().rstrip(".")
    if bare.upper() in _codes():
        return bare.upper()
    return str(shipped("statements/columns")["symbols"].get(bare.casefold(), ""))


@cache
def _codes() -> frozenset[str]:
    return frozenset(shipped("statements/columns")["currencies"].split())


def decimal_mark(texts: Iterable[str]) -> tuple[str, bool]:
    """The decimal mark of a column of amounts, and whether anything tells it. ``1.234`` alone does not."""
    votes = {".": 0, ",": 0}
    is_open = False
    for text in texts:
        digits = _digits(text)
        at, mark = max((digits.rfind(mark), mark) for mark in ".,")
        if at < 0:
            continue
        other = "," if mark == "." else "."
        if other in digits:
            votes[mark] += 1
        elif digits.count(mark) > 1:
            votes[other] += 1
        elif len(digits) - at - 1 != _THREE or digits.startswith(("0", mark)):
            votes[mark] += 1
        else:
            is_open = True
    mark = "," if votes[","] > votes["."] else "."
    return mark, bool(votes[mark]) or not is_open


def _digits(text: str) -> str:
    found = written(text)
    return "" if found is None else found.digits


def amount_of(text: str, mark: str) -> tuple[Decimal, int, str] | None:
    """The absolute amount, its sign (0: not written) and its currency; None for what is no amount."""
    found = written(text)
    if found is None or not _WHOLE[mark].fullmatch(found.digits):
        return None
    plain = found.digits.replace("." if mark == "," else ",", "").replace(",", ".")
    return Decimal(plain if plain.strip(".") else "0"), found.sign, found.currency
