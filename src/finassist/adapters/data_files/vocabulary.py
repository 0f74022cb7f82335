"""The words that the search treats as equal."""

from importlib.resources import files

import msgspec

from finassist.adapters.data_files.links import _DATA
from finassist.domain.retrieval.vocabulary import Vocabulary


class _Vocabulary(msgspec.Struct, frozen=True):
    spellings: dict[str, str]
    abbreviations: dict[str, str]


def vocabulary() -> Vocabulary:
    """The spellings and the abbreviations of the field."""
    stored = msgspec.json.decode((files(_DATA) / "vocabulary.json").read_bytes(), type=_Vocabulary)
    abbreviations = {word: tuple(phrase.split()) for word, phrase in stored.abbreviations.items()}
    return Vocabulary(stored.spellings, abbreviations)
