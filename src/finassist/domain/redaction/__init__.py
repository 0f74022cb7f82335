"""Redaction: finding personal data in texts by rules, and replacing it (contract section 6).

It finds email addresses, phone numbers, card numbers, IBANs, account numbers that are labelled as such,
identity numbers of common kinds, postal addresses, dates of birth, and names that are introduced. Its misses
and false findings are measured in docs/sharing.md. Amounts stay, because the advice is about them.
"""

import re
from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from finassist.domain.redaction.names import introduced, parts_of
from finassist.domain.redaction.rules import RULES, PersonalDataKind, iban_spans

_SHOWN: Final = {
    PersonalDataKind.EMAIL: "[email]",
    PersonalDataKind.PHONE: "[phone number]",
    PersonalDataKind.CARD: "[card number]",
    PersonalDataKind.IBAN: "[IBAN]",
    PersonalDataKind.ACCOUNT: "[account number]",
    PersonalDataKind.NATIONAL_ID: "[identity number]",
    PersonalDataKind.NAME: "[name]",
    PersonalDataKind.ADDRESS: "[address]",
    PersonalDataKind.BIRTH_DATE: "[date of birth]",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Personal data in a text, from ``start`` up to ``end``."""

    kind: PersonalDataKind
    text: str
    start: int
    end: int


def _start(finding: Finding) -> int:
    return finding.start


class Redactor:
    """Finds and replaces personal data. Known names are found anywhere, in the same
    spelling; all other data is recognised by its form."""

    __slots__ = ("_known",)

    def __init__(self, names: Iterable[str] = ()) -> None:
        longest_first = sorted(set(names), key=lambda name: (-len(name), name))
        known = "|".join(map(re.escape, longest_first))
        self._known = re.compile(rf"(?<!\w)(?:{known})(?!\w)") if known else None

    @classmethod
    def knowing_names_in(cls, texts: Iterable[str]) -> "Redactor":
        """A redactor that knows every name that is introduced in the texts."""
        return cls(
            part for text in texts for start, end in introduced(text) for part in parts_of(text[start:end])
        )

    def find(self, text: str) -> tuple[Finding, ...]:
        """The personal data in a text, in order; no two overlap."""
        found: list[Finding] = []  # by their places
        for kind, start, end in self._candidates(text):
            at = bisect(found, start, key=_start)
            after_the_one_before = at == 0 or found[at - 1].end <= start
            if after_the_one_before and (at == len(found) or end <= found[at].start):
                found.insert(at, Finding(kind, text[start:end], start, end))
        return tuple(found)

    def redact(self, text: str) -> str:
        """The text with each piece of personal data replaced by the name of its kind."""
        pieces: list[str] = []
        end = 0
        for finding in self.find(text):
            pieces += (text[end : finding.start], _SHOWN[finding.kind])
            end = finding.end
        return "".join([*pieces, text[end:]])

    def _candidates(self, text: str) -> Iterable[tuple[PersonalDataKind, int, int]]:
        for start, end in iban_spans(text):
            yield PersonalDataKind.IBAN, start, end
        for rule in RULES:
            for start, end in rule.spans(text):
                yield rule.kind, start, end
        for start, end in introduced(text):
            yield PersonalDataKind.NAME, start, end
        if self._known is not None:
            for match in self._known.finditer(text):
                yield PersonalDataKind.NAME, match.start(), match.end()


__all__ = ["Finding", "PersonalDataKind", "Redactor"]
