"""Postal addresses and dates of birth.

A house number next to the name of a street is an address, together with what follows up to the postcode.
Dates count only when the text calls them a date of birth: all others are terms and due dates.
"""

from typing import Final, cast

from finassist.data import shipped

_WORDS: Final = cast("dict[str, str]", shipped("redaction/words"))
_UPPER: Final = r"(?-i:[A-ZÀ-ÖØ-Þ])"
_NAME: Final = rf"{_UPPER}[\w'\u2019-]*"
_WORD: Final = rf"{_UPPER}(?:[^\W\d_]|['\u2019-])*"
_NAMES: Final = rf"(?:{_NAME}\.? ){{1,3}}"
_HOUSE: Final = r"\d{1,5}(?:[ -]?[a-z])?"

_STREET: Final = rf"(?:{_WORDS['street_after_name']})\b"
_FLAT: Final = rf"(?:(?:{_WORDS['flat']})\b\.? ?#?\d{{1,5}}[a-z]?)"

_UK_POSTCODE: Final = r"(?-i:[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2})\b"
_US_POSTCODE: Final = r"(?-i:[A-Z]{2}) \d{5}(?:-\d{4})?\b"
_TOWN: Final = (
    rf"(?:,? (?:NW|NE|SW|SE|N|S|E|W)\b)?(?:, {_FLAT})?"
    rf"(?:,? {_WORD}(?: {_WORD})?(?=[,. \n]|$))?(?:,? (?:{_UK_POSTCODE}|{_US_POSTCODE}))?"
)
_CITY_AFTER_CODE: Final = rf"(?:,? \d{{4,5}} {_NAME}(?: {_NAME})?|,? {_NAME}(?=[.,\n]|$))?"

_GERMAN_STREET: Final = rf"(?:{_WORDS['street_in_word']})"
_GERMAN: Final = rf"(?<!\w){_UPPER}\w*{_GERMAN_STREET} {_HOUSE}\b{_CITY_AFTER_CODE}"
_ROMANCE_STREET: Final = rf"(?:{_WORDS['street_before_name']})"
_OF: Final = rf"(?:(?:{_WORDS['of_street']}) ?){{0,2}}"
_FRENCH: Final = rf"{_HOUSE}(?: bis)?,? {_ROMANCE_STREET} {_OF}{_NAME}(?: {_NAME}){{0,4}}{_CITY_AFTER_CODE}"
_SOUTHERN: Final = rf"\b{_ROMANCE_STREET} {_OF}{_NAME}(?: {_NAME}){{0,4}},? {_HOUSE}\b{_CITY_AFTER_CODE}"

ADDRESSES: Final = (
    rf"(?<![\w.,$€£₹-])(?:{_FLAT},? )?{_HOUSE} {_NAMES}{_STREET}{_TOWN}",
    _GERMAN,
    rf"(?<![\w.,$€£₹-]){_FRENCH}",
    _SOUTHERN,
    r"(?:\b(?:live|lives|living|reside|stay) (?:at|on)|\baddress(?: is|:)?) "
    rf"(?P<it>{_HOUSE} (?:[a-z'\u2019-]+ ){{1,3}}{_STREET})",
    rf"\bp\.? ?o\.? box \d{{1,6}}\b{_TOWN}",
    rf"(?<![\w-]){_UK_POSTCODE}",
)
"""Patterns, which ignore case except where they say otherwise."""

_MONTH: Final = rf"(?:{_WORDS['months']})[a-zéûß]*\.?"
_DATE: Final = (
    r"(?:\d{4}-\d\d?-\d\d?|\d\d?(?P<mark>[./-])\d\d?(?P=mark)(?:\d{4}|\d\d)"
    rf"|\d\d?(?:st|nd|rd|th|\.)? (?:of |de )?{_MONTH},? (?:de )?\d{{4}}"
    rf"|{_MONTH} \d\d?(?:st|nd|rd|th)?,? \d{{4}})(?![\d/-])"
)
_BORN: Final = rf"(?:{_WORDS['born']})"
_UNTIL: Final = rf"(?:[ ]*(?:{_WORDS['before_date']}|:|=|-|,)(?![\w])){{0,3}}[ ]*"

BIRTH_DATES: Final = (
    rf"{_BORN}{_UNTIL}(?P<it>{_DATE})",
    rf"\bam (?P<it>{_DATE}) geboren\b",
)
"""Patterns, which ignore case."""
