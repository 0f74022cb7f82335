"""Personal data in what people write, found by rules and put out of sight (contract section 6).

Found are email addresses, phone numbers, card numbers, IBANs, account numbers that are called so,
identity numbers of common kinds, postal addresses, dates of birth, and names that somebody introduces. What
it misses and what it finds wrongly is measured in docs/sharing.md. Amounts stay: advice is about them.
"""

import re
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


class Redactor:
    """Finds and replaces personal data. Names that it knows are found wherever they stand, as they are
    written; all other data is told by its form."""

    __slots__ = ("_known",)

    def __init__(self, names: Iterable[str] = ()) -> None:
        longest_first = sorted(set(names), key=lambda name: (-len(name), name))
        known = "|".join(map(re.escape, longest_first))
        self._known = re.compile(rf"(?<!\w)(?:{known})(?!\w)") if known else None

    @classmethod
    def knowing_names_in(cls, texts: Iterable[str]) -> "Redactor":
        """One that knows every name that somebody introduces in the texts."""
        return cls(
            part for text in texts for start, end in introduced(text) for part in parts_of(text[start:end])
        )

    def find(self, text: str) -> tuple[Finding, ...]:
        """The personal data in a text, in order; no two overlap."""
        found: list[Finding] = []
        for kind, start, end in self._candidates(text):
            if all(end <= other.start or start >= other.end for other in found):
                found.append(Finding(kind, text[start:end], start, end))
        return tuple(sorted(found, key=lambda finding: finding.start))

    def redact(self, text: str) -> str:
        """The text with each piece of personal data replaced by what it is."""
        for finding in reversed(self.find(text)):
            text = f"{text[: finding.start]}{_SHOWN[finding.kind]}{text[finding.end :]}"
        return text

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
