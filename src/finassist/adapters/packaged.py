"""What the package ships: default links, the system prompt, the starter articles, the words, the seeds."""

from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Final

import msgspec

from finassist.domain.knowledge import Article
from finassist.domain.links import Links, SocialMediaUrls, SystemUrls
from finassist.domain.vocabulary import Vocabulary

_DATA: Final = "finassist.data"


Text = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]


class ArticleLine(msgspec.Struct, frozen=True, rename="camel"):
    """A line of a file of articles (contract section 12), shipped or an operator's own."""

    id: Text
    title: Text
    body: Text
    category: str | None = None
    jurisdiction: str | None = None
    as_of: str | None = None
    url: str | None = None


class _Vocabulary(msgspec.Struct, frozen=True):
    spellings: dict[str, str]
    abbreviations: dict[str, str]
    everyday: dict[str, str]


class _SystemUrls(msgspec.Struct, frozen=True, rename="camel"):
    terms_and_conditions: str
    privacy_policy: str
    faqs: str
    support_email: str


class _SocialMediaUrls(msgspec.Struct, frozen=True, rename="camel"):
    network_page: str
    network_photo: str
    network_professional: str
    network_microblog: str


class _Links(msgspec.Struct, frozen=True, rename="camel"):
    system_urls: _SystemUrls
    social_media_urls: _SocialMediaUrls


def default_links() -> Links:
    """The neutral links of a fresh installation."""
    links = msgspec.json.decode((files(_DATA) / "links.json").read_bytes(), type=_Links)
    return Links(
        system_urls=SystemUrls(**msgspec.structs.asdict(links.system_urls)),
        social_media_urls=SocialMediaUrls(**msgspec.structs.asdict(links.social_media_urls)),
    )


def vocabulary() -> Vocabulary:
    """The spellings, the abbreviations of the field, and the everyday words for its terms."""
    stored = msgspec.json.decode((files(_DATA) / "vocabulary.json").read_bytes(), type=_Vocabulary)
    abbreviations, everyday = (
        {word: tuple(phrase.split()) for word, phrase in each.items()}
        for each in (stored.abbreviations, stored.everyday)
    )
    return Vocabulary(stored.spellings, abbreviations, everyday)


def system_prompt() -> str:
    """The assistant's instructions; ``{date}`` stands for the day of the question."""
    return (files(_DATA) / "system_prompt.md").read_text(encoding="utf-8").strip()


def starter_articles() -> Sequence[Article]:
    """The articles that a fresh knowledge base begins with."""
    decoder = msgspec.json.Decoder(ArticleLine)
    return [
        Article(**msgspec.structs.asdict(decoder.decode(line)))
        for file in _article_files()
        for line in file.read_bytes().splitlines()
        if line.strip()
    ]


def shipped_seeds() -> Sequence[Traversable]:
    """The files that ``finassist seed`` loads when none is named."""
    return sorted((files(_DATA) / "seeds").iterdir(), key=lambda file: file.name)


def _article_files() -> list[Traversable]:
    folder = files(_DATA) / "articles"
    return sorted((file for file in folder.iterdir() if file.name.endswith(".jsonl")), key=lambda f: f.name)
