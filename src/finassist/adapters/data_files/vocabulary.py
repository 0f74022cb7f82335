"""The words that the search treats as equal."""

from importlib.resources import files

import msgspec

from finassist.adapters.data_files.links import _DATA
from finassist.domain.retrieval.vocabulary import Vocabulary


class _Vocabulary(msgspec.Struct, frozen=True):
    spellings: dict[str, str]
    abbreviations: dict[str, str]
    everyday: dict[str, str]


def vocabulary() -> Vocabulary:
    """The spellings, the abbreviations of the field, and the everyday words for its terms."""
    stored = msgspec.json.decode((files(_DATA) / "vocabulary.json").read_bytes(), type=_Vocabulary)
    abbreviations, everyday = (
        {word: tuple(phrase.split()) for word, phrase in each.items()}
        for each in (stored.abbreviations, stored.everyday)
    )
    return Vocabulary(stored.spellings, abbreviations, everyday)
