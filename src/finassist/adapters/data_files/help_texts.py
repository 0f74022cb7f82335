"""The texts for people who need help."""

import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from finassist.adapters.data_files.links import _DATA
from finassist.domain.safety import Concern, Headings, HelpText, HelpTexts, Sign, SpokenHelp


@cache
def help_texts() -> HelpTexts:
    """The texts of each language: a file each in ``data/help``."""
    folder = files(_DATA) / "help"
    return HelpTexts(
        {
            file.name.removesuffix(".toml"): _spoken(file)
            for file in sorted(folder.iterdir(), key=lambda file: file.name)
            if file.name.endswith(".toml")
        }
    )


def _spoken(file: Traversable) -> SpokenHelp:
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    return SpokenHelp(
        countries=msgspec.convert(content["countries"], list[str]),
        headings=msgspec.convert(content["headings"], Headings),
        texts={concern: msgspec.convert(content[concern], HelpText) for concern in Concern},
        signs=msgspec.convert(content["signs"], dict[Sign, str]),
    )
