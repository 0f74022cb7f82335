"""The rules by which personal data is recognised in a text.

A rule is a pattern and, for numbers that have one, a check of the check digit. Numbers without a form of
their own count only next to a word that says what they are.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, cast

from finassist.data import shipped
from finassist.domain.redaction import check_digits as check
from finassist.domain.redaction.addresses import ADDRESSES, BIRTH_DATES
from finassist.patterns import late_pattern


class PersonalDataKind(StrEnum):
    """The kind of personal data."""

    EMAIL = "email"
    PHONE = "phone"
    CARD = "card_number"
    IBAN = "iban"
    ACCOUNT = "account_number"
    NATIONAL_ID = "national_id"
    NAME = "name"
    ADDRESS = "address"
    BIRTH_DATE = "birth_date"


@dataclass(frozen=True, slots=True)
class Rule:
    """Where ``pattern`` matches and ``is_right`` returns True, its group ``it`` (or the match) is of
    ``kind``."""

    kind: PersonalDataKind
    pattern: re.Pattern[str]
    is_right: Callable[[str], bool] | None = None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The start and end of each piece of data."""
        group = "it" if "it" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            if self.is_right is None or self.is_right(match[group]):
                yield match.span(group)


def _rule(
    kind: PersonalDataKind, pattern: str, is_right: Callable[[str], bool] | None = None, flags: int = 0
) -> Rule:
    return Rule(kind, late_pattern(pattern, flags), is_right)


def _digits(text: str) -> int:
    return sum(character.isdigit() for character in text)


_IGNORE: Final = re.IGNORECASE
_ALONE: Final = r"(?<![\w.,+-])(?<!\d[ ])"
"""Not preceded by a part of a longer number, word or amount."""

_END: Final = r"(?![\w-])(?![.,]\d)(?![ ]\d)"

_WORDS: Final = cast("dict[str, str]", shipped("redaction/words"))
_MARK: Final = rf"(?:[ ]*(?:{_WORDS['number']})\b\.?|[ ]*#)"
_LINK: Final = rf"(?:[ ]*(?:{_WORDS['being']}|:|=|-|,)){{0,2}}[ ]*"
_PHONE_WORD: Final = _WORDS["phone"]
_ID_WORD: Final = _WORDS["national_id"]
_ACCOUNT_WORD: Final = _WORDS["account"]

_K = PersonalDataKind

