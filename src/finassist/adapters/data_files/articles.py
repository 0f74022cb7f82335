"""Files of articles: those that ship, and an operator's own.

An article is a text (``{id, title, body}``), or a topic with entries, each a question and its complete
answer. An entry becomes an ``Article`` of its own, whose id is the topic's and a number:
``us-401k-basics.2``. Both are lines of a JSONL file; a topic may be a Markdown file as well::

    ---
    id: us-401k-basics
    category: Retirement_Planning
    jurisdiction: US
    asOf: 2026-11-22
    sources:
      - https://www.irs.gov/retirement-plans
    ---

    # What is a 401(k) and how does it work?

    - wtf is a 401k
    - 401 k explained

    A 401(k) is a retirement plan ...

    ## Details

    Steps, a table, a worked example.

A ``# `` heading begins an entry, the list after it has other wordings of the question, then comes the answer.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, ClassVar, Final, Protocol

import msgspec
import yaml  # type: ignore[import-untyped]

from finassist.domain.errors import FieldError, ValidationFailed
from finassist.domain.knowledge import Article
from finassist.domain.retrieval import entry_rules
from finassist.domain.retrieval.languages import ENGLISH

Text = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]

SHIPPED: Final = files("finassist.data") / "knowledge"
"""The folder of the articles that ship."""

_MARKDOWN: Final = (".md", ".markdown")
_FRONT_MATTER: Final = re.compile(r"---\r?\n(.*?)\r?\n---[ \t]*\r?\n(.*)\Z", re.DOTALL)
_ENTRY: Final = re.compile(r"^# +", re.MULTILINE)
_DETAILS: Final = re.compile(r"^## +Details[ \t]*$", re.MULTILINE)
_VARIANTS: Final = re.compile(r"\A\s*((?:- .*\n?)+)\s*\n")


class File(Protocol):
    """A file that can be named and read: a path, or one that ships."""

    @property
    def name(self) -> str: ...

    def read_bytes(self) -> bytes: ...


class Entry(msgspec.Struct, frozen=True):
    """A question with its complete answer; ``details`` go deeper."""

    question: Text
    answer: Text
    variants: tuple[Text, ...] = ()
    details: str = ""


class ArticleLine(msgspec.Struct, frozen=True, rename="camel"):
    """A line of a file: a text with ``title`` and ``body``, or a topic with ``entries``."""

    id: Text
    title: Text | None = None
    body: Text | None = None
    category: str | None = None
    jurisdiction: str | None = None
    as_of: str | None = None
    url: str | None = None
    topic: str | None = None
    language: str = ENGLISH
    sources: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()

    def articles(self) -> Sequence[Article]:
        """The articles of the line. Raises ValueError when it is neither a text nor a topic."""
        if self.entries and self.body is None:
            return [self._article(entry, number) for number, entry in enumerate(self.entries, start=1)]
        if self.entries or self.title is None or self.body is None:
            raise ValueError("Must have a title and a body, or entries.")
        return [
            Article(
                id=self.id,
                title=self.title,
                body=self.body,
                category=self.category,
                jurisdiction=self.jurisdiction,
                as_of=self.as_of,
                url=self.url,
            )
        ]

    def as_written(self, place: str) -> entry_rules.Topic:
        """The line for the rules that its entries must keep."""
        entries = (
            entry_rules.Entry(
                question=entry.question, answer=entry.answer, variants=entry.variants, details=entry.details
            )
            for entry in self.entries
        )
        return entry_rules.Topic(
            place=place,
            id=self.id,
            name=self.topic or self.title or "",
            category=self.category,
            language=self.language,
            jurisdiction=self.jurisdiction,
            as_of=self.as_of,
            sources=self.sources if self.url is None else (*self.sources, self.url),
            entries=tuple(entries),
        )

    def _article(self, entry: Entry, number: int) -> Article:
        return Article(
            id=f"{self.id}.{number}",
            title=entry.question,
            body=f"{entry.answer}\n\n{entry.details}".strip(),
            category=self.category,
            jurisdiction=self.jurisdiction,
            as_of=self.as_of,
            url=self.url or next(iter(self.sources), None),
            variants=entry.variants,
            quotable=True,
            language=self.language,
        )


def starter_articles() -> Sequence[Article]:
    """The articles that a fresh knowledge base begins with."""
    return articles_below(SHIPPED)


def articles_below(folder: Traversable) -> Sequence[Article]:
    """The articles of all files in a folder and below it, by the names of the files."""
    return [article for file in files_below(folder) for article in read(file)]


def starter_edition() -> str:
    """The edition of the starter articles, known without reading them."""
    return (SHIPPED / "edition.txt").read_text("ascii").strip()


def edition_of(folder: Traversable) -> str:
    """The digest of all files of articles below a folder, with their names."""
    digest = hashlib.sha256()
    for file in sorted(_walk(folder), key=lambda file: file.name):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def read(file: File) -> Sequence[Article]:
    """The articles of a JSONL or Markdown file. Raises ValidationFailed naming every line that is wrong."""
    return [article for _, line in _lines(file) for article in line.articles()]


def read_topics(file: File) -> Sequence[entry_rules.Topic]:
    """What a file holds, as its editor wrote it; a text without questions is a topic without entries. Raises
    ValidationFailed naming every line that is wrong."""
    return [line.as_written(f"{file}{place}") for place, line in _lines(file)]


def files_below(path: Traversable) -> Sequence[Traversable]:
    """The files of articles in a folder and below it, by name; a file is itself."""
    return sorted(_walk(path), key=lambda file: file.name) if path.is_dir() else [path]


def _lines(file: File) -> Sequence[tuple[str, ArticleLine]]:
    """The lines of a file that has them, each with the number that names it; a Markdown file is one."""
    content = file.read_bytes()
    if file.name.lower().endswith(_MARKDOWN):
        try:
            line = markdown_topic(content.decode())
            line.articles()
        except (ValueError, msgspec.ValidationError, yaml.YAMLError) as error:
            raise ValidationFailed.of(file.name, str(error)) from error
        return [("", line)]
    lines: list[tuple[str, ArticleLine]] = []
    errors: list[FieldError] = []
    decoder = msgspec.json.Decoder(ArticleLine)
    for number, text in enumerate(content.splitlines(), 1):
        if text.strip():
            try:
                line = decoder.decode(text)
                line.articles()
            except ValueError as error:  # msgspec's errors are ValueErrors, too
                errors.append(FieldError(f"{file.name}:{number}", str(error)))
            else:
                lines.append((f":{number}", line))
    if errors:
        raise ValidationFailed(errors)
    return lines


def markdown_topic(text: str) -> ArticleLine:
    """A topic, or a text without questions, as a Markdown file has it. Raises ValueError."""
    parts = _FRONT_MATTER.match(text)
    if parts is None:
        raise ValueError("Must begin with front matter between two lines of ---.")
    loaded = yaml.load(parts[1], Loader=_Loader)  # noqa: S506 - a SafeLoader
    head = msgspec.convert(loaded, ArticleLine)
    if head.title is not None:
        return msgspec.structs.replace(head, body=parts[2].strip(), entries=())
    entries = tuple(_entry(entry) for entry in _ENTRY.split(parts[2])[1:])
    return msgspec.structs.replace(head, body=None, entries=entries)


def _entry(text: str) -> Entry:
    question, _, rest = text.partition("\n")
    answer, *details = _DETAILS.split(rest, maxsplit=1)
    variants = _VARIANTS.match(answer)
    if variants is not None:
        answer = answer[variants.end() :]
    entry = {
        "question": question.strip(),
        "variants": [line[2:].strip() for line in variants[1].splitlines()] if variants else [],
        "answer": answer.strip(),
        "details": details[0].strip() if details else "",
    }
    return msgspec.convert(entry, Entry)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Leaves dates the texts that they are. In C, where PyYAML has it, it takes half the time."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _walk(folder: Traversable) -> Iterator[Traversable]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _walk(each)
        elif each.name.endswith((".jsonl", *_MARKDOWN)):
            yield each
