"""A sum that is typed as one, with its operators: "(799 - 145) / 35", "what is 12 x 9.99 + 15%?",
"20k minus 3,450"."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.patterns import late_pattern

_SAID: Final = cast("Mapping[str, Any]", shipped("calculators/recognition")["typed"])
_NUMBER: Final = r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
_SIGN: Final = "[$€£₹¥]"
_AMOUNT: Final = rf"{_SIGN}? ?{_NUMBER}"
_OPERAND: Final = rf"{_AMOUNT}(?: ?{_SIGN}| ?%)?"
_TYPED: Final = late_pattern(
    rf"(?:(?:{_SAID['before']})[ :]*)?"
    rf"(?P<sum>[-( ]*{_OPERAND}[ )]*(?:[-+*/][( ]*{_OPERAND}[ )]*)+)"
    rf"(?:=? ?(?:{_SAID['after']})?)[ =?!.]*"
)
_SPELLED: Final = {
    re.compile(r"[\u00d7\u2715\u22c5\u00b7]|(?<=[\d)%]) ?x ?(?=[\d(.$€£₹¥])"): "*",
    re.compile(r"[\u00f7:]"): "/",
    re.compile(r"[\u2212\u2013\u2014]"): "-",
}
_GROUPED: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:[ '\u2019\u00a0\u202f]\d{3})+(?!\d)")
_BETWEEN_GROUPS: Final = re.compile(r"\D")
_NAMED_BY_NUMBERS: Final = re.compile(
    r"(?:\d{1,2}|(?:19|20)\d\d)(?:[-/]\d{1,2})*[-/](?:\d{1,2}|(?:19|20)\d\d)|\d+(?:-\d+){2,}"
)
"""Dates, spans, shares such as 50/30/20 and telephone numbers, which stand without blanks."""
_DECIMAL_COMMA: Final = re.compile(r"(?<![\d,])(\d+),(\d{1,2})(?![\d,])")
_POINT_OF_THOUSANDS: Final = re.compile(r"(?<![\d.])(\d{1,3})\.(\d{3})(?![\d.])")
_IS_ONE: Final = re.compile(_NUMBER)
_IN_THOUSANDS: Final = re.compile(rf"(?<![\w.,])(?P<number>{_NUMBER})k(?!\w)")
_THOUSAND: Final = 1_000
_IN_WORDS: Final = {
    late_pattern(rf"(?<=[\d)%k]) (?:{words}) (?=[\d(.$€£₹¥])(?!{_AMOUNT} ?%)"): f" {sign} "
    for sign, words in _SAID["operators"].items()
}
_OF_ALL_BEFORE: Final = re.compile(rf"(?P<before>[^%]+?) ?(?P<sign>[-+]) ?(?P<percent>{_NUMBER}) ?%")
_PERCENT: Final = re.compile(rf"(?P<sign>(?:^|[*/(]) ?)(?P<percent>{_NUMBER}) ?%")
_IN_ALL: Final = r"\g<sign>(\g<percent> / 100)"
_BLANKS: Final = re.compile(r" +")


def typed_sum(question: str) -> str:
    """The expression of a message that is nothing but a typed sum, in digits, ``+ - * /`` and brackets; empty
    for any other. A percentage behind plus or minus is one of all before it, as on a pocket calculator."""
    text = _GROUPED.sub(lambda found: _BETWEEN_GROUPS.sub("", found[0]), question.strip().lower())
    for spelled, sign in (*_SPELLED.items(), *_IN_WORDS.items()):
        text = spelled.sub(sign, text)
    text = _IN_THOUSANDS.sub(_written_out, text)
    found = _TYPED.fullmatch(_BLANKS.sub(" ", text))
    if found is None:
        return ""
    written = _in_digits(re.sub(f" ?{_SIGN} ?", "", found["sum"]).strip())
    if _NAMED_BY_NUMBERS.fullmatch(written) or written.count("(") != written.count(")"):
        return ""
    added = _OF_ALL_BEFORE.fullmatch(written)
    if added is not None and added["before"].count("(") == added["before"].count(")"):
        before = added["before"].strip()
        whole = before if _IS_ONE.fullmatch(before) else f"({before})"
        written = f"{whole} * (1 {added['sign']} {added['percent']} / 100)"
    written = _PERCENT.sub(_IN_ALL, written)
    return "" if "%" in written else _spaced(written)


def _written_out(found: re.Match[str]) -> str:
    """A number of thousands, "2.5k", in full."""
    return f"{(Decimal(_in_digits(found['number'])) * _THOUSAND).normalize():f}"


def _in_digits(written: str) -> str:
    """An expression with points before decimals and nothing between thousands. Beside a decimal comma a point
    before three digits stands between thousands."""
    if _DECIMAL_COMMA.search(written):
        written = _DECIMAL_COMMA.sub(r"\1.\2", _POINT_OF_THOUSANDS.sub(r"\1\2", written))
    return written.replace(",", "")


def _spaced(written: str) -> str:
    """An expression with a blank on both sides of each operator between two operands."""
    text = re.sub(r" ?([-+*/]) ?", r" \1 ", written)
    text = re.sub(r"(^|[(*/+-]) +- ", r"\1-", text)
    return _BLANKS.sub(" ", text).replace("( ", "(").replace(" )", ")").strip()