RULES: Final = (
    _rule(_K.EMAIL, r"(?<![\w.+%-])[\w.+%'-]+@(?:[\w-]+\.)+[\w-]{2,}"),
    _rule(
        _K.EMAIL,
        r"(?<![\w.+-])[\w.+-]+ ?(?:\[at\]|\(at\)| at ) ?[\w-]+"
        r"(?: ?(?:\[dot\]|\(dot\)| dot ) ?[a-z]{2,}){1,3}\b",
        flags=_IGNORE,
    ),
    _rule(_K.CARD, rf"{_ALONE}\d(?:[ -]?\d){{12,18}}{_END}", check.is_card),
    _rule(_K.NATIONAL_ID, rf"{_ALONE}(?!000|666)\d{{3}}([ -])(?!00)\d\d\1(?!0000)\d{{4}}{_END}"),
    _rule(
        _K.NATIONAL_ID,
        r"\b(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]\b",
        flags=_IGNORE,
    ),
    _rule(_K.NATIONAL_ID, r"\b[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]\b"),
    _rule(_K.NATIONAL_ID, rf"{_ALONE}[2-9]\d{{3}}([ -])\d{{4}}\1\d{{4}}{_END}", check.is_verhoeff),
    _rule(_K.NATIONAL_ID, rf"{_ALONE}[1-9]\d \d{{3}} \d{{3}} \d{{3}}{_END}", check.is_german_tax_id),
    _rule(_K.NATIONAL_ID, rf"{_ALONE}\d{{3}}\.\d{{3}}\.\d{{3}}-\d\d{_END}", check.is_cpf),
    _rule(_K.NATIONAL_ID, r"\b(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]\b", check.is_dni, _IGNORE),
    _rule(
        _K.NATIONAL_ID,
        rf"{_ALONE}[12][ ]?\d\d[ ]?(?:0[1-9]|1[0-2])[ ]?(?:\d\d|2[AB])[ ]?\d{{3}}[ ]?\d{{3}}[ ]?\d\d{_END}",
        check.is_nir,
    ),
    _rule(
        _K.NATIONAL_ID,
        r"\b[A-Z]{6}\d\d[A-EHLMPR-T]\d\d[A-Z]\d{3}[A-Z]\b",
        check.is_codice_fiscale,
        _IGNORE,
    ),
    _rule(
        _K.NATIONAL_ID,
        rf"{_ALONE}\d\d(?:[02468][1-9]|[13579][0-2])(?:0[1-9]|[12]\d|3[01])\d{{5}}{_END}",
        check.is_pesel,
    ),
    _rule(
        _K.NATIONAL_ID,
        rf"{_ALONE}(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{{4}}{_END}",
        check.is_personnummer,
    ),
    _rule(_K.NATIONAL_ID, rf"{_ALONE}\d{{3}}-\d{{3}}-\d{{3}}{_END}", check.is_luhn),
    _rule(
        _K.NATIONAL_ID,
        rf"(?:{_ID_WORD}){_MARK}?{_LINK}"
        r"(?P<it>[A-Z]{0,3}[ -]?\d(?:[ .-]?[A-Z]?\d){4,13}(?:[ -]?[A-Z])?)\b",
        lambda text: _digits(text) >= 6,
        _IGNORE,
    ),
    _rule(_K.PHONE, r"(?<![\w+])\+\d(?:[ ().-]{0,2}\d){7,14}(?!\d)"),
    _rule(_K.PHONE, rf"{_ALONE}(?:1[ .-])?(?:\(\d{{3}}\) ?|\d{{3}}([.-]))\d{{3}}[ .-]\d{{4}}{_END}"),
    _rule(_K.PHONE, r"(?<![\w.,$€£₹-])\(\d{3}\) ?\d{3}[ .-]\d{4}\b"),
    _rule(_K.PHONE, rf"{_ALONE}\(?0\d{{2,4}}\)?[ /-]\d{{3,4}}(?:[ -]?\d{{2,4}}){{1,2}}{_END}"),
    _rule(_K.PHONE, rf"{_ALONE}0\d(?: \d\d){{4}}{_END}"),
    _rule(
        _K.PHONE,
        rf"(?:{_PHONE_WORD}){_MARK}?{_LINK}(?P<it>\(?\d(?:[ ().-]{{0,2}}\d){{6,13}})(?![\w])",
        flags=_IGNORE,
    ),
    _rule(
        _K.ACCOUNT,
        rf"(?:{_ACCOUNT_WORD}){_MARK}{_LINK}(?P<it>[A-Z]{{0,4}}[ -]?\d(?:[ /-]?[A-Z]?\d){{3,18}})\b",
        flags=_IGNORE,
    ),
    _rule(
        _K.ACCOUNT,
        rf"(?:{_WORDS['routing']}){_LINK}(?P<it>\d(?:[ -]?\d){{4,17}})\b",
        flags=_IGNORE,
    ),
    _rule(_K.ACCOUNT, r"\baccount[ ](?P<it>\d(?:-?\d){7,17})\b(?![.,]\d)", flags=_IGNORE),
    *(_rule(_K.BIRTH_DATE, pattern, flags=_IGNORE) for pattern in BIRTH_DATES),
    *(_rule(_K.ADDRESS, pattern, flags=_IGNORE) for pattern in ADDRESSES),
)
"""In order of precedence: where two rules find the same characters, the earlier one wins."""

_IBAN = late_pattern(r"\b(?=([A-Z]{2}\d\d(?:[ -]?[A-Z\d]){11,30}))", re.IGNORECASE)


def iban_spans(text: str) -> Iterator[tuple[int, int]]:
    """The positions of IBANs, cut to their country's length: the text that follows may look like a part of
    them."""
    for match in _IBAN.finditer(text):
        length = check.iban_length(match[1])
        ends = [index for index, character in enumerate(match[1], 1) if character.isalnum()]
        if length is None or len(ends) < length:
            continue
        end = match.start() + ends[length - 1]
        follows = text[end : end + 1]
        if not follows.isalnum() and check.is_iban(text[match.start() : end]):
            yield match.start(), end
